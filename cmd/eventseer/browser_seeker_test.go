package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/internal/browsertest"

	"github.com/chromedp/chromedp"
)

// A seeker searches by typing, narrows by a facet, opens a call and its history, and stores calls
// in a list without an account. A visitor submits a page and reports an error, which the operator
// handles; the operator labels pages and names a field. All of it with the scripts of pages and
// without.
func TestBrowserSeeker(t *testing.T) {
	t.Parallel()
	data, record := builtIn(t)
	f := newFair(t, data)
	labels := filepath.Join(t.TempDir(), "labels.tsv")
	f.start("--parts", "web", "--label-input", record, "--labels", labels)
	b := browsertest.Open(t, f.url)
	f.signIn(b)
	heard := b.Listen()
	for i, scripts := range []bool{true, false} {
		b.Scripts(scripts)
		b.See([]browsertest.Look{browsertest.DesktopLight, browsertest.PhoneLight}[i])
		seek(t, b)
		b.See(browsertest.DesktopLight)
		submitPage(t, b)
		reportPlace(t, b, fmt.Sprintf("It is Bergen, said visitor %d.", i))
		labelThree(t, b, scripts, 3*i)
		nameField(t, b, []string{"talk.title", "talk.speaker"}[i])
	}
	for _, said := range heard() {
		if !refusals.MatchString(said) {
			t.Error(said)
		}
	}
	if lines := strings.Count(readFile(t, labels), "\n"); lines != 1+6 {
		t.Errorf("the labels file has %d lines:\n%s", lines, readFile(t, labels))
	}
}

func seek(t *testing.T, b *browsertest.Tab) {
	t.Helper()
	b.Go("/")
	b.Type("#q", "garden computing")
	b.Enter("#q")
	b.Want("h1 q", "garden computing")
	b.Want(".call", "International Conference on Gardens and Computing")

	b.Go("/")
	before := b.Text(".count")
	b.Unfold()
	const first = `document.querySelector('.filters li a[href*="country%3A"]')`
	country := browsertest.Evaluate[string](b, first+`.querySelector("bdi").innerText`)
	b.Press(`.filters li a[href="` + browsertest.Evaluate[string](b, first+`.getAttribute("href")`) + `"]`)
	b.Unfold()
	b.Want(".chosen", country)
	if after := b.Text(".count"); after == before {
		t.Errorf("the facet narrows nothing: %q", after)
	}
	for _, place := range browsertest.Evaluate[[]string](b, `[...document.querySelectorAll(".call .meta")].map(m => m.innerText)`) {
		if !strings.Contains(place, country) {
			t.Errorf("a call of %s is in %q", country, place)
		}
	}

	b.Go("/search?q=garden+computing")
	b.Press(`.call h2 a[href="/e/gard-2027"]`)
	b.Want("h1", "International Conference on Gardens and Computing")
	b.Want("article", "Extended from 1 Feb 2027")
	if b.Count(`a[href$="/e/gard-2027/history"]`) > 0 {
		t.Error("a link leads to versions of the page, of which none is kept")
	}
	b.Go("/e/gard-2027/history")
	b.Want("h1", "What changed: GARD 2027")
	b.Want(".history", "deadline extended")
	b.Want(".history del", "2027-02-01")
	b.Want(".history ins", "2027-02-15")
}

func submitPage(t *testing.T, b *browsertest.Tab) {
	t.Helper()
	for address, want := range map[string]string{
		"http://127.0.0.1:9/cfp":   "", // loopback is never read for visitors
		"http://169.254.169.254/x": "",
		"ftp://conf.example/cfp":   "must be that of a web page",
	} {
		b.Go("/submit")
		b.Type("#url", address)
		b.Press(`main button[value="read"]`)
		b.Want(".problems", want)
		if b.Count(".preview") > 0 || b.Text(".problems") == "" {
			t.Errorf("%s is read: %q", address, b.Text("main"))
		}
	}
	b.Shoot("submit refused")
}

func reportPlace(t *testing.T, b *browsertest.Tab, text string) {
	t.Helper()
	b.Go("/e/gard-2027")
	b.Press(`a[href^="/e/gard-2027/report"]`)
	b.Type("#text", text)
	b.Do(clickOn(`input[name=field][value^="location"]`))
	b.Press("main form button")
	b.Want("h1", "Thank you")

	b.Go("/admin/desk")
	b.Want("main", text)
	b.Shoot("desk with a report")
	b.Check("/admin/desk with a report")
	b.Type(".act input[type=text]", "corrected to Bergen")
	b.Press(".act button")
	b.Want(".said", "corrected to Bergen")
	b.Check("/admin/desk with a settled report")
	b.Go("/admin/audit")
	b.Want("main", "corrected to Bergen")
	b.Check("/admin/audit with an entry")
}

// labelThree answers both questions of three pages: by single keys, or without scripts by
// the buttons.
func labelThree(t *testing.T, b *browsertest.Tab, scripts bool, had int) {
	t.Helper()
	b.Go("/label")
	for i := range 3 {
		b.Want(".queue label", fmt.Sprintf("%d labelled", had+i))
		page := b.Text("h1")
		if scripts {
			b.Do(chromedp.KeyEvent("y"), chromedp.WaitReady(chromedp.CSS(`button[value="call=yes"][aria-pressed=true]`)))
			b.PressKey("1")
		} else {
			b.Press(`button[value="call=yes"]`)
			b.Want("h1", page)
			b.Press(`button[value^="type="]`)
		}
	}
	b.Want(".queue label", fmt.Sprintf("%d labelled", had+3))
	b.Check("/label after three pages")
}

func nameField(t *testing.T, b *browsertest.Tab, meaning string) {
	t.Helper()
	b.Go("/wrappers")
	b.Press(".wrappers a")
	field := browsertest.Evaluate[string](b, `document.querySelector(".place.open").id`)
	b.Type("#name-"+field, meaning)
	b.Press("#" + field + ` button[value=name]`)
	b.Want("#"+field+" h2", meaning)
	b.Shoot("wrapper named")
	b.Check("/wrappers with a named field")
	b.Press(".undo button")
	if b.Says("#"+field+" h2", meaning) {
		t.Error("the name is not taken back")
	}
}
