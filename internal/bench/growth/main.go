// Command growth measures the cost of an event and of a saved search as their number grows, and prints two
// tables in Markdown:
//
//	go run ./growth
//	go run ./growth -events 1000,10000 -lists 10,100
//
// Events and lists are those of package eventstest. Times are CPU times of the whole process, memory is the heap
// after a garbage collection. The costs of pages and hosts are measured by ./crawl.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/publish/match"
	"github.com/eventseer/eventseer/eventseer/search"
	"github.com/eventseer/eventseer/eventseer/store"
	"github.com/eventseer/eventseer/features/dictionary"
	"github.com/eventseer/eventseer/internal/bench/cost"
	"github.com/eventseer/eventseer/internal/eventstest"
)

const (
	seed      = 7
	searches  = 200
	newEvents = 200
	batch     = 500 // events indexed together
)

// now is the time at which the events are stored and searched.
var now = time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC)

func main() {
	events := flag.String("events", "1000,10000,100000", "numbers of events")
	lists := flag.String("lists", "10,100,1000,10000", "numbers of saved searches")
	flag.Parse()
	if err := run(context.Background(), *events, *lists); err != nil {
		fmt.Fprintln(os.Stderr, "growth:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, events, lists string) error {
	fmt.Println("| events | put µs/event | index µs/event | search ms | heap bytes/event | store bytes/event | index bytes/event | open ms |")
	fmt.Println("|---|---|---|---|---|---|---|---|")
	if _, err := measureEvents(ctx, 100); err != nil { // so that shared tables, which load once, are not counted below
		return err
	}
	err := forEach(events, func(n int) error {
		row, err := measureEvents(ctx, n)
		fmt.Print(row)
		return err
	})
	if err != nil {
		return err
	}
	fmt.Println("\n| saved searches | compile µs/search | heap bytes/search | match µs/event | found/event | match µs/found |")
	fmt.Println("|---|---|---|---|---|---|")
	return forEach(lists, measureLists)
}

// forEach calls f for each number of a list that is separated by commas.
func forEach(numbers string, f func(n int) error) error {
	for _, field := range strings.Split(numbers, ",") {
		if field == "" {
			continue
		}
		n, err := strconv.Atoi(field)
		if err != nil || n < 1 {
			return fmt.Errorf("%q is not a positive number", field)
		}
		if err := f(n); err != nil {
			return err
		}
	}
	return nil
}

// measureEvents puts n events into a store one by one, as a crawl does, and indexes and searches them. The time
// of a put is that of the last tenth. It returns a row of the table.
func measureEvents(ctx context.Context, n int) (row string, err error) {
	before := cost.Heap()
	dir, err := os.MkdirTemp("", "growth-*")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	storePath, indexPath := filepath.Join(dir, "store.db"), filepath.Join(dir, "index")
	events := eventstest.Events(seed, n, now)
	s, err := store.Open(storePath, store.Options{Now: func() time.Time { return now }})
	if err != nil {
		return "", err
	}
	put := time.Duration(0)
	for i, e := range events {
		began := cpuTime()
		clips := eventstest.Clips(e)
		e.ID = ""
		if _, err := s.Put(ctx, e, clips); err != nil {
			return "", err
		}
		if i >= n-n/10 {
			put += cpuTime() - began
		}
	}
	x, err := search.Open(indexPath, search.Options{Now: func() time.Time { return now }})
	if err != nil {
		return "", err
	}
	index := time.Duration(0)
	for part := range slices.Chunk(events, batch) {
		var docs []eventseer.Document
		for _, e := range part {
			docs = append(docs, eventseer.Document{Event: e, Clips: eventstest.Clips(e), Texts: eventstest.Texts(e)})
		}
		began := cpuTime()
		if err := x.Update(ctx, docs); err != nil {
			return "", err
		}
		index += cpuTime() - began
	}
	queries := queriesOf(events)
	if err := closeAll(x, s); err != nil {
		return "", err
	}
	events = nil
	began := cpuTime()
	if s, err = store.Open(storePath, store.Options{MustExist: true}); err != nil {
		return "", err
	}
	if x, err = search.Open(indexPath, search.Options{Now: func() time.Time { return now }}); err != nil {
		return "", err
	}
	opened := cpuTime() - began
	began = cpuTime()
	for _, q := range queries {
		if _, err := x.Find(ctx, q); err != nil {
			return "", err
		}
	}
	found := cpuTime() - began
	heap := cost.Heap() - before
	if err := closeAll(x, s); err != nil {
		return "", err
	}
	storeBytes, err := cost.Disk(storePath)
	if err != nil {
		return "", err
	}
	indexBytes, err := cost.Disk(indexPath)
	if err != nil {
		return "", err
	}
	each := func(total int64, count int) float64 { return float64(total) / float64(count) }
	return fmt.Sprintf("| %d | %.0f | %.0f | %.2f | %.0f | %.0f | %.0f | %d |\n", n, each(put.Microseconds(), n/10), each(index.Microseconds(), n),
		each(found.Microseconds(), searches)/1000, each(heap, n), each(storeBytes, n), each(indexBytes, n), opened.Milliseconds()), nil
}

// queriesOf returns different searches for topics of events, as the page of results asks them.
func queriesOf(events []eventseer.Event) (queries []eventseer.Query) {
	for i := range searches {
		e := events[i*len(events)/searches]
		topic := "learning"
		if len(e.Topics) > 0 {
			topic = strings.ToLower(e.Topics[0])
		}
		queries = append(queries, eventseer.Query{
			Text: fmt.Sprintf(`"%s" due<%dd`, topic, 20+i), OpenAt: now, Now: now, ByDeadline: true, Facets: true, Passages: true,
		})
	}
	return queries
}

func closeAll(x *search.Index, s *store.Store) error {
	if err := x.Close(); err != nil {
		return err
	}
	return s.Close()
}

// measureLists matches new events against n saved searches.
func measureLists(n int) error {
	d, err := dictionary.Open(dictionary.Options{})
	if err != nil {
		return err
	}
	lists := eventstest.Lists(seed, n)
	before, began := cost.Heap(), cpuTime()
	m := match.New(d)
	if err := m.Set(lists...); err != nil {
		return err
	}
	compiled := cpuTime() - began
	heap := cost.Heap() - before
	var docs []eventseer.Document
	for _, e := range eventstest.Events(seed+1, newEvents, now) {
		docs = append(docs, eventseer.Document{Event: e, Clips: eventstest.Clips(e)})
	}
	const rounds = 5
	found := 0
	began = cpuTime()
	for range rounds {
		for _, d := range docs {
			found += len(m.Match(d, now))
		}
	}
	took := float64((cpuTime() - began).Microseconds())
	events := float64(rounds * newEvents)
	fmt.Printf("| %d | %.0f | %.0f | %.0f | %.2f | %.1f |\n", m.Len(), float64(compiled.Microseconds())/float64(n), float64(heap)/float64(n),
		took/events, float64(found)/events, took/float64(found))
	runtime.KeepAlive(lists)
	return nil
}

// cpuTime returns the CPU time of this process.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
