package frontier

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/crawler/frontier/hosts"

	"github.com/google/go-cmp/cmp"
)

func fullHost() hosts.Host {
	at := time.Date(2026, 11, 21, 12, 0, 0, 5, time.UTC)
	return hosts.Host{
		Name: "conf.example.org", Due: at.Add(time.Hour), Asked: at, Fetched: 12, Bytes: 1 << 40,
		Failures: 11, FirstFailure: at.Add(-time.Hour), LastFailure: at, Reason: "gone: no such host", Dead: true,
		CrawlDelay: 10 * time.Second, Latency: 1500 * time.Millisecond, Addr: "192.0.2.7",
	}
}

func TestHostRecord(t *testing.T) {
	for _, want := range []hosts.Host{{}, {Name: "a.org"}, fullHost()} {
		got, err := decodeHost(encodeHost(nil, want))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

// What servers fill is bounded, and no number is negative.
func TestHostRecordBounds(t *testing.T) {
	long := strings.Repeat("ä", 5000)
	h := hosts.Host{Reason: long, Addr: long, Bytes: -1, CrawlDelay: -time.Second, Latency: math.MinInt64}
	got, err := decodeHost(encodeHost(nil, h))
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Reason) > hosts.MaxHostReason || len(got.Addr) > hosts.MaxAddr || got.Bytes != 0 || got.CrawlDelay != 0 || got.Latency != 0 {
		t.Errorf("%+v", got)
	}
}

func TestHostRecordErrors(t *testing.T) {
	whole := encodeHost(nil, fullHost())
	for n := range whole {
		if _, err := decodeHost(whole[:n]); err == nil {
			t.Errorf("the first %d bytes are taken for a record", n)
		}
	}
	if _, err := decodeHost(append(whole, 0)); err == nil {
		t.Error("a byte too many is no error")
	}
	newer := append([]byte{hostVersion + 1}, whole[1:]...)
	if _, err := decodeHost(newer); err == nil || !strings.Contains(err.Error(), "version 2") {
		t.Errorf("a newer version: %v", err)
	}
}

func FuzzHostRecord(f *testing.F) {
	f.Add(encodeHost(nil, fullHost()))
	f.Add(encodeHost(nil, hosts.Host{Name: "a.org"}))
	f.Add([]byte{hostVersion})
	f.Fuzz(func(t *testing.T, b []byte) {
		h, err := decodeHost(b)
		if err != nil {
			return
		}
		b = encodeHost(nil, h)
		if again, err := decodeHost(b); err != nil || !bytes.Equal(encodeHost(nil, again), b) {
			t.Errorf("%+v does not come back: %v", h, err)
		}
	})
}
