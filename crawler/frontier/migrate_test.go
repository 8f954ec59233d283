package frontier

import (
	"encoding/binary"
	"errors"
	"math"
	"path/filepath"
	"testing"
	"time"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/frontier/hosts"
	"github.com/eventseer/eventseer/internal/bolt"

	"github.com/google/go-cmp/cmp"
)

// encode1 writes a record as version 1 did.
func encode1(r Record) []byte {
	b := []byte{1, byte(r.State), 0}
	if r.Interrupted {
		b[2] = 1
	}
	b = binary.BigEndian.AppendUint64(b, math.Float64bits(r.Score))
	b = binary.BigEndian.AppendUint64(b, math.Float64bits(r.Proposed))
	for _, n := range []uint64{r.Seq, uint64(r.Depth), uint64(r.Tries), uint64(r.Status), uint64(r.Bytes)} {
		b = binary.AppendUvarint(b, n)
	}
	b = appendTime(appendTime(b, r.Expiry), r.At)
	for _, s := range []string{string(r.How), r.Parent, r.Anchor, r.Owner, r.Via, string(r.Fate), r.FinalURL, string(r.Digest), r.Reason} {
		b = appendString(b, s)
	}
	b = binary.AppendUvarint(b, uint64(len(r.Clips)))
	for _, id := range r.Clips {
		b = appendString(b, id)
	}
	return b
}

// writeVersion1 makes a file as version 1 did.
func writeVersion1(t *testing.T, path string, due time.Time) {
	t.Helper()
	db, err := bolt.Open(path, bolt.Options{Kind: "frontier", Migrations: migrations()[:1]})
	if err != nil {
		t.Fatal(err)
	}
	links := map[string]Record{
		"https://a.org/done": {State: Ended, Seq: 0, Fate: crawler.Fetched, Status: 200, FinalURL: "https://b.org/seen", Clips: []string{"c"}, At: time.Unix(9, 0).UTC(), Depth: 1, Tries: 1},
		"https://b.org/seen": {State: Alias, Seq: 1, Via: "https://a.org/done", Fate: crawler.Fetched, At: time.Unix(9, 0).UTC()},
		"https://a.org/low":  {State: Waiting, Seq: 2, Score: 1, Proposed: 2, Parent: "https://p.org/", Anchor: "low", How: crawler.Forward, Depth: 2, Tries: 1},
		"https://a.org/high": {State: Waiting, Seq: 3, Score: 5, Proposed: 5},
		"https://c.org/held": {State: Leased, Seq: 4, Score: -1, Proposed: -1, Owner: "me", Expiry: time.Unix(99, 0)},
		"https://d.org/lost": {State: Claimed, Seq: 5, Score: -2, Proposed: -2, Via: "https://c.org/held"},
		"https://a.org/drop": {State: Dropped, Seq: 6},
		"https://e.org/back": {State: Waiting, Interrupted: true, Seq: 7, Score: -9, Proposed: -9},
	}
	err = db.Update(func(tx *bolt.Tx) error {
		var errs []error
		put := func(bucket, key string, value []byte) {
			errs = append(errs, tx.Bucket([]byte(bucket)).Put([]byte(key), value))
		}
		for url, r := range links {
			put("link", url, encode1(r))
			if r.State == Waiting {
				host := string(hostOf(url))
				put("queue", host+"\x00"+string(bigEndian64(hosts.Rank(r.Score)))+string(bigEndian64(r.Seq)), []byte(url))
			}
		}
		put("lease", "https://c.org/held", []byte{1})
		put("host", "b.org", append(bigEndian64(uint64(due.UnixNano())), bigEndian64(1)...))
		put("note", "k", []byte("v"))
		count := []byte{1}
		for _, n := range []uint64{8, 1, 3, 1, 1, 1, math.Float64bits(2.5)} {
			count = append(count, bigEndian64(n)...)
		}
		put("count", "count", count)
		return errors.Join(errs...)
	})
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
}

// A file of version 1 is taken over with all it holds.
func TestMigration(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.db")
	due := time.Unix(1795000000, 0).UTC()
	writeVersion1(t, path, due)
	f := openAt(t, path, Options{NoWait: true})
	defer func() { closeClean(t, f) }()
	got, err := f.Progress(t.Context())
	want := crawler.Progress{Ended: 1, Spent: 2.5, Waiting: 5, Hosts: 1, Clips: 1}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if h, seen, err := f.Host("b.org"); err != nil || !seen || h.Fetched != 1 || h.Due.Before(due) {
		t.Errorf("host %+v, %v, %v", h, seen, err)
	}
	rec, _, err := f.Lookup("https://a.org/low")
	wantRec := Record{URL: "https://a.org/low", State: Waiting, Seq: 2, Score: 1, Proposed: 2, Parent: "https://p.org/", Anchor: "low", How: crawler.Forward, Depth: 2, Tries: 1}
	if diff := cmp.Diff(wantRec, rec); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	for url, state := range map[string]State{"https://a.org/done": Ended, "https://b.org/seen": Alias, "https://a.org/drop": Dropped} {
		if rec, seen, err := f.Lookup(url); err != nil || !seen || rec.State != state {
			t.Errorf("%s: %+v, %v, %v", url, rec, seen, err)
		}
	}
	closeClean(t, f)
	f = openAt(t, path, Options{NoWait: true})
	push(t, f, "https://a.org/done", "https://b.org/seen", "https://a.org/drop")
	for _, url := range []string{"https://c.org/held", "https://e.org/back", "https://a.org/high", "https://a.org/low", "https://d.org/lost"} {
		l := next(t, f)
		if l.URL != url {
			t.Errorf("got %s, want %s", l.URL, url)
		}
		done(t, f, l, fetched)
	}
	if _, err := f.Next(t.Context()); !errors.Is(err, crawler.ErrDrained) {
		t.Errorf("at the end: %v", err)
	}
}

// A file that is broken is not taken over, and stays as it was.
func TestMigrationFails(t *testing.T) {
	for _, bucket := range []string{"link", "host", "count"} {
		path := filepath.Join(t.TempDir(), "f.db")
		writeVersion1(t, path, time.Time{}.Add(time.Hour))
		change(t, path, 1, func(tx *bolt.Tx) error {
			k, _ := tx.Bucket([]byte(bucket)).Cursor().First()
			return tx.Bucket([]byte(bucket)).Put(append([]byte(nil), k...), []byte{1, 2})
		})
		for range 2 {
			if _, err := Open(path, Options{}); err == nil {
				t.Fatalf("a broken value in %s: no error", bucket)
			}
		}
	}
}

func FuzzRecord1(f *testing.F) {
	f.Add(encode1(fullRecord()))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := decodeRecord1(b)
		if err != nil {
			return
		}
		if again, err := decodeRecord1(encode1(r)); err != nil || again.URL != "" {
			t.Errorf("%+v does not come back: %v", r, err)
		}
	})
}
