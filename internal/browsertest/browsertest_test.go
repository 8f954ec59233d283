package browsertest_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/internal/browsertest"
)

// Checks that cannot fail would be none: a page with known faults has them all found.
func TestFaultsAreFound(t *testing.T) {
	const bad = `<!doctype html><title>x</title><main style="width: 2000px"><h1 style="color: #bbb">pale</h1><input><a href="/2">on</a></main><footer></footer>
<script>window.ran = true; console.log("here")</script>`
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, bad)
	}))
	t.Cleanup(site.Close)
	b := browsertest.Open(t, site.URL)
	heard := b.Listen()
	b.See(browsertest.PhoneDark)
	b.Scripts(false)
	b.Go("/")
	b.Want("h1", "pale")
	if browsertest.Evaluate[bool](b, "!!window.ran") || len(heard()) > 0 {
		t.Error("a script of the page ran, though they are off")
	}
	found := strings.Join(b.Violations(), "\n")
	for _, want := range []string{"html-has-lang", "color-contrast", "label", "px wider"} {
		if !strings.Contains(found, want) {
			t.Errorf("%q is not found in\n%s", want, found)
		}
	}
	b.Scripts(true)
	b.See(browsertest.DesktopLight)
	b.Go("/")
	b.Press("a")
	if got := b.Address(); got != "/2" {
		t.Errorf("the link leads to %s", got)
	}
	if !browsertest.Evaluate[bool](b, "window.ran") || !strings.Contains(strings.Join(heard(), " "), "console") {
		t.Error("the script of the page did not run, or nobody heard it")
	}
}
