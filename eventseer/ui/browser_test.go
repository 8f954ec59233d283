package ui

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/eventseer/eventseer/eventseer/query"
	"github.com/eventseer/eventseer/internal/browsertest"
)

// openBrowser starts a chromium before h.
func openBrowser(t *testing.T, h http.Handler) *browsertest.Tab {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return browsertest.Open(t, server.URL)
}

// openAs opens a page as one sees it in a look.
func openAs(b *browsertest.Tab, path string, l browsertest.Look) {
	b.See(l)
	b.Go(path)
}

func TestPagesInABrowser(t *testing.T) {
	w := richWorld()
	b := openBrowser(t, newUI(w.fullOptions()))
	b.CheckAll("/", "/search?q=crawling+country:NO+-kind:workshop&all=1", "/e/icx-2027", "/e/icx-2027/history", "/e/icx-2027/history?view=side",
		"/s/icx", "/search?q=id:icx-2027&all=1", "/new", "/changes", "/about", "/bot", "/privacy", "/zone", "/nowhere")
	for _, l := range []browsertest.Look{browsertest.PhoneLight, browsertest.DesktopDark} { // with all that folds unfolded
		for _, path := range []string{"/", "/e/icx-2027"} {
			openAs(b, path, l)
			browsertest.Evaluate[int](b, `document.querySelectorAll("details").forEach(d => d.open = true), 0`)
			b.Check(path + " unfolded " + l.Name)
			b.Shoot(path + "unfolded" + "-" + l.Name)
		}
	}
	_, w.err = query.Parse("web titel:crawling")
	b.CheckAll("/search?q=web+titel:crawling")
	_, w.err = query.Parse("mining title:")
	b.CheckAll("/calendar?q=mining+title:")
}
