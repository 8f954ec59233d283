package frontier

import (
	"bytes"
	"math"
	"sort"
	"strings"
	"testing"
	"time"

	"eventseer/crawler"
	"eventseer/webgraph"

	"github.com/google/go-cmp/cmp"
)

func fullRecord() Record {
	return Record{
		State: Ended, Interrupted: true, Seq: 1 << 40, Score: -2.5, Proposed: 7, Depth: 3, How: crawler.Back,
		Parent: "https://p.org/", Anchor: "call for papers", Tries: 2, Owner: "me", Expiry: time.Unix(5, 6).UTC(),
		Via: "https://v.org/", Fate: crawler.Fetched, Status: 200, FinalURL: "https://f.org/", Bytes: 1 << 20,
		Digest: webgraph.DigestOf(nil), Clips: []string{"a", ""}, Reason: "why", At: time.Unix(0, 1).UTC(),
	}
}

func TestRecordCodec(t *testing.T) {
	for _, want := range []Record{{State: Waiting}, fullRecord()} {
		got, err := decodeRecord(want.encode())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

// What pages and servers fill is bounded.
func TestRecordBounds(t *testing.T) {
	r := Record{State: Leased, Anchor: strings.Repeat("ä", 5000)}
	r.end(crawler.Outcome{Reason: strings.Repeat("ä", 5000), Clips: make([]string, 5000)})
	got, err := decodeRecord(r.encode())
	if err != nil {
		t.Fatal(err)
	}
	if a, n, c := len([]rune(got.Anchor)), len(got.Reason), len(got.Clips); a != webgraph.MaxAnchor || n > MaxReason || c != MaxClips {
		t.Errorf("anchor %d runes, reason %d bytes, %d clips", a, n, c)
	}
}

func FuzzRecord(f *testing.F) {
	f.Add(fullRecord().encode())
	f.Add(Record{State: Waiting}.encode())
	f.Add([]byte{1, 2})
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := decodeRecord(b)
		if err != nil {
			return
		}
		b = r.encode()
		if again, err := decodeRecord(b); err != nil || !bytes.Equal(again.encode(), b) {
			t.Errorf("%+v does not come back: %v", r, err)
		}
	})
}

func FuzzCounts(f *testing.F) {
	f.Add(counts{seq: 1, spent: 2.5}.encode())
	f.Fuzz(func(t *testing.T, b []byte) {
		if c, err := decodeCounts(b); err == nil && b != nil && !bytes.Equal(c.encode(), b[:min(len(b), len(c.encode()))]) {
			t.Errorf("%+v does not come back", c)
		}
	})
}

// Queue keys of one host sort by score, highest first, then by seq; and come back.
func TestQueueKey(t *testing.T) {
	scores := []float64{crawler.MaxScore, 7, 1, math.SmallestNonzeroFloat64, 0, -0.5, -7, -crawler.MaxScore}
	var keys []string
	interrupted := Record{Interrupted: true, Score: -5, Seq: 9}
	keys = append(keys, string(queueKey("h.org", interrupted.key())))
	for _, s := range scores {
		keys = append(keys, string(queueKey("h.org", Record{Score: s, Seq: 1}.key())), string(queueKey("h.org", Record{Score: s, Seq: 2}.key())))
	}
	if !sort.StringsAreSorted(keys) {
		t.Error("keys are not in order of score and seq")
	}
	if rank(0) != rank(math.Copysign(0, -1)) {
		t.Error("-0 is another rank than 0")
	}
	host, k, err := splitQueueKey([]byte(keys[0]))
	if err != nil || host != "h.org" || k != interrupted.key() {
		t.Errorf("split: %q %v %v", host, k, err)
	}
}
