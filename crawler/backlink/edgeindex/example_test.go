package edgeindex_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/eventseer/eventseer/crawler/backlink"
	"github.com/eventseer/eventseer/crawler/backlink/edgeindex"
)

// An index of another party's crawl is built once and then queried without network.
func ExampleBuild() {
	dir, err := os.MkdirTemp("", "edges")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	list := filepath.Join(dir, "links.tsv")
	text := "source\ttarget\tanchor\n" +
		"https://list.example/calls\thttps://conf.example/2027/cfp\tICX 2027\n" +
		"https://prof.example/\thttps://conf.example/2027/\tICX\n"
	if err := os.WriteFile(list, []byte(text), 0o644); err != nil {
		log.Fatal(err)
	}
	path := filepath.Join(dir, "web.edges")
	stats, err := edgeindex.Build(context.Background(), edgeindex.Options{Path: path, Inputs: []string{list}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(stats.Edges, "links")

	index, err := edgeindex.Open(path)
	if err != nil {
		log.Fatal(err)
	}
	defer index.Close()
	for _, scope := range []backlink.Scope{backlink.Page, backlink.Directory} {
		answer, err := index.Backlinks(context.Background(), backlink.Query{Target: "https://conf.example/2027/cfp", Scope: scope, Limit: 10})
		if err != nil {
			log.Fatal(err)
		}
		for _, l := range answer.Links {
			fmt.Println(scope, l.Source, l.Anchor)
		}
	}
	// Output:
	// 2 links
	// page https://list.example/calls ICX 2027
	// prefix https://list.example/calls ICX 2027
	// prefix https://prof.example/ ICX
}
