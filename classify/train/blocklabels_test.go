//go:build !race

package train

import (
	"os"
	"testing"

	"github.com/eventseer/eventseer/datasets"
	"github.com/eventseer/eventseer/features/tagtree"
)

// The labels in the repository fit the corpora.
func TestShippedBlockLabels(t *testing.T) {
	f, err := os.Open("../../datasets/blocks.tsv")
	if err != nil {
		t.Fatal(err)
	}
	all, err := datasets.ReadPageRoles(f, "blocks.tsv")
	_ = f.Close() // read only: nothing to lose
	if err != nil {
		t.Fatal(err)
	}
	of := map[string]datasets.PageRoles{}
	for _, p := range all {
		of[p.URL] = p
	}
	for _, name := range []string{"sites/sites.warc.gz", "gold/pages.warc.gz", "web/web.warc.gz"} {
		for page, err := range sharedPages(t, name) {
			if err != nil {
				t.Fatal(err)
			}
			labels, ok := of[page.URL]
			if !ok {
				continue
			}
			delete(of, page.URL)
			tree, err := tagtree.Parse(page)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := labelPage(tree, labels); err != nil {
				t.Errorf("%s: %v", page.URL, err)
			}
		}
	}
	if len(of) > 0 {
		t.Errorf("%d of %d labelled pages are in no corpus", len(of), len(all))
	}
	if len(all) < 500 {
		t.Errorf("%d pages", len(all))
	}
}
