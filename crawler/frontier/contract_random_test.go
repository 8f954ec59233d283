package frontier_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/frontier"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/google/go-cmp/cmp"
)

// random runs a seeded script of operations against the model; crash is the
// chance of a new start after each.
func random(t *testing.T, seed uint64, steps int, crash float64) {
	r := &run{t: t, rnd: rand.New(rand.NewPCG(seed, 1)), m: newModel(), dir: t.TempDir()}
	r.s = open(t, r.dir)
	defer func() { end(t, r.s) }()
	for i := range steps {
		r.one()
		if r.rnd.Float64() < crash {
			r.restart()
		}
		if got, err := r.s.Progress(t.Context()); err != nil || got != r.m.counts() {
			t.Fatalf("step %d of seed %d: progress %+v (%v), want %+v", i, seed, got, err, r.m.counts())
		}
	}
	r.drain()
	if _, err := r.s.Next(t.Context()); !errors.Is(err, crawler.ErrDrained) {
		t.Errorf("at the end: %v, want ErrDrained", err)
	}
	if diff := cmp.Diff(r.m.notes, readNotes(t, r.s)); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
}

// drain ends all that is left.
func (r *run) drain() {
	for r.m.count("waiting") > 0 || len(r.leased) > 0 {
		if len(r.leased) == 0 {
			r.takeLease()
		}
		l := r.leased[0]
		r.leased = r.leased[1:]
		must(r.t, r.s.Done(r.t.Context(), crawler.End{Lease: l, Outcome: crawler.Outcome{Fate: crawler.Refused}}))
		r.m.done(l.URL, crawler.Outcome{Fate: crawler.Refused})
	}
}

type run struct {
	t      *testing.T
	rnd    *rand.Rand
	m      *model
	s      *frontier.Frontier
	dir    string
	leased []crawler.Lease
}

func (r *run) url() string {
	return fmt.Sprintf("https://h%d.example.org/%d", r.rnd.IntN(7), r.rnd.IntN(12))
}

// candidate has one of few scores, so that ties are common.
func (r *run) candidate() crawler.Candidate {
	c := candidate(r.url(), float64(r.rnd.IntN(5)-2))
	c.Parent, c.Depth, c.Hops = r.url(), r.rnd.IntN(9), r.rnd.IntN(2)
	if r.rnd.IntN(4) == 0 {
		c.How = crawler.Monitor
	}
	return c
}

func (r *run) one() {
	ctx := r.t.Context()
	switch p := r.rnd.IntN(20); {
	case p < 7:
		cs := r.candidates(4)
		must(r.t, r.s.Push(ctx, cs))
		r.m.change(crawler.Changes{Push: cs})
	case p < 9:
		ch := r.changes()
		must(r.t, r.s.Done(ctx, crawler.End{Changes: ch}))
		r.m.change(ch)
	case p < 10:
		host, text := webgraph.HostOf(r.url()), uint64(1+r.rnd.IntN(texts))
		want := r.m.firstWithText(page{host, text})
		if got, err := r.s.FirstWithText(ctx, host, text); err != nil || got != want {
			r.t.Fatalf("twin of %d on %s: %q (%v), want %q", text, host, got, err, want)
		}
	case p < 14 && r.m.count("waiting") > 0:
		r.takeLease()
	case len(r.leased) > 0:
		n := 1 + r.rnd.IntN(min(3, len(r.leased)))
		r.rnd.Shuffle(len(r.leased), func(i, j int) { r.leased[i], r.leased[j] = r.leased[j], r.leased[i] })
		ls := r.leased[:n]
		r.leased = r.leased[n:]
		r.finish(ls...)
	}
}

// candidates returns fewer than n.
func (r *run) candidates(n int) (cs []crawler.Candidate) {
	for range r.rnd.IntN(n) {
		cs = append(cs, r.candidate())
	}
	return cs
}

func (r *run) changes() crawler.Changes {
	ch := crawler.Changes{Push: r.candidates(2), Rescore: r.candidates(3)}
	for range r.rnd.IntN(2) {
		ch.Drop = append(ch.Drop, r.url())
	}
	return ch
}

func (r *run) takeLease() {
	r.t.Helper()
	want := r.m.next()
	l, err := r.s.Next(r.t.Context())
	must(r.t, err)
	if l.Candidate != want.Candidate || l.Tries != want.tries || l.ETag != want.etag {
		r.t.Fatalf("next is %+v, want %+v", l, *want)
	}
	r.leased = append(r.leased, l)
}

// finish ends leases in one transaction.
func (r *run) finish(ls ...crawler.Lease) {
	r.t.Helper()
	var ends []crawler.End
	for _, l := range ls {
		ends = append(ends, crawler.End{Lease: l, Outcome: r.outcome(l), Changes: r.changes()})
	}
	must(r.t, r.s.Done(r.t.Context(), ends...))
	for _, e := range ends {
		r.m.change(e.Changes)
		r.m.done(e.Lease.URL, e.Outcome)
	}
}

// texts is the number of different texts of the pages.
const texts = 4

// outcome is sometimes at another address, and sometimes requests another try.
func (r *run) outcome(l crawler.Lease) crawler.Outcome {
	r.t.Helper()
	o := crawler.Outcome{Fate: crawler.Fetched, Status: 200, Cost: 1, Text: uint64(r.rnd.IntN(texts + 1)), ETag: fmt.Sprint(r.rnd.IntN(9))}
	if r.rnd.IntN(4) == 0 {
		o.FinalURL = r.url()
		want := r.m.claim(l.URL, o.FinalURL)
		if got, err := r.s.RecordAddress(r.t.Context(), l, o.FinalURL); err != nil || got != want {
			r.t.Fatalf("claim of %s by %s: %v (%v), want %v", o.FinalURL, l.URL, got, err, want)
		}
		if r.rnd.IntN(4) == 0 {
			o.FinalURL = r.url() // the second try led elsewhere
		}
	}
	switch r.rnd.IntN(9) {
	case 0:
		o.Fate, o.Cost = crawler.TryLater, 0.5
	case 1:
		o = crawler.Outcome{Fate: crawler.Refused}
	case 2:
		o.Clips = []string{"clip/1", "clip/2"}
	case 3:
		o.Notes = []crawler.Note{{Key: fmt.Sprint(r.rnd.IntN(3)), Value: []byte(strings.Repeat("v", r.rnd.IntN(3)))}}
	case 4:
		o.Fate, o.Cost = crawler.Deferred, 0
	}
	return o
}

func (r *run) restart() {
	must(r.t, r.s.Close())
	r.s = open(r.t, r.dir)
	r.m.reopen()
	r.leased = nil
	clean(r.t, r.s)
}
