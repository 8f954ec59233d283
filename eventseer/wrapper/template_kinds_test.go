package wrapper

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/eventseer/wrapper/wrappertest"
)

// TestTemplateKinds learns six pages of templates of several kinds and wants the values
// of a seventh.
func TestTemplateKinds(t *testing.T) {
	cities := []string{"Oslo", "Bergen", "Turku", "Lund", "Aarhus", "Tartu", "Riga"}
	optional := func(n int, s string) string {
		if n%2 == 0 {
			return s
		}
		return ""
	}
	tests := []struct {
		name string
		page func(n int) string
		want [][]string
	}{
		{"lines with labels", func(n int) string {
			return "<p>" + optional(n, "Chair: Ada "+cities[n]+"<br>") + fmt.Sprintf("Date: May %d<br>Place: %s</p>", n+1, cities[n])
		}, [][]string{{"May 7"}, {"Riga"}, {"Ada Riga"}}},
		{"paragraphs with labels", func(n int) string {
			return optional(n, "<p><b>Chair:</b> Ada "+cities[n]+"</p>") + fmt.Sprintf("<p><b>Date:</b> May %d</p><p><b>Place:</b> %s</p>", n+1, cities[n])
		}, [][]string{{"May 7"}, {"Riga"}, {"Ada Riga"}}},
		{"table with terms", func(n int) string {
			return "<table>" + optional(n, "<tr><th>Chair</th><td>Ada "+cities[n]+"</td></tr>") +
				fmt.Sprintf("<tr><th>Date</th><td>May %d</td></tr><tr><th>Place</th><td>%s</td></tr></table>", n+1, cities[n])
		}, [][]string{{"May 7"}, {"Riga"}, {"Ada Riga"}}},
		{"table without terms", func(n int) string {
			return "<table>" + strings.Repeat(fmt.Sprintf("<tr><td>May %d</td><td>%s</td></tr>", n+1, cities[n]), n%3+1) + "</table>"
		}, [][]string{{"May 7"}, {"Riga"}}},
		{"paragraphs without classes, always three", func(n int) string {
			return fmt.Sprintf("<p>Talk %d</p><p>by Ada of %s</p><p>In hall %d we speak.</p>", n, cities[n], n*n)
		}, [][]string{{"Talk 6"}, {"by Ada of Riga"}}},
		{"paragraphs under headings", func(n int) string {
			return "<h3>Abstract</h3>" + strings.Repeat(fmt.Sprintf("<p>Of %s much.</p>", cities[n]), n%3+1) + "<h3>Bio</h3><p>Born in " + cities[n] + ".</p>"
		}, [][]string{{"Of Riga much."}, {"Born in Riga."}}},
		{"pieces of a text", func(n int) string {
			return fmt.Sprintf("<span>%s | Hall %d</span><i>Ada, Bo %d</i>", cities[n], n, n)
		}, [][]string{{"Riga"}, {"Hall 6"}, {"Ada", "Bo 6"}}},
		{"pictures", func(n int) string {
			return fmt.Sprintf(`<div style="background-image: url('%d.png')"></div><img data-src="%s.jpg">`, n, cities[n])
		}, [][]string{{"6.png"}, {"Riga.jpg"}}},
		{"links without text, of different classes", func(n int) string {
			return fmt.Sprintf(`<ul><li><a class="t" href="//t.example/%d"></a></li>`, n) +
				optional(n, fmt.Sprintf(`<li><a class="g" href="//g.example/%d"></a></li>`, n)) + "</ul>"
		}, [][]string{{"//t.example/6"}, {"//g.example/6"}, {"//t.example/6", "//g.example/6"}}},
		{"repeated with others between", func(n int) string {
			return strings.Repeat("<h4>Ada of "+cities[n]+"</h4><p>Lives there.</p><ul><li>x</li></ul>", n%3+1)
		}, [][]string{{"Ada of Riga"}}},
		{"order of blocks changes", func(n int) string {
			a, b := "<div class=video><a href='v"+cities[n]+"'>Watch</a></div>", "<p class=abstract>About "+cities[n]+"</p>"
			if n%2 == 0 {
				return a + b
			}
			return b + a
		}, [][]string{{"vRiga"}, {"About Riga"}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			page := func(n int) string { return "<html><body><main>" + test.page(n) + "</main></body></html>" }
			w := New("", "")
			for n := range 6 {
				w.Add(wrappertest.ParsePage(t, fmt.Sprint(n), page(n)))
			}
			r := w.Apply(wrappertest.ParsePage(t, "6", page(6)))
			for _, want := range test.want {
				if !slices.ContainsFunc(w.Fields, func(f *Field) bool { return slices.Equal(r.Texts(f), want) }) {
					t.Errorf("no field has %q", want)
					for _, f := range w.Fields {
						t.Logf("  %s %s %s %s %q", f.ID, f.Path, f.Attr+string(f.Part), f.Label, r.Texts(f))
					}
				}
			}
		})
	}
}
