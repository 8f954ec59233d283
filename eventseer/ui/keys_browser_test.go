package ui

import (
	"strings"
	"testing"

	"github.com/eventseer/eventseer/internal/browsertest"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestKeysToACalendarInABrowser goes from the home page to the address for calendar programs with the
// keyboard only. That takes at most 12 keys, with and without scripts.
func TestKeysToACalendarInABrowser(t *testing.T) {
	b := openBrowser(t, newUI(richWorld().fullOptions()))
	focus := func() string {
		return browsertest.Evaluate[string](b, `document.activeElement.getAttribute("href") || document.activeElement.textContent.trim().slice(0, 40)`)
	}
	for _, scripts := range []bool{true, false} {
		b.Scripts(scripts)
		openAs(b, "/", browsertest.DesktopLight)
		pressed := 0
		press := func(key string) {
			b.Do(chromedp.KeyEvent(key))
			pressed++
		}
		to := func(want string) {
			t.Helper()
			for focus() != want && pressed < 30 {
				press(kb.Tab)
			}
			if got := focus(); got != want {
				t.Fatalf("after %d keys the focus is on %q, want %q", pressed, got, want)
			}
		}
		to("#results")
		press(kb.Enter)
		to("Subscribe")
		press(kb.Enter)
		press(kb.Tab)
		if got := focus(); !strings.HasPrefix(got, "webcal://") {
			t.Errorf("the first way to subscribe is %q", got)
		}
		pressed++ // Enter opens the calendar program
		t.Logf("%d keys", pressed)
		if pressed > 12 {
			t.Errorf("%d keys from the home page to a calendar, want at most 12", pressed)
		}
	}
}
