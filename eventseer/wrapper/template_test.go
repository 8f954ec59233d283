package wrapper

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/eventseer/wrapper/wrappertest"
	"github.com/eventseer/eventseer/features/tagtree"

	"github.com/google/go-cmp/cmp"
)

// letters returns a page of paper 004's figure 6: each letter is a subtree with text.
func letters(t testing.TB, name, sequence string) *tagtree.Tree {
	var b strings.Builder
	for i, letter := range strings.Fields(sequence) {
		fmt.Fprintf(&b, `<div class=%q><span>%s of %s, %d</span></div>`, letter, letter, name, i)
	}
	return wrappertest.ParsePage(t, name, "<html><body>"+b.String()+"</body></html>")
}

// TestFigure6 replays the example of paper 004, section 5.1, with the states that it shows, and continues
// with t6, which it leaves open.
func TestFigure6(t *testing.T) {
	w := induce("", "", []*tagtree.Tree{letters(t, "t1", "a b d e"), letters(t, "t2", "a d d e f")})
	body := func() string { return w.root.children()[1].String() }
	if diff := cmp.Diff("a b? d+ e f?", body()); diff != "" {
		t.Errorf("(3) t1 and t2 (-want +got):\n%s", diff)
	}
	steps := []struct{ name, page, want string }{
		{"(4) t3: c has no unique place, it is an alternative of b", "a c d e f", "a {b?|c?} d+ e f?"},
		{"(5) t4: c matches, its place is not known yet", "a c d e", "a {b?|c?} d+ e f?"},
		{"(6) t5 orders b and c", "a b c d d e", "a b? c? d+ e f?"},
		{"t6 contradicts the order: b and c are free", "a c b d e", "a {b?|c?} d+ e f?"},
		{"t7 has the old order, they stay free", "a b c d e", "a {b?|c?} d+ e f?"},
	}
	for _, s := range steps {
		w.Add(letters(t, s.name, s.page))
		if diff := cmp.Diff(s.want, body()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", s.name, diff)
		}
	}
	r := w.Apply(letters(t, "t8", "a c b d d e"))
	for _, want := range [][]string{{"a of t8, 0"}, {"b of t8, 2"}, {"c of t8, 1"}, {"d of t8, 3", "d of t8, 4"}, {"e of t8, 5"}} {
		if !slices.ContainsFunc(w.Fields, func(f *Field) bool { return slices.Equal(r.Texts(f), want) }) {
			t.Errorf("no field of t8 has %q", want)
		}
	}
	if r.Unmatched != 0 {
		t.Errorf("%d texts of t8 are unmatched", r.Unmatched)
	}
}

// talk is a page of an invented programme.
func talk(t testing.TB, n int, optional string, speakers ...string) *tagtree.Tree {
	var list strings.Builder
	for _, s := range speakers {
		fmt.Fprintf(&list, `<li><a href="/people/%s">Dr. %s</a></li>`, strings.ToLower(s), s)
	}
	return wrappertest.ParsePage(t, fmt.Sprintf("talk%d.html", n), fmt.Sprintf(`<html><head><title>Talk %[1]d | Summer Meeting</title></head><body>
<ul class="menu"><li><a href="/">Home</a></li><li><a href="/program">Program</a></li></ul>
<h1>On topic number %[1]d</h1><dl><dt>Room:</dt><dd>Hall %[1]d</dd>%[2]s</dl>
<img src="/pic/%[1]d.png" alt="portrait"><time datetime="2031-05-0%[1]d">May %[1]d</time>
<p class="where">Grand Hotel<br>Street %[1]d<br>Oslo %[1]d</p>
<h2>Speakers</h2><ul class="speakers">%[3]s</ul>
<footer>Summer Meeting, all rights reserved</footer></body></html>`, n, optional, list.String()))
}

func learned(t testing.TB) *Wrapper {
	w := New("meeting.example", "meeting.example/talk#.html")
	w.Add(talk(t, 1, "<dt>Track:</dt><dd>Blue</dd>", "Ada", "Bo"))
	w.Add(talk(t, 2, "", "Cy"))
	w.Add(talk(t, 3, "<dt>Level:</dt><dd>Easy</dd>", "Di", "Ed", "Flo"))
	w.Add(talk(t, 4, "<dt>Track:</dt><dd>Red</dd><dt>Level:</dt><dd>Hard</dd>", "Gus"))
	w.Add(talk(t, 5, "<dt>Level:</dt><dd>Hard</dd>", "Hal", "Ike"))
	w.Add(talk(t, 6, "<dt>Track:</dt><dd>Red</dd>", "Jo"))
	return w
}

// TestFields reads an unseen page and looks for the field that has each value.
func TestFields(t *testing.T) {
	w := learned(t)
	r := w.Apply(talk(t, 7, "<dt>Level:</dt><dd>Mild</dd>", "Kim", "Lee"))
	tests := []struct {
		name string
		want []string
	}{
		{"text", []string{"On topic number 7"}},
		{"core of a text", []string{"7"}},
		{"labelled", []string{"Hall 7"}},
		{"optional, told by its label", []string{"Mild"}},
		{"image", []string{"/pic/7.png"}},
		{"datetime", []string{"2031-05-07"}},
		{"repeated", []string{"Dr. Kim", "Dr. Lee"}},
		{"repeated link", []string{"/people/kim", "/people/lee"}},
		{"last line", []string{"Oslo 7"}},
		{"lines but the last", []string{"Grand Hotel", "Street 7"}},
	}
	for _, test := range tests {
		if !slices.ContainsFunc(w.Fields, func(f *Field) bool { return slices.Equal(r.Texts(f), test.want) }) {
			t.Errorf("%s: no field has %q", test.name, test.want)
		}
	}
	for _, f := range w.Fields {
		for _, constant := range []string{"Home", "Program", "Speakers", "Room:", "Track:", "portrait", "Summer Meeting, all rights reserved"} {
			if slices.Contains(r.Texts(f), constant) {
				t.Errorf("constant text %q is a value of %s %s", constant, f.ID, f.Path)
			}
		}
	}
	if r.Unmatched > 0 || r.Matched < 10 {
		t.Errorf("%d texts and links matched, %d not", r.Matched, r.Unmatched)
	}
}

func TestFieldIDsAreStable(t *testing.T) {
	w := New("", "")
	ids := make(map[string]*Field)
	for n := range 9 {
		w.Add(talk(t, n+1, "", strings.Fields("Ada Bo Cy")[:n%3+1]...))
		for _, f := range w.Fields {
			if have, found := ids[f.ID]; found && have != f {
				t.Fatalf("after page %d, %s is another field", n+1, f.ID)
			}
			ids[f.ID] = f
		}
	}
}

// TestLabelledAlternatives wants values distinguished by the labels before them where
// the structure is the same.
func TestLabelledAlternatives(t *testing.T) {
	page := func(n int, rows ...string) *tagtree.Tree {
		return wrappertest.ParsePage(t, fmt.Sprint(n), "<html><body><h1>Paper "+fmt.Sprint(n)+"</h1>"+strings.Join(rows, "")+"</body></html>")
	}
	row := func(label, value string) string {
		return `<div class="row"><div class="key">` + label + `</div><div class="val">` + value + `</div></div>`
	}
	link := func(label, target string) string { return `<a class="btn" href="` + target + `">` + label + `</a>` }
	w := New("", "")
	w.Add(page(1, row("Type", "Article"), row("Venue", "Oslo"), link("PDF", "1.pdf"), link("Code", "1.git")))
	w.Add(page(2, row("Venue", "Bergen"), link("PDF", "2.pdf")))
	w.Add(page(3, row("Type", "Preprint"), link("Code", "3.git")))
	w.Add(page(4, row("Type", "Article"), row("Venue", "Lund"), link("Code", "4.git")))
	r := w.Apply(page(5, row("Type", "Poster"), row("Venue", "Turku"), link("PDF", "5.pdf"), link("Code", "5.git")))
	for _, want := range []string{"Poster", "Turku", "5.pdf", "5.git"} {
		if !slices.ContainsFunc(w.Fields, func(f *Field) bool { return slices.Equal(r.Texts(f), []string{want}) }) {
			t.Errorf("no field has %q alone", want)
			for _, f := range w.Fields {
				t.Log(f.ID, f.Path, f.Attr, f.Part, f.Label, r.Texts(f))
			}
		}
	}
}

func TestHostilePages(t *testing.T) {
	tests := []struct{ name, body string }{
		{"empty", ""},
		{"deep", strings.Repeat("<div>", 5000) + "x"},
		{"wide", strings.Repeat("<p>word</p>", 20000)},
		{"wide and different", func() string {
			var b strings.Builder
			for i := range 5000 {
				fmt.Fprintf(&b, "<p class=c%dx>word %d</p>", i*7919%5000, i)
			}
			return b.String()
		}()},
		{"lines", "<p>" + strings.Repeat("a<br>", 20000)},
		{"attributes", "<a " + strings.Repeat(`class="x y z" href="q" `, 2000) + ">x</a>"},
		{"not UTF-8", "<p class='\xff\xfe'>\xff\xfe</p><p>a</p>"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w := New("", "")
			for range 2 {
				w.Add(talk(t, 1, "", "Ada"))
				w.Add(wrappertest.ParsePage(t, test.name, "<html><body>"+test.body+"</body></html>"))
			}
			if w.nodes > maxTemplateNodes {
				t.Errorf("%d nodes", w.nodes)
			}
			data, err := w.Encode()
			if err != nil {
				t.Fatal(err)
			}
			if _, err := Decode(data); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestBatch wants the from-scratch baseline to find what incremental learning finds.
func TestBatch(t *testing.T) {
	pages := []*tagtree.Tree{
		letters(t, "t1", "a b d e"), letters(t, "t2", "a d d e f"), letters(t, "t3", "a c d e f"),
		letters(t, "t4", "a c d e"), letters(t, "t5", "a b c d d e"),
	}
	w := batch("", "", pages)
	if diff := cmp.Diff("a b? c? d+ e f?", w.root.children()[1].String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
