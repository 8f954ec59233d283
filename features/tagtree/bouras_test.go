package tagtree

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// shown is an area as the tests below write it.
type shown struct {
	Path   string
	Kind   AreaKind
	IV, HV float64
	Text   string
}

func areasOf(a *Analysis) []shown {
	var got []shown
	for _, area := range a.Areas {
		got = append(got, shown{area.Path, area.Kind, area.IV, area.HV, strings.ReplaceAll(area.Text, "\n", "|")})
	}
	return got
}

// Algorithm 1 (papers 000/001, section 5.1) worked by hand with small thresholds.
func TestBouras(t *testing.T) {
	small := BourasOptions{ThrIV: 20, ThrHV: 2}
	const links = "<a href=a>one</a> <a href=b>two</a> <a href=c>six</a>"
	tests := []struct {
		name, html string
		options    BourasOptions
		want       []shown
	}{
		{"no text", "<img src=a>", small, nil},
		{"below both thresholds", "<p>twenty letters in it</p>", small, nil},
		{"above by one", "<p>twenty letters in it!</p>", small, []shown{{"html/body/p", Info, 21, 0, "twenty letters in it!"}}},
		// p 26 > 20; div[2] 11 with 3 links > 2; div[3] 5, and body no more.
		{"article, links and a rest", "<div><p>owls, their calls and maps</div><div>" + links + "</div><div>short</div>", small, []shown{
			{"html/body/div[1]/p", Info, 26, 0, "owls, their calls and maps"},
			{"html/body/div[2]", Hub, 11, 3, "one two six"},
		}},
		// li 6·2 = 12, ul 24 > 20.
		{"a list weighs more", "<div>abcdef</div><ul><li>abcdef</ul>", small, []shown{{"html/body/ul", Info, 24, 0, "abcdef"}}},
		// td 3·2, tr 12, tbody 24 > 20: STOP, nothing of it reaches the table.
		{"the first that exceeds", "<table><tr><td>abc</table>", small, []shown{{"html/body/table/tbody", Info, 24, 0, "abc"}}},
		// 12 + 11 = 23 of the other two paragraphs reach the div around the first.
		{"an area around another", "<div><p>twenty letters in it!<p>twelve chars<p>eleven char</div>", small, []shown{
			{"html/body/div", Info, 23, 0, "twelve chars|eleven char"},
			{"html/body/div/p[1]", Info, 21, 0, "twenty letters in it!"},
		}},
		// Two links in each div; the body has four.
		{"links add up", "<div><a href=a>a</a><a href=b>b</a></div><div><a href=c>c</a><a href=d>d</a></div>", small, []shown{
			{"html/body", Hub, 4, 4, "ab|cd"},
		}},
		{"links of an area do not", "<div>" + links + "</div><div><a href=c>c</a><a href=d>d</a></div>", small, []shown{
			{"html/body/div[1]", Hub, 11, 3, "one two six"},
		}},
		{"text before links", "<p>twenty letters and " + links + "</p>", small, []shown{{"html/body/p", Info, 30, 3, "twenty letters and one two six"}}},
		{"pictures", "<div><a href=a><img></a><a href=b><img></a><a href=c><img></a></div>", small, []shown{{"html/body/div", Hub, 0, 3, ""}}},
		{"markup inside links", "<div><a href=a><b>a</b></a><a href=b><i>b</i></a><a href=c>c</a></div>", small, []shown{{"html/body/div", Hub, 3, 3, "abc"}}},
		{"plain thresholds of zero are the defaults", "<p>" + strings.Repeat("x", 1000) + "</p><div><a href=a>a</a><a href=b>b</a></div>", BourasOptions{}, []shown{
			{"html/body", Info, 1002, 2, strings.Repeat("x", 1000) + "|ab"},
		}},
		// Short links are not worth following: 3 letters on average against 23.
		{"navigation dropped", "<div>" + links + "</div><div><a href=a>an article about all owls</a> <a href=b>another of bats and cats</a> <a href=c>calls for a night of owl</a></div>",
			BourasOptions{ThrIV: 100, ThrHV: 2, DropNavigation: true}, []shown{
				{"html/body/div[1]", Navigation, 11, 3, "one two six"},
				{"html/body/div[2]", Hub, 75, 3, "an article about all owls another of bats and cats calls for a night of owl"},
			}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tree := parse(t, tt.html)
			a := AnalyzeBouras(tree, tt.options)
			if diff := cmp.Diff(tt.want, areasOf(a)); diff != "" {
				t.Error(diff)
			}
			checkAnalysis(t, tree, a, false)
		})
	}
}

// Where formulas and pseudo-code of papers 000/001 differ, the formulas hold.
func TestBourasReadsTheFormulas(t *testing.T) {
	// IV=IV+T(p) as it stands would count a text once a level: p 12, div 24.
	if a := AnalyzeBouras(parse(t, "<div><div><p>twelve chars</div></div>"), BourasOptions{ThrIV: 20}); len(a.Areas) > 0 {
		t.Errorf("text counted once a level: %v", areasOf(a))
	}
	// HV=HV+q.IV, as 001 prints it, would call text a hub.
	if a := AnalyzeBouras(parse(t, "<div><p>twelve chars</div>"), BourasOptions{ThrIV: 20, ThrHV: 5}); len(a.Areas) > 0 {
		t.Errorf("text counted as links: %v", areasOf(a))
	}
	// But LINK counts where it has children, as the pseudo-code has it: its text is one.
	if a := AnalyzeBouras(parse(t, "<div><a href=a>a</a></div>"), BourasOptions{}); a.HV != 1 {
		t.Errorf("a link with text has the hub value %v", a.HV)
	}
}

func TestBourasOfPlainText(t *testing.T) {
	tree := parseAs(t, "twenty letters in it!\n\nhttp://a.example.org/ http://b.example.org/\nhttp://c.example.org/\n\nend", "text/plain")
	want := []shown{
		{"text/p[1]", Info, 21, 0, "twenty letters in it!"},
		{"text/p[2]", Info, 64, 3, "http://a.example.org/ http://b.example.org/|http://c.example.org/"},
	}
	if diff := cmp.Diff(want, areasOf(AnalyzeBouras(tree, BourasOptions{ThrIV: 20, ThrHV: 2}))); diff != "" {
		t.Error(diff)
	}
	want[1].Kind = Hub // where 64 bytes of addresses are below ThrIV
	if diff := cmp.Diff(want[1:], areasOf(AnalyzeBouras(tree, BourasOptions{ThrIV: 70, ThrHV: 2}))); diff != "" {
		t.Error(diff)
	}
}
