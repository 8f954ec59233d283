package split_test

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/datasets/split"
	"github.com/eventseer/eventseer/internal/golden"
)

// The table is the one that the seed gives.
func TestSitesTable(t *testing.T) {
	part := map[bool]string{false: "work", true: "validation"}
	count := map[string]int{}
	for line := range strings.Lines(split.SitesTable) {
		site, got, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if want := part[split.IsValidation(site)]; got != want {
			t.Errorf("%s: %s in the table, %s by the seed", site, got, want)
		}
		count[got]++
	}
	if count["work"] != 132 || count["validation"] != 58 {
		t.Errorf("%v, want 132 for work and 58 for validation", count)
	}
}

// Every site of the corpus is in the table, and no other.
func TestSitesTableIsWhole(t *testing.T) {
	f, err := os.Open(golden.SharedPath(t, "corpora/sites/sites.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	left := map[string]bool{}
	for line := range strings.Lines(split.SitesTable) {
		site, _, _ := strings.Cut(line, "\t")
		left[site] = true
	}
	s := bufio.NewScanner(f)
	s.Buffer(nil, 1<<24)
	for s.Scan() {
		var r struct{ Site string }
		if err := json.Unmarshal(s.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		if !left[r.Site] {
			t.Errorf("%s is not in the table", r.Site)
		}
		delete(left, r.Site)
	}
	if err := s.Err(); err != nil || len(left) > 0 {
		t.Errorf("left over: %v, error %v", left, err)
	}
}
