package browsertest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	"github.com/eventseer/eventseer/internal/nightly"

	"github.com/chromedp/cdproto/cdp"
	cdplog "github.com/chromedp/cdproto/log"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// CheckAll opens paths in two looks, in which each width and each colour scheme
// comes once, and checks each, and keeps pictures of them. .ci/nightly does so in all
// four looks. Nearly all of its time goes into the contrast of every text.
func (b *Tab) CheckAll(paths ...string) {
	b.t.Helper()
	looks := []Look{PhoneLight, DesktopDark}
	if nightly.Enabled() {
		looks = Looks()
	}
	b.CheckIn(looks, paths...)
}

// CheckIn is CheckAll in some looks only.
func (b *Tab) CheckIn(looks []Look, paths ...string) {
	b.t.Helper()
	for _, l := range looks {
		b.See(l)
		for _, path := range paths {
			b.Go(path)
			b.CheckAs(path, l)
		}
	}
}

// CheckAs is Check, with a picture by the name of the page and the look.
func (b *Tab) CheckAs(name string, l Look) {
	b.t.Helper()
	b.Shoot(name + "-" + l.Name)
	b.Check(name + ", " + l.Name)
}

// Check fails the test for each violation of the page that is open.
func (b *Tab) Check(name string) {
	b.t.Helper()
	for _, v := range b.Violations() {
		b.t.Errorf("%s: %s", name, v)
	}
}

// Violations returns the faults of the open page. They are the rules of WCAG 2.2 AA and best
// practices that axe-core finds broken, and a page wider than its screen.
func (b *Tab) Violations() []string {
	b.t.Helper()
	Evaluate[int](b, b.axe+"\n;0")
	found := Evaluate[[]string](b, runAxe)
	if wide := Evaluate[int](b, `document.documentElement.scrollWidth - document.documentElement.clientWidth`); wide > 0 {
		found = append(found, fmt.Sprintf("the page is %d px wider than the screen: %s", wide, Evaluate[string](b, widest)))
	}
	return found
}

// runAxe lists what axe-core finds, a line a rule with the first elements.
const runAxe = `axe.run(document, {resultTypes: ["violations"], runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"], rules: {"target-size": {enabled: true}}})
	.then(r => r.violations.map(v => v.id + ": " + v.help + " (" + v.nodes.length + "): " +
		v.nodes.slice(0, 3).map(n => n.html.slice(0, 160) + " " + n.failureSummary).join(" | ")))`

// widest names an element that reaches out of the screen to the right.
const widest = `[...document.querySelectorAll("body *")].filter(e => e.getBoundingClientRect().right > document.documentElement.clientWidth)
	.slice(-1).map(e => e.outerHTML.slice(0, 200)).join("")`

var unsafeName = regexp.MustCompile(`[^a-zA-Z0-9=.-]+`)

// Shoot keeps a picture of the page that is open in the folder that EVENTSEER_SHOTS
// names, if it does.
func (b *Tab) Shoot(name string) {
	b.t.Helper()
	dir := os.Getenv("EVENTSEER_SHOTS")
	if dir == "" {
		return
	}
	ctx, cancel := context.WithTimeout(b.ctx, Limit)
	defer cancel()
	shot, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	if err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, unsafeName.ReplaceAllString(name, "_")+".png"), shot, 0o600); err != nil {
		b.t.Fatal(err)
	}
}

// Listen records whatever pages log, throw, open as a dialog or are refused by their policy, from
// now on. Heard returns it and forgets it.
func (b *Tab) Listen() (heard func() []string) {
	b.t.Helper()
	said := make(chan string, 1000)
	add := func(format string, args ...any) {
		select {
		case said <- fmt.Sprintf(format, args...):
		default: // enough is known
		}
	}
	err := chromedp.Listen(b.ctx, func(ev any) {
		switch ev := ev.(type) {
		case *cdplog.EventEntryAdded:
			add("log of %s: %s", ev.Entry.URL, ev.Entry.Text)
		case *cdppage.EventJavascriptDialogOpening:
			add("dialog: %s", ev.Message)
		case *runtime.EventConsoleAPICalled:
			add("console: %v", ev.Type)
		case *runtime.EventExceptionThrown:
			add("exception: %s", ev.ExceptionDetails.Text)
		}
	})
	if err == nil {
		_, err = chromedp.Call(b.ctx, cdplog.Enable, cdp.Empty{})
	}
	if err != nil {
		b.t.Fatal(err)
	}
	return func() (all []string) {
		for {
			select {
			case text := <-said:
				all = append(all, text)
			default:
				return all
			}
		}
	}
}
