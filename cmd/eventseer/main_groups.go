package main

import (
	"strings"

	"github.com/spf13/cobra"
)

// verbGroups are the headings of eventseer --help with the verbs under each.
var verbGroups = []struct{ title, verbs string }{
	{"Begin:", "demo init doctor config version"},
	{"Find and serve calls:", "find show export import serve clip publish mail user"},
	{"Crawl and watch:", "crawl monitor control worker diff backlinks robots web graph"},
	{"Look at pages:", "classify extract analyze slice wrapper testcase"},
	{"Keep the data:", "check backup migrate compact healthcheck"},
	{"Learn and measure:", "train eval model label data lab"},
}

// group puts the verbs under their headings, in alphabetical order each.
func group(root *cobra.Command) {
	for _, g := range verbGroups {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title})
		for verb := range strings.FieldsSeq(g.verbs) {
			if cmd, _, err := root.Find([]string{verb}); err == nil && cmd != root {
				cmd.GroupID = g.title
			}
		}
	}
}
