package ui

import (
	"strings"
	"testing"

	"github.com/eventseer/eventseer/eventseer/ui/views"
)

// A query that cannot be read is marked where it is wrong, with one that can be read.
func TestQueryProblem(t *testing.T) {
	o, _ := realWorld(t, 10)
	h := patient(newUI(o))
	for _, path := range []string{"/search?q=web+titel:data", "/calendar?q=web+titel:data", "/?q=web+titel:data"} {
		doc := page(t, h, path, 400)
		wantText(t, doc, "#problem[role=alert]", "There is no field “titel”")
		wantText(t, doc, "#problem mark", "titel")
		if href := doc.Find("#problem a").AttrOr("href", ""); !strings.Contains(href, "q=web+title%3Adata") {
			t.Errorf("%s offers %q", path, href)
		}
	}
}

// A search that no call can match says so.
func TestDoubts(t *testing.T) {
	o, _ := realWorld(t, 10)
	h := patient(newUI(o))
	doc := page(t, h, "/search?q=country:narnia+data", 200)
	wantText(t, doc, ".empty", "No call known here takes place in a country called “narnia”.")
	if href := doc.Find(".empty a").AttrOr("href", ""); href != "/search?q=data" {
		t.Errorf("leads on to %q", href)
	}
	wantText(t, page(t, h, "/search?q=rank:foo", 200), ".empty", "rank")
	wantText(t, page(t, h, "/search?q=id:nothing-2027", 200), ".empty", "the id “nothing-2027”")
}

// /?q= is a search, and pages that are not there lead on.
func TestWaysOn(t *testing.T) {
	o, _ := realWorld(t, 10)
	h := patient(newUI(o))
	if got := page(t, h, "/?q=data", 200).Find("#q").AttrOr("value", ""); got != "data" {
		t.Errorf("the search box holds %q", got)
	}
	for path, want := range map[string]string{"/e/icx-2031": "/search?all=1&q=icx+2031", "/s/no-such": "/search?all=1&q=no+such"} {
		if got := page(t, h, path, 404).Find("main a.button").AttrOr("href", ""); got != want {
			t.Errorf("%s leads on to %q, want %q", path, got, want)
		}
	}
	wantText(t, page(t, h, "/sent", 404), ".lead", "You have not sent one")
}

// A name before a title is not repeated after it.
func TestTitleWithoutItsShortName(t *testing.T) {
	for _, tt := range []struct{ title, want string }{
		{"Conference on Crawling (ICX 2027)", "Conference on Crawling"}, {"Conference on Crawling (icx)", "Conference on Crawling"},
		{"Conference (second) on Crawling", "Conference (second) on Crawling"}, {"Conference on Crawling (ICY 2027)", "Conference on Crawling (ICY 2027)"},
		{"(ICX 2027)", "(ICX 2027)"}, {"", ""},
	} {
		if got := views.WithoutShortName(tt.title, "ICX 2027", "ICX"); got != tt.want {
			t.Errorf("withoutShort(%q) = %q, want %q", tt.title, got, tt.want)
		}
	}
}
