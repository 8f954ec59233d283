package frontier_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/frontier"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/google/go-cmp/cmp"
)

// endsPerWrite is that of the frontiers that open opens.
var endsPerWrite int

// open opens the frontier in dir, or creates it, with no delay, no waiting, three tries per link, and always
// the same owner. Committed changes must be there when it is opened again, whether it was closed or not.
// Links leased at Close come first then.
func open(t testing.TB, dir string) *frontier.Frontier {
	f, err := frontier.Open(filepath.Join(dir, "frontier.db"), frontier.Options{NoWait: true, NoSync: true, EndsPerWrite: endsPerWrite})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestFrontier holds the frontier to the contract of crawler.Frontier, also if ends share
// transactions.
func TestFrontier(t *testing.T) {
	defer func(n int) { endsPerWrite = n }(endsPerWrite)
	for _, endsPerWrite = range []int{0, 3, 64} {
		t.Run(fmt.Sprintf("%d ends a write", endsPerWrite), testContract)
	}
}

func testContract(t *testing.T) {
	t.Run("order", order)
	t.Run("drained", drained)
	t.Run("claim", addressClaim)
	t.Run("notes", notes)
	t.Run("batch", batch)
	t.Run("deferred", deferred)
	t.Run("monitor", monitor)
	t.Run("twin", testFirstWithText)
	for seed := range uint64(4) {
		t.Run(fmt.Sprintf("random/%d", seed), func(t *testing.T) { random(t, seed, 400, 0.03) })
	}
	t.Run("reopened after each operation", func(t *testing.T) { random(t, 99, 60, 1) })
}

func candidate(url string, score float64) crawler.Candidate {
	return crawler.Candidate{URL: url, Score: score, How: crawler.Forward}
}

// order: best score first over all hosts, first come first served. A seed keeps its score.
func order(t *testing.T) {
	s := open(t, t.TempDir())
	defer end(t, s)
	ctx := t.Context()
	seed := candidate("https://seed.example.org/", 2.5)
	seed.How = crawler.Seed
	must(t, s.Push(ctx, []crawler.Candidate{
		seed,
		candidate("https://a.example.org/1", 1), candidate("https://b.example.org/1", 3),
		candidate("https://a.example.org/2", 3), candidate("https://c.example.org/nan", math.NaN()),
		candidate("https://c.example.org/low", math.Inf(-1)), candidate("https://c.example.org/high", math.Inf(1)),
		candidate("https://b.example.org/1", 2), candidate("https://a.example.org/1", 2),
		candidate("no url", 9), candidate("https://a.example.org/"+strings.Repeat("x", 5000), 9),
	}))
	must(t, s.Done(ctx, crawler.End{Changes: crawler.Changes{Rescore: []crawler.Candidate{candidate("https://b.example.org/1", 0.5), candidate(seed.URL, 0.1), candidate("https://new.example.org/", 9)}}}))
	must(t, s.Done(ctx, crawler.End{Changes: crawler.Changes{Drop: []string{"https://c.example.org/low", "https://never.example.org/"}}}))
	want := []string{"https://c.example.org/high", "https://a.example.org/2", seed.URL, "https://a.example.org/1", "https://b.example.org/1", "https://c.example.org/nan"}
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
func drained(t *testing.T) {
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

// addressClaim: an address that answered another link's lease is not handed out, and
// a second answer from there is a duplicate; across a crash too.
func addressClaim(t *testing.T) {
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
		if mine, err := s.RecordAddress(ctx, l, y); !mine || err != nil {
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
	if mine, err := s.RecordAddress(ctx, l, y); mine || err != nil {
		t.Errorf("claim of a fetched address: %v, %v", mine, err)
	}
	must(t, s.Done(ctx, crawler.End{Lease: l, Outcome: crawler.Outcome{Fate: crawler.Fetched, Status: 200, FinalURL: y}}))
	if _, err := s.Next(ctx); !errors.Is(err, crawler.ErrDrained) {
		t.Errorf("the claimed address was handed out: %v", err)
	}
}

// notes: in key order, later ones replace, empty ones delete.
func notes(t *testing.T) {
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
	must(t, s.Done(ctx, crawler.End{Outcome: crawler.Outcome{Notes: []crawler.Note{{Key: "c", Value: []byte("3")}}}}))
	must(t, s.Close())
	s = open(t, dir)
	defer end(t, s)
	if diff := cmp.Diff(map[string]string{"b": "2", "c": "3"}, readNotes(t, s)); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
}

// batch: several ends are one transaction, in order, each with its changes
// first; one that cannot be makes all fail, and nothing is changed.
func batch(t *testing.T) {
	s := open(t, t.TempDir())
	defer end(t, s)
	ctx := t.Context()
	const a, b, c, d = "https://a.example.org/", "https://b.example.org/", "https://c.example.org/", "https://d.example.org/"
	must(t, s.Push(ctx, []crawler.Candidate{candidate(a, 3), candidate(b, 2), candidate(c, 1)}))
	first, err := s.Next(ctx)
	must(t, err)
	second, err := s.Next(ctx)
	must(t, err)
	ends := []crawler.End{
		{Lease: first, Outcome: crawler.Outcome{Fate: crawler.Fetched, Cost: 1}, Changes: crawler.Changes{
			Push: []crawler.Candidate{candidate(d, 5), candidate(c, 6)}, Rescore: []crawler.Candidate{candidate(d, 4)},
		}},
		{Changes: crawler.Changes{Rescore: []crawler.Candidate{candidate(c, 1)}}},
		{Lease: second, Outcome: crawler.Outcome{Fate: crawler.Gone, Cost: 2}},
	}
	never := crawler.Lease{Candidate: candidate("https://never.example.org/", 0)}
	if err := s.Done(ctx, append(ends, crawler.End{Lease: never})...); err == nil {
		t.Error("an end of what is not leased: no error")
	}
	if p, err := s.Progress(ctx); err != nil || p.Ended != 0 || p.Leased != 2 || p.Waiting != 1 {
		t.Errorf("after ends that were refused: %+v, %v", p, err)
	}
	must(t, s.Done(ctx, ends...))
	if p, err := s.Progress(ctx); err != nil || p.Ended != 2 || p.Spent != 3 || p.Waiting != 2 {
		t.Errorf("after all: %+v, %v", p, err)
	}
	for _, want := range []string{d, c} {
		l, err := s.Next(ctx)
		must(t, err)
		if l.URL != want {
			t.Errorf("got %s, want %s", l.URL, want)
		}
	}
}

// deferred: no try is counted, however often, and the link keeps its place.
func deferred(t *testing.T) {
	s := open(t, t.TempDir())
	defer end(t, s)
	ctx := t.Context()
	must(t, s.Push(ctx, []crawler.Candidate{candidate("https://a.example.org/", 1), candidate("https://b.example.org/", 1)}))
	for range 9 {
		l, err := s.Next(ctx)
		must(t, err)
		if l.URL != "https://a.example.org/" || l.Tries != 0 {
			t.Fatalf("got %s with %d tries", l.URL, l.Tries)
		}
		if !s.MayRequest(l, "b.example.org") {
			t.Error("without a delay a turn was refused")
		}
		must(t, s.Done(ctx, crawler.End{Lease: l, Outcome: crawler.Outcome{Fate: crawler.Deferred}}))
	}
}

// monitor: an ended link comes back with the validators of its copy, a dropped one for its first
// visit. Nothing else brings them back.
func monitor(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	ctx := t.Context()
	const a, b = "https://a.example.org/", "https://b.example.org/"
	again := func(url string, how crawler.Origin) crawler.Candidate {
		return crawler.Candidate{URL: url, Score: 9, Depth: 4, How: how}
	}
	must(t, s.Push(ctx, []crawler.Candidate{candidate(a, 2), candidate(b, 1)}))
	l, err := s.Next(ctx)
	must(t, err)
	must(t, s.Push(ctx, []crawler.Candidate{again(a, crawler.Monitor)})) // in hand: left alone
	digest := webgraph.DigestOf([]byte("page"))
	must(t, s.Done(ctx,
		crawler.End{Lease: l, Outcome: crawler.Outcome{Fate: crawler.Fetched, ETag: "tag", LastModified: "then", Digest: digest}},
		crawler.End{Changes: crawler.Changes{Drop: []string{b}}}))
	must(t, s.Push(ctx, []crawler.Candidate{again(a, crawler.Forward), again(b, crawler.Forward)}))
	if _, err := s.Next(ctx); !errors.Is(err, crawler.ErrDrained) {
		t.Errorf("something came back: %v", err)
	}
	for _, fate := range []crawler.Fate{crawler.Unchanged, crawler.Gone, crawler.Fetched} {
		must(t, s.Push(ctx, []crawler.Candidate{again(a, crawler.Monitor)}))
		must(t, s.Close())
		s = open(t, dir)
		l, err := s.Next(ctx)
		must(t, err)
		want := crawler.Lease{Candidate: again(a, crawler.Monitor), Owner: l.Owner, Expiry: l.Expiry, ETag: "tag", LastModified: "then", Digest: digest}
		if diff := cmp.Diff(want, l); diff != "" {
			t.Errorf("before %s (-want +got):\n%s", fate, diff)
		}
		must(t, s.Done(ctx, crawler.End{Lease: l, Outcome: crawler.Outcome{Fate: fate}}))
	}
	must(t, s.Push(ctx, []crawler.Candidate{again(b, crawler.Monitor)}))
	l, err = s.Next(ctx)
	must(t, err)
	const final = "https://c.example.org/"
	must(t, s.Done(ctx, crawler.End{Lease: l, Outcome: crawler.Outcome{Fate: crawler.Fetched, FinalURL: final}}))
	must(t, s.Push(ctx, []crawler.Candidate{again(final, crawler.Monitor)})) // known only as a step of the redirect of b
	l2, err := s.Next(ctx)
	must(t, err)
	if l.URL != b || l2.URL != final {
		t.Errorf("got %s and %s, want what was dropped and where it led", l.URL, l2.URL)
	}
	end(t, s)
}

// twin: the first page of a host with a text is found, by its last address.
func testFirstWithText(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	ctx := t.Context()
	final := map[string]string{"https://a.example.org/1": "https://b.example.org/x"}
	for i, url := range []string{"https://a.example.org/1", "https://a.example.org/2", "https://a.example.org/3", "https://b.example.org/4"} {
		must(t, s.Push(ctx, []crawler.Candidate{candidate(url, -float64(i))}))
		l, err := s.Next(ctx)
		must(t, err)
		o := crawler.Outcome{Fate: crawler.Fetched, Text: 7, FinalURL: final[url]}
		must(t, s.Done(ctx, crawler.End{Lease: l, Outcome: o}))
	}
	must(t, s.Close())
	s = open(t, dir)
	defer end(t, s)
	for _, test := range []struct {
		host webgraph.Host
		text uint64
		want string
	}{
		{"a.example.org", 7, "https://a.example.org/2"}, {"b.example.org", 7, "https://b.example.org/x"},
		{"a.example.org", 8, ""}, {"c.example.org", 7, ""}, {"a.example.org", 0, ""},
	} {
		if got, err := s.FirstWithText(ctx, test.host, test.text); err != nil || got != test.want {
			t.Errorf("twin of %d on %s: %q, %v, want %q", test.text, test.host, got, err, test.want)
		}
	}
}

func readNotes(t testing.TB, s *frontier.Frontier) map[string]string {
	t.Helper()
	got := map[string]string{}
	must(t, s.Notes(t.Context(), func(n crawler.Note) error {
		got[n.Key] = string(n.Value)
		return nil
	}))
	return got
}

func clean(t testing.TB, s *frontier.Frontier) {
	t.Helper()
	for _, err := range s.Check() {
		t.Errorf("check: %v", err)
	}
}

// end checks and closes.
func end(t testing.TB, s *frontier.Frontier) {
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
