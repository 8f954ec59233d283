package extract

import (
	"strings"
	"testing"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/extract/name"
)

// call returns a small call for papers. head is its title element, top the text above the call and about
// the first sentence.
func call(head, top, about string) string {
	return "<title>" + head + "</title><ul><li><a href=/>Home</a><li><a href=/cfp>Call for Papers</a><li><a href=/dates>Important Dates</a><li><a href=/committee>Committee</a></ul>" +
		top + "<h2>Call for Papers</h2><p>" + about + "</p><p>We invite papers on all that has to do with rivers, dams and locks. Papers are reviewed by three members of the committee.</p>" +
		"<h2>Topics</h2><ul><li>Locks and weirs<li>Dams of clay<li>Boats that float</ul><h2>Important Dates</h2><ul><li>Submission deadline: January 18, 2027<li>Notification: March 1, 2027</ul><p>© 2027 all rights reserved"
}

func TestTitle(t *testing.T) {
	for _, test := range []struct{ name, page, want string }{
		{"spelt out before the acronym", call("FRDX 2027", "<h1>FRDX 2027</h1>", "The 3rd International Forum on Rivers and Dams of Xanadu (FRDX 2027) is held in Oslo, Norway."), "3rd International Forum on Rivers and Dams of Xanadu"},
		{"in the heading", call("RDX 2027 | Call for Papers", "<h1>International Conference on River Dams (RDX 2027)</h1><p>Oslo, Norway, June 3-5, 2027</p>", "The International Conference on River Dams brings together all who like dams."), "International Conference on River Dams"},
		{"broken in two", call("RDX 2027", "<h1>13th International Workshop on</h1><h1>River Dams and Locks</h1>", "RDX is a meeting of all who like dams."), "13th International Workshop on River Dams and Locks"},
		{"with the call before it", call("RDX 2027", "<h1>Call for Papers: 2nd Symposium on River Dams (RDX 2027)</h1>", "The symposium is a meeting of all who like dams."), "2nd Symposium on River Dams"},
		{"another language", call("JPR 2027", "<h1>IV Jornadas de Presas y Ríos</h1>", "Las Jornadas son un encuentro de todos."), "IV Jornadas de Presas y Ríos"},
		{"no sentence", call("RDAX 2027", "<h1>RDAX 2027</h1>", "The conference would not happen without the help of our sponsors."), "RDAX 2027"},
	} {
		t.Run(test.name, func(t *testing.T) {
			tree := parse(t, "p.html", test.page)
			tree.Page.URL = "https://site.example/2027/cfp.html"
			e, _ := newTestExtractor().Extract(tree)
			if got := strings.TrimPrefix(e.Title, "The "); got != test.want && !strings.HasPrefix(got, test.want+" (") {
				t.Errorf("got %q, want %q", e.Title, test.want)
			}
		})
	}
}

func TestAcronym(t *testing.T) {
	for _, test := range []struct{ name, page, want string }{
		{"with the year", call("RDX 2027", "<h1>RDX 2027: 7th Workshop on River Dams</h1>", "RDX is held in Oslo."), "RDX"},
		{"edition behind a hyphen", call("RDX-7", "<h1>RDX-7: 7th Workshop on River Dams</h1>", "RDX-7 is held in Oslo."), "RDX"},
		{"spelt", call("RDX: River Dam Xylography", "<h1>Seventh International Conference on River Dam Xylography (RDX)</h1>", "RDX is held in Oslo."), "RDX"},
		{"none", call("Dams", "<h1>Seventh Conference on Dams</h1>", "The conference is held in Oslo. Papers are sent as PDF."), ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			tree := parse(t, "p.html", test.page)
			tree.Page.URL = "https://site.example/2027/cfp.html"
			if e, _ := newTestExtractor().Extract(tree); e.Acronym != test.want {
				t.Errorf("got %q, want %q", e.Acronym, test.want)
			}
		})
	}
}

// TestTitleOfLines reads pages of a line or two, which contain little but are read too.
func TestTitleOfLines(t *testing.T) {
	for _, test := range []struct{ name, page, want string }{
		{"spelt out before the acronym", "<title>FRDX 2027</title><h1>FRDX 2027</h1><p>The Forum on Rivers and Dams of Xanadu (FRDX) is held every year.", "The Forum on Rivers and Dams of Xanadu"},
		{"not the event beside", "<title>RDX</title><h1>RDX 2027: Workshop on River Dams</h1><p>Workshop held in conjunction with ABCD 2027", "RDX 2027: Workshop on River Dams"},
		{"acronym before the edition", "<h1>RDX'27 13th Workshop on River Dams and Locks</h1>", "13th Workshop on River Dams and Locks"},
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

func TestAcronymOfLines(t *testing.T) {
	for _, test := range []struct{ name, page, want string }{
		{"edition behind a hyphen", "<title>RDX-7</title><h1>RDX-7: 7th Workshop on River Dams</h1>", "RDX"},
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

// TestShortTitle reads a page without a name. Its title is the acronym with the year, marked as inferred
// and with a warning.
func TestShortTitle(t *testing.T) {
	p := &nameReader{page: &page{called: name.Result{Name: name.Choice{Text: "Important Dates", Prob: 0.2, Block: -1}, Acronym: name.Choice{Text: "RDX", Prob: 0.9, Block: -1, Element: true}}, t: parse(t, "p.html", "<title>RDX")}}
	if s, _ := p.readTitle(); s != "" {
		t.Errorf("title %q", s)
	}
	e := eventseer.Event{Acronym: "RDX", Year: 2027, Sources: map[string]eventseer.Provenance{"acronym": {}}}
	p.titleFromAcronym(&e)
	if e.Title != "RDX 2027" || e.Sources["title"].Inferred == "" || len(e.Warnings) != 1 {
		t.Errorf("title %q from %+v, warnings %v", e.Title, e.Sources["title"], e.Warnings)
	}
}

// FuzzTitle checks the title, acronym and parent read from any text. They must not be too long, and their
// sources must be on the page.
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

// TestDatedGuess reads pages whose banner prints the days and the host in one line, as on all pages of a site.
// No name that the rules suggest contains a full date.
func TestDatedGuess(t *testing.T) {
	for _, page := range []string{
		"<title>Dam Institute</title><p>June 29 – July 1, 2027 Dam Institute</p><ul><li><a href=/>Main</a><li><a href=/v>Venue</a></ul><h3>Visa support</h3><p>Send a copy of your passport.",
		"<h1>3-5 June 2027, Institute of Locks</h1><p>How to reach us by boat.",
	} {
		_, p := newTestExtractor().extract(parse(t, "p.html", page))
		for _, g := range p.names.guessNames("") {
			if strings.Contains(g.Text, "2027") {
				t.Errorf("%q is suggested as a name", g.Text)
			}
		}
	}
}
