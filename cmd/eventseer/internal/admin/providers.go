package admin

import (
	"fmt"
	"strings"
	"time"

	"eventseer/crawler/backlink"
	"eventseer/internal/text"
)

// A ProviderRecord is what came of asking a provider in a crawl: part of run.json.
type ProviderRecord struct {
	Name string `json:"name"`
	backlink.Tally
}

// TalliesOf are the counts of a chain's providers so far, of all crawls.
func TalliesOf(c *backlink.Chain) map[string]backlink.Tally {
	tallies := map[string]backlink.Tally{}
	for _, s := range c.Standings() {
		if s.Tally != (backlink.Tally{}) {
			tallies[s.Name] = s.Tally
		}
	}
	return tallies
}

// ProviderRecords are the counts of those asked since before.
func ProviderRecords(c *backlink.Chain, before map[string]backlink.Tally) []ProviderRecord {
	var records []ProviderRecord
	for _, s := range c.Standings() {
		if t := s.Tally.Since(before[s.Name]); t.Asked > 0 || t.Visited > 0 {
			records = append(records, ProviderRecord{s.Name, t})
		}
	}
	return records
}

// DescribeProviders says in a line what came of asking who links, "" if nobody
// was asked.
func DescribeProviders(records []ProviderRecord) string {
	var parts []string
	for _, r := range records {
		part := fmt.Sprintf("%s asked %s, %s, %s", r.Name, text.Count(r.Asked, "time", "times"), text.Count(r.Calls, "call", "calls"), text.Count(r.Returned, "link", "links"))
		if r.Cost > 0 {
			part += fmt.Sprintf(", cost %g", r.Cost)
		}
		if r.Visited > 0 {
			part += fmt.Sprintf(", %d of %d visited verified", r.Verified, r.Visited)
		}
		if r.Dropped > 0 {
			part += ", " + text.Count(r.Dropped, "row", "rows") + " left out"
		}
		if r.Failed > 0 {
			part += ", " + text.Count(r.Failed, "failure", "failures")
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

// Facts says in a line how a provider stands.
func (p providerStatus) Facts() string {
	content := fmt.Sprintf("%s: %s, %s, %s, %d of %d visited verified", p.Name, text.Count(p.Asked, "question", "questions"),
		text.Count(p.Calls, "call", "calls"), text.Count(p.Returned, "link", "links"), p.Verified, p.Visited)
	if p.DayCalls > 0 {
		content += fmt.Sprintf("; on %s %s, cost %g", p.Day, text.Count(p.DayCalls, "call", "calls"), p.DayCost)
	}
	if p.Trouble != "" {
		content += fmt.Sprintf("; trouble: %s", p.Trouble)
	}
	if !p.Until.IsZero() {
		content += ", rests until " + p.Until.UTC().Format(time.RFC3339)
	}
	return content
}
