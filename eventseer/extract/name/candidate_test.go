package name

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/features/tagtree/tagtreetest"
)

func pageOf(url, title string, lines ...string) *Page {
	p := &Page{URL: url, Title: title}
	for _, s := range lines {
		b := tagtree.Block{Text: s, Path: "html/body/p"}
		if heading, ok := strings.CutPrefix(s, "# "); ok {
			b = tagtree.Block{Kind: tagtree.Heading, Level: 1, Text: heading, Path: "html/body/h1"}
		}
		p.Blocks = append(p.Blocks, b)
		p.Menu, p.Head = append(p.Menu, false), append(p.Head, -1)
	}
	return p
}

// TestCandidates checks that the right name is among the candidates in any language and mark-up.
func TestCandidates(t *testing.T) {
	for _, test := range []struct {
		name string
		page *Page
		want string
	}{
		{"title element before a bar", pageOf("", "Days of the Dams 2027 | Call for Papers"), "Days of the Dams 2027"},
		{"behind the call", pageOf("", "", "# Call for Papers: 3rd Forum on Rivers"), "3rd Forum on Rivers"},
		{"behind a preposition", pageOf("", "", "# Convocatoria para las IX Jornadas de Presas"), "IX Jornadas de Presas"},
		{"before brackets", pageOf("", "", "# Forum on Rivers and Dams (FRD)"), "Forum on Rivers and Dams"},
		{"before a place", pageOf("", "", "# Forum on Rivers, Dams and Locks, Oslo, Norway"), "Forum on Rivers, Dams and Locks"},
		{"in running text", pageOf("", "", "We are glad to invite you to the First Tagung über Talsperren und Wehre, which takes place in the hills and has many guests from all over the land who like it."), "First Tagung über Talsperren und Wehre"},
		{"over two lines", pageOf("", "", "# International Days of", "# Weirs and Dams"), "International Days of Weirs and Dams"},
		{"one coined word", pageOf("", "", "We like RiverCon and all who come to it."), "RiverCon"},
		{"ideographs", pageOf("", "", "# 【募集】第三回河川学会"), "第三回河川学会"},
		{"as in the address", pageOf("https://example.org/damdays/", "", "See you at Dam Days in the autumn of this year, bring your friends and all of your papers and posters."), "Dam Days"},
		{"held at another", pageOf("", "", "# WoRD @ ABC 2027"), "WoRD"},
	} {
		d := newDocument(test.page, newMemory())
		var got []string
		for _, c := range d.nameCandidates("") {
			got = append(got, d.printedText(c))
		}
		if !slices.Contains(got, test.want) {
			t.Errorf("%s: %q is not in %q", test.name, test.want, got)
		}
	}
}

func TestAcronyms(t *testing.T) {
	for _, test := range []struct{ title, line, want string }{
		{"RDX'27", "", "RDX"},
		{"RDX-2027: call", "", "RDX"},
		{"RDX2K27", "", "RDX"},
		{"RDX-7", "", "RDX"},
		{"RiD² 2027", "", "RiD²"},
		{"", "Forum on Rivers and Dams (FoRD 2027)", "FoRD"},
		{"", "Oceania 2027 is a meeting", "Oceania"},
		{"", "The OMNeT++ days", "OMNeT++"},
		{"", "Xylography of Dams (RDX-VII)", "RDX"},
	} {
		d := newDocument(pageOf("", test.title, "# "+test.line), newMemory())
		found := slices.ContainsFunc(d.acronymCandidates(), func(a *acronym) bool { return a.text == test.want })
		if !found {
			t.Errorf("%q, %q: no %s", test.title, test.line, test.want)
		}
	}
}

// TestCandidatesAreBounded checks that candidates of any page are few and found quickly.
func TestCandidatesAreBounded(t *testing.T) {
	var lines, events []string
	for i := range 10_000 {
		lines = append(lines, "# Forum "+strings.Repeat("x", i%50)+" on Rivers")
		events = append(events, "x")
	}
	for name, p := range map[string]*Page{
		"many headings": pageOf("", "", lines...),
		"letters":       pageOf("", "", events...),
		"one line":      pageOf("", "", strings.Repeat("The Forum on Rivers (FoR 2027), ", 50_000)),
		"long title":    pageOf("", strings.Repeat("FORUM ON ", 10_000), "x"),
		"brackets":      pageOf("", strings.Repeat("(", 10_000), strings.Repeat("(A", 10_000)),
		"bad bytes":     pageOf("\xff://", "\xff\xfe Â© 2027", "\xff A\xffB 2027"),
		"address":       pageOf("https://e.example/"+strings.Repeat("ab/", 5_000), "AB", "# Ab Ab Ab Ab"),
	} {
		d := newDocument(p, newMemory())
		var short []*acronym
		var names []*candidate
		took := tagtreetest.CPU(t, func() {
			short, names = d.acronymCandidates(), d.nameCandidates("FoR")
			d.acronymTerms(short, "Forum on Rivers")
			d.nameTerms(names, "FoR", 0.5)
		})
		if len(short) > maxAcronyms || len(names) > maxCandidates+maxGuesses {
			t.Errorf("%s: %d acronyms, %d names", name, len(short), len(names))
		}
		for _, c := range names {
			if len(d.printedText(c)) > maxNameBytes+8 {
				t.Errorf("%s: a name of %d bytes", name, len(d.printedText(c)))
			}
		}
		if took > 5*time.Second {
			t.Errorf("%s took %v", name, took)
		}
	}
}

func TestNotName(t *testing.T) {
	for s, want := range map[string]bool{
		"Workshop on Quiet Pumps (WQP)":        false,
		"Journal of Pumps [online] Special":    false,
		"2027) Conference on Valves":           true,
		"list] Workshop on Valves":             true,
		"Valve Days http://valves.example":     true,
		"HOME | © 2019 Valve Days":             true,
		"Valve Days --- Call for contributors": true,
	} {
		if got := notName(s); got != want {
			t.Errorf("%q: %t", s, got)
		}
	}
}
