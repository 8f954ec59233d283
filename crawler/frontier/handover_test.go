package frontier

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/internal/bolt"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/google/go-cmp/cmp"
)

func isHost(names ...webgraph.Host) func(webgraph.Host) bool {
	return func(h webgraph.Host) bool {
		for _, n := range names {
			if h == n {
				return true
			}
		}
		return false
	}
}

func not(of func(webgraph.Host) bool) func(webgraph.Host) bool {
	return func(h webgraph.Host) bool { return !of(h) }
}

func noHosts(webgraph.Host) bool { return false }

func openQuiet(t testing.TB) *Frontier {
	t.Helper()
	return openAt(t, filepath.Join(t.TempDir(), "f.db"), quiet)
}

func outbox(t testing.TB, f *Frontier) (numbers []uint64, urls []string) {
	t.Helper()
	out, err := f.Outbox(t.Context(), 0, 1000)
	if err != nil || len(out) != f.OutboxLen() {
		t.Fatalf("outbox of %d, %d counted, %v", len(out), f.OutboxLen(), err)
	}
	for _, o := range out {
		numbers, urls = append(numbers, o.Number), append(urls, fmt.Sprintf("%s %g", o.Candidate.URL, o.Candidate.Score))
	}
	return numbers, urls
}

func wantOutbox(t *testing.T, f *Frontier, want ...string) []uint64 {
	t.Helper()
	numbers, got := outbox(t, f)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("outbox (-want +got):\n%s", diff)
	}
	return numbers
}

func pushed(t *testing.T, f *Frontier, cs ...crawler.Candidate) {
	t.Helper()
	if err := f.Push(t.Context(), cs); err != nil {
		t.Fatal(err)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func state(t testing.TB, f *Frontier, url string, want State) Record {
	t.Helper()
	rec, _, err := f.Lookup(url)
	if err != nil || rec.State != want {
		t.Errorf("%s is %v (%v), want %v", url, rec.State, err, want)
	}
	return rec
}

// A link to another's host goes to the outbox once, and again only if it is worth more.
func TestOutbox(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.db")
	f := openAt(t, path, quiet)
	defer func() { closeClean(t, f) }()
	f.SetOwned(not(isHost("b.org")))
	due := quiet.Now().Add(time.Hour).UTC()
	b1 := crawler.Candidate{URL: "https://b.org/1", Score: 4, Parent: "https://p.org/", Anchor: "cfp", Depth: 3, How: crawler.Forward, Why: "because", Hops: 2, Due: due}
	pushed(t, f, b1, crawler.Candidate{URL: "https://b.org/2", Score: 1}, crawler.Candidate{URL: "https://a.org/", Score: 1})
	out, err := f.Outbox(t.Context(), 0, 1)
	if err != nil || len(out) != 1 || out[0].Candidate != b1 || out[0].Number != 1 {
		t.Errorf("%+v, %v, want %+v", out, err, b1)
	}
	if out, err := f.Outbox(t.Context(), 1, 9); err != nil || len(out) != 1 || out[0].Candidate.URL != "https://b.org/2" {
		t.Errorf("after 1: %+v, %v", out, err)
	}
	pushed(t, f, crawler.Candidate{URL: "https://b.org/1", Score: 3}, crawler.Candidate{URL: "https://b.org/2", Score: 2})
	numbers := wantOutbox(t, f, "https://b.org/1 4", "https://b.org/2 2")
	must(t, f.RemoveSent(t.Context(), 2)) // the old number of b.org/2, which has changed since
	wantOutbox(t, f, "https://b.org/1 4", "https://b.org/2 2")
	for range 2 {
		must(t, f.RemoveSent(t.Context(), append(numbers, 77)...))
	}
	wantOutbox(t, f)
	state(t, f, "https://b.org/1", Sent)
	closeClean(t, f)
	f = openAt(t, path, quiet)
	f.SetOwned(not(isHost("b.org")))
	pushed(t, f, crawler.Candidate{URL: "https://b.org/1", Score: 5}, crawler.Candidate{URL: "https://b.org/2", Score: 2.6})
	wantOutbox(t, f, "https://b.org/2 2.6")
	pushed(t, f, crawler.Candidate{URL: "https://b.org/1", Score: 1, How: crawler.Monitor})
	must(t, f.Done(t.Context(), crawler.End{Changes: crawler.Changes{
		Rescore: []crawler.Candidate{{URL: "https://b.org/2", Score: 7}, {URL: "https://b.org/3", Score: 7}}, Drop: []string{"https://b.org/1"},
	}}))
	wantOutbox(t, f, "https://b.org/2 7")
	state(t, f, "https://b.org/1", Dropped)
	if l := next(t, f); l.URL != "https://a.org/" || f.MayRequest(l, "b.org") || !f.MayRequest(l, "c.org") {
		t.Errorf("got %s, or the wrong turns", l.URL)
	}
	s, err := f.Story("https://b.org/2")
	if err != nil || !strings.Contains(s.Why, "another crawler") {
		t.Errorf("%q, %v", s.Why, err)
	}
	if n := f.CountOutstanding(isHost("a.org")); n != 1 || f.CountOutstanding(isHost("b.org")) != 0 {
		t.Errorf("%d outstanding", n)
	}
	f.SetOwned(nil)
	pushed(t, f, crawler.Candidate{URL: "https://b.org/2", Score: 3})
	state(t, f, "https://b.org/2", Waiting)
	wantOutbox(t, f)
}

// fill makes a frontier with links of all states on a.org, and one on b.org.
func fill(t testing.TB, f *Frontier) {
	t.Helper()
	ctx := t.Context()
	for i, url := range []string{"https://a.org/gone", "https://a.org/twin", "https://a.org/page", "https://b.org/"} {
		must(t, f.Push(ctx, []crawler.Candidate{{URL: url, Score: 9}}))
		l := next(t, f)
		o := crawler.Outcome{
			Fate: crawler.Fetched, Status: 200, Cost: 1, Bytes: 5, At: quiet.Now().Add(time.Duration(i)), Text: 7, Clips: []string{url, "x"}, ETag: "tag",
			LastModified: "then", Digest: webgraph.DigestOf([]byte(url)), Pause: 3 * time.Second, Addr: "192.0.2.1", Took: time.Second,
		}
		switch i {
		case 0:
			o.Fate = crawler.Gone
		case 2:
			o.FinalURL = "https://a.org/alias"
		}
		done(t, f, l, o)
	}
	must(t, f.Push(ctx, []crawler.Candidate{{URL: "https://a.org/low", Score: 1, Depth: 2}, {URL: "https://a.org/high", Score: 2}, {URL: "https://a.org/drop", Score: 3}}))
	must(t, f.Done(ctx, crawler.End{Changes: crawler.Changes{Drop: []string{"https://a.org/drop"}}}))
	must(t, f.Push(ctx, []crawler.Candidate{{URL: "https://a.org/twin", Score: 1.2 * crawler.MaxScore, How: crawler.Monitor}}))
	must(t, f.Push(ctx, []crawler.Candidate{{URL: "https://a.org/in hand", Score: crawler.MaxDueScore}}))
	next(t, f)
	must(t, f.commit(nil, func(t *txn) error { return t.requeueLeased() }))
}

// records are all records of a host, without the numbers that a frontier assigns itself.
func records(t testing.TB, f *Frontier, of func(webgraph.Host) bool) map[string]Record {
	t.Helper()
	all := map[string]Record{}
	must(t, f.ForEach(t.Context(), func(url string, r Record) error {
		if of(hostOf(url)) {
			r.Seq = 0
			all[url] = r
		}
		return nil
	}))
	return all
}

// Exported and adopted links are unchanged, in the same order, and exist only once.
func TestHandOver(t *testing.T) {
	a, b := openQuiet(t), openQuiet(t)
	defer func() { closeClean(t, a); closeClean(t, b) }()
	fill(t, a)
	of := isHost("a.org")
	if err := a.Export(t.Context(), of, &bytes.Buffer{}); err == nil {
		t.Error("an owned host was exported")
	}
	a.SetOwned(not(of))
	var state1 bytes.Buffer
	must(t, a.Export(t.Context(), of, &state1))
	want := records(t, a, of)
	b.SetOwned(noHosts)
	pushed(t, b, crawler.Candidate{URL: "https://a.org/low", Score: 8, Parent: "b"}, crawler.Candidate{URL: "https://a.org/page", Score: 8}, crawler.Candidate{URL: "https://a.org/new", Score: 8})
	must(t, b.RemoveSent(t.Context(), 2))
	for range 2 {
		must(t, b.Import(t.Context(), bytes.NewReader(state1.Bytes()), crawler.Note{Key: "adopted", Value: []byte{1}}))
		got := records(t, b, of)
		if rec := got["https://a.org/new"]; rec.State != Away {
			t.Errorf("what is to be sent was lost: %+v", rec)
		}
		delete(got, "https://a.org/new")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
		if p, _ := b.Progress(t.Context()); p.Clips != 4 || p.Hosts != 1 || p.Ended != 0 {
			t.Errorf("%+v", p)
		}
		if twin, err := b.FirstWithText(t.Context(), "a.org", 7); err != nil || twin != "https://a.org/twin" {
			t.Errorf("twin %q, %v", twin, err)
		}
	}
	h, _, _ := b.Host("a.org")
	if h.CrawlDelay != 3*time.Second || h.Fetched != 2 || h.Addr != "192.0.2.1" {
		t.Errorf("%+v", h)
	}
	must(t, a.MarkSent(t.Context(), of))
	must(t, a.MarkSent(t.Context(), of))
	for url, rec := range records(t, a, of) {
		if rec.State != Sent {
			t.Errorf("%s is %v", url, rec.State)
		}
	}
	if p, _ := a.Progress(t.Context()); p.Clips != 2 || p.Hosts != 1 || p.Waiting != 0 || p.Ended != 4 {
		t.Errorf("%+v", p)
	}
	b.SetOwned(nil)
	for _, url := range []string{"https://a.org/in hand", "https://a.org/twin", "https://a.org/high", "https://a.org/low"} {
		if l := next(t, b); l.URL != url {
			t.Errorf("got %s, want %s", l.URL, url)
		}
	}
}

// Links of given-up partitions wait in the outbox; links that are sent again return to the owner of their
// host.
func TestForfeitAndResend(t *testing.T) {
	f := openQuiet(t)
	defer func() { closeClean(t, f) }()
	fill(t, f)
	of := isHost("a.org")
	f.SetOwned(not(of))
	for range 2 {
		must(t, f.MoveToOutbox(t.Context(), of))
		numbers, urls := outbox(t, f)
		if len(numbers) != 4 {
			t.Fatal(urls)
		}
	}
	numbers, _ := outbox(t, f)
	must(t, f.RemoveSent(t.Context(), numbers...))
	n, err := f.Resend(t.Context(), of, crawler.Note{Key: "k", Value: []byte("v")})
	if err != nil || n != 8 || f.OutboxLen() != 8 {
		t.Errorf("%d were sent again, %d wait, %v", n, f.OutboxLen(), err)
	}
	numbers, _ = outbox(t, f)
	must(t, f.RemoveSent(t.Context(), numbers[:5]...))
	f.SetOwned(nil)
	if n, err := f.Resend(t.Context(), of); err != nil || n != 5 {
		t.Errorf("%d were sent again, %v", n, err)
	}
	if p, _ := f.Progress(t.Context()); p.Waiting != 5 || f.OutboxLen() != 3 {
		t.Errorf("%+v, %d", p, f.OutboxLen())
	}
}

// A stream cut or changed anywhere is refused, without notes, and harms nothing.
func TestImportRefuses(t *testing.T) {
	a := openQuiet(t)
	defer closeClean(t, a)
	fill(t, a)
	a.SetOwned(noHosts)
	var w bytes.Buffer
	must(t, a.Export(t.Context(), isHost("a.org"), &w))
	whole := w.Bytes()
	b := openQuiet(t)
	defer closeClean(t, b)
	note := crawler.Note{Key: "k", Value: []byte("v")}
	for n := range whole {
		if err := b.Import(t.Context(), bytes.NewReader(whole[:n]), note); err == nil {
			t.Fatalf("cut at %d: no error", n)
		}
		changed := bytes.Clone(whole)
		changed[n] ^= 1 << (n % 8)
		_ = b.Import(t.Context(), bytes.NewReader(changed)) // not all bits of a frame count
	}
	must(t, b.Notes(t.Context(), func(n crawler.Note) error { return fmt.Errorf("note %s", n.Key) }))
	must(t, b.Import(t.Context(), bytes.NewReader(whole), note))
	if diff := cmp.Diff(records(t, a, isHost("a.org")), records(t, b, isHost("a.org"))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A host that becomes owned waits for its delay first.
func TestOwnedHostWaitsFirst(t *testing.T) {
	waits(t, Options{HostDelay: 10 * time.Second}, func(t *testing.T, f *Frontier) {
		f.SetOwned(noHosts)
		f.SetOwned(nil)
		push(t, f, "https://a.org/1")
		done(t, f, wantNext(t, f, "https://a.org/1", 10*time.Second), fetched)
		push(t, f, "https://a.org/2")
		time.Sleep(time.Minute)
		f.SetOwned(noHosts)
		wantDrained(t, f)
		f.SetOwned(nil)
		wantNext(t, f, "https://a.org/2", 10*time.Second)
	})
}

// A file of version 2 gets an outbox.
func TestMigration3(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.db")
	f := openAt(t, path, quiet)
	push(t, f, "https://a.org/1")
	closeClean(t, f)
	change(t, path, Schema(), func(tx *bolt.Tx) error {
		b := tx.Bucket(countBucket)
		v := bytes.Clone(b.Get(countKey))
		v = append(append([]byte{2}, v[1:49]...), v[57:]...)
		must(t, b.Put(countKey, v))
		must(t, tx.Bucket([]byte("meta")).Put([]byte("version"), []byte{0, 0, 0, 2}))
		return tx.DeleteBucket(bucketNames[awayBucket])
	})
	f = openAt(t, path, quiet)
	defer closeClean(t, f)
	f.SetOwned(noHosts)
	push(t, f, "https://b.org/1")
	if wantOutbox(t, f, "https://b.org/1 0"); f.count.seq != 2 {
		t.Errorf("%+v", f.count)
	}
}
