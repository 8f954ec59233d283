package record

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/features/tagtree/tagtreetest"

	"github.com/google/go-cmp/cmp"
)

// regionTexts writes regions for comparison in tests: a line per record, its fields separated by
// bars, "---" between regions.
func regionTexts(regions []Region) string {
	var b strings.Builder
	for i, region := range regions {
		if i > 0 {
			b.WriteString("---\n")
		}
		for _, record := range region.Records {
			b.WriteString(record.Text() + "\n")
		}
	}
	return b.String()
}

func TestRegions(t *testing.T) {
	cases := []struct{ name, html, want string }{
		{"rows of a table, below a row of heads",
			`<table><tr><th>Event<th>Date<th>Place</tr>
			<tr><td><a href=a>Owl Days</a><td>3 May<td>Graz<tr><td><a href=b>Heron Forum</a><td>9 June<td>Turin
			<tr><td>Finch Meeting<td>1 July<td>Lund</table>`,
			"Owl Days 3 May Graz\nHeron Forum 9 June Turin\nFinch Meeting 1 July Lund\n"},
		{"a row of heads in plain cells",
			`<table><tr><td>Event<td>Date<tr><td><a href=a>Owl Days</a><td>3 May<tr><td><a href=b>Heron Forum</a><td>9 June
			<tr><td><a href=c>Finch Meeting</a><td>1 July</table>`,
			"Owl Days 3 May\nHeron Forum 9 June\nFinch Meeting 1 July\n"},
		{"rows of months between the rows",
			`<table><tr><td colspan=3><b>May</b><tr><td><a href=a>Owl Days</a><td>3<td>Graz<tr><td><a href=b>Heron Forum</a><td>9<td>Turin
			<tr><td colspan=3><b>July</b><tr><td><a href=c>Finch Meeting</a><td>1<td>Lund</table>`,
			"Owl Days 3 Graz\nHeron Forum 9 Turin\nFinch Meeting 1 Lund\n"},
		{"two rows a record",
			`<table><tr><td>Event<td>When<td>Where
			<tr><td rowspan=2><a href=a>OD 27</a><td colspan=2>Owl Days<tr><td>3 May<td>Graz
			<tr><td rowspan=2><a href=b>HF 27</a><td colspan=2>Heron Forum<tr><td>9 June<td>Turin
			<tr><td rowspan=2><a href=c>FM 27</a><td colspan=2>Finch Meeting<tr><td>1 July<td>Lund</table>`,
			"OD 27 Owl Days 3 May Graz\nHF 27 Heron Forum 9 June Turin\nFM 27 Finch Meeting 1 July Lund\n"},
		{"items of lists under months, one month with one",
			`<h3>May</h3><ul><li><a href=a>Owl Days</a>, Graz, 3 May<li><a href=b>Heron Forum</a>, Turin, 9 May</ul>
			<h3>June</h3><ul><li><a href=c>Finch Meeting</a>, Lund, 1 June</ul>
			<h3>July</h3><ul><li><a href=d>Robin School</a>, Cork, 2 July<li><a href=e>Gull Workshop</a>, Nice, 5 July<li><a href=f>Swan Summit</a>, Oslo, 8 July</ul>`,
			"Owl Days, Graz, 3 May\nHeron Forum, Turin, 9 May\n---\nFinch Meeting, Lund, 1 June\n---\n" +
				"Robin School, Cork, 2 July\nGull Workshop, Nice, 5 July\nSwan Summit, Oslo, 8 July\n"},
		{"paragraphs under headings that part them",
			`<h2>Coming</h2><p>3 May: <a href=a>Owl Days</a>, Graz<p>9 May: <a href=b>Heron Forum</a>, Turin<p>1 June: <a href=c>Finch Meeting</a>, Lund
			<h2>Past</h2><p>2 July: <a href=d>Robin School</a>, Cork<p>5 July: <a href=e>Gull Workshop</a>, Nice`,
			"3 May: Owl Days, Graz\n9 May: Heron Forum, Turin\n1 June: Finch Meeting, Lund\n---\n2 July: Robin School, Cork\n5 July: Gull Workshop, Nice\n"},
		{"heading and paragraphs are a record",
			`<h3>On the Calls of Owls</h3><p>Ada Gray, Lund<p>Owls call at night. We count how often they do, and why some do not at all.
			<h3>Herons at Rest</h3><p>Bob Hill, Cork<p>Herons rest on one leg. We measure for how long, and on which of both.
			<h3>Finches and Seeds</h3><p>Cleo Marsh, Nice<p>Finches eat seeds. We sort these by size and by how soon they are gone.`,
			"On the Calls of Owls Ada Gray, Lund Owls call at night. We count how often they do, and why some do not at all.\n" +
				"Herons at Rest Bob Hill, Cork Herons rest on one leg. We measure for how long, and on which of both.\n" +
				"Finches and Seeds Cleo Marsh, Nice Finches eat seeds. We sort these by size and by how soon they are gone.\n"},
		{"terms with definitions",
			`<dl><dt><a href=a>Owl Days</a><dd>Graz, 3 May<dt><a href=b>Heron Forum</a><dd>Turin, 9 June<dd>with tutorials
			<dt><a href=c>Finch Meeting</a><dd>Lund, 1 July</dl>`,
			"Owl Days Graz, 3 May\nHeron Forum Turin, 9 June with tutorials\nFinch Meeting Lund, 1 July\n"},
		{"lines of one element",
			`<div><a href=a>Owl Days</a>, Graz, 3 May<br><a href=b>Heron Forum</a>, Turin, 9 June<br><a href=c>Finch Meeting</a>, Lund, 1 July<br></div>`,
			"Owl Days, Graz, 3 May\nHeron Forum, Turin, 9 June\nFinch Meeting, Lund, 1 July\n"},
		{"several lines a record, an empty one between",
			`<td><b>Owl Days</b><br>Graz<br>3 May<br><br><b>Heron Forum</b><br>Turin<br>9 June<br><br><b>Finch Meeting</b><br>Lund<br>1 July</td>`,
			"Owl Days Graz 3 May\nHeron Forum Turin 9 June\nFinch Meeting Lund 1 July\n"},
		{"several lines a record, each begun in bold",
			`<div><b><a href=a>Owl Days</a></b><br>Graz, 3 May<br><b><a href=b>Heron Forum</a></b><br>Turin, 9 June<br><b><a href=c>Finch Meeting</a></b><br>Lund, 1 July</div>`,
			"Owl Days Graz, 3 May\nHeron Forum Turin, 9 June\nFinch Meeting Lund, 1 July\n"},
		{"cards in rows of a grid",
			`<div class=row><div><img src=1><h4>Ada Gray</h4><p>Lund</div><div><img src=2><h4>Bob Hill</h4><p>Cork</div></div>
			<div class=row><div><img src=3><h4>Cleo Marsh</h4><p>Nice</div><div><img src=4><h4>Dan Moss</h4><p>Graz</div></div>
			<div class=row><div><img src=5><h4>Eve Reed</h4><p>Oslo</div></div>`,
			"Ada Gray Lund\nBob Hill Cork\n---\nCleo Marsh Nice\nDan Moss Graz\n---\nEve Reed Oslo\n"},
		{"columns over several rows",
			`<table><tr><td><img src=1><a href=a>Ada Gray</a><td><img src=2><a href=b>Bob Hill</a><td><img src=3><a href=c>Cleo Marsh</a>
			<tr><td>Lund<td>Cork<td>Nice
			<tr><td><img src=4><a href=d>Dan Moss</a><td><img src=5><a href=e>Eve Reed</a><td><img src=6><a href=f>Fay Stone</a>
			<tr><td>Graz<td>Oslo<td>Turin</table>`,
			"Ada Gray Lund\nBob Hill Cork\nCleo Marsh Nice\nDan Moss Graz\nEve Reed Oslo\nFay Stone Turin\n"},
		{"records with a list of labelled fields",
			`<div><h3>Owl Days</h3><ul><li>Place: Graz<li>Date: 3 May<li>Deadline: 1 March</ul></div>
			<div><h3>Heron Forum</h3><ul><li>Place: Turin<li>Date: 9 June</ul></div>
			<div><h3>Finch Meeting</h3><ul><li><b>Place:</b> Lund<li>Date: 1 July<li>Deadline: 1 May</ul></div>`,
			"Owl Days Place: Graz Date: 3 May Deadline: 1 March\nHeron Forum Place: Turin Date: 9 June\nFinch Meeting Place: Lund Date: 1 July Deadline: 1 May\n"},
		{"tables between rulers",
			`<div><h1>Editions</h1>Welcome to all.<hr><table><tr><td><img src=a><td><b>Owl Days 3</b>, Graz<br><a href=3>site</a></table>
			<hr><table><tr><td><img src=b><td><b>Owl Days 2</b>, Turin<br><a href=2>site</a> <a href=p2>papers</a></table>
			<hr><table><tr><td><img src=c><td><b>Owl Days 1</b>, Lund<br><a href=1>site</a></table></div>`,
			"Owl Days 3, Graz site\nOwl Days 2, Turin site papers\nOwl Days 1, Lund site\n"},
		{"boxes that are links among boxes that are none",
			`<div><a href=a><div>2027</div><div>Graz</div></a><div><div>2026</div><div>Turin</div></div><a href=b><div>2025</div><div>Lund</div></a></div>`,
			"2027 Graz\n2026 Turin\n2025 Lund\n"},
		{"lines of text",
			`<div><p>Owl Days, 3 May 2027, Graz, Austria<p>Heron Forum, 9 June 2027, Turin, Italy<p>Finch Meeting, 1 July 2027, Lund, Sweden</div>`,
			"Owl Days, 3 May 2027, Graz, Austria\nHeron Forum, 9 June 2027, Turin, Italy\nFinch Meeting, 1 July 2027, Lund, Sweden\n"},
		{"entries with headings under headings of sections",
			`<h2>Session 1</h2><p>Chair: Ada Gray<h4>On the Calls of Owls</h4><p>Bob Hill, Cork<h4>Herons at Rest</h4><p>Cleo Marsh, Nice
			<h2>Session 2</h2><p>Chair: Dan Moss<h4>Finches and Seeds</h4><p>Eve Reed, Oslo<h4>Robins in Rain</h4><p>Fay Stone, Turin<h4>Gulls at Sea</h4><p>Guy Brook, Lund`,
			"On the Calls of Owls Bob Hill, Cork\nHerons at Rest Cleo Marsh, Nice\n---\n" +
				"Finches and Seeds Eve Reed, Oslo\nRobins in Rain Fay Stone, Turin\nGulls at Sea Guy Brook, Lund\n"},
		{"a list in the one row of a layout that has the text",
			`<table><tr><td>Owl Days<tr><td><a href=a>Home</a> <a href=b>Call</a><tr><td><p>Morning<ul>
			<li><a href=c>On the Calls of Owls</a>, Bob Hill, University of Cork<li><a href=d>Herons at Rest</a>, Cleo Marsh, University of Nice
			<li><a href=e>Finches and Seeds</a>, Eve Reed, University of Oslo</ul></table>`,
			"On the Calls of Owls, Bob Hill, University of Cork\nHerons at Rest, Cleo Marsh, University of Nice\nFinches and Seeds, Eve Reed, University of Oslo\n"},
		{"long text between short lines",
			`<div>-----<br>the calls of owls<br>herons at rest<br>` + strings.Repeat("Owls call at night, and nobody knows quite why they do. ", 4) +
				`<br>finches and seeds<br>robins in rain<br></div>`,
			"the calls of owls\nherons at rest\n---\nfinches and seeds\nrobins in rain\n"},
		{"prose is no list",
			"<p>" + strings.Repeat("Owls call at night, and nobody knows quite why they do. ", 5) + "<p>" + strings.Repeat("Herons rest by day, all of them. ", 7), ""},
		{"nothing", "", ""},
		{"what is hidden is none", "<ul style='display:none'><li>a b<li>c d</ul>", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, regionTexts(Find(tagtreetest.Parse(t, "<body>"+c.html)))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestRecordFieldsAndLinks(t *testing.T) {
	tree := tagtreetest.Parse(t, `<ul><li><a href="/owl">Owl Days</a>, Graz <b>3 May</b> <a href="/owl"><img alt=picture></a>
		<li>Heron Forum, Turin<li><a href="/finch?x=1">Finch Meeting</a>, Lund <a href="javascript:go()">go</a></ul>`)
	var got []string
	for _, r := range Find(tree) {
		for _, record := range r.Records {
			var texts []string
			for _, f := range record.Fields {
				texts = append(texts, f.Text)
			}
			got = append(got, fmt.Sprintf("%s %s %v", r.Path, strings.Join(texts, "|"), record.Links))
		}
	}
	want := []string{
		"html/body/ul Owl Days|Graz||3 May [{http://conf.example.org/owl Owl Days}]",
		"html/body/ul |Heron Forum, Turin|| []",
		"html/body/ul Finch Meeting|Lund|go| [{http://conf.example.org/finch?x=1 Finch Meeting}]",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestFieldsArePartedBySigns(t *testing.T) {
	regions := Find(tagtreetest.Parse(t, "<ul><li>Owl Days - Graz - 3 May<li>Heron Forum - Turin - 9 June<li>Finch Meeting</ul>"))
	var got []string
	for _, f := range regions[0].Records[1].Fields {
		got = append(got, f.Text)
	}
	if diff := cmp.Diff([]string{"Heron Forum - Turin - 9 June", "Heron Forum", "Turin", "9 June"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestWhatIsHiddenAltogetherIsShown(t *testing.T) {
	tree := tagtreetest.Parse(t, "<html style='display:none'><body><ul><li>Owl Days<li>Heron Forum</ul>")
	if got := regionTexts(Find(tree)); got != "Owl Days\nHeron Forum\n" {
		t.Errorf("records %q", got)
	}
}

func TestPartsInItalicsAreFields(t *testing.T) {
	regions := Find(tagtreetest.Parse(t, "<ul><li>Ada Gray. <em>On the Calls of Owls</em> (20 min.)<li>Bob Hill. <em>Herons at Rest</em></ul>"))
	for i, want := range []string{"On the Calls of Owls", "Herons at Rest"} {
		if !slices.ContainsFunc(regions[0].Records[i].Fields, func(f Field) bool { return f.Text == want }) {
			t.Errorf("no field %q in %v", want, regions[0].Records[i].Fields)
		}
	}
}

func TestKindsOfRegions(t *testing.T) {
	tree := tagtreetest.Parse(t, `<body><nav><ul><li><a href=/>Home</a><li><a href=/cfp>Call</a><li><a href=/pc>Committee</a></ul></nav>
		<h1>Past editions</h1><div><a href=/27><b>Owl Days 2027</b><p>Graz, Austria</p></a><a href=/26><b>Owl Days 2026</b><p>Turin, Italy</p></a>
		<a href=/25><b>Owl Days 2025</b><p>Lund, Sweden</p></a></div>`)
	got := make(map[string]bool)
	for _, r := range Find(tree) {
		got[r.Path] = r.Kind == tagtree.Navigation
	}
	if diff := cmp.Diff(map[string]bool{"html/body/nav/ul": true, "html/body/div": false}, got); diff != "" {
		t.Error(diff)
	}
}

// A region that is only a part of its container is not confused with the whole container.
func TestPathsOfRegionsInOneContainer(t *testing.T) {
	var got []string
	for _, r := range Find(tagtreetest.Parse(t, `<body><main><h3>Prizes</h3><p>Ada Gray for <i>Owls</i><h3>Medals</h3><p>Bob Hill for <i>Herons</i>
		<div><ul><li>Finches and Seeds, Eve Reed<li>Robins in Rain, Fay Stone</ul></div></main>`)) {
		got = append(got, r.Path)
	}
	if diff := cmp.Diff([]string{"html/body/main/h3[1]", "html/body/main/div/ul"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestListShare(t *testing.T) {
	var rows, prose strings.Builder
	for i := range 12 {
		fmt.Fprintf(&rows, "<li><a href=/owl%d>Owl number %d</a>, %d May, a wood</li>", i, i, i+1)
		fmt.Fprintf(&prose, "<p>The owls of wood %d are heard by night, and seen by those who wait, as many do.</p>", i)
	}
	for _, c := range []struct {
		name, markup string
		category     bool
	}{
		{"a list", "<h1>Owls</h1><ul>" + rows.String() + "</ul>", true},
		{"prose with a few links", "<h1>An owl</h1>" + prose.String() + "<p><a href=/a>one</a> <a href=/b>two</a> <a href=/c>three</a>", false},
		{"a list of facts", "<h1>An owl</h1><table>" + strings.Repeat("<tr><th>Seen<td>by night", 12) + "</table>", false},
		{"nothing", "", false},
	} {
		tree, err := tagtree.Parse(tagtreetest.Page(c.markup, "text/html"))
		if err != nil {
			t.Fatal(err)
		}
		if share := ListShare(tree); (share >= ListShareOfCategory) != c.category {
			t.Errorf("%s: list share %v", c.name, share)
		}
	}
}
