package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/internal/browsertest"
)

// An editor corrects a name, a day and a place, pins a series, hides an event and merges it
// into another, sees each time what changes before it is done, and undoes all of it; a
// reader sees what the editor said, also after the service is started again.
func TestBrowserCorrections(t *testing.T) {
	t.Parallel()
	data, _ := builtIn(t)
	f := newFair(t, data)
	f.start("--parts", "web")
	b := browsertest.Open(t, f.url)
	f.signIn(b)
	button := func(subject, action string) string {
		return `form.act:has(input[name=subject][value^="` + subject + `"]):has(input[name=action][value="` + action + `"])`
	}
	correct := func(subject, action, value, shows string) {
		t.Helper()
		b.Go("/admin/curation?q=gard-2027")
		form := button(subject, action)
		if value != "" {
			browsertest.Evaluate[int](b, `document.querySelector('`+form+` input[type=text]').value = "", 0`)
			b.Type(form+" input[type=text]", value)
		}
		b.Press(form + " button")
		b.Want("main", "This is what changes for readers")
		b.Want("main", shows)
		b.Press(`form.act:has(input[name=seen]) button`)
		b.Want(".said", "Done: ")
	}
	b.Go("/admin/curation?q=gard-2027")
	b.Check("/admin/curation of an event")
	b.Shoot("fields of an event")
	name := b.Text(`tr:has(input[value^="gard-2027 title"]) td`)
	correct("gard-2027 title", "edit", "Conference on Hedges", "Conference on Hedges")
	b.Shoot("corrections of an event")
	correct("gard-2027 event_end", "edit", "2027-12-01", "2027-12-01")
	correct("gard-2027 location", "edit", "Bergen, Norway", "Bergen, Norway")
	correct("gard-2027 series", "pin", "", "pages")
	b.Go("/admin/curation?q=gard-2027")
	b.Press(button("gard-2027 publisher", "edit") + " button") // nothing is typed and nothing stood there
	b.Want(".problems", "already")

	f.stop()
	f.start("--parts", "web")
	b = browsertest.Open(t, f.url)
	f.signIn(b)
	b.Go("/e/gard-2027")
	b.Want("h1", "Conference on Hedges")
	b.Want("article", "Bergen")
	b.Go("/about")
	b.Want("main", "Corrections by editors: 4")
	b.Check("/about with corrections")

	correct("gard-2027", "hide", "spam", "an editor hides it")
	for end := time.Now().Add(browsertest.Limit); ; time.Sleep(50 * time.Millisecond) { // until the index has heard of it
		b.Go(fmt.Sprintf("/search?q=acronym:GARD&asked=%d", time.Now().UnixNano())) // one address is kept for a minute
		if !strings.Contains(b.Text("main"), "Conference on Hedges") {
			break
		}
		if time.Now().After(end) {
			t.Fatal("a hidden event is listed")
		}
	}
	b.Go("/admin/queue")
	b.Check("/admin/queue")
	b.Shoot("what is to be decided")
	for range 5 {
		b.Go("/admin/curation")
		b.Press(`form.act:has(input[name=action][value="undo"]) button`)
		b.Want(".said", "Undone: ")
	}
	b.Go("/e/gard-2027?undone") // another address: browser and server may keep a page for a minute
	b.Want("h1", name)
}
