package ui

import (
	"testing"

	"github.com/eventseer/eventseer/internal/browsertest"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestSuggestionsInABrowser types into the search box, and chooses calls and fields by keys and
// mouse. Escape closes the list, and without scripts the box is an ordinary one.
func TestSuggestionsInABrowser(t *testing.T) {
	o, _ := realWorld(t, 60)
	b := openBrowser(t, patient(newUI(o)))
	heard := b.Listen()
	const shown, first = `[...document.querySelectorAll("#suggestions:not([hidden]) li")].map(e => e.innerText).join("|")`, "#suggestions li:first-child"
	for _, l := range []browsertest.Look{browsertest.DesktopLight, browsertest.PhoneDark} {
		openAs(b, "/", l)
		b.Type("#q", "ic")
		b.Do(chromedp.WaitVisible(first))
		b.Want(first+" bdi", "ICX 2027")
		if got := browsertest.Evaluate[string](b, `["role", "aria-expanded", "aria-controls"].map(n => document.querySelector("#q").getAttribute(n)).join(" ")`); got != "combobox true suggestions" {
			t.Errorf("the box is %q", got)
		}
		b.Do(chromedp.KeyEvent(kb.ArrowDown))
		if got := browsertest.Evaluate[string](b, `document.getElementById(document.querySelector("#q").getAttribute("aria-activedescendant"))?.getAttribute("aria-selected") || ""`); got != "true" {
			t.Errorf("an arrow key selects %q", got)
		}
		b.CheckAs("/suggestions", l)
		b.Shoot("suggestions-" + l.Name)
		b.Do(chromedp.KeyEvent(kb.Escape))
		if got := browsertest.Evaluate[string](b, shown+` + document.querySelector("#q").value`); got != "ic" {
			t.Errorf("after Escape: %q", got)
		}
	}
	b.Go("/")
	b.Type("#q", "ic")
	b.Do(chromedp.WaitVisible(first), chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.Enter), chromedp.WaitVisible("article.event"))
	if got := b.Address(); got != "/e/icx-2027" {
		t.Errorf("the first suggestion leads to %q", got)
	}
	b.Go("/")
	b.Type("#q", "machine le")
	b.Do(chromedp.WaitVisible(first), chromedp.Click(first), chromedp.WaitVisible("h1 q"))
	b.Want("h1 q", "field:ml")
	b.Go("/")
	b.Type("#q", "ic")
	b.Do(chromedp.WaitVisible(first))
	b.Enter("#q") // the typed text, not a suggestion
	b.Want("h1 q", "ic")
	b.Go("/")
	b.Type("#q", "zzzzqq")
	b.Do(chromedp.KeyEvent(kb.ArrowDown))
	b.Scripts(false)
	b.Go("/")
	if n := b.Count("#suggestions, [role=combobox]"); n != 0 {
		t.Errorf("%d parts of suggestions without scripts", n)
	}
	b.Type("#q", "information crawling")
	b.Enter("#q")
	b.Want("li.call h2", "ICX 2027")
	for _, said := range heard() {
		t.Error(said)
	}
}
