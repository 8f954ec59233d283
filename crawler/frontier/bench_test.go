package frontier

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/frontier/hosts"
	"github.com/eventseer/eventseer/internal/bolt"
)

var benchURLs = flag.String("frontier.urls", "20000", "numbers of URLs of BenchmarkFrontier")

const (
	benchHosts = 100000
	pushBatch  = 10000
	popBatch   = 1000
	mostPops   = 200000
	pageLinks  = 10
)

// BenchmarkFrontier compares Push, and Next with Done, with bare puts and deletes of the same keys
// and values in a bbolt file. Both run batch by batch in turns, with batches of the same size,
// sorted by key, and fsync.
//
//	go test -run XXX -bench Frontier -benchtime 1x ./crawler/frontier -frontier.urls 1000000,5000000,10000000
//
// 2026-11-21, 2 cores of an EPYC, shared with others but for the first line;
// 100,000 hosts, pops of the first 200,000:
//
//	URLs  push/s  bare     ratio  pop/s   bare    ratio  next/s   B/URL  anonymous  file     open
//	1 M   221,000 277,000  0.80    19,000  24,800  0.76    128,000  47.8    66 MB     0.40 GB  0.6 s
//	5 M    75,500  85,200  0.89    11,200  13,900  0.81     81,000  37.0   301 MB     1.87 GB  5.2 s
//	10 M   68,500  77,000  0.89    10,700  13,100  0.81     74,000  34.7   420 MB     3.69 GB  9.0 s
//
// Bytes a URL are of the heap after Open, hosts included. What slows pushes down
// is that ten links of a page fall into one of ever more pages of the file.
func BenchmarkFrontier(b *testing.B) {
	for _, s := range strings.Split(*benchURLs, ",") {
		n, err := strconv.Atoi(s)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(s, func(b *testing.B) {
			for range b.N {
				newRace(b, n).run()
			}
		})
	}
}

// A race is a frontier and a bare file that do the same.
type race struct {
	b    *testing.B
	n    int
	path string
	f    *Frontier
	bare *bolt.DB
	ids  map[int]hosts.ID // host number of the benchmark → of the frontier

	push, barePush, pop, barePop, next time.Duration
}

func newRace(b *testing.B, n int) *race {
	dir := b.TempDir()
	r := &race{b: b, n: n, path: filepath.Join(dir, "frontier.db"), ids: make(map[int]hosts.ID)}
	r.f = openAt(b, r.path, Options{NoWait: true, LeaseTime: time.Hour})
	var err error
	r.bare, err = bolt.Open(filepath.Join(dir, "bare.db"), bolt.Options{Kind: "bare", Migrations: []func(*bolt.Tx) error{func(tx *bolt.Tx) error {
		_, err := tx.CreateBucket([]byte("queue"))
		return err
	}}})
	if err != nil {
		b.Fatal(err)
	}
	return r
}

func (r *race) run() {
	defer r.bare.Close()
	for i := 0; i < r.n; i += pushBatch {
		r.pushOnce(i, min(i+pushBatch, r.n))
	}
	r.reopen()
	pops := min(r.n, mostPops)
	for i := 0; i < pops; i += popBatch {
		r.popOnce(min(popBatch, pops-i))
	}
	if err := r.f.Close(); err != nil {
		r.b.Fatal(err)
	}
	rate := func(n int, d time.Duration) float64 { return float64(n) / d.Seconds() }
	r.b.ReportMetric(rate(r.n, r.push), "push/s")
	r.b.ReportMetric(rate(r.n, r.barePush), "bare-push/s")
	r.b.ReportMetric(r.barePush.Seconds()/r.push.Seconds(), "push-ratio")
	r.b.ReportMetric(rate(pops, r.pop), "pop/s")
	r.b.ReportMetric(rate(pops, r.barePop), "bare-pop/s")
	r.b.ReportMetric(r.barePop.Seconds()/r.pop.Seconds(), "pop-ratio")
	r.b.ReportMetric(rate(pops, r.next), "next/s")
}

// link returns the i-th link of the benchmark. URLs have some 80 bytes, and ten after each other
// are on one random host, as those of a page are.
func (r *race) link(i int) (c crawler.Candidate, host int) {
	x := uint64(i) * 0x9e3779b97f4a7c15
	host = int((uint64(i/pageLinks) * 0x9e3779b97f4a7c15 >> 33) % benchHosts)
	return crawler.Candidate{
		URL:    fmt.Sprintf("https://www.host-%06d.example.org/events/2027/call-for-papers/%08d.html?track=%d", host, i, x%7),
		Score:  float64(x>>11) / (1 << 53),
		Parent: fmt.Sprintf("https://www.host-%06d.example.org/events/2027/index-%d.html", (host+i%3)%benchHosts, i%100),
		Anchor: "Call for Papers: Track " + strconv.Itoa(i%40) + ", extended deadline",
		Depth:  i % 12, How: crawler.Forward,
	}, host
}

// placeOf is where the i-th link is in both files.
func (r *race) placeOf(i int, c *crawler.Candidate, host int) bucketKey {
	id, ok := r.ids[host]
	if !ok {
		id = hosts.ID(len(r.ids))
		r.ids[host] = id
	}
	return queueKey(id, hosts.LinkKey{Rank: hosts.Rank(c.Score), Seq: uint64(i)})
}

func (r *race) pushOnce(from, to int) {
	cs := make([]crawler.Candidate, 0, to-from)
	ops := make([]bucketOperation, 0, to-from)
	for i := from; i < to; i++ {
		c, host := r.link(i)
		rec := Record{URL: c.URL, Seq: uint64(i), State: Waiting}
		rec.setOrigin(c, c.Score)
		cs = append(cs, c)
		ops = append(ops, bucketOperation{r.placeOf(i, &c, host), appendRecord(nil, &rec)})
	}
	r.barePush += r.inBare(ops)
	start := time.Now()
	if err := r.f.Push(context.Background(), cs); err != nil {
		r.b.Fatal(err)
	}
	r.push += time.Since(start)
}

// inBare puts and deletes in one transaction.
func (r *race) inBare(ops []bucketOperation) time.Duration {
	start := time.Now()
	slices.SortFunc(ops, func(a, b bucketOperation) int { return bytes.Compare(a.bytes(), b.bytes()) })
	err := r.bare.Update(func(tx *bolt.Tx) error {
		b := tx.Bucket([]byte("queue"))
		for i := range ops {
			if err := ops[i].write(b); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		r.b.Fatal(err)
	}
	return time.Since(start)
}

func (r *race) popOnce(n int) {
	ends := make([]crawler.End, 0, n)
	start := time.Now()
	for range n {
		ends = append(ends, crawler.End{Lease: next(r.b, r.f), Outcome: crawler.Outcome{Fate: crawler.Fetched, Status: 200, Cost: 1, At: start}})
	}
	r.next += time.Since(start)
	if err := r.f.Done(context.Background(), ends...); err != nil {
		r.b.Fatal(err)
	}
	r.pop += time.Since(start)
	ops := make([]bucketOperation, 0, n)
	for _, e := range ends {
		_, number, _ := strings.Cut(e.Lease.URL, "papers/")
		i, err := strconv.Atoi(number[:8])
		if err != nil {
			r.b.Fatal(err)
		}
		c, host := r.link(i)
		ops = append(ops, bucketOperation{bucketKey: r.placeOf(i, &c, host)})
	}
	r.barePop += r.inBare(ops)
}

// reopen measures the time to open the file, and the memory in use then.
func (r *race) reopen() {
	if err := r.f.Close(); err != nil {
		r.b.Fatal(err)
	}
	r.f = nil
	before := heapBytes()
	start := time.Now()
	r.f = openAt(r.b, r.path, Options{NoWait: true, LeaseTime: time.Hour})
	r.b.ReportMetric(time.Since(start).Seconds(), "open-s")
	r.b.ReportMetric(float64(heapBytes()-before)/float64(r.n), "heap-B/URL")
	r.b.ReportMetric(resident(r.b), "anon-MB")
	info, err := os.Stat(r.path)
	if err != nil {
		r.b.Fatal(err)
	}
	r.b.ReportMetric(float64(info.Size())/1e6, "file-MB")
}

func heapBytes() int64 {
	var m runtime.MemStats
	for range 3 { // files are let go a cycle later, and pools two
		runtime.GC()
	}
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// resident returns the megabytes of memory that do not belong to files.
func resident(b *testing.B) float64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0 // no Linux
	}
	_, after, _ := strings.Cut(string(status), "RssAnon:")
	kb, err := strconv.Atoi(strings.Fields(after)[0])
	if err != nil {
		b.Fatal(err)
	}
	return float64(kb) / 1e3
}

// BenchmarkPage measures the frontier's whole share of a page: one Next and one Done with 20 links
// to hosts out of 10,000. 100,000 links wait; it is one transaction with two fdatasyncs.
// 2026-11-21, 2 shared cores of an EPYC: 0.67 ms with sync, 0.19 ms without, 25 pages written. The
// layout before, with a bucket by URL and three transactions, took 3.2 and 0.9 ms and 110 pages.
func BenchmarkPage(b *testing.B) {
	b.Run("sync", func(b *testing.B) { benchmarkPage(b, Options{NoWait: true}) })
	b.Run("nosync", func(b *testing.B) { benchmarkPage(b, Options{NoWait: true, NoSync: true}) })
}

func benchmarkPage(b *testing.B, o Options) {
	f := openAt(b, filepath.Join(b.TempDir(), "f.db"), o)
	defer f.Close()
	n := 0
	links := func(count int) []crawler.Candidate {
		var cs []crawler.Candidate
		for range count {
			n++
			cs = append(cs, crawler.Candidate{
				URL: fmt.Sprintf("https://host%d.example.org/some/path/of/a/page-%d.html", n*7919/2%10000, n), Score: float64(n * 31 % 101),
				Parent: "https://parent.example.org/some/path/", Anchor: "Call for Papers", How: crawler.Forward,
			})
		}
		return cs
	}
	for range 10 {
		if err := f.Push(b.Context(), links(10000)); err != nil {
			b.Fatal(err)
		}
	}
	stats := f.db.Stats()
	writes := stats.TxStats.GetWrite()
	for b.Loop() {
		end := crawler.End{Lease: next(b, f), Outcome: fetched, Changes: crawler.Changes{Push: links(20)}}
		if err := f.Done(b.Context(), end); err != nil {
			b.Fatal(err)
		}
	}
	stats = f.db.Stats()
	b.ReportMetric(float64(stats.TxStats.GetWrite()-writes)/float64(b.N), "writes/op")
}
