package slicer_test

import (
	"context"
	"fmt"
	"net/http"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/slicer"
	"github.com/eventseer/eventseer/features/tagtree/slice"
	"github.com/eventseer/eventseer/webgraph"
)

// pages is a web in memory.
type pages map[string]string

func (p pages) Fetch(_ context.Context, r crawler.Request) (*webgraph.Page, error) {
	return &webgraph.Page{URL: r.URL, Requested: r.URL, Status: http.StatusOK, Body: []byte(p[r.URL])}, nil
}

// The passages about deadlines on the pages of a small site, the nearest first.
func ExampleRun() {
	web := pages{
		"https://conf.example/":      `<ul><li><a href="/dates">Deadlines</a></li></ul><div><p><a href="/rooms">Rooms</a></p></div>`,
		"https://conf.example/dates": `<p>The deadline for papers is 12 March.</p>`,
	}
	query, err := slice.ParseQuery("deadline OR deadlines")
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	start, _ := web.Fetch(ctx, crawler.Request{URL: "https://conf.example/"})
	sum, err := slicer.Run(ctx, start, slicer.Options{Query: query, Precision: 1, Fetcher: web}, func(r *slicer.Result) error {
		fmt.Println(r.D, r.Pages, r.Slice.Text())
		return nil
	})
	fmt.Println(sum.End, sum.Pages, err)
	// Output:
	// 0 0 Deadlines
	// 0 1 The deadline for papers is 12 March.
	// exhausted 2 <nil>
}
