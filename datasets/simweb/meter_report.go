package simweb

import (
	"context"
	"slices"
)

// A MeterReport says what was asked of a web, and what could have been found there.
type MeterReport struct {
	MeterCounts
	Hosts    int         `json:"hosts"` // asked
	Examples []Violation `json:"examples,omitempty"`
	// Complete says that the rest was counted.
	Complete       bool     `json:"complete"`
	Reachable      int      `json:"reachable,omitempty"`       // pages; see Large.Reachable
	Missing        int      `json:"missing,omitempty"`         // reachable pages that were not fetched
	TargetsMissing int      `json:"targets_missing,omitempty"` // of them calls
	MissingSome    []string `json:"missing_some,omitempty"`    // the first of them
	Beyond         int      `json:"beyond,omitempty"`          // pages fetched that are not reachable
}

// maxMissing is how many missing pages are named.
const maxMissing = 20

// Report says what was counted until now.
func (m *Meter) Report() MeterReport {
	m.mu.Lock()
	defer m.mu.Unlock()
	return MeterReport{MeterCounts: m.count, Hosts: len(m.hosts), Examples: slices.Clone(m.some)}
}

// Compare is Report with what could be reached from URLs: it takes a few microseconds
// a page of the web.
func (m *Meter) Compare(ctx context.Context, from []string) (MeterReport, error) {
	r := m.Report()
	m.mu.Lock()
	seen := slices.Clone(m.seen)
	m.mu.Unlock()
	found := 0
	err := m.web.Reachable(ctx, from, func(url string) bool {
		r.Reachable++
		p, ok := m.web.placeOf(url)
		if ok && seen.has(p.n) {
			found++
			return true
		}
		r.Missing++
		if ok && p.kind == CFP {
			r.TargetsMissing++
		}
		if len(r.MissingSome) < maxMissing {
			r.MissingSome = append(r.MissingSome, url)
		}
		return true
	})
	r.Beyond = seen.len() - found
	r.Complete = err == nil
	return r, err
}

// Fetched calls each with the URL of every page that was answered with 200, in the
// order of their numbers, until each returns an error, which it returns.
func (m *Meter) Fetched(each func(url string) error) error {
	m.mu.Lock()
	seen := slices.Clone(m.seen)
	m.mu.Unlock()
	for n := range m.web.o.Pages {
		if !seen.has(n) {
			continue
		}
		if err := each(m.web.url(m.web.place(n))); err != nil {
			return err
		}
	}
	return nil
}
