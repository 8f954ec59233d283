package main

import (
	"fmt"
	"strings"
	"time"

	"eventseer/crawler/backlink"
)

// A providerRecord is what came of asking a provider in a crawl: part of run.json.
type providerRecord struct {
	Name string `json:"name"`
	backlink.Tally
}

// talliesOf are the counts of a chain's providers so far, of all crawls.
func talliesOf(c *backlink.Chain) map[string]backlink.Tally {
	tallies := map[string]backlink.Tally{}
	for _, s := range c.Standings() {
		if s.Tally != (backlink.Tally{}) {
			tallies[s.Name] = s.Tally
		}
	}
	return tallies
}

// providerRecords are the counts of those asked since before.
func providerRecords(c *backlink.Chain, before map[string]backlink.Tally) []providerRecord {
	var records []providerRecord
	for _, s := range c.Standings() {
		if t := s.Tally.Since(before[s.Name]); t.Asked > 0 || t.Visited > 0 {
			records = append(records, providerRecord{s.Name, t})
		}
	}
	return records
}

// describeProviders says in a line what came of asking who links, "" if nobody
// was asked.
func describeProviders(records []providerRecord) string {
	var parts []string
	for _, r := range records {
		part := fmt.Sprintf("%s asked %s, %s, %s", r.Name, count(r.Asked, "time", "times"), count(r.Calls, "call", "calls"), count(r.Returned, "link", "links"))
		if r.Cost > 0 {
			part += fmt.Sprintf(", cost %g", r.Cost)
		}
		if r.Visited > 0 {
			part += fmt.Sprintf(", %d of %d visited verified", r.Verified, r.Visited)
		}
		if r.Dropped > 0 {
			part += ", " + count(r.Dropped, "row", "rows") + " left out"
		}
		if r.Failed > 0 {
			part += ", " + count(r.Failed, "failure", "failures")
		}
		parts = append(parts, part)
	}
	if parts == nil {
		return ""
	}
	return "backlinks: " + strings.Join(parts, "; ")
}

// A providerStatus is how a provider stands: part of crawl status.
type providerStatus struct {
	backlink.Standing
	Trust float64 `json:"trust"` // share of its links that can be expected to be there
}

// facts says in a line how a provider stands.
func (p providerStatus) facts() string {
	text := fmt.Sprintf("%s: %s, %s, %s, %d of %d visited verified", p.Name, count(p.Asked, "question", "questions"),
		count(p.Calls, "call", "calls"), count(p.Returned, "link", "links"), p.Verified, p.Visited)
	if p.DayCalls > 0 {
		text += fmt.Sprintf("; on %s %s, cost %g", p.Day, count(p.DayCalls, "call", "calls"), p.DayCost)
	}
	if p.Trouble != "" {
		text += fmt.Sprintf("; trouble: %s", p.Trouble)
	}
	if !p.Until.IsZero() {
		text += ", rests until " + p.Until.UTC().Format(time.RFC3339)
	}
	return text
}
