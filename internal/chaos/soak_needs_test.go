//go:build linux

package chaos_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// needs are what a process uses.
type needs struct {
	goroutines, files int
	heap, resident    int64 // bytes; heap after a collection
	data              int64 // bytes that its pages and links take at most, see dataOf
}

func (n needs) String() string {
	return fmt.Sprintf("%d goroutines, %d open files, heap %.1f MB, of it at most %.1f MB of data, resident %.1f MB", n.goroutines, n.files, float64(n.heap)/1e6, float64(n.data)/1e6, float64(n.resident)/1e6)
}

// Limits on growth. A leak of one goroutine, file or 200 kB a round exceeds them within an hour.
const (
	soakThings  = 8       // goroutines and open files beside an eighth: idle connections to hosts
	soakHeap    = 8 << 20 // bytes beside an eighth: tables that the first pages of some kind need
	soakGarbage = 5       // resident bytes for each of the heap, as a crawl collects garbage at 400 % (app.SpendMemory)
)

// compare demands that a process needs no more than before, but for its data.
func (n needs) compare(t *testing.T, name string, now needs) {
	t.Helper()
	t.Logf("%s: %v; then %v", name, n, now)
	for _, excess := range n.excess(now) {
		t.Errorf("%s needs more than in the first minute: %s", name, excess)
	}
}

// excess describes which of the needs of now exceed those of n and what they may grow by.
func (n needs) excess(now needs) (all []string) {
	heap := n.heap*9/8 + soakHeap + max(0, now.data-n.data)
	for _, of := range []struct {
		what        string
		now, atMost int64
	}{
		{"goroutines", int64(now.goroutines), int64(n.goroutines*9/8 + soakThings)},
		{"open files", int64(now.files), int64(n.files*9/8 + soakThings)},
		{"bytes of heap", now.heap, heap},
		{"resident bytes", now.resident, n.resident + soakGarbage*(heap-n.heap)},
	} {
		if of.now > of.atMost {
			all = append(all, fmt.Sprintf("%d %s, at most %d", of.now, of.what, of.atMost))
		}
	}
	return all
}

// Bytes of memory for data. A page has a digest and an address in the recording (200, package warc), a run of similar
// pages (170, crawler) and rows of links and events that wait. A URL has a slot in the frontier's table (24, at most 80 % full).
const (
	bytesOfPage = 500
	bytesOfURL  = 40
)

var (
	metricLine = regexp.MustCompile(`(?m)^(go_goroutines|go_memstats_heap_alloc_bytes|process_resident_memory_bytes) ([0-9.e+]+)$`)
	dataLine   = regexp.MustCompile(`(?m)^(eventseer_pages_total|eventseer_frontier_links)\{.*\} ([0-9.e+]+)$`)
)

// dataOf returns the bytes that the pages and links of a process take at most, by its metrics.
func dataOf(metrics []byte) (bytes int64, err error) {
	for _, match := range dataLine.FindAllSubmatch(metrics, -1) {
		n, err := strconv.ParseFloat(string(match[2]), 64)
		if err != nil {
			return 0, err
		}
		if string(match[1]) == "eventseer_pages_total" {
			bytes += bytesOfPage * int64(n)
		} else {
			bytes += bytesOfURL * int64(n)
		}
	}
	return bytes, nil
}

// needsOf asks a process at its admin socket, after a collection of garbage.
func (s *soak) needsOf(ctx context.Context, m *member) (n needs, err error) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", filepath.Join(s.data(m.name), "admin.sock"))
	}}}
	var text []byte
	for _, path := range []string{"/debug/pprof/heap?gc=1", "/metrics"} {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://localhost"+path, nil)
		if err != nil {
			return n, err
		}
		resp, err := client.Do(r)
		if err != nil {
			return n, err
		}
		text, err = io.ReadAll(resp.Body)
		if err = errors.Join(err, resp.Body.Close()); err != nil {
			return n, err
		}
	}
	values := map[string]int64{}
	for _, match := range metricLine.FindAllSubmatch(text, -1) {
		v, err := strconv.ParseFloat(string(match[2]), 64)
		if err != nil {
			return n, err
		}
		values[string(match[1])] = int64(v)
	}
	files, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", m.pid()))
	if err == nil && len(values) != 3 {
		err = fmt.Errorf("/metrics has %v only", values)
	}
	if err != nil {
		return n, err
	}
	data, err := dataOf(text)
	return needs{int(values["go_goroutines"]), len(files), values["go_memstats_heap_alloc_bytes"], values["process_resident_memory_bytes"], data}, err
}

// TestNeeds checks what TestSoak permits: chance and data, but nothing that grows with the kills.
func TestNeeds(t *testing.T) {
	t.Parallel()
	const mb = 1 << 20
	first := needs{goroutines: 73, files: 28, heap: 73 * mb, resident: 174 * mb, data: mb}
	data, err := dataOf([]byte("eventseer_pages_total{fate=\"fetched\",status=\"2xx\"} 40000\neventseer_pages_total{fate=\"gone\",status=\"none\"} 1e+03\neventseer_frontier_links{state=\"waiting\"} 100000\ngo_goroutines 70\n"))
	if err != nil || data != 41000*bytesOfPage+100000*bytesOfURL {
		t.Fatalf("data of %d bytes, %v", data, err)
	}
	for name, test := range map[string]struct {
		now  needs
		want string
	}{
		"as before":                       {first, ""},
		"with data":                       {needs{70, 26, 105 * mb, 320 * mb, mb + data}, ""},
		"a goroutine a minute":            {needs{73 + 60, 28, 73 * mb, 174 * mb, mb}, "goroutines"},
		"a file a minute":                 {needs{73, 28 + 60, 73 * mb, 174 * mb, mb}, "open files"},
		"the heap of the soak of 11-28":   {needs{69, 26, 122 * mb, 327 * mb, mb + data}, "bytes of heap"},
		"heap, with no page fetched":      {needs{73, 28, 100 * mb, 174 * mb, mb}, "bytes of heap"},
		"files mapped and never released": {needs{73, 28, 73 * mb, 400 * mb, mb}, "resident bytes"},
	} {
		excess := first.excess(test.now)
		if test.want == "" && len(excess) > 0 || test.want != "" && (len(excess) != 1 || !strings.Contains(excess[0], test.want)) {
			t.Errorf("%s: %q, want %q", name, excess, test.want)
		}
	}
}
