package record

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/features/tagtree/tagtreetest"
	"github.com/eventseer/eventseer/internal/golden"
)

// TestRegionsOfGoldPages scores Regions and both baselines on the list pages with gold. A gold
// record is found if exactly one record of a method has its title, and has no other gold record's
// title. ../shared/tools/score_wrapper.py is stricter.
func TestRegionsOfGoldPages(t *testing.T) {
	gold := golden.SharedPath(t, "corpora/wrapper/lists.jsonl")
	methods := []struct {
		name  string
		run   func(*tagtree.Tree) []Region
		least float64
	}{{"eventseer", Find, 0.97}, {"mdr", FindMDR, 0}, {"iepad", FindIEPAD, 0}}
	found, all := make([]int, len(methods)), 0
	f, err := os.Open(gold)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var page struct {
			File    string
			Records []struct{ Title string }
		}
		if err := json.Unmarshal(lines.Bytes(), &page); err != nil {
			t.Fatal(err)
		}
		body, err := os.ReadFile(filepath.Join(filepath.Dir(gold), "lists", filepath.Base(page.File)))
		if err != nil {
			t.Fatal(err)
		}
		tree := tagtreetest.Parse(t, string(body))
		titles := make([]string, len(page.Records))
		for i, r := range page.Records {
			titles[i] = wordsOf(r.Title)
		}
		all += len(titles)
		for i, m := range methods {
			found[i] += foundTitles(m.run(tree), titles)
		}
	}
	for i, m := range methods {
		share := float64(found[i]) / float64(all)
		t.Logf("%s: %d of %d records (%.3f)", m.name, found[i], all, share)
		if share < m.least {
			t.Errorf("%s found %.3f of the records, want %.2f", m.name, share, m.least)
		}
	}
}

// foundTitles counts the titles that are alone in a record, each record counted once.
func foundTitles(regions []Region, titles []string) int {
	used := make([]bool, len(titles))
	n := 0
	for _, region := range regions {
		for _, r := range region.Records {
			text, held, at := wordsOf(r.Text()), 0, -1
			for i, title := range titles {
				if strings.Contains(text, title) {
					held++
					if at < 0 && !used[i] {
						at = i
					}
				}
			}
			if at >= 0 && held == strings.Count(strings.Join(titles, "\n"), titles[at]) {
				used[at] = true
				n++
			}
		}
	}
	return n
}

// wordsOf folds a text to its words between spaces.
func wordsOf(s string) string {
	return " " + strings.Join(strings.FieldsFunc(strings.ToLower(s), isNoWord), " ") + " "
}

func isNoWord(r rune) bool {
	return strings.ContainsRune(" \t\n.,;:!?()[]{}'\"“”’‘–—-/&|", r)
}
