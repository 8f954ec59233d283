package ui

import (
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
	b.Do(chromedp.Click(".order summary"))
	b.Press(".order li:nth-child(3) a")
	b.Want(".count", "71 open calls, 1 to 30 shown, best rank first")
	b.Press(".filters section li a")
	b.Want(".chosen li", "Take away: Artificial intelligence ✕")
	b.Press(".filters section .on a")
	b.Want(".chosen li", "Take away: not Artificial intelligence ✕")
}
