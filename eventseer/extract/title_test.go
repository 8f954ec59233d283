package extract

import (
	"strings"
	"testing"
)

func TestTitle(t *testing.T) {
	for _, test := range []struct{ name, page, want string }{
		{"spelt out before the acronym", "<title>FRDX 2027</title><h1>FRDX 2027</h1><p>The Forum on Rivers and Dams of Xanadu (FRDX) is held every year.", "The Forum on Rivers and Dams of Xanadu (FRDX)"},
		{"heading that the acronym spells", "<title>GoLaD</title><p>ABCD 2027 workshop GoLaD</p><h1>Gods of Lakes and Dams</h1><p>ABCD 2027 Workshop, Oslo, Norway", "Gods of Lakes and Dams"},
		{"not the event beside", "<title>RDX</title><h1>RDX 2027: Workshop on River Dams</h1><p>Workshop held in conjunction with ABCD 2027", "RDX 2027: Workshop on River Dams"},
		{"acronym before the edition", "<h1>RDX'27 13th Workshop on River Dams and Locks</h1>", "13th Workshop on River Dams and Locks"},
		{"place before the edition", "<h1>ABCD 2027, 8/10, Oslo 4th International Workshop on River Dams</h1>", "4th International Workshop on River Dams"},
		{"volume of an event", "<h1>Proceedings of the 9th International Conference on River Dams</h1>", "9th International Conference on River Dams"},
		{"button of a menu", "<h1>International Conference on River Dams Menu</h1>", "International Conference on River Dams"},
		{"written as one word in the address", "<title>Call for Papers</title><p>We invite papers on dams.<p>See you at RiverDays in autumn, RiverDays is fun", "RiverDays"},
		{"how the page was made", "<p>RDX2027 workshop website made with the Example theme", "RDX2027 workshop"},
		{"no sentence", "<title>RDAX 2027</title><h2>RDAX 2027</h2><p>The conference would not happen without the help of our sponsors", "RDAX 2027"},
	} {
		t.Run(test.name, func(t *testing.T) {
			tree := parse(t, "p.html", test.page)
			tree.Page.URL = "https://site.example/riverdays/cfp.html"
			e, _ := newTestExtractor().Extract(tree)
			if e.Title != test.want {
				t.Errorf("got %q, want %q", e.Title, test.want)
			}
		})
	}
}

func TestSpells(t *testing.T) {
	for _, test := range []struct {
		acronym, name string
		want          bool
	}{
		{"FRD", "Forum on Rivers and Dams", true},
		{"FoRD", "Forum on Rivers and Dams", true},
		{"FNRD", "Forum oN Rivers and Dams", true},
		{"SP4V", "Structures of Ponds for Valleys", true},
		{"TU+", "11th Talks on Uplands", true},
		{"FRX", "Forum on Rivers and Dams", false},
		{"Forum", "Forum", false},
		{strings.Repeat("A", 2*maxAcronym), strings.Repeat("A ", 2*maxAcronym), false},
	} {
		if got := spells(test.acronym, test.name); got != test.want {
			t.Errorf("%s spells %q: got %v", test.acronym, test.name, got)
		}
	}
}

func TestAcronym(t *testing.T) {
	for _, test := range []struct{ name, page, want string }{
		{"edition behind a hyphen", "<title>RDX-7</title><h1>RDX-7: 7th Workshop on River Dams</h1>", "RDX"},
		{"Roman edition", "<h1>Seventh International Conference on River Dam Xylography (RDX-VII)</h1>", "RDX"},
		{"held at another's", "<title>RDX at the ABCD</title><h1>RDX at the ABCD</h1><p>RDX 2027 calls for papers.", "RDX"},
	} {
		t.Run(test.name, func(t *testing.T) {
			tree := parse(t, "p.html", test.page)
			tree.Page.URL = "https://site.example/ConfExampleDays2027/"
			if e, _ := newTestExtractor().Extract(tree); e.Acronym != test.want {
				t.Errorf("got %q, want %q", e.Acronym, test.want)
			}
		})
	}
}

// FuzzTitle demands that no text makes a title, an acronym or a parent that is
// too long, or whose source is not in the page.
func FuzzTitle(f *testing.F) {
	for _, s := range []string{"Workshop on River Dams (WRD 2027)", "ICX'27 @ ABCD 2027", "第三届大会", "(((((", "The Forum oN Rivers (FNR) is held in conjunction with X", strings.Repeat("CONFERENCE ON ", 900), "\xff\xfe Â© Ã¶ 2027", "مؤتمر 2027 конференция"} {
		f.Add(s)
	}
	x := newTestExtractor()
	f.Fuzz(func(t *testing.T, s string) {
		tree := parse(t, "p.html", "<title>"+s+"</title><h1>"+s+"</h1><p>"+s)
		e, _ := x.Extract(tree)
		if len(e.Title) > maxTitleBlock || len(e.Acronym) > maxAcronym || len(e.Parent) > maxTitle {
			t.Errorf("title of %d bytes, acronym of %d, parent of %d", len(e.Title), len(e.Acronym), len(e.Parent))
		}
		for _, field := range []string{"title", "acronym", "parent"} {
			if o := e.Sources[field].Offset; o[0] < 0 || o[1] < o[0] || o[1] > len(tree.Text()) {
				t.Errorf("%s is read at %v of %d bytes", field, o, len(tree.Text()))
			}
		}
	})
}
