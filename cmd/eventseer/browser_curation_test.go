package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/internal/browsertest"
)

// ditchCall is an event that editors confuse with fairCall; listedFair is the record of the latter on a list.
func ditchCall() eventseer.Event {
	e := fairCall("2027-03-01", opening.AddDate(0, 0, -2))
	e.URL, e.Title, e.Acronym, e.Publisher = "https://hedges.example/cfp", "Symposium on Hedges and Ditches", "HEDX", ""
	e.EventStart, e.EventEnd, e.Location, e.Sources, e.SubmissionURL = "2027-09-01", "2027-09-03", nil, nil, ""
	return e
}

func listedFair() eventseer.Event {
	e := fairCall("2027-02-15", opening.AddDate(0, 0, -2))
	e.URL, e.Publisher, e.Sources = "https://list.example.net/gard", "Wrong Press", nil
	return e
}

// An editor corrects a name, a day and a place, pins a series, hides an event, merges another into it
// and splits a page off. Each change is shown before it is made, and all are undone. A reader sees
// the corrections, also after the page was read again, after a restart of the service, and in a
// restored backup.
func TestBrowserCorrections(t *testing.T) {
	t.Parallel()
	data, _ := builtIn(t)
	put(t, data, ditchCall(), listedFair())
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
		b.Want("main", "This changes for readers")
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
	correct("gard-2027 https://list.example.net/gard", "split", "", "Wrong Press")
	correct("gard-2027", "merge", "hedx-2027", "merged into gard-2027")
	b.Go("/admin/curation?q=gard-2027")
	b.Shoot("merged and split")
	b.Go("/admin/curation?q=gard-2027")
	b.Press(button("gard-2027 publisher", "edit") + " button") // nothing is typed and nothing stood there
	b.Want(".problems", "already")

	f.stop()
	put(t, data, fairCall("2027-02-20", opening.AddDate(0, 0, -1))) // the page is read again
	backup, restored := filepath.Join(t.TempDir(), "b.tar.gz"), filepath.Join(t.TempDir(), "again")
	output(t, 0, "backup", "create", backup, "--data", data)
	output(t, 0, "backup", "restore", backup, "--data", restored)
	for id, want := range map[string]string{"gard-2027": "Conference on Hedges", "hedx-2027": "gard-2027"} {
		if said := output(t, 0, "show", id, "--data", restored); !strings.Contains(said, want) || strings.Contains(said, "Wrong Press") {
			t.Errorf("the backup has of %s: %s", id, said)
		}
	}
	f.start("--parts", "web")
	b = browsertest.Open(t, f.url)
	f.signIn(b)
	b.Go("/e/gard-2027")
	b.Want("h1", "Conference on Hedges")
	b.Want("article", "Bergen")
	b.Go("/e/hedx-2027")
	b.Want("h1", "Conference on Hedges")
	b.Go("/about")
	b.Want("main", "Corrections by editors: 6")
	b.Shoot("how often fields were right")
	b.Check("/about with corrections")

	correct("gard-2027", "hide", "spam", "an editor hides it")
	for end := time.Now().Add(browsertest.Limit); ; time.Sleep(50 * time.Millisecond) { // until the index contains it
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
	for range 7 {
		b.Go("/admin/curation")
		b.Press(`form.act:has(input[name=action][value="undo"]) button`)
		b.Want(".said", "Undone: ")
	}
	b.Go("/e/gard-2027?undone") // another address: browser and server may keep a page for a minute
	b.Want("h1", name)
	b.Want("article", "Trondheim")
	b.Go("/e/hedx-2027?undone")
	b.Want("h1", ditchCall().Title)
	if said := output(t, 0, "check", "--data", restored); !strings.Contains(said, "store.db: clean") {
		t.Error(said)
	}
}
