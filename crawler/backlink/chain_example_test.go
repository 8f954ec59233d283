package backlink_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"

	"github.com/eventseer/eventseer/crawler/backlink"
	"github.com/eventseer/eventseer/webgraph"
)

// A chain queries our own links first and then providers, here a links file in place of a service. Paid
// answers are cached, so they cost nothing again.
func ExampleNewChain() {
	dir, err := os.MkdirTemp("", "links")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	own, err := backlink.OpenLinkDB(filepath.Join(dir, "links.db"), backlink.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer own.Close()
	const cfp = "https://conf.example/2027/cfp"
	ctx := context.Background()
	if err := own.Add(ctx, []webgraph.Link{{Source: "https://prof.example/", Target: cfp, Anchor: "ICX"}}); err != nil {
		log.Fatal(err)
	}
	service := backlink.NewEdgeList(slices.Values([]webgraph.Link{
		{Source: "https://list.example/calls", Target: cfp, Anchor: "ICX 2027"},
	}), backlink.Spec{Coverage: 1})

	chain, err := backlink.NewChain(backlink.ChainOptions{Links: own, Sources: []backlink.Source{{Provider: service}}})
	if err != nil {
		log.Fatal(err)
	}
	for range 2 {
		for _, r := range chain.QueryAll(ctx, backlink.BroadcastQuery{Target: cfp, Limit: 10}) {
			fmt.Println(r.Provider, len(r.Links), "links,", r.Calls, "calls")
		}
	}
	// Output:
	// own 1 links, 0 calls
	// links-file 1 links, 1 calls
	// own 1 links, 0 calls
	// links-file 1 links, 0 calls
}
