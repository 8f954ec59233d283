package publish

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/query"
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
		want := w.broughtEvents(l)
		if len(want) <= maxPreviewItems && !slices.Equal(got, want) || p.Total != len(want) {
			t.Errorf("%s: the preview shows %d: %v, told were %v", l.Query, p.Total, got, want)
		}
		if weeks := w.clock.Sub(begin).Hours() / 24 / 7; p.PerWeek < float64(p.Total)/weeks-0.5 || p.PerWeek > float64(p.Total)/weeks+0.5 {
			t.Errorf("%s: %.2f a week of %d", l.Query, p.PerWeek, p.Total)
		}
		t.Logf("%s: %d", l.Query, p.Total)
	}
}
