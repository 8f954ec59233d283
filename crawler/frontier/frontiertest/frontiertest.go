// Package frontiertest holds what every crawler.Frontier must keep.
package frontiertest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"eventseer/crawler"

	"github.com/google/go-cmp/cmp"
)

// A Store is a Frontier on disk: what was committed must be there when it is
// opened again, whether it was closed in between or not.
type Store interface {
	crawler.Frontier
	Check() []error
	Close() error
}

// An Opener opens the frontier in dir, or makes it, with no delay, no
// waiting, three tries a link, and always the same owner.
type Opener func(t testing.TB, dir string) Store

// Run holds the frontier that open opens to the contract.
func Run(t *testing.T, open Opener) {
	t.Run("order", func(t *testing.T) { order(t, open) })
	t.Run("drained", func(t *testing.T) { drained(t, open) })
	t.Run("claim", func(t *testing.T) { claim(t, open) })
	t.Run("notes", func(t *testing.T) { notes(t, open) })
	for seed := range uint64(4) {
		t.Run(fmt.Sprintf("random/%d", seed), func(t *testing.T) { random(t, open, seed, 400, 0.03) })
	}
	t.Run("reopened after each operation", func(t *testing.T) { random(t, open, 99, 60, 1) })
}

func candidate(url string, score float64) crawler.Candidate {
	return crawler.Candidate{URL: url, Score: score, How: crawler.Forward}
}

func hostOf(url string) string {
	host, _, _ := strings.Cut(strings.TrimPrefix(url, "https://"), "/")
	return host
}

// order: best score first over all hosts, first come first served.
func order(t *testing.T, open Opener) {
	s := open(t, t.TempDir())
	defer end(t, s)
	ctx := t.Context()
	must(t, s.Push(ctx, []crawler.Candidate{
		candidate("https://a.example.org/1", 1), candidate("https://b.example.org/1", 3),
		candidate("https://a.example.org/2", 3), candidate("https://c.example.org/nan", math.NaN()),
		candidate("https://c.example.org/low", math.Inf(-1)), candidate("https://c.example.org/high", math.Inf(1)),
		candidate("https://b.example.org/1", 2), candidate("https://a.example.org/1", 2),
		candidate("no url", 9), candidate("https://a.example.org/"+strings.Repeat("x", 5000), 9),
	}))
	must(t, s.Done(ctx, crawler.End{Changes: crawler.Changes{Rescore: []crawler.Candidate{candidate("https://b.example.org/1", 0.5), candidate("https://new.example.org/", 9)}}}))
	must(t, s.Done(ctx, crawler.End{Changes: crawler.Changes{Drop: []string{"https://c.example.org/low", "https://never.example.org/"}}}))
	want := []string{"https://c.example.org/high", "https://a.example.org/2", "https://a.example.org/1", "https://b.example.org/1", "https://c.example.org/nan"}
	var got []string
	for {
		l, err := s.Next(ctx)
		if errors.Is(err, crawler.ErrDrained) {
			break
		}
		must(t, err)
		got = append(got, l.URL)
		must(t, s.Done(ctx, crawler.End{Lease: l, Outcome: crawler.Outcome{Fate: crawler.Fetched, Status: 200, Cost: 1}}))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
}

// drained: Next waits while a lease is out, and wakes when it brings a link.
func drained(t *testing.T, open Opener) {
	s := open(t, t.TempDir())
	defer end(t, s)
	ctx := t.Context()
	if _, err := s.Next(ctx); !errors.Is(err, crawler.ErrDrained) {
		t.Fatalf("Next of an empty frontier: %v, want ErrDrained", err)
	}
	must(t, s.Push(ctx, []crawler.Candidate{candidate("https://a.example.org/", 0)}))
	first, err := s.Next(ctx)
	must(t, err)
	got := make(chan error, 1)
	go func() {
		l, err := s.Next(ctx)
		if err == nil && l.URL != "https://b.example.org/" {
			err = fmt.Errorf("got %s", l.URL)
		}
		if err == nil {
			err = s.Done(ctx, crawler.End{Lease: l, Outcome: crawler.Outcome{Fate: crawler.Refused}})
		}
		got <- err
	}()
	must(t, s.Push(ctx, []crawler.Candidate{candidate("https://b.example.org/", 0)}))
	must(t, <-got)
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := s.Next(cancelled); !errors.Is(err, context.Canceled) {
		t.Errorf("Next with a cancelled context: %v", err)
	}
	must(t, s.Done(ctx, crawler.End{Lease: first, Outcome: crawler.Outcome{Fate: crawler.Gone}}))
	if err := s.Done(ctx, crawler.End{Lease: first, Outcome: crawler.Outcome{Fate: crawler.Gone}}); err == nil {
		t.Error("Done twice: no error")
	}
	if _, err := s.Next(ctx); !errors.Is(err, crawler.ErrDrained) {
		t.Errorf("Next at the end: %v, want ErrDrained", err)
	}
}

// claim: an address that answered another link's lease is not handed out, and
// a second answer from there is a duplicate; across a crash too.
func claim(t *testing.T, open Opener) {
	dir := t.TempDir()
	s := open(t, dir)
	ctx := t.Context()
	const x, y, z = "https://x.example.org/", "https://y.example.org/", "https://z.example.org/"
	must(t, s.Push(ctx, []crawler.Candidate{candidate(x, 3), candidate(y, 1), candidate(z, 2)}))
	for range 2 { // the second time after a crash
		l, err := s.Next(ctx)
		must(t, err)
		if l.URL != x {
			t.Fatalf("got %s, want %s", l.URL, x)
		}
		if mine, err := s.Claim(ctx, l, y); !mine || err != nil {
			t.Fatalf("claim: %v, %v", mine, err)
		}
		must(t, s.Close())
		s = open(t, dir)
	}
	defer func() { end(t, s) }()
	l, err := s.Next(ctx)
	must(t, err)
	must(t, s.Done(ctx, crawler.End{Lease: l, Outcome: crawler.Outcome{Fate: crawler.Fetched, Status: 200, FinalURL: y, Cost: 1}}))
	l, err = s.Next(ctx)
	must(t, err)
	if l.URL != z {
		t.Fatalf("got %s, want %s", l.URL, z)
	}
	if mine, err := s.Claim(ctx, l, y); mine || err != nil {
		t.Errorf("claim of a fetched address: %v, %v", mine, err)
	}
	must(t, s.Done(ctx, crawler.End{Lease: l, Outcome: crawler.Outcome{Fate: crawler.Fetched, Status: 200, FinalURL: y}}))
	if _, err := s.Next(ctx); !errors.Is(err, crawler.ErrDrained) {
		t.Errorf("the claimed address was handed out: %v", err)
	}
}

// notes: in key order, later ones replace, empty ones delete.
func notes(t *testing.T, open Opener) {
	dir := t.TempDir()
	s := open(t, dir)
	ctx := t.Context()
	for _, page := range [][]crawler.Note{
		{{Key: "b", Value: []byte("1")}, {Key: "a", Value: []byte("1")}},
		{{Key: "b", Value: []byte("2")}, {Key: "a"}, {Key: "never"}},
	} {
		must(t, s.Push(ctx, []crawler.Candidate{candidate("https://a.example.org/"+page[0].Key+string(page[0].Value), 0)}))
		l, err := s.Next(ctx)
		must(t, err)
		must(t, s.Done(ctx, crawler.End{Lease: l, Outcome: crawler.Outcome{Fate: crawler.Fetched, Notes: page}}))
	}
	must(t, s.Close())
	s = open(t, dir)
	defer end(t, s)
	if diff := cmp.Diff(map[string]string{"b": "2"}, readNotes(t, s)); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
}

func readNotes(t testing.TB, s Store) map[string]string {
	t.Helper()
	got := map[string]string{}
	must(t, s.Notes(t.Context(), func(n crawler.Note) error {
		got[n.Key] = string(n.Value)
		return nil
	}))
	return got
}

// random runs a seeded script of operations against the model; crash is the
// chance of a new start after each.
func random(t *testing.T, open Opener, seed uint64, steps int, crash float64) {
	r := &run{t: t, rnd: rand.New(rand.NewPCG(seed, 1)), m: newModel(), dir: t.TempDir(), open: open}
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
	for _, l := range r.leased {
		r.finish(l)
	}
	for r.m.count("waiting") > 0 {
		r.take()
		r.finish(r.leased[len(r.leased)-1])
	}
	if _, err := r.s.Next(t.Context()); !errors.Is(err, crawler.ErrDrained) {
		t.Errorf("at the end: %v, want ErrDrained", err)
	}
	if diff := cmp.Diff(r.m.notes, readNotes(t, r.s)); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
}

type run struct {
	t      *testing.T
	rnd    *rand.Rand
	m      *model
	s      Store
	dir    string
	open   Opener
	leased []crawler.Lease
}

func (r *run) url() string {
	return fmt.Sprintf("https://h%d.example.org/%d", r.rnd.IntN(7), r.rnd.IntN(12))
}

// candidate has one of few scores, so that ties are common.
func (r *run) candidate() crawler.Candidate {
	c := candidate(r.url(), float64(r.rnd.IntN(5)-2))
	c.Parent, c.Depth = r.url(), r.rnd.IntN(9)
	return c
}

func (r *run) one() {
	ctx := r.t.Context()
	switch p := r.rnd.IntN(20); {
	case p < 7:
		var cs []crawler.Candidate
		for range r.rnd.IntN(4) {
			cs = append(cs, r.candidate())
		}
		must(r.t, r.s.Push(ctx, cs))
		for _, c := range cs {
			r.m.push(c)
		}
	case p < 9:
		c := r.candidate()
		must(r.t, r.s.Done(ctx, crawler.End{Changes: crawler.Changes{Rescore: []crawler.Candidate{c}}}))
		r.m.rescore(c.URL, c.Score)
	case p < 10:
		url := r.url()
		must(r.t, r.s.Done(ctx, crawler.End{Changes: crawler.Changes{Drop: []string{url}}}))
		r.m.drop(url)
	case p < 14 && r.m.count("waiting") > 0:
		r.take()
	case len(r.leased) > 0:
		i := r.rnd.IntN(len(r.leased))
		l := r.leased[i]
		r.leased = append(r.leased[:i], r.leased[i+1:]...)
		r.finish(l)
	}
}

func (r *run) take() {
	r.t.Helper()
	want := r.m.next()
	l, err := r.s.Next(r.t.Context())
	must(r.t, err)
	if l.Candidate != want.Candidate || l.Tries != want.tries {
		r.t.Fatalf("next is %+v, want %+v", l, *want)
	}
	r.leased = append(r.leased, l)
}

// finish ends a lease, sometimes at another address, sometimes with a new try.
func (r *run) finish(l crawler.Lease) {
	r.t.Helper()
	ctx := r.t.Context()
	o := crawler.Outcome{Fate: crawler.Fetched, Status: 200, Cost: 1}
	if r.rnd.IntN(4) == 0 {
		o.FinalURL = r.url()
		want := r.m.claim(l.URL, o.FinalURL)
		if got, err := r.s.Claim(ctx, l, o.FinalURL); err != nil || got != want {
			r.t.Fatalf("claim of %s by %s: %v (%v), want %v", o.FinalURL, l.URL, got, err, want)
		}
		if r.rnd.IntN(4) == 0 {
			o.FinalURL = r.url() // the second try led elsewhere
		}
	}
	switch r.rnd.IntN(8) {
	case 0:
		o.Fate, o.Cost = crawler.TryLater, 0.5
	case 1:
		o = crawler.Outcome{Fate: crawler.Refused}
	case 2:
		o.Clips = []string{"clip/1", "clip/2"}
	case 3:
		o.Notes = []crawler.Note{{Key: fmt.Sprint(r.rnd.IntN(3)), Value: []byte(strings.Repeat("v", r.rnd.IntN(3)))}}
	}
	must(r.t, r.s.Done(ctx, crawler.End{Lease: l, Outcome: o}))
	r.m.done(l.URL, o)
}

func (r *run) restart() {
	must(r.t, r.s.Close())
	r.s = r.open(r.t, r.dir)
	r.m.crash()
	r.leased = nil
	clean(r.t, r.s)
}

func clean(t testing.TB, s Store) {
	t.Helper()
	for _, err := range s.Check() {
		t.Errorf("check: %v", err)
	}
}

// end checks and closes.
func end(t testing.TB, s Store) {
	t.Helper()
	clean(t, s)
	must(t, s.Close())
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
