package tagtree

import (
	"fmt"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/webgraph"

	"github.com/google/go-cmp/cmp"
)

func entriesTree(t *testing.T, entries []webgraph.Entry) *Tree {
	t.Helper()
	tree, err := Parse(&webgraph.Page{URL: "https://conf.example/feed", Body: []byte("<rss>\x00"), Entries: entries})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func TestEntries(t *testing.T) {
	tree := entriesTree(t, []webgraph.Entry{
		{URL: "https://conf.example/cfp", Title: "Call for <papers>", Summary: "Due on  1 March."},
		{URL: "https://other.example/", Title: "A workshop"},
		{URL: "https://conf.example/feed", Title: "This feed"},
		{URL: "https://conf.example/untitled"},
		{URL: "javascript:alert(1)", Title: "Nothing"},
	})
	source := "https://conf.example/feed"
	want := []webgraph.Link{
		{Source: source, Target: "https://conf.example/cfp", Anchor: "Call for <papers>", Context: "Call for <papers> Due on 1 March.", Path: "html/body/ul/li[1]/a"},
		{Source: source, Target: "https://other.example/", Anchor: "A workshop", Context: "A workshop", Path: "html/body/ul/li[2]/a"},
		{Source: source, Target: "https://conf.example/untitled", Path: "html/body/ul/li[4]/a"},
	}
	if diff := cmp.Diff(want, tree.Links()); diff != "" {
		t.Errorf("links, -want +got:\n%s", diff)
	}
	if got, want := tree.Text(), "Call for <papers> Due on 1 March.\nA workshop\nThis feed\nNothing"; got != want {
		t.Errorf("text %q, want %q", got, want)
	}
	a := tree.Analysis()
	if a.Kind != HubPage || len(a.Areas) != 1 || a.Areas[0].Kind != Hub || a.Areas[0].Links.Len() != 3 {
		t.Errorf("a %v page of %+v", a.Kind, a.Areas)
	}
	if p := tree.LinkPlace(0); p.After != "Due on 1 March." || p.Area == nil {
		t.Errorf("place %+v", p)
	}
}

func TestEntriesWithoutTitles(t *testing.T) {
	tree := entriesTree(t, []webgraph.Entry{{URL: "https://conf.example/a"}, {URL: "https://conf.example/b"}})
	if a := tree.Analysis(); len(tree.Links()) != 2 || tree.Text() != "" || a.Kind != HubPage || len(a.Areas) != 1 {
		t.Errorf("links %v, text %q, a %v page of %v", tree.Links(), tree.Text(), a.Kind, a.Areas)
	}
	if empty := entriesTree(t, []webgraph.Entry{}); len(empty.Links()) != 0 || empty.Analysis().Kind != HubPage {
		t.Errorf("an empty list has %v", empty.Links())
	}
}

func TestEntriesLimits(t *testing.T) {
	entries := make([]webgraph.Entry, maxLinks+10)
	for i := range entries {
		entries[i] = webgraph.Entry{URL: fmt.Sprintf("https://conf.example/%d", i), Title: strings.Repeat("x", 1000)}
	}
	tree := entriesTree(t, entries)
	if len(tree.Links()) > maxLinks || len(tree.Text()) > maxText || len([]rune(tree.Links()[0].Anchor)) > webgraph.MaxAnchor {
		t.Errorf("%d links, %d bytes of text", len(tree.Links()), len(tree.Text()))
	}
}
