package contextgraph_test

import (
	"context"
	"fmt"
	"slices"

	"github.com/eventseer/eventseer/contextgraph"
	"github.com/eventseer/eventseer/webgraph"
)

// A list links to a call, and a portal to the list: one and two links away.
func ExampleBuild() {
	links, _, err := contextgraph.NewLinkGraph("links", slices.Values([]webgraph.Link{
		{Source: "https://list.example/", Target: "https://conf.example/cfp", Anchor: "Conf 2027"},
		{Source: "https://portal.example/", Target: "https://list.example/", Anchor: "calls"},
	}))
	if err != nil {
		fmt.Println(err)
		return
	}
	g, err := contextgraph.Build(context.Background(), []string{"https://conf.example/cfp"}, contextgraph.Options{Asker: links.BacklinkSource()})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, n := range g.Nodes {
		fmt.Println(n.Layer, n.URL)
	}
	// Output:
	// 0 https://conf.example/cfp
	// 1 https://list.example/
	// 2 https://portal.example/
}
