package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/engine"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/judges"
	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/exchange/intake"
	"github.com/eventseer/eventseer/eventseer/ingest"
	"github.com/eventseer/eventseer/eventseer/store"
	"github.com/eventseer/eventseer/eventseer/wrapper"
	"github.com/eventseer/eventseer/eventseer/wrapper/collection"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/webgraph"
)

var inventedSubjects = []string{"Quiet Engines", "Slow Rivers", "Paper Boats", "Warm Stones", "Loud Clocks", "Green Glass", "Cold Lamps", "Small Bridges", "Soft Metals", "Deep Wells", "Old Maps", "Thin Ice"}

// inventedCall is the n-th call of a site whose pages have one template; the new one
// after its redesign.
func inventedCall(t *testing.T, n int, redesigned bool) *tagtree.Tree {
	t.Helper()
	subject, month := inventedSubjects[n%len(inventedSubjects)], time.Month(1+n%6)
	body := fmt.Sprintf(`<html><head><title>Calls</title></head><body><div class=nav><a href="/">Home</a> <a href="/all">All calls</a></div>
<div class=call><h1>%dth Workshop on %s 2027</h1><p class=when>%d-%d October 2027, Bergen, Norway</p>
<p class=text>We invite papers on all that has to do with them, of at most ten pages.</p>
<h2>Important dates</h2><ul class=dates><li>Paper submission: <b>%[5]d %[6]s 2027</b></li><li>Notification: <b>%[5]d July 2027</b></li></ul>
<h2>Topics</h2><ul class=topics><li>Theory of %[7]s</li><li>Practice of %[7]s</li><li>Measurement and simulation</li><li>Design methods and tools</li><li>Applications in industry</li></ul></div>
<div class=foot>Seen by <i>%[8]d</i> readers</div></body></html>`,
		4+n, subject, 3+n, 5+n, 10+n, month, subject, 7919*(n+1))
	if redesigned {
		body = fmt.Sprintf(`<html><body><table><tr><td>%dth Workshop on %s 2027</td></tr><tr><td>%d-%d October 2027, Bergen, Norway</td></tr></table>
<p>Please send your papers; all else is new here.</p><p>Paper submission: %d %s 2027</p></body></html>`, 4+n, subject, 3+n, 5+n, 10+n, month)
	}
	tree, err := tagtree.Parse(&webgraph.Page{
		URL: fmt.Sprintf("https://calls.example/call/%d", n), Status: 200, Body: []byte(body), FetchedAt: time.Date(2026, 11, 1+n, 0, 0, 0, 0, time.UTC),
	})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// Pages of one template train a wrapper that becomes trusted by itself. After a redesign of the
// site the extractor takes over, and a person is notified.
func TestWrapperReadsForTheStore(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a := &app.App{Now: func() time.Time { return time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC) }}
	a.Config.Quiet = true
	st, err := store.Open(filepath.Join(dir, app.StoreFile), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = st.Close() }() // a test's
	set, err := collection.OpenSet(filepath.Join(dir, "wrappers"), collection.SetOptions{Warn: func(err error) { t.Error(err) }})
	if err != nil {
		t.Fatal(err)
	}
	log := collection.NewNoticeLog(filepath.Join(dir, "notices.jsonl"))
	x := engine.NewExtractor(a, judges.Set{})
	reader := collection.NewReader(collection.ReaderOptions{Set: set, Extractor: x, Known: st.EventOf, Notices: log})
	in := ingest.New(ingest.Options{Extractor: x, Store: st, Wrapped: reader, Now: a.Now})
	take := func(page *tagtree.Tree) eventseer.Event {
		t.Helper()
		if _, err := in.StorePage(t.Context(), page, 0.9); err != nil {
			t.Fatal(err)
		}
		e, err := st.EventOf(t.Context(), page.Page.URL)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	for n := range 11 {
		e := take(inventedCall(t, n, false))
		want := fmt.Sprintf("%dth Workshop on %s", 4+n, inventedSubjects[n])
		if !slices.Contains([]string{want, want + " 2027"}, e.Title) || e.EventStart != eventseer.Date(fmt.Sprintf("2027-10-%02d", 3+n)) || len(e.Deadlines) != 2 || len(e.Topics) != 5 {
			t.Errorf("page %d is stored as %+v", n, e)
		}
		if rule := e.Sources["title"].Rule; n > 8 && rule != eventseer.WrapperRule {
			t.Errorf("the title of page %d is read by %q", n, rule)
		}
	}
	list, err := set.List()
	if err != nil || len(list) != 1 || list[0].Wrapper.Status != wrapper.Active {
		t.Fatalf("wrappers %+v, %v", list, err)
	}
	checkOwnField(t, set, list[0].Name, take)
	if e := take(inventedCall(t, 11, true)); e.Sources["title"].Rule == eventseer.WrapperRule || e.EventStart == "" {
		t.Errorf("a page of another template is stored as %+v", e)
	}
	notices, err := log.List()
	if err != nil || !slices.ContainsFunc(notices, func(n wrapper.Notice) bool { return n.Kind == wrapper.Trusted }) {
		t.Errorf("told %+v, %v", notices, err)
	}
	if _, err := st.EventOf(t.Context(), "https://calls.example/none"); !errors.Is(err, eventseer.ErrNotFound) {
		t.Error(err)
	}
}

// checkOwnField gives a field a name of an operator's own, stores a page, and imports its record into another
// store: the value stays.
func checkOwnField(t *testing.T, set *collection.Set, name string, take func(*tagtree.Tree) eventseer.Event) {
	t.Helper()
	const n, field = 10, "other.readers"
	page := inventedCall(t, n, false)
	page.Page.FetchedAt = page.Page.FetchedAt.AddDate(0, 1, 0)
	want := fmt.Sprint(7919 * (n + 1))
	err := set.Update(name, func(w *wrapper.Wrapper) error {
		reading := w.Apply(page)
		for _, f := range w.Fields {
			if slices.Equal(reading.Texts(f), []string{want}) {
				return w.Rename(f.ID, "readers")
			}
		}
		return fmt.Errorf("no field reads %s", want)
	})
	if err != nil {
		t.Fatal(err)
	}
	e := take(page)
	if !slices.Equal(e.Other["readers"], []string{want}) || e.Sources[field].Rule != eventseer.WrapperRule {
		t.Fatalf("the page is stored with %q from %+v, want %s", e.Other, e.Sources[field], want)
	}
	line, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	other, err := store.Open(filepath.Join(t.TempDir(), app.StoreFile), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Close() }() // a test's
	in := intake.NewRecords(other, bytes.NewReader(line), t.Logf)
	if err := in.ReadFile(t.Context(), "-"); err != nil || in.N != 1 || in.Bad > 0 {
		t.Fatalf("%d records imported, %d bad, %v", in.N, in.Bad, err)
	}
	again, err := other.EventOf(t.Context(), page.Page.URL)
	if err != nil || !slices.Equal(again.Other["readers"], []string{want}) || again.Sources[field].Snippet != want {
		t.Errorf("imported with %q from %+v, %v", again.Other, again.Sources[field], err)
	}
}
