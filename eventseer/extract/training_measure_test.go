//go:build measure

package extract

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/datasets/split"
	"github.com/eventseer/eventseer/internal/golden"
	"github.com/eventseer/eventseer/internal/warc"
	"github.com/eventseer/eventseer/webgraph"
)

// trainingFolds is the number of parts to which owners of training pages are assigned.
const trainingFolds = 5

// A trainingCorpus is a part of the corpora used for training.
type trainingCorpus string

const (
	goldCorpus trainingCorpus = "gold" // pages with calls, each of a different repository
	callCorpus trainingCorpus = "call" // the page with the call of each work site
	siteCorpus trainingCorpus = "site" // the other pages of the work sites
)

// A trainingPage is a page used for training.
type trainingPage struct {
	page   *webgraph.Page
	owner  string // owner of the repository, in lower case; all pages of an owner are in one fold
	corpus trainingCorpus
	// record is the JSON labelled by readers for the page, or for siteCorpus for the whole site.
	record json.RawMessage
}

// foldOf returns the part of an owner, from 0 to trainingFolds-1. It is the same as in
// TestCrossFittedExtract.
func foldOf(owner string) int {
	return int(sha256.Sum256([]byte("fold " + owner))[0]) % trainingFolds
}

// trainingPages yields the pages of some corpora, each once. Validation sites are left out; a page of an
// owner of a validation site fails the test.
func trainingPages(t *testing.T, corpora ...trainingCorpus) iter.Seq[*trainingPage] {
	known := map[string]*trainingPage{}
	add := func(url, owner string, corpus trainingCorpus, record json.RawMessage) {
		known[url] = &trainingPage{owner: strings.ToLower(owner), corpus: corpus, record: record}
	}
	validation := validationOwners()
	for _, line := range sharedLines(t, "corpora/sites/sites.jsonl") {
		var r struct {
			Site, CFP   string
			Pages       []string
			Event, Says json.RawMessage
		}
		decode(t, line, &r)
		if split.IsValidation(r.Site) {
			continue
		}
		owner, _, _ := strings.Cut(r.Site, "__")
		for _, url := range r.Pages {
			add(url, owner, siteCorpus, r.Event)
		}
		add(r.CFP, owner, callCorpus, r.Says)
	}
	for _, line := range sharedLines(t, "corpora/gold/gold.jsonl") {
		var r struct {
			URL    string
			Source struct{ Repo string }
		}
		decode(t, line, &r)
		owner, _, _ := strings.Cut(r.Source.Repo, "/")
		add(r.URL, owner, goldCorpus, line)
	}
	wanted := map[trainingCorpus]bool{}
	for _, c := range corpora {
		wanted[c] = true
	}
	return func(yield func(*trainingPage) bool) {
		for _, f := range []struct {
			name string
			read bool
		}{
			{"gold/pages.warc.gz", wanted[goldCorpus]},
			{"sites/cfp.warc.gz", wanted[callCorpus]},
			{"sites/sites.warc.gz", wanted[siteCorpus]},
		} {
			if !f.read {
				continue
			}
			for page, err := range warc.Pages(golden.SharedPath(t, "corpora/"+f.name)) {
				if err != nil {
					t.Log(f.name, err)
					continue
				}
				p := known[page.URL]
				if p == nil {
					p = known[page.URL+"index.html"] // which the records name, and redirects to its folder
				}
				if p == nil || p.page != nil || page.Status != http.StatusOK || !wanted[p.corpus] {
					continue
				}
				if validation[p.owner] {
					t.Fatalf("%s: %s owns a site for validation", page.URL, p.owner)
				}
				p.page = page
				if !yield(p) {
					return
				}
			}
		}
	}
}

// validationOwners returns the owners of validation sites, in lower case.
func validationOwners() map[string]bool {
	owners := map[string]bool{}
	for line := range strings.Lines(split.SitesTable) {
		if site, _, _ := strings.Cut(line, "\t"); split.IsValidation(site) {
			owner, _, _ := strings.Cut(strings.ToLower(site), "__")
			owners[owner] = true
		}
	}
	return owners
}

func decode(t *testing.T, b []byte, v any) {
	if err := json.Unmarshal(b, v); err != nil {
		t.Fatal(err)
	}
}

// foldModels reads a model of each of the folders dir/0, dir/1 and so on, trained without the owners of
// that fold. The shipped model replaces a missing one.
func foldModels[M any](t *testing.T, dir, name string, read func(io.Reader) (M, error)) []M {
	var out []M
	for k := range trainingFolds {
		m, err := readModel(os.DirFS(filepath.Join(dir, fmt.Sprint(k))), name, read)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, m)
	}
	return out
}
