// Command stranger is a program of another module that uses the packages of EventSeer. Its own
// crawl strategy visits a generated web, and it reads a record of an export.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/fetch"
	"github.com/eventseer/eventseer/crawler/frontier"
	"github.com/eventseer/eventseer/datasets/simweb"
	"github.com/eventseer/eventseer/eventseer/exchange"
)

// anchorFirst is a crawl strategy: links whose anchor speaks of calls are followed first, and
// a page is a target if its title does.
type anchorFirst struct{}

// Visit implements crawler.Strategy.
func (anchorFirst) Visit(_ context.Context, a crawler.Arrival) (crawler.Verdict, error) {
	var v crawler.Verdict
	if a.Tree == nil {
		return v, nil // nothing readable was fetched
	}
	if v.Target = speaksOfCalls(a.Tree.Title()); v.Target {
		v.Relevance = 1
	}
	for _, l := range a.Tree.Links() {
		score := 0.1
		if speaksOfCalls(l.Anchor) {
			score = 1
		}
		v.Forward = append(v.Forward, crawler.Candidate{URL: l.Target, Anchor: l.Anchor, Score: score})
	}
	return v, nil
}

func speaksOfCalls(s string) bool {
	s = strings.ToLower(s)
	return strings.Contains(s, "call for") || strings.Contains(s, "cfp")
}

// crawl lets a strategy visit pages of a generated web and returns what came of it.
func crawl(s crawler.Strategy, pages float64) (stats crawler.Stats, err error) {
	web := simweb.New(simweb.Options{Seed: 1})
	server, err := web.Start()
	if err != nil {
		return stats, err
	}
	defer server.Close()
	fetcher, err := fetch.New(fetch.Options{Dial: server.Dial, Contact: "stranger@site.example"})
	if err != nil {
		return stats, err
	}
	dir, err := os.MkdirTemp("", "stranger")
	if err != nil {
		return stats, err
	}
	defer os.RemoveAll(dir)
	// NoWait is for a web of our own: other servers are requested with a delay.
	links, err := frontier.Open(filepath.Join(dir, "frontier.db"), frontier.Options{NoWait: true})
	if err != nil {
		return stats, err
	}
	defer links.Close()
	ctx := context.Background()
	var seeds []crawler.Candidate
	for _, url := range web.Seeds() {
		seeds = append(seeds, crawler.Candidate{URL: url, Score: crawler.MaxScore, How: crawler.Seed})
	}
	if err := links.Push(ctx, seeds); err != nil {
		return stats, err
	}
	c, err := crawler.New(crawler.Options{Frontier: links, Fetcher: fetcher, Strategy: s, Budget: pages})
	if err != nil {
		return stats, err
	}
	return c.Run(ctx)
}

// line is one of `eventseer export --format jsonl`.
const line = `{"id":"icx-2027","url":"https://icx.example/2027/","title":"International Conference on Examples","acronym":"ICX","year":2027,"deadlines":[{"kind":"submission","date":"2027-03-01"}]}`

func main() {
	stats, err := crawl(anchorFirst{}, 100)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d pages, %d targets\n", stats.Pages, stats.Targets)
	event, ok, err := exchange.ReadRecord([]byte(line))
	if err != nil || !ok {
		log.Fatal("no record: ", err)
	}
	fmt.Println(event.Acronym, event.Deadlines[0].Date)
}
