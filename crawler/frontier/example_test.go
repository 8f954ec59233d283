package frontier_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/frontier"
)

// A crawl in small: the best link first, until no link waits.
func Example() {
	dir, err := os.MkdirTemp("", "frontier")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	f, err := frontier.Open(filepath.Join(dir, "frontier.db"), frontier.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer f.Close()
	ctx := context.Background()
	err = f.Push(ctx, []crawler.Candidate{
		{URL: "https://list.example.net/", Score: 0.4, How: crawler.Seed},
		{URL: "https://conf.example.org/2027/cfp", Score: 0.9, How: crawler.Seed},
	})
	for err == nil {
		var l crawler.Lease
		if l, err = f.Next(ctx); err == nil {
			fmt.Println(l.Score, l.URL)
			err = f.Done(ctx, crawler.End{Lease: l, Outcome: crawler.Outcome{Fate: crawler.Fetched, Status: 200, Cost: 1}})
		}
	}
	fmt.Println(errors.Is(err, crawler.ErrDrained))
	// Output:
	// 0.9 https://conf.example.org/2027/cfp
	// 0.4 https://list.example.net/
	// true
}
