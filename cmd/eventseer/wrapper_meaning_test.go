package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/engine"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/judges"
	"github.com/eventseer/eventseer/eventseer/wrapper"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/internal/golden"
	"github.com/eventseer/eventseer/webgraph"
)

// templatePages are the pages of a group of the shared corpus, in order.
func templatePages(t *testing.T, group string) (trees []*tagtree.Tree) {
	t.Helper()
	dir := golden.SharedPath(t, "corpora/wrapper/templates/"+group)
	for n := 1; ; n++ {
		body, err := os.ReadFile(filepath.Join(dir, fmt.Sprintf("%d.html", n)))
		if err != nil {
			return trees
		}
		tree, err := tagtree.Parse(&webgraph.Page{URL: fmt.Sprintf("https://%s.example/%d.html", group, n), Status: 200, Body: body})
		if err != nil {
			t.Fatal(err)
		}
		trees = append(trees, tree)
	}
}

// The calls of one series give their fields meanings by themselves, without a person. The wrapper
// then reads what the extractor reads, except deadlines without a day.
func TestSharedMeanings(t *testing.T) {
	t.Parallel()
	a := &app.App{Now: func() time.Time { return time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC) }}
	a.Config.Quiet = true
	x := engine.NewExtractor(a, judges.Set{})
	pages := templatePages(t, "rapido_cfp")
	w := wrapper.New("calls.example", "*")
	for _, page := range pages {
		e, _ := x.Extract(page)
		w.UpdateFromPage(page, w.Add(page), time.Time{}, e)
	}
	means := map[string]bool{}
	for _, f := range w.Fields {
		if f.Meaning != "" {
			means[f.Meaning] = true
			t.Logf("%s: %s %q strength %.2f: %.80q", f.ID, f.Meaning, f.Path, f.Strength, f.Examples[0].Value)
		}
	}
	for _, meaning := range []string{wrapper.Title, wrapper.Acronym, wrapper.DatesPlace, wrapper.Deadlines, wrapper.Topics, wrapper.SubmissionURL} {
		if !means[meaning] {
			t.Errorf("no field means %s", meaning)
		}
	}
	if w.Status != wrapper.Active {
		t.Errorf("the wrapper is %s", w.Status)
	}
	rejected, differ := 0, 0
	for _, page := range pages {
		e, _ := x.Extract(page)
		rec := w.Record(page, w.Apply(page), x, e)
		rejected += len(rec.Rejected)
		got := rec.Event
		if got.Title != e.Title || got.EventStart != e.EventStart || got.EventEnd != e.EventEnd || got.Location.String() != e.Location.String() ||
			len(got.Deadlines) != len(e.Deadlines) || len(got.Topics) != len(e.Topics) || got.SubmissionURL != e.SubmissionURL {
			differ++
			t.Logf("%s: by wrapper %+v, extracted %+v", page.Page.URL, got, e)
		}
	}
	t.Logf("%d values rejected, %d of %d records differ", rejected, differ, len(pages))
	if rejected > 1 || differ > 0 {
		t.Error("the wrapper reads less than the extractor")
	}
}
