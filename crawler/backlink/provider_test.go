package backlink_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/eventseer/eventseer/crawler/backlink"
	"github.com/eventseer/eventseer/crawler/backlink/backlinktest"
	"github.com/eventseer/eventseer/crawler/backlink/edgeindex"
	"github.com/eventseer/eventseer/webgraph"
)

const (
	knownURL   = "https://conf.org/2027/cfp"
	unknownURL = "https://nobody.example/x/y"
)

// pointing are links to knownURL and around it.
var pointing = []webgraph.Link{
	{Source: "https://list.net/", Target: knownURL, Anchor: "CFP"},
	{Source: "https://home.edu/~ann/", Target: knownURL, Anchor: "call"},
	{Source: "https://blog.com/a?x=1", Target: knownURL, Anchor: "again"},
	{Source: "https://list.net/", Target: "https://conf.org/", Anchor: "Conf"},
	{Source: "https://other.net/", Target: "https://conf.org/2027/venue", Anchor: "there"},
	{Source: "https://www.conf.org/", Target: knownURL, Anchor: "own site"},
	{Source: "https://third.net/", Target: "https://www.conf.org/old", Anchor: "old"},
}

// wiki are links to knownURL from the pages of a wiki, by title.
var wiki = []webgraph.Link{
	{Source: "Conferences", Target: knownURL}, {Source: "Conf 2027", Target: knownURL}, {Source: "Events", Target: "https://conf.org/"},
}

func options(s *backlinktest.Server) backlink.ClientOptions {
	return backlink.ClientOptions{HTTP: s.Client()}
}

// TestProviders: every provider keeps the contract.
func TestProviders(t *testing.T) {
	for name, open := range map[string]func(t *testing.T) (backlink.Provider, error){
		"own": func(t *testing.T) (backlink.Provider, error) {
			d, err := backlink.OpenLinkDB(filepath.Join(t.TempDir(), "links.db"), backlink.Options{NoSync: true})
			if err != nil {
				return nil, err
			}
			t.Cleanup(func() { _ = d.Close() })
			return d, d.Add(t.Context(), pointing)
		},
		"links-file": func(*testing.T) (backlink.Provider, error) {
			return backlink.NewEdgeList(slices.Values(pointing), backlink.Spec{Coverage: 1}), nil
		},
		"edges": func(t *testing.T) (backlink.Provider, error) {
			dir := t.TempDir()
			text := "source\ttarget\tanchor\n"
			for _, l := range pointing {
				text += l.Source + "\t" + l.Target + "\t" + l.Anchor + "\n"
			}
			input, path := filepath.Join(dir, "links.tsv"), filepath.Join(dir, "edges")
			if err := os.WriteFile(input, []byte(text), 0o600); err != nil {
				return nil, err
			}
			if _, err := edgeindex.Build(t.Context(), edgeindex.Options{Path: path, Inputs: []string{input}}); err != nil {
				return nil, err
			}
			x, err := edgeindex.Open(path)
			if err == nil {
				t.Cleanup(func() { _ = x.Close() })
			}
			return x, err
		},
		"named": func(*testing.T) (backlink.Provider, error) {
			return backlink.WithName(backlink.NewEdgeList(slices.Values(pointing), backlink.Spec{Coverage: 1}), "links-file"), nil
		},
		"mediawiki": func(t *testing.T) (backlink.Provider, error) {
			s := backlinktest.NewMediaWiki(t, backlinktest.Options{Links: wiki})
			return backlink.NewMediaWiki(backlink.MediaWikiOptions{ClientOptions: options(s), API: s.URL})
		},
		"marginalia": func(t *testing.T) (backlink.Provider, error) {
			s := backlinktest.NewMarginalia(t, backlinktest.Options{Links: pointing})
			return backlink.NewMarginalia(backlink.MarginaliaOptions{ClientOptions: options(s), API: s.URL})
		},
		"moz": func(t *testing.T) (backlink.Provider, error) {
			s := backlinktest.NewMoz(t, backlinktest.Options{Links: pointing})
			return backlink.NewMoz(backlink.MozOptions{ClientOptions: options(s), API: s.URL, Token: "t"})
		},
		"searx": func(t *testing.T) (backlink.Provider, error) {
			s := backlinktest.NewSearX(t, backlinktest.Options{Links: pointing})
			return backlink.NewSearX(backlink.SearXOptions{ClientOptions: options(s), API: s.URL})
		},
	} {
		t.Run(name, func(t *testing.T) {
			backlinktest.Provider(t, backlinktest.Case{
				Known: knownURL, Unknown: unknownURL,
				Open: func(t *testing.T) backlink.Provider {
					p, err := open(t)
					if err != nil {
						t.Fatal(err)
					}
					return p
				},
			})
		})
	}
}
