package edgeindex_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/crawler/backlink"
	"github.com/eventseer/eventseer/crawler/backlink/backlinktest"
	"github.com/eventseer/eventseer/crawler/backlink/edgeindex"
)

func TestEdgeIndexProvider(t *testing.T) {
	dir := t.TempDir()
	list, path := filepath.Join(dir, "links.txt"), filepath.Join(dir, "x.edges")
	var text strings.Builder
	for i := range 30 {
		for _, page := range []string{"", "cfp", "2027/", "2027/dates"} {
			fmt.Fprintf(&text, "https://s%d.net/%d http://conf.org/%s\n", i%20, i, page)
		}
	}
	if err := os.WriteFile(list, []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := edgeindex.Build(context.Background(), edgeindex.Options{Path: path, Inputs: []string{list}}); err != nil {
		t.Fatal(err)
	}
	backlinktest.Provider(t, backlinktest.Case{
		Open: func(t *testing.T) backlink.Provider {
			x, err := edgeindex.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = x.Close() }) // read only
			return x
		},
		Known: "https://conf.org/2027/dates", Unknown: "https://nobody.org/",
	})
}
