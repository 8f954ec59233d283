package ui

import (
	"strings"
	"testing"

	"github.com/eventseer/eventseer/internal/browsertest"

	"github.com/chromedp/chromedp"
)

// TestStarsInABrowser stars calls by mouse and by keys, with and without scripts, and wants
// them on the page of starred calls and in its calendar.
func TestStarsInABrowser(t *testing.T) {
	b := openBrowser(t, newUI(richWorld().fullOptions()))
	const stars = `[...document.querySelectorAll(".star[aria-pressed=true]")].map(e => e.value).join(" ")`
	wantStars := func(where, want string) {
		t.Helper()
		if got := browsertest.Evaluate[string](b, stars); got != want {
			t.Errorf("%s: starred %q, want %q", where, got, want)
		}
	}
	openAs(b, "/starred", browsertest.PhoneLight)
	b.CheckAs("/starred_empty", browsertest.PhoneLight)
	b.Scripts(false)
	b.Go("/search?q=crawling")
	b.Press("li.call:nth-child(2) .star")
	if got := b.Address(); !strings.HasPrefix(got, "/search?q=crawling") {
		t.Errorf("a star leads to %q", got)
	}
	wantStars("without scripts", "w0")
	b.Press("li.call:nth-child(2) .star")
	wantStars("pressed again", "")
	b.Press("li.call:nth-child(3) .star")
	b.Scripts(true)
	openAs(b, "/", browsertest.DesktopLight)
	b.Do(chromedp.KeyEvent("j"))
	browsertest.Evaluate[int](b, `document.body.dataset.old = "1", 0`)
	b.Do(chromedp.KeyEvent("s"), chromedp.WaitReady("body:not([data-old]) footer"))
	wantStars("by key", "icx-2027 w1")
	if got := browsertest.Evaluate[string](b, `document.activeElement.value`); got != "icx-2027" {
		t.Errorf("after s the focus is on %q", got)
	}
	b.Go("/e/w2")
	b.Press("article .star")
	wantStars("on its page", "w2")
	b.CheckAll("/e/w2", "/starred", "/search?q=crawling")
	b.Go("/starred")
	wantStars("on the list", "w1 icx-2027 w2")
	b.Want(".count", "3 calls, next deadline first")
	address := browsertest.Evaluate[string](b, `document.querySelector(".lead a").getAttribute("href")`)
	if address != "/starred?ids=w1.icx-2027.w2" {
		t.Errorf("the list's address is %q", address)
	}
	b.Press("li.call .star")
	wantStars("one less", "icx-2027 w2")
	b.Go(address)
	if n := browsertest.Evaluate[int](b, `document.querySelectorAll("li.call").length`); n != 3 {
		t.Errorf("the address shows %d calls", n)
	}
}
