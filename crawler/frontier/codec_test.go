package frontier

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/frontier/hosts"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/google/go-cmp/cmp"
)

func fullRecord() Record {
	return Record{
		URL: "https://u.org/", State: Ended, Seq: 1 << 40, Score: -2.5, Proposed: 7, Depth: 3, Hops: 2, How: crawler.Back,
		Parent: "https://p.org/", Anchor: "call for papers", Due: time.Unix(5, 6).UTC(), Tries: 2, Crashes: 1,
		Via: "https://v.org/", Fate: crawler.Fetched, Status: 200, FinalURL: "https://f.org/", Bytes: 1 << 20,
		Digest: webgraph.DigestOf(nil), Clips: []string{"a", ""}, Reason: "why", At: time.Unix(0, 1).UTC(),
		Text: 77, ETag: `W/"1"`, LastModified: "Sat, 21 Nov 2026 10:00:00 GMT",
	}
}

func encode(r Record) []byte { return appendRecord(nil, &r) }

func TestRecordCodec(t *testing.T) {
	for _, want := range []Record{{State: Waiting}, {State: Waiting, How: "otherwise"}, fullRecord()} {
		got, err := decodeRecord(encode(want))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		state, url, err := peekURL(encode(want))
		if err != nil || state != want.State || string(url) != want.URL {
			t.Errorf("peek: %v, %q, %v", state, url, err)
		}
	}
}

// What pages and servers fill is bounded.
func TestRecordBounds(t *testing.T) {
	long := strings.Repeat("ä", 5000)
	r := Record{State: Leased, Anchor: long}
	r.applyOutcome(crawler.Outcome{Fate: crawler.Fetched, Reason: long, Clips: make([]string, 5000), ETag: long, LastModified: long})
	got, err := decodeRecord(encode(r))
	if err != nil {
		t.Fatal(err)
	}
	if a, n, c := len([]rune(got.Anchor)), len(got.Reason), len(got.Clips); a != webgraph.MaxAnchor || n > MaxReason || c != MaxClips {
		t.Errorf("anchor %d runes, reason %d bytes, %d clips", a, n, c)
	}
	if len(got.ETag) > MaxValidator || len(got.LastModified) > MaxValidator {
		t.Errorf("validators of %d and %d bytes", len(got.ETag), len(got.LastModified))
	}
}

func FuzzRecord(f *testing.F) {
	f.Add(encode(fullRecord()))
	f.Add(encode(Record{State: Waiting}))
	f.Add([]byte{2, 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := decodeRecord(b)
		if err != nil {
			return
		}
		b = encode(r)
		if again, err := decodeRecord(b); err != nil || !bytes.Equal(encode(again), b) {
			t.Errorf("%+v does not come back: %v", r, err)
		}
	})
}

func FuzzCounts(f *testing.F) {
	f.Add((&counts{seq: 1, spent: 2.5}).encode())
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := decodeCounts(b)
		if err != nil || b == nil {
			return
		}
		if again, err := decodeCounts(c.encode()); err != nil || !bytes.Equal(again.encode(), c.encode()) {
			t.Errorf("%+v does not come back: %v", c, err)
		}
	})
}

// Queue keys of one host sort by score, highest first, then by seq; and come back.
func TestQueueKey(t *testing.T) {
	scores := []float64{crawler.MaxScore, 7, 1, math.SmallestNonzeroFloat64, 0, -0.5, -7, -crawler.MaxScore}
	interrupted := hosts.LinkKey{Rank: 0, Seq: 9}
	keys := []hosts.LinkKey{interrupted}
	for _, s := range scores {
		keys = append(keys, hosts.LinkKey{Rank: hosts.Rank(s), Seq: 1}, hosts.LinkKey{Rank: hosts.Rank(s), Seq: 2})
	}
	for i := range keys[1:] {
		a, b := queueKey(7, keys[i]), queueKey(7, keys[i+1])
		if a.compare(&b) >= 0 || !keys[i].Less(keys[i+1]) {
			t.Errorf("%v is not before %v", keys[i], keys[i+1])
		}
	}
	if hosts.Rank(0) != hosts.Rank(math.Copysign(0, -1)) {
		t.Error("-0 is another rank than 0")
	}
	p := queueKey(7, interrupted)
	if id, k := p.splitQueueKey(); id != 7 || k != interrupted {
		t.Errorf("split: %d %v", id, k)
	}
}

func FuzzHostOf(f *testing.F) {
	f.Add("https://a.org/")
	f.Add("http://[::1]:80/x")
	f.Add("https://A.org")
	f.Fuzz(func(t *testing.T, raw string) {
		url, err := webgraph.Canonical(raw)
		if err == nil && hostOf(url) != webgraph.HostOf(url) {
			t.Errorf("host of %q is %q, want %q", url, hostOf(url), webgraph.HostOf(url))
		}
	})
}
