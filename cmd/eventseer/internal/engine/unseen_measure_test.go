//go:build measure

package engine

import (
	"crypto/sha256"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/datasets"
	"github.com/eventseer/eventseer/datasets/split"
	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/extract"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/internal/golden"
	"github.com/eventseer/eventseer/internal/warc"
)

// TestUnseenPages prints, for each field, the share of right values on the pages of split.UnseenTable. Each
// is read by the models of EVENTSEER_FOLDS/K, trained without its owner, as in TestCrossFittedExtract, or by
// the shipped ones if that is unset. Records of the open part, of which errors may be read, are written to
// EVENTSEER_OUT if that is set.
//
//	EVENTSEER_FOLDS=DIR EVENTSEER_PART=open go test -tags measure -run TestUnseenPages -v ./cmd/eventseer/internal/engine
func TestUnseenPages(t *testing.T) {
	part := os.Getenv("EVENTSEER_PART")
	if part == "" {
		t.Skip("EVENTSEER_PART is neither open nor aside")
	}
	wanted := map[string]split.UnseenPage{}
	list, err := split.UnseenPages()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range list {
		if p.Part == part {
			wanted[p.URL] = p
		}
	}
	extractors := foldExtractors(t, os.Getenv("EVENTSEER_FOLDS"))
	var encoder *json.Encoder
	if name := os.Getenv("EVENTSEER_OUT"); name != "" && part == "open" {
		f, err := os.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		encoder = json.NewEncoder(f)
	}
	tallies := map[string]*[3]int{} // right, too many, missed
	for _, name := range []string{"pages/pages.warc.gz", "web/web.warc.gz", "sites/sites.warc.gz"} {
		for page, err := range warc.Pages(golden.SharedPath(t, "corpora/"+name)) {
			if err != nil {
				continue
			}
			p, ok := wanted[page.URL]
			if !ok {
				continue
			}
			tree, err := tagtree.Parse(page)
			if err != nil {
				t.Errorf("%s: %v", page.URL, err)
				continue
			}
			delete(wanted, page.URL)
			e, _ := extractors[sha256.Sum256([]byte("fold " + p.Owner))[0]%5].Extract(tree)
			scoreUnseen(tallies, p, e)
			if encoder != nil {
				if err := encoder.Encode(e); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	for url := range wanted {
		t.Errorf("%s: not in the corpora", url)
	}
	for _, field := range []string{"city", "country", "submission", "extended", "topics", "committee"} {
		n := tallies[field]
		t.Logf("%-10s right %3d, too many %3d, missed %3d, F1 %.3f", field, n[0], n[1], n[2], 2*float64(n[0])/float64(max(2*n[0]+n[1]+n[2], 1)))
	}
}

// foldExtractors returns five extractors, of the models of the folders dir/0 to dir/4 or, if dir is
// "", of the shipped ones.
func foldExtractors(t *testing.T, dir string) (out []*extract.Extractor) {
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
	for _, k := range []string{"0", "1", "2", "3", "4"} {
		if dir != "" {
			o.Models = os.DirFS(filepath.Join(dir, k))
		}
		out = append(out, extract.New(o))
	}
	return out
}

// scoreUnseen adds to the tallies of fields the right, the wrong and the missing values of a record.
func scoreUnseen(tallies map[string]*[3]int, p split.UnseenPage, e eventseer.Event) {
	add := func(field string, known, found, others []string) {
		n := tallies[field]
		if n == nil {
			n = new([3]int)
			tallies[field] = n
		}
		if slices.Contains(known, split.NotScored) {
			return
		}
		seen := map[string]bool{}
		for _, f := range found {
			switch {
			case seen[f]:
			case slices.Contains(known, f):
				n[0]++
			case !slices.Contains(others, f):
				n[1]++
			}
			seen[f] = true
		}
		for _, k := range known {
			if !seen[k] {
				n[2]++
			}
		}
	}
	var submissions, extensions, topics, people []string
	for _, d := range e.Deadlines {
		kind := string(d.Kind)
		if kind == "abstract" || kind == "submission" {
			submissions = append(submissions, string(d.Date))
		}
		if d.ExtendedFrom != "" {
			extensions = append(extensions, kind+" "+string(d.Date)+" "+string(d.ExtendedFrom))
		}
	}
	for _, s := range e.Topics {
		topics = append(topics, split.FactDigest(p.URL, s))
	}
	for _, q := range e.Committee {
		people = append(people, split.FactDigest(p.URL, q.Name))
	}
	one := func(s string) []string {
		if s == "" {
			return nil
		}
		return []string{s}
	}
	var place eventseer.Venue
	if e.Location != nil {
		place = *e.Location
	}
	city := one(place.City)
	if slices.ContainsFunc(p.Cities, func(s string) bool { return split.FactDigest("", s) == split.FactDigest("", place.City) }) {
		city = p.Cities[:1]
	}
	add("city", p.Cities[:min(len(p.Cities), 1)], city, nil)
	if p.Country != "" || len(p.Cities) == 0 { // a country may rightly be known from its city
		country := one(place.Country)
		if strings.EqualFold(place.Country, p.Country) {
			country = one(p.Country)
		}
		add("country", one(p.Country), country, nil)
	}
	add("submission", p.Submissions, submissions, nil)
	add("extended", p.Extensions, extensions, nil)
	add("topics", p.Topics, topics, nil)
	add("committee", p.People, people, p.Others)
}
