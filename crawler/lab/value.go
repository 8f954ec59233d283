package lab

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/internal/tsv"
	"github.com/eventseer/eventseer/webgraph"
)

// A valueSum sums the values of a set of targets. The sum does not depend on their order: of the targets
// of one event the most valuable counts in full and the others count times Values.Again.
type valueSum struct {
	values crawler.Values // zero: every target counts 1
	best   map[string]float64
	sum    float64
}

func newValueSum(v crawler.Values) *valueSum { return &valueSum{values: v, best: map[string]float64{}} }

// add adds a target and returns by how much the sum grew.
func (s *valueSum) add(t Target) float64 {
	if s.values == (crawler.Values{}) {
		s.sum++
		return 1
	}
	value := s.values.ValueOf(t.Kind)
	if t.Past {
		value *= s.values.Past
	}
	gain := value
	if t.Event != "" {
		best := s.best[t.Event]
		gain = s.values.Again*value + (1-s.values.Again)*max(0, value-best)
		s.best[t.Event] = max(best, value)
	}
	s.sum += gain
	return gain
}

// ReadTargets reads the targets of all kinds from a TSV with the columns url and kind. Optional
// columns are event_site, and open, which is "no" if all deadlines of the call had passed when the
// crawl began. Targets are in order of URL. It is an error if none is of these kinds.
func ReadTargets(path string, kinds []string) ([]Target, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("targets: %w", err)
	}
	defer func() { _ = f.Close() }() // read only: nothing to lose
	var targets []Target
	err = tsv.Rows(f, []string{"url", "kind"}, []string{"event_site", "open"}, func(fields []string) error {
		url, err := webgraph.Canonical(fields[0])
		if open := fields[3]; open != "" && open != "yes" && open != "no" {
			err = errors.Join(err, fmt.Errorf("the column open has the value %.20q: write yes or no", open))
		}
		targets = append(targets, Target{URL: url, Kind: strings.Clone(fields[1]), Event: strings.Clone(fields[2]), Past: fields[3] == "no"})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("targets %s: %w", path, err)
	}
	if len(OfKinds(targets, kinds)) == 0 {
		return nil, fmt.Errorf("targets %s: no target has one of the kinds %s of --kinds", path, strings.Join(kinds, ", "))
	}
	slices.SortStableFunc(targets, func(x, y Target) int { return cmp.Compare(x.URL, y.URL) })
	return slices.CompactFunc(targets, func(x, y Target) bool { return x.URL == y.URL && x.Kind == y.Kind }), nil
}

// targetValue returns the value of the target at index i of TargetHits.
func (r *Run) targetValue(i int) float64 {
	if r.Worths == nil {
		return 1
	}
	return r.Worths[i]
}

// harvestValue returns the sum over 1…budget of the value of the targets fetched.
func (r *Run) harvestValue(budget int) float64 {
	sum := 0.0
	for i, at := range r.TargetHits[:r.TargetHits.CountAt(budget)] {
		sum += r.targetValue(i) * float64(budget+1-int(at))
	}
	return sum
}

// ValueAt returns the value of the targets fetched within the given number of pages.
func (r *Run) ValueAt(budget int) float64 {
	sum := 0.0
	for i := range r.TargetHits.CountAt(budget) {
		sum += r.targetValue(i)
	}
	return sum
}
