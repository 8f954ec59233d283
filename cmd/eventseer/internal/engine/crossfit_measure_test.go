//go:build measure

package engine

import (
	"crypto/sha256"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/internal/golden"
	"github.com/eventseer/eventseer/internal/warc"
)

// TestCrossFittedExtract reads the pages of EVENTSEER_PAGES, a file below ../shared, and writes the records
// to EVENTSEER_OUT like `extract --all --format jsonl`. Each page is read by the models in the folder
// EVENTSEER_FOLDS/K that were trained without its owner: K is the first byte of the SHA-256 of "fold OWNER",
// modulo 5. Validation sites, which are never used for training, are read by the shipped models with
// EVENTSEER_FOLDS unset.
//
//	EVENTSEER_FOLDS=DIR EVENTSEER_PAGES=corpora/sites/cfp.warc.gz EVENTSEER_OUT=OUT go test -tags measure -run TestCrossFittedExtract ./cmd/eventseer/internal/engine
func TestCrossFittedExtract(t *testing.T) {
	out, pages, folds := os.Getenv("EVENTSEER_OUT"), os.Getenv("EVENTSEER_PAGES"), os.Getenv("EVENTSEER_FOLDS")
	if out == "" || pages == "" {
		t.Skip("EVENTSEER_OUT and EVENTSEER_PAGES are not set")
	}
	extractors := foldExtractors(t, folds)
	f, err := os.Create(out)
	if err != nil {
		t.Fatal(err)
	}
	enc := json.NewEncoder(f)
	for page, err := range warc.Pages(golden.SharedPath(t, pages)) {
		if err != nil {
			t.Error(err)
			continue
		}
		tree, err := tagtree.Parse(page)
		if err != nil {
			t.Log(page.URL, err)
			continue
		}
		if _, known := pageOwners(t)[page.URL]; !known {
			continue // of a page without a record nothing is measured
		}
		e, ok := extractors[siteFold(t, page.URL)].Extract(tree)
		if ok || e.EventStart != "" || len(e.Deadlines) > 0 || len(e.Topics) > 0 { // a name in doubt is left out
			if err := enc.Encode(e); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// siteFold returns the fold of the owner of a page of gold or of a whole site.
func siteFold(t *testing.T, url string) int {
	owner, ok := pageOwners(t)[url]
	if !ok {
		t.Fatalf("%s: a page of no known owner", url)
	}
	return int(sha256.Sum256([]byte("fold " + owner))[0]) % 5
}

// pageOwners returns the owners of the pages of gold and of whole sites by URL.
var pageOwners = func() func(t *testing.T) map[string]string {
	var owners map[string]string
	return func(t *testing.T) map[string]string {
		if owners != nil {
			return owners
		}
		owners = map[string]string{}
		for _, name := range []string{"gold/gold.jsonl", "sites/sites.jsonl"} {
			b, err := os.ReadFile(golden.SharedPath(t, "corpora/"+name))
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(string(b)) {
				var r struct {
					URL, Site string
					Pages     []string
					Source    struct{ Repo string }
				}
				if err := json.Unmarshal([]byte(line), &r); err != nil {
					t.Fatal(err)
				}
				owner, _, _ := strings.Cut(strings.ToLower(r.Source.Repo), "/")
				for _, url := range append(r.Pages, r.URL) {
					owners[url] = owner
					owners[strings.TrimSuffix(url, "index.html")] = owner // the target of redirects of a host
				}
			}
		}
		return owners
	}
}()
