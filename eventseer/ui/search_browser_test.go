package ui

import (
	"testing"

	"github.com/eventseer/eventseer/internal/browsertest"

	"github.com/chromedp/chromedp"
)

// TestSearchInABrowser looks for calls on a topic in a part of the world, stars one and finds the
// calendar of the list, without scripts. Then it checks the messages about spelling and dates.
func TestSearchInABrowser(t *testing.T) {
	o, _ := realWorld(t, 60)
	b := openBrowser(t, newUI(o))
	b.Scripts(false)
	openAs(b, "/", browsertest.PhoneLight)
	b.Type("#q", "information crawling europe")
	b.Enter("#q")
	b.Want("li.call h2", "ICX 2027")
	b.Press("li.call .star")
	b.Go("/starred")
	b.Want("li.call h2", "ICX 2027")
	b.Do(chromedp.Click(".subscribe summary"))
	if n := b.Count(".subscribe a[href^='webcal://'][href$='/starred.ics?ids=icx-2027']"); n != 1 {
		t.Errorf("%d calendars of the starred call", n)
	}
	b.Go("/search?q=crawlnig&all=1")
	b.Want(".instead", "Nothing is found for crawlnig")
	b.CheckAs("/search_misspelt", browsertest.PhoneLight)
	openAs(b, "/search?q=crawling+this+month", browsertest.DesktopDark)
	b.Want(".instead", "is read as due:2027-01")
	b.CheckAs("/search_dates", browsertest.DesktopDark)
	b.Do(chromedp.Click(".order summary"))
	b.Press(".order .apart a")
	b.Want("h1", "January 2027")
}
