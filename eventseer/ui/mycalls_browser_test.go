package ui

import (
	"strings"
	"testing"

	"github.com/eventseer/eventseer/internal/browsertest"

	"github.com/chromedp/chromedp"
)

// TestFieldsAndOrdersInABrowser chooses fields that the browser remembers, without scripts, and
// another order.
func TestFieldsAndOrdersInABrowser(t *testing.T) {
	b := openBrowser(t, newUI(richWorld().fullOptions()))
	b.CheckAll("/mine", "/closing", "/search?q=web&sort=rank")
	b.Scripts(false)
	openAs(b, "/mine", browsertest.PhoneLight)
	b.Do(chromedp.Click("input[value=ml]"), chromedp.Click("input[value=databases]"))
	b.Press(".chooser button")
	b.Go("/mine")
	if got := browsertest.Evaluate[string](b, `document.querySelector("#q").value`); got != "field:ml OR field:databases" {
		t.Errorf("remembered: %q", got)
	}
	b.CheckAs("/mine-chosen", browsertest.PhoneLight)
	openAs(b, "/", browsertest.DesktopLight)
	b.Want(".count", "71 open calls in 2 fields")
	b.Press(".fields button.quiet")
	b.Want(".count", "71 open calls, 1 to 30 shown")
	b.Do(chromedp.Click(".order summary"))
	b.Press(".order li:nth-child(3) a")
	b.Want(".count", "71 open calls, 1 to 30 shown, best rank first")
	b.Press(".filters section li a")
	b.Want(".chosen li", "Take away: Artificial intelligence ✕")
	b.Press(".filters section .on a")
	b.Want(".chosen li", "Take away: not Artificial intelligence ✕")
}

// TestFieldsFirstInABrowser chooses fields on the home page one by one, with scripts and without. The browser
// remembers them, and filters continue from there: a second click removes a value.
func TestFieldsFirstInABrowser(t *testing.T) {
	o, _ := realWorld(t, 60)
	b := openBrowser(t, newUI(o))
	pressed := func() string {
		return browsertest.Evaluate[string](b, `[...document.querySelectorAll(".fields [aria-pressed=true]")].map(e => e.firstChild.textContent.trim()).join(", ")`)
	}
	for i, scripts := range []bool{true, false} {
		b.Scripts(scripts)
		openAs(b, "/", []browsertest.Look{browsertest.DesktopLight, browsertest.PhoneLight}[i])
		all := b.Text(".count")
		b.Press(".fields [aria-pressed=false]")
		first := pressed()
		if got := b.Text(".count"); got == all || !strings.Contains(got, "in 1 field") {
			t.Errorf("one field: %q", got)
		}
		b.Press(".fields [aria-pressed=false]")
		both := pressed()
		if !strings.Contains(both, first) || strings.Count(both, ", ") != 1 {
			t.Errorf("two fields: %q", both)
		}
		if y := browsertest.Evaluate[float64](b, "scrollY"); y != 0 {
			t.Errorf("the page is scrolled by %v", y)
		}
		b.CheckAs("/fields-chosen", []browsertest.Look{browsertest.DesktopLight, browsertest.PhoneLight}[i])
		b.Go("/about")
		b.Go("/")
		if got := pressed(); got != both {
			t.Errorf("remembered: %q, want %q", got, both)
		}
		b.Unfold()
		b.Press(`.filters li a[href*="kind%3A"]`)
		if got := b.Address(); !strings.Contains(got, "field%3A") || !strings.Contains(got, "kind%3A") {
			t.Errorf("a filter leads to %q", got)
		}
		b.Unfold()
		kinds := `document.querySelectorAll(".filters li a[href*='kind%3A']").length`
		if n := browsertest.Evaluate[int](b, kinds); n < 2 {
			t.Errorf("%d kinds beside the one chosen", n)
		}
		b.Press(`.filters li.on a[href*="-kind"]`)
		b.Unfold()
		if got := b.Text(".chosen"); !strings.Contains(got, "not ") {
			t.Errorf("pressed again: %q", got)
		}
		b.Go("/")
		b.Press(".fields .quiet")
		if got := b.Text(".count"); got != all {
			t.Errorf("any field: %q, want %q", got, all)
		}
	}
}
