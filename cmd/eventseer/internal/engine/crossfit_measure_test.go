//go:build measure

package engine

import (
	"crypto/sha256"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"eventseer/datasets"
	"eventseer/eventseer/extract"
	"eventseer/features/tagtree"
	"eventseer/internal/golden"
	"eventseer/internal/warc"
)

// TestCrossFittedExtract writes what is read from the pages of EVENTSEER_PAGES, a file
// below ../shared, to EVENTSEER_OUT as `extract --all --format jsonl` does. Each page
// is read by the models of the folder EVENTSEER_FOLDS/K that were trained without its
// owner: K is the first byte of the SHA-256 of "fold OWNER", modulo 5. Validation sites, which
// nothing is trained on, are read by the shipped models with EVENTSEER_FOLDS unset.
//
//	EVENTSEER_FOLDS=DIR EVENTSEER_PAGES=corpora/sites/cfp.warc.gz EVENTSEER_OUT=OUT go test -tags measure -run TestCrossFittedExtract ./cmd/eventseer/internal/engine
func TestCrossFittedExtract(t *testing.T) {
	out, pages, folds := os.Getenv("EVENTSEER_OUT"), os.Getenv("EVENTSEER_PAGES"), os.Getenv("EVENTSEER_FOLDS")
	if out == "" || pages == "" {
		t.Skip("EVENTSEER_OUT and EVENTSEER_PAGES are not set")
	}
	cities, err := datasets.Cities()
	if err != nil {
		t.Fatal(err)
	}
	o := extract.Options{
		Now: func() time.Time { return time.Date(2026, 11, 24, 0, 0, 0, 0, time.UTC) },
		Cities: func(name string) (found []extract.City) {
			for _, c := range cities.Lookup(name) {
				found = append(found, extract.City(c))
			}
			return found
		},
	}
	var extractors []*extract.Extractor
	for _, k := range []string{"0", "1", "2", "3", "4"} {
		if folds != "" {
			o.Models = os.DirFS(filepath.Join(folds, k))
		}
		extractors = append(extractors, extract.New(o))
	}
	f, err := os.Create(out)
	if err != nil {
		t.Fatal(err)
	}
	enc := json.NewEncoder(f)
	for page, err := range warc.Pages(golden.Shared(t, pages)) {
		if err != nil {
			t.Error(err)
			continue
		}
		tree, err := tagtree.Parse(page)
		if err != nil {
			t.Log(page.URL, err)
			continue
		}
		if e, ok := extractors[siteFold(t, page.URL)].Extract(tree); ok {
			if err := enc.Encode(e); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// owners are the owners of the pages of gold by URL: their addresses do not name them.
var owners map[string]string

func siteFold(t *testing.T, url string) int {
	if owners == nil {
		owners = map[string]string{}
		f, err := os.Open(golden.Shared(t, "corpora/gold/gold.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		dec := json.NewDecoder(f)
		for {
			var r struct {
				URL    string
				Source struct{ Repo string }
			}
			if err := dec.Decode(&r); err == io.EOF {
				break
			} else if err != nil {
				t.Fatal(err)
			}
			owners[r.URL], _, _ = strings.Cut(strings.ToLower(r.Source.Repo), "/")
		}
	}
	owner, ok := owners[url]
	if !ok { // OWNER.github.io
		owner, _, _ = strings.Cut(strings.TrimPrefix(strings.ToLower(url), "https://"), ".")
	}
	return int(sha256.Sum256([]byte("fold " + owner))[0]) % 5
}
