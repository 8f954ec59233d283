package wrapper

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/eventseer/wrapper/wrappertest"
	"github.com/eventseer/eventseer/features/tagtree"
)

var towns = []string{"Oslo", "Bergen", "Turku", "Lund", "Aarhus", "Tartu", "Riga", "Ghent"}

// TestTemplateOddities learns pages of one template with oddities of real sites and
// wants the values of the last page, which it has not learned.
func TestTemplateOddities(t *testing.T) {
	every := func(k, n int, s string) string {
		if n%k == 0 {
			return s
		}
		return ""
	}
	const last = 7
	tests := []struct {
		name string
		page func(n int) string
		want [][]string
	}{
		{"element not closed on some pages", func(n int) string {
			return "<section class=s>" + fmt.Sprintf("<div class=head><b>Talk %d</b><i>x</i>", n) + every(2, n+1, "</div>") +
				fmt.Sprintf("<div class=who><b>Ada %s</b><i>y</i></div>", towns[n]) + every(2, n, "</div>") + "</section>"
		}, [][]string{{"Talk 7"}, {"Ada Ghent"}}},
		{"element closed too early on some pages", func(n int) string {
			return "<section class=s><div class=in>" + every(2, n+1, "</div>") +
				fmt.Sprintf("<div class=who><b>Ada %s</b><i>y</i></div>", towns[n]) + every(2, n, "</div>") + "</section>"
		}, [][]string{{"Ada Ghent"}}},
		{"lines on some pages only", func(n int) string {
			return fmt.Sprintf("<table><tr><td><b>Ada %s</b>", towns[n]) + every(2, n+1, "<br>University of "+towns[n]) + "</td></tr></table>"
		}, [][]string{{"Ada Ghent"}}},
		{"prose of several kinds under a heading that changes", func(n int) string {
			return fmt.Sprintf("<div><h2>Talk %d</h2><p>Of %s.</p>", n, towns[n]) + every(2, n+1, fmt.Sprintf("<ul><li>Point %d</li></ul><p>So it is.</p>", n)) +
				"<h3>Biography</h3><p>Born.</p></div>"
		}, [][]string{{"Of Ghent. Point 7 So it is."}}},
		{"classes of the subject", func(n int) string {
			var b strings.Builder
			for i := range n%4 + 1 {
				fmt.Fprintf(&b, `<div class="post-%[1]d post hentry published tag-%[2]s-%[1]d category-%[2]s category-x%[1]d"><h2>Post %[1]d</h2><p>By %[2]s</p></div>`, i, towns[(n+i)%8])
			}
			return b.String()
		}, [][]string{{"Post 0", "Post 1", "Post 2", "Post 3"}, {"By Ghent", "By Oslo", "By Bergen", "By Turku"}}},
		{"parts named by slot", func(n int) string {
			return fmt.Sprintf(`<x-news><span slot="caption">In %s</span><span slot="body">It was %d.</span></x-news>`, towns[n], n)
		}, [][]string{{"In Ghent"}, {"It was 7."}}},
		{"links within sentences", func(n int) string {
			if n%2 == 0 {
				return fmt.Sprintf(`<article><p>See <a href="/a%d">this</a>.</p></article>`, n)
			}
			return fmt.Sprintf(`<article><ul><li>See <b><a href="/a%d">this</a></b></li></ul></article>`, n)
		}, [][]string{{"/a7"}}},
		{"cells missing in a table", func(n int) string {
			return fmt.Sprintf("<table><tr><th>Place</th><td>%s</td>", towns[n]) + every(2, n, "<td>extra</td>") + fmt.Sprintf("</tr><tr><th>Day</th><td>May %d</td></tr></table>", n)
		}, [][]string{{"Ghent"}, {"May 7"}}},
		{"repeated 0, 1 or many times", func(n int) string {
			return "<ul class=by>" + strings.Repeat(fmt.Sprintf("<li>Ada %s</li>", towns[n]), n*n%5) + "</ul><p>In " + towns[n] + "</p>"
		}, [][]string{slices.Repeat([]string{"Ada Ghent"}, 4), {"In Ghent"}}},
		{"sessions with talks with authors", func(n int) string {
			var b strings.Builder
			for i := range n%3 + 1 {
				fmt.Fprintf(&b, "<section><h2>Session %d of %s</h2>", i, towns[n])
				for k := range (n+i)%3 + 1 {
					fmt.Fprintf(&b, "<div class=talk><h3>%s %d.%d</h3><ul>%s</ul></div>", towns[(n+k)%8], i, k, strings.Repeat("<li>Bo "+towns[n]+"</li>", (n+k)%2+1))
				}
				b.WriteString("</section>")
			}
			return b.String()
		}, [][]string{{"Session 0 of Ghent", "Session 1 of Ghent"}, {"Ghent 0.0", "Oslo 0.1", "Ghent 1.0", "Oslo 1.1", "Bergen 1.2"}, slices.Repeat([]string{"Bo Ghent"}, 8)}},
		{"markup within a text", func(n int) string {
			return "<p class=a>On " + every(2, n, "<i>") + towns[n] + every(2, n, "</i>") + every(3, n+2, " and <b>more</b> of it") + "</p>"
		}, [][]string{{"On Ghent and more of it"}}},
		{"entities and white space", func(n int) string {
			return fmt.Sprintf("<h1>\n  Ada&nbsp;&amp;&#32;Bo \t %s\n</h1>", towns[n])
		}, [][]string{{"Ada & Bo Ghent"}}},
		{"lazy pictures", func(n int) string {
			return fmt.Sprintf(`<img class=lazy src="data:image/gif;base64,R0" data-src="/p/%[1]d.jpg" srcset="/p/%[1]d-2.jpg 2x" alt="Ada %[2]s">`, n, towns[n])
		}, [][]string{{"/p/7.jpg"}, {"Ada Ghent"}}},
		{"a value that never changes, whose class speaks of a label", func(n int) string {
			return fmt.Sprintf(`<div class=a><div class="f-type field-label-hidden"><b>Poster</b></div><div class="f-town field-label-hidden"><b>%s</b></div></div>`, towns[n])
		}, [][]string{{"Poster"}, {"Ghent"}}},
		{"classes with hashes", func(n int) string {
			return fmt.Sprintf(`<div class="Card_root__a%[1]dXq"><span class="Card_title__b%[1]dQz">Talk %[1]d</span><span class="Card_who__k%[1]dLm">%[2]s</span></div>`, n, towns[n])
		}, [][]string{{"Talk 7"}, {"Ghent"}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			page := func(n int) *tagtree.Tree {
				return wrappertest.ParsePage(t, fmt.Sprint(n), "<html><body><header>Site</header><main>"+test.page(n)+"</main></body></html>")
			}
			w := New("", "")
			for n := range last {
				w.Add(page(n))
			}
			r := w.Apply(page(last))
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

// TestOddPages checks that a template survives an odd page. It reads the pages of its own template
// correctly whatever other page it has learned.
func TestOddPages(t *testing.T) {
	page := func(n int) *tagtree.Tree {
		return talk(t, n, "<dt>Level:</dt><dd>Easy "+towns[n%8]+"</dd>", towns[n%8], "Bo")
	}
	odd := map[string]*tagtree.Tree{
		"error page":       wrappertest.ParsePage(t, "404", "<html><body><h1>Not found</h1></body></html>"),
		"empty record":     wrappertest.ParsePage(t, "0", "<html><body><ul class=menu><li><a href='/'>Home</a></li></ul><h1></h1><dl></dl></body></html>"),
		"another template": wrappertest.ParsePage(t, "x", "<html><body><div id=shop><table>"+strings.Repeat("<tr><td>Cup</td><td>5</td></tr>", 40)+"</table></div></body></html>"),
		"plain text":       wrappertest.ParsePage(t, "t", "no markup at all"),
	}
	for name, oddity := range odd {
		for at := range 4 {
			w := New("", "")
			for n := range 7 {
				if n == at {
					w.Add(oddity)
				}
				w.Add(page(n + 1))
			}
			r := w.Apply(page(8))
			for _, want := range [][]string{{"On topic number 8"}, {"Hall 8"}, {"/pic/8.png"}, {"Dr. Oslo", "Dr. Bo"}, {"Easy Oslo"}} {
				if !slices.ContainsFunc(w.Fields, func(f *Field) bool { return slices.Equal(r.Texts(f), want) }) {
					t.Errorf("%s as page %d: no field has %q", name, at+1, want)
				}
			}
		}
	}
}

// TestManyItems wants the work to grow with the page: a list of 1,000 items, and one
// whose items differ in structure.
func TestManyItems(t *testing.T) {
	list := func(n, items int) *tagtree.Tree {
		var b strings.Builder
		for i := range items {
			fmt.Fprintf(&b, `<li class="item"><a href="/%[1]d">Talk %[1]d of %[2]d</a> %[3]s</li>`, i, n, strings.Repeat("<em>x</em><span>y</span>", i%7))
		}
		return wrappertest.ParsePage(t, fmt.Sprint(n), "<html><body><ul>"+b.String()+"</ul></body></html>")
	}
	w := New("", "")
	for n := range 4 {
		w.Add(list(n, 1000-n))
	}
	r := w.Apply(list(9, 1000))
	if !slices.ContainsFunc(w.Fields, func(f *Field) bool { return len(r.Texts(f)) == 1000 }) {
		t.Error("no field has 1,000 values")
	}
}

// FuzzLearn checks that no two pages crash or hang the template. The result of learning is written, read
// again and used in the same way.
func FuzzLearn(f *testing.F) {
	f.Add("<p>a<br>b<p>c", "<p>a<p>b<br>c<br>d")
	f.Add("<div class=a><div class=b><i>x</i>1</div></div>", "<div class=a></div><div class=b><i>x</i>2</div>")
	f.Add("<dl><dt>Day:<dd>May 1<dt>Room:<dd>5</dl>", "<dl><dt>Room:<dd>6</dl><dl><dt>Day:<dd>May 2")
	f.Add("<table><tr><td>a<td>b<tr><td>c</table>", "<table><tr><th>a<td><table><tr><td>x</table></table>")
	f.Add("<ul><li>a<li>b</ul><h2>c</h2><p>d<p>e", "<h2>c</h2><p>d<ul><li>a</ul>")
	f.Add("<ul>b</ul><h2>c</h2><p>d<p>e", "<h2>e</h2><p>d<ul><li>a</ul>")
	f.Fuzz(func(t *testing.T, one, two string) {
		if len(one)+len(two) > 1<<14 {
			return
		}
		a, err1 := wrappertest.Parse("a", one)
		b, err2 := wrappertest.Parse("b", two)
		if err1 != nil || err2 != nil {
			return
		}
		w := New("", "")
		w.Add(a)
		w.Add(b)
		w.Add(a)
		again, err := Decode(encoded(t, w))
		if err != nil {
			t.Fatal(err)
		}
		r, s := w.Apply(b), again.Apply(b)
		for i, field := range w.Fields {
			if !slices.Equal(r.Texts(field), s.Texts(again.Fields[i])) {
				t.Errorf("%s: %q, read back %q", field.ID, r.Texts(field), s.Texts(again.Fields[i]))
			}
		}
	})
}
