//go:build linux

package chaos_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
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

// needs are what a process uses, in numbers and bytes.
type needs struct {
	goroutines, files int
	heap              int64 // after a collection
	data              int64 // what its pages and links take of it at most, see dataOf
	resident          int64
	outside           int64 // resident memory outside of Go's own
	mapped            int64 // size of the files that it maps
}

func (n needs) String() string {
	mb := func(bytes int64) float64 { return float64(bytes) / 1e6 }
	return fmt.Sprintf("%d goroutines, %d open files, heap %.1f MB, of it at most %.1f MB of data, resident %.1f MB, of these %.1f MB outside of Go, with %.1f MB of mapped files",
		n.goroutines, n.files, mb(n.heap), mb(n.data), mb(n.resident), mb(n.outside), mb(n.mapped))
}

// least returns the smaller one of each figure.
func (n needs) least(o needs) needs {
	return needs{
		min(n.goroutines, o.goroutines), min(n.files, o.files), min(n.heap, o.heap), min(n.data, o.data),
		min(n.resident, o.resident), min(n.outside, o.outside), min(n.mapped, o.mapped),
	}
}

// Limits on growth in addition to an eighth. A leak of one goroutine or file a round exceeds them within an
// hour.
const (
	soakThings = 8       // goroutines and open files: idle connections to hosts
	soakBytes  = 8 << 20 // tables that the first pages of some kind need
)

// compare demands that a process needs no more than before, but for its data.
func (n needs) compare(t *testing.T, name string, now needs) {
	t.Helper()
	t.Logf("%s: %v; then %v", name, n, now)
	for _, excess := range n.excess(now) {
		t.Errorf("%s needs more than in the first minute: %s", name, excess)
	}
}

// excess describes which of the needs of now exceed those of n and what they may grow by. Memory of Go that is resident
// and not of the heap is garbage: as much as the collector permits, four times the heap in a crawl (app.RelaxMemoryLimit).
func (n needs) excess(now needs) (all []string) {
	for _, of := range []struct {
		what        string
		now, atMost int64
	}{
		{"goroutines", int64(now.goroutines), int64(n.goroutines*9/8 + soakThings)},
		{"open files", int64(now.files), int64(n.files*9/8 + soakThings)},
		{"bytes of heap", now.heap, n.heap*9/8 + soakBytes + max(0, now.data-n.data)},
		{"bytes outside of Go", now.outside, n.outside*9/8 + soakBytes + now.mapped},
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
	metricLine = regexp.MustCompile(`(?m)^(go_goroutines|go_memstats_(?:heap_alloc|heap_released|sys)_bytes|process_resident_memory_bytes) ([0-9.e+]+)$`)
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
	if err == nil && len(values) != 5 {
		err = fmt.Errorf("/metrics has %v only", values)
	}
	if err != nil {
		return n, err
	}
	n = needs{
		goroutines: int(values["go_goroutines"]), files: len(files), heap: values["go_memstats_heap_alloc_bytes"],
		resident: values["process_resident_memory_bytes"],
	}
	n.outside = n.resident - (values["go_memstats_sys_bytes"] - values["go_memstats_heap_released_bytes"])
	if n.data, err = dataOf(text); err == nil {
		n.mapped, err = mappedBytes(s.data(m.name))
	}
	return n, err
}

// mappedBytes returns the size of the databases and of the index of a data directory, whose pages are resident once they
// were read.
func mappedBytes(dir string) (bytes int64, err error) {
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".db" && !strings.Contains(path, "/index.bleve/") {
			if errors.Is(err, fs.ErrNotExist) {
				err = nil // removed meanwhile
			}
			return err
		}
		info, err := d.Info()
		if err == nil {
			bytes += info.Size()
		} else if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return err
	})
	return bytes, err
}

// TestNeeds checks what TestSoak permits: chance and data, but nothing that grows with the kills.
func TestNeeds(t *testing.T) {
	t.Parallel()
	const mb = 1 << 20
	first := needs{goroutines: 73, files: 28, heap: 73 * mb, data: mb, resident: 376 * mb, outside: 57 * mb, mapped: 50 * mb}
	data, err := dataOf([]byte("eventseer_pages_total{fate=\"fetched\",status=\"2xx\"} 40000\neventseer_pages_total{fate=\"gone\",status=\"none\"} 1e+03\neventseer_frontier_links{state=\"waiting\"} 100000\ngo_goroutines 70\n"))
	if err != nil || data != 41000*bytesOfPage+100000*bytesOfURL {
		t.Fatalf("data of %d bytes, %v", data, err)
	}
	for name, test := range map[string]struct {
		change func(now *needs)
		want   string
	}{
		"as before":                     {func(*needs) {}, ""},
		"with data":                     {func(now *needs) { now.heap, now.data, now.outside, now.mapped = 105*mb, mb+data, 110*mb, 67*mb }, ""},
		"a goroutine a minute":          {func(now *needs) { now.goroutines += 60 }, "goroutines"},
		"a file a minute":               {func(now *needs) { now.files += 60 }, "open files"},
		"the heap of the soak of 11-28": {func(now *needs) { now.heap, now.data = 122*mb, mb+data }, "bytes of heap"},
		"heap without pages":            {func(now *needs) { now.heap = 100 * mb }, "bytes of heap"},
		"a file that is mapped twice":   {func(now *needs) { now.outside = 140 * mb }, "bytes outside of Go"},
	} {
		now := first
		test.change(&now)
		excess := first.excess(now)
		if test.want == "" && len(excess) > 0 || test.want != "" && (len(excess) != 1 || !strings.Contains(excess[0], test.want)) {
			t.Errorf("%s: %q, want %q", name, excess, test.want)
		}
	}
}
