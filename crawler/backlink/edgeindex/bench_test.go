package edgeindex

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/crawler/backlink"

	"go.etcd.io/bbolt"
)

// benchEdges is the number of links in the benchmark.
const benchEdges = 1_000_000

// BenchmarkEdgeIndex builds an index and asks it, and does the same with bbolt. It also sorts the
// list with sort(1), which checks no URLs and makes a file that cannot be queried. A ratio above 1
// says that ours is as many times faster, or smaller.
//
// 21 November 2026, on 2 cores that were busy with ten times their load: 6.1 and
// 3.3 times bbolt's speed of building (ours with fsync, bbolt's without), 0.9 and
// 0.6 times that of sort(1), 0.2 to 0.3 times bbolt's answers (14 µs of CPU for one
// with 17 links), 98 bytes a link, a third of bbolt's.
func BenchmarkEdgeIndex(b *testing.B) {
	dir := b.TempDir()
	list := benchList(b, dir)
	for b.Loop() {
		path := filepath.Join(dir, "x.edges")
		start := time.Now()
		if _, err := Build(context.Background(), Options{Path: path, Inputs: []string{list}}); err != nil {
			b.Fatal(err)
		}
		build := time.Since(start)
		x, err := Open(path)
		if err != nil {
			b.Fatal(err)
		}
		peer, peerBuild := boltEdges(b, dir, list)
		questions := benchQuestions(x)
		ask, got := timeAnswers(questions, func(key []byte) int {
			url, _ := urlOf(key)
			a, err := x.Backlinks(context.Background(), backlink.Query{Target: url, Scope: backlink.Page, Limit: 100})
			if err != nil {
				b.Fatal(err)
			}
			return len(a.Links)
		})
		peerAsk, peerGot := timeAnswers(questions, func(key []byte) int { return boltAnswer(b, peer, key) })
		if got < len(questions) || math.Abs(float64(got-peerGot)) > 0.01*float64(got) { // the peer tells both schemes apart
			b.Errorf("%d links, bbolt has %d", got, peerGot)
		}
		b.ReportMetric(benchEdges/build.Seconds(), "edges/s")
		b.ReportMetric(peerBuild.Seconds()/build.Seconds(), "build:bbolt")
		b.ReportMetric(timeSort(b, list)/build.Seconds(), "build:sort")
		b.ReportMetric(float64(len(questions))/ask.Seconds(), "answers/s")
		b.ReportMetric(peerAsk.Seconds()/ask.Seconds(), "answers:bbolt")
		b.ReportMetric(float64(fileSize(b, path))/float64(x.Len()), "B/edge")
		b.ReportMetric(float64(fileSize(b, peer.Path()))/float64(fileSize(b, path)), "size:bbolt")
		if err := peer.Close(); err != nil {
			b.Fatal(err)
		}
		if err := x.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

func benchList(b *testing.B, dir string) string {
	rnd := rand.New(rand.NewPCG(1, 2))
	path := filepath.Join(dir, "links.tsv")
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	w := bufio.NewWriter(f)
	fmt.Fprintln(w, "source\ttarget\tanchor\tnofollow")
	for range benchEdges {
		h := int(math.Pow(rnd.Float64(), 3) * 100_000)
		fmt.Fprintf(w, "https://www.host-%d.example.org/section/%d/page.html\thttp://department.university-%d.edu/events/%d/call-for-papers.html\tCall for papers of event %d\t\n",
			rnd.IntN(100_000), rnd.IntN(10), h, rnd.IntN(20), rnd.IntN(1000))
	}
	if err := w.Flush(); err != nil {
		b.Fatal(err)
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
	return path
}

// boltEdges puts the links of the list into a bbolt file, as our LinkDB does: in
// transactions of 10,000 links, sorted. It neither checks URLs nor leaves any out.
func boltEdges(b *testing.B, dir, list string) (*bbolt.DB, time.Duration) {
	path := filepath.Join(dir, "peer.db")
	_ = os.Remove(path) // of the loop before
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{NoSync: true})
	if err != nil {
		b.Fatal(err)
	}
	start := time.Now()
	f, err := os.Open(list)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Scan() // the header
	batch := map[string][]byte{}
	for more := true; more; {
		if more = lines.Scan(); more {
			fields := strings.Split(lines.Text(), "\t")
			batch[string(append(appendTarget(nil, fields[1]), fields[0]...))] = edgeValue{anchor: fields[2]}.appendTo(nil)
		}
		if more && len(batch) < 10_000 {
			continue
		}
		err := db.Update(func(tx *bbolt.Tx) error {
			in, err := tx.CreateBucketIfNotExists([]byte("in"))
			for _, key := range slices.Sorted(maps.Keys(batch)) {
				err = cmp.Or(err, in.Put([]byte(key), batch[key]))
			}
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
		clear(batch)
	}
	return db, time.Since(start)
}

func boltAnswer(b *testing.B, db *bbolt.DB, target []byte) int {
	n := 0
	err := db.View(func(tx *bbolt.Tx) error {
		c := tx.Bucket([]byte("in")).Cursor()
		for k, v := c.Seek(target); bytes.HasPrefix(k, target) && n < 100; k, v = c.Next() {
			if _, err := edgeOf(k, v); err != nil {
				return err
			}
			n++
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	return n
}

// benchQuestions are keys of targets from all over the index, in random order.
func benchQuestions(x *Index) [][]byte {
	var keys [][]byte
	for _, block := range x.blocks {
		_ = x.scanFrom(context.Background(), []byte(block.separator), func(key, _ []byte) bool {
			target, _ := cutKey(key)
			keys = append(keys, bytes.Clone(target))
			return false
		})
	}
	rand.New(rand.NewPCG(3, 4)).Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	return keys
}

func timeAnswers(questions [][]byte, ask func([]byte) int) (took time.Duration, links int) {
	start := time.Now()
	for _, q := range questions {
		links += ask(q)
	}
	return time.Since(start), links
}

// timeSort sorts the list by target with sort(1), in seconds.
func timeSort(b *testing.B, list string) float64 {
	cmd := exec.Command("sort", "-t", "\t", "-k", "2,2", "-k", "1,1", "-S", "256M", "--parallel", "2", "-o", list+".sorted", list)
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	start := time.Now()
	if err := cmd.Run(); err != nil {
		b.Skip("no sort(1): ", err)
	}
	return time.Since(start).Seconds()
}

func fileSize(b *testing.B, path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	return info.Size()
}
