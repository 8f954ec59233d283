package extract

import (
	"strings"
	"testing"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/extract/name"
)

func TestParent(t *testing.T) {
	for _, test := range []struct{ name, page, want string }{
		{"co-located", "<title>WRD 2027</title><h1>Workshop on River Dams (WRD 2027)</h1><p>Co-located with ABCD 2027, Oslo, Norway", "ABCD 2027"},
		{"full name", call("WRD 2027", "<h1>Workshop on River Dams (WRD 2027)</h1>", "WRD is held in conjunction with the 9th International Conference on Lakes (ICOL 2027), in Oslo."), "9th International Conference on Lakes (ICOL 2027)"},
		{"at sign in the title element", "<title>Call for Papers | WRD @ ABCD 2027</title><h1>Workshop on River Dams</h1>", "ABCD 2027"},
		{"before the noun", "<title>WRD</title><h1>ABCD 2027 Workshop on River Dams (WRD)</h1>", "ABCD 2027"},
		{"name on the next line", "<h1>Workshop on River Dams</h1><p>to be held in conjunction with</p><p>ABCD 2027</p>", "ABCD 2027"},
		{"a short year", "<h1>Workshop on River Dams 2027</h1><p>co-located with ABCD '27, Oslo", "ABCD '27"},
		{"earlier edition", "<h1>Workshop on River Dams 2027</h1><p>The previous workshop was co-located with ABCD 2026.", ""},
		{"another year", "<h1>Workshop on River Dams 2027</h1><p>Submission: 1 May 2027</p><p>co-located with ABCD 2024", ""},
		{"society", "<h1>Workshop on River Dams 2027</h1><p>held in conjunction with ACM.", ""},
		{"line breaks within the name", "<h1>Workshop on River Dams 2027</h1><p>in conjunction with the 5th Conference on Lakes and", ""},
		{"conference", "<h1>Conference on River Dams 2027</h1><p>Co-located with ABCD 2027", ""},
		{"journal", "<title>Special Issue on River Dams</title><p>Journal of Wet Letters</p><h1>Special Issue on River Dams</h1>", "Journal of Wet Letters"},
		{"journal in the sentence", "<h1>Special Issue on River Dams</h1><p>We prepare a special issue of the Annals of Wet Letters on river dams.", "Annals of Wet Letters"},
		{"year first", "<h1>Workshop on River Dams 2027</h1><p>Held in conjunction with the 2027 Annual Lake Security Conference", "2027 Annual Lake Security Conference"},
		{"name over lines", "<title>WRD 2027</title><h1>Workshop on River Dams (WRD 2027)</h1><p>to be co-located with</p><p>The Sixth International Conference on</p><p>Big Lakes (BLA 2027)</p>", "Sixth International Conference on Big Lakes (BLA 2027)"},
		{"proceedings in an issue of a journal", "<h1>Conference on River Dams (CRD 2027)</h1><p>The best papers appear in a special issue of the Journal of Wet Letters.", ""},
		{"none", "<h1>Workshop on River Dams 2027</h1><p>Oslo, Norway", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			tree := parse(t, "p.html", test.page)
			e, _ := newTestExtractor().Extract(tree)
			if e.Parent != test.want {
				t.Errorf("got %q, want %q", e.Parent, test.want)
			}
			if src := e.Sources["parent"]; test.want != "" && src.Offset[1] > 0 && strings.Join(strings.Fields(tree.Text()[src.Offset[0]:src.Offset[1]]), " ") != test.want {
				t.Errorf("the source %v is of %q", src, tree.Text()[src.Offset[0]:src.Offset[1]])
			}
		})
	}
}

// TestHosts checks the HostWay of texts that relate a host to the event called for.
func TestHosts(t *testing.T) {
	for _, test := range []struct {
		page, text string
		way        name.HostWording
	}{
		{"<h1>Dams</h1><p>in conjunction with ABCD 2027", "ABCD 2027", name.HeldWith},
		{"<h1>Dams Workshop @ ABCD 2027</h1>", "ABCD 2027", name.HeldAt},
		{"<h1>ABCD 2027 Special Session: Dams</h1>", "ABCD 2027", name.BeforePart},
		{"<h1>Wet Letters Journal Special Issue on Dams</h1>", "Wet Letters Journal", name.IssueOf},
		{"<p>Special Session on Dams</p><p>ABCD 2027</p><p>Oslo", "ABCD 2027", name.InAdjacentLine},
	} {
		hosts := (&nameReader{page: preparePage(parse(t, "p.html", test.page), 2040)}).eventHosts()
		if len(hosts) == 0 || hosts[0].Text != test.text || hosts[0].Wording != test.way {
			t.Errorf("%s: got %v, want %q by way %d", test.page, hosts, test.text, test.way)
		}
	}
	many := &nameReader{page: preparePage(parse(t, "p.html", "<p>"+strings.Repeat("in conjunction with ABCD 2027. ", 20_000)), 2040)}
	if n := len(many.eventHosts()); n > maxHosts {
		t.Errorf("%d hosts", n)
	}
}

func TestKind(t *testing.T) {
	for _, test := range []struct {
		page string
		want eventseer.Kind
	}{
		{"<h1>Workshop on River Dams</h1><p>The conference", eventseer.Workshop},
		{"<h1>International Conference and Workshop on River Dams</h1>", eventseer.Conference},
		{"<h1>5th Symposium on River Dams</h1>", eventseer.Symposium},
		{"<h1>Special Issue on River Dams</h1>", eventseer.SpecialIssue},
		{"<h1>Summer School on River Dams</h1>", eventseer.SummerSchool},
		{"<h1>5. Internationale Sommerschule für Dämme</h1>", eventseer.SummerSchool},
		{"<h1>École d'été sur les digues</h1>", eventseer.SummerSchool},
		{"<h1>12èmes Journées des digues</h1>", eventseer.Conference},
		{call("RDX 2027", "<h1>RDX 2027</h1>", "The conference has one workshop. The conference is in Oslo."), eventseer.Conference},
		{"<h1>RDX 2027</h1>", eventseer.OtherKind},
	} {
		if e, _ := newTestExtractor().Extract(parse(t, "p.html", test.page)); e.Kind != test.want {
			t.Errorf("%s: got %s of %q, want %s", test.page, e.Kind, e.Title, test.want)
		}
	}
}
