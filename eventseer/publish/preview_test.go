package publish

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"eventseer/eventseer"
	"eventseer/eventseer/query"
)

// An allIndex finds every event for every query: the preview must hold the list against
// each.
type allIndex struct {
	eventseer.Index
	store *fakeStore
}

func (x allIndex) Find(_ context.Context, q eventseer.Query) (f eventseer.Found, err error) {
	if _, err := query.Parse(q.Text); err != nil {
		return f, err
	}
	for id := range x.store.events {
		f.Hits = append(f.Hits, eventseer.Hit{ID: id})
	}
	f.Total = len(f.Hits)
	if q.From > 0 {
		f.Hits = nil
	}
	return f, nil
}

// TestPreviewIsWhatWouldHaveBeenTold lets lists with windows run for 40 days, and asks then
// for a preview of those days.
func TestPreviewIsWhatWouldHaveBeenTold(t *testing.T) {
	w := newWorld(t)
	index := func(o *Options) { o.Index = allIndex{store: w.store} }
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	w.open(index)
	w.db.NoSync = true
	rnd := rand.New(rand.NewPCG(4, 2))
	for n := range 20 {
		w.store.put(randomCall(rnd, n, w.clock.AddDate(0, 0, -rnd.IntN(20))), eventseer.Change{New: true, At: w.clock})
	}
	w.publish()
	var lists []eventseer.List
	a, _ := w.subscribe("ann@x.example")
	begin := w.clock
	for _, q := range []string{"due<30d", "due<=2w crawling", "due>30d", "start<3m", "crawling due<1m", "crawling due>2w due<6w", "new>7d crawling", "due<2027-01-10"} {
		l, err := w.SaveList(t.Context(), eventseer.List{Account: a.ID, Query: q, Rhythm: eventseer.Quiet})
		if err != nil {
			t.Fatal(err)
		}
		lists = append(lists, l)
	}
	for n := range 40 {
		w.clock = w.clock.AddDate(0, 0, 1)
		if n%2 == 0 {
			w.store.put(randomCall(rnd, 100+n, w.clock), eventseer.Change{New: true, At: w.clock})
		}
		w.publish()
	}
	for _, l := range lists {
		p, err := w.PreviewSince(t.Context(), l, begin)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, i := range p.Items {
			got = append(got, string(i.Event))
			if i.At.Before(begin) || i.At.After(w.clock) || len(i.Why) == 0 {
				t.Errorf("%s: %s at %s, because of %q", l.Query, i.Event, i.At, i.Why)
			}
		}
		slices.Sort(got)
		want := w.told(l)
		if len(want) <= maxPreviewItems && !slices.Equal(got, want) || p.Total != len(want) {
			t.Errorf("%s: the preview shows %d: %v, told were %v", l.Query, p.Total, got, want)
		}
		if weeks := w.clock.Sub(begin).Hours() / 24 / 7; p.PerWeek < float64(p.Total)/weeks-0.5 || p.PerWeek > float64(p.Total)/weeks+0.5 {
			t.Errorf("%s: %.2f a week of %d", l.Query, p.PerWeek, p.Total)
		}
		t.Logf("%s: %d", l.Query, p.Total)
	}
}

// TestWidestWindowHoldsAll holds the query that finds candidates against the windows of
// every day since.
func TestWidestWindowHoldsAll(t *testing.T) {
	since := noon.AddDate(0, 0, -PreviewDays)
	for _, q := range []string{"due<30d", "due<1m", "due<=2w", "start<3m", "start<2d", "due<4h"} {
		c, err := compileList(query.NewCompiler(), eventseer.List{Query: q}, nil)
		if err != nil {
			t.Fatal(err)
		}
		wide := widest(c.Clauses[0][0], since, noon)
		for day := -PreviewDays; day <= 100; day++ {
			date := eventseer.Date(noon.AddDate(0, 0, day).Format(time.DateOnly))
			doc := eventseer.Document{Event: eventseer.Event{ID: "e", EventStart: date, Deadlines: []eventseer.Deadline{{Kind: eventseer.Submission, Date: date}}}}
			for back := 0; back <= PreviewDays; back += 3 {
				if matcherOfQuery(t, q).asks("l", doc, noon.AddDate(0, 0, -back)) && !matcherOfQuery(t, wide).asks("l", doc, noon) {
					t.Fatalf("%s was in the window of %s %d days ago and %s does not find it", date, q, back, wide)
				}
			}
		}
	}
}

var queryMatchers = map[string]*Matcher{}

func matcherOfQuery(t *testing.T, query string) *Matcher {
	if queryMatchers[query] == nil {
		queryMatchers[query] = matcherOf(t, eventseer.List{ID: "l", Query: query})
	}
	return queryMatchers[query]
}
