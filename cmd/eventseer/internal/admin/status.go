package admin

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/crawler/backlink"
	"github.com/eventseer/eventseer/crawler/rundir"
	"github.com/eventseer/eventseer/internal/text"
)

// A CrawlStatus is the state of a crawl: the record of crawl status and of /status.
type CrawlStatus struct {
	Data    string         `json:"data"`
	Running bool           `json:"running"`
	At      time.Time      `json:"at"`
	Links   map[string]int `json:"links"` // number of links by state, of ended links by fate
	Hosts   map[string]int `json:"hosts"` // known hosts, and those with waiting links: ready, resting, busy, dead, spent
	Spent   float64        `json:"spent"` // pages of budget
	NextDue *time.Time     `json:"next_due"`
	Top     []hostStatus   `json:"top"`  // the hosts with the best waiting links
	Last    *rundir.Page   `json:"last"` // last page of the newest run, null if there is none
	// Providers are the ones that were queried for backlinks.
	Providers []providerStatus `json:"providers,omitempty"`
}

// A hostStatus is the state of a host.
type hostStatus struct {
	Host    string     `json:"host"`
	State   string     `json:"state"`
	Waiting int        `json:"waiting"`
	Fetched int        `json:"fetched"`
	Due     *time.Time `json:"due"`
	Why     string     `json:"why,omitempty"` // reason why it is not requested now
	// Failures is the number of consecutive failures, Reason the reason of the last one.
	Failures int    `json:"failures,omitempty"`
	Reason   string `json:"reason,omitempty"`
	// CrawlDelay and Latency are in seconds: the delay in its robots.txt, and its response time.
	CrawlDelay float64 `json:"crawl_delay,omitempty"`
	Latency    float64 `json:"latency,omitempty"`
	Addr       string  `json:"addr,omitempty"`
}

// describe describes a host in one line.
func (h *hostStatus) describe() string {
	facts := []string{h.Host, text.Count(int(h.Fetched), "page", "pages") + " fetched"}
	if h.Latency > 0 {
		facts = append(facts, fmt.Sprintf("responses take %.3gs", h.Latency))
	}
	if h.CrawlDelay > 0 {
		facts = append(facts, fmt.Sprintf("robots.txt asks for %gs between requests", h.CrawlDelay))
	}
	if h.Failures > 0 {
		facts = append(facts, fmt.Sprintf("%d failures in a row, the last: %s", h.Failures, h.Reason))
	}
	if h.Addr != "" {
		facts = append(facts, "at "+h.Addr)
	}
	return strings.Join(facts, ", ")
}

// Table writes the status as text for users.
func (s CrawlStatus) Table(w io.Writer) error {
	t := app.NewTabWriter(w)
	running := "not running"
	if s.Running {
		running = "running"
	}
	fmt.Fprintf(t, "crawl\t%s, %s\n", running, text.Printable(s.Data))
	fmt.Fprintf(t, "spent\t%g pages\n", s.Spent)
	fmt.Fprintf(t, "links\t%s\n", CountsText(s.Links))
	fmt.Fprintf(t, "hosts\t%s\n", CountsText(s.Hosts))
	if s.NextDue != nil {
		fmt.Fprintf(t, "next due\t%s\n", TimeText(*s.NextDue, s.At))
	}
	if p := s.Last; p != nil {
		fmt.Fprintf(t, "last page\t%d %s: %s, status %d, %s\n", p.N, p.How, text.Printable(p.URL), p.Status, TimeText(p.T, s.At))
	}
	for n, p := range s.Providers {
		name := "backlinks"
		if n > 0 {
			name = ""
		}
		fmt.Fprintf(t, "%s\t%s\n", name, text.Printable(p.Describe()))
	}
	if len(s.Top) > 0 {
		fmt.Fprintf(t, "\nWAITING\tFETCHED\tHOST\tSTATE\tDUE\tWHY\n")
	}
	for _, h := range s.Top {
		due := "now"
		if h.Due != nil && h.Due.After(s.At) {
			due = TimeText(*h.Due, s.At)
		}
		fmt.Fprintf(t, "%d\t%d\t%s\t%s\t%s\t%s\n", h.Waiting, h.Fetched, text.Printable(h.Host), h.State, due, text.Printable(h.Why))
	}
	return t.Flush()
}

// CountsText lists counts, the largest first.
func CountsText(counts map[string]int) string {
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	var parts []string
	for _, name := range names {
		if counts[name] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[name], strings.ReplaceAll(name, "_", " ")))
		}
	}
	return cmp.Or(strings.Join(parts, ", "), "none")
}

// TimeText returns a time and its distance from now.
func TimeText(t, now time.Time) string {
	text := t.UTC().Format(time.RFC3339)
	switch d := t.Sub(now).Round(time.Second); {
	case d > 0:
		return fmt.Sprintf("%s (in %s)", text, durationText(d))
	case d < 0:
		return fmt.Sprintf("%s (%s ago)", text, durationText(-d))
	}
	return text + " (now)"
}

// durationText prints a positive duration, one of days without its minutes.
func durationText(d time.Duration) string {
	const day = 24 * time.Hour
	if d < 2*day {
		return d.String()
	}
	return fmt.Sprintf("%dd%dh", d/day, d%day/time.Hour)
}

// A ProviderRecord counts the results of querying a provider in a crawl: part of run.json.
type ProviderRecord struct {
	Name string `json:"name"`
	backlink.Tally
}

// TalliesOf returns the counts of a chain's providers over all crawls so far.
func TalliesOf(c *backlink.Chain) map[string]backlink.Tally {
	tallies := map[string]backlink.Tally{}
	for _, s := range c.Standings() {
		if s.Tally != (backlink.Tally{}) {
			tallies[s.Name] = s.Tally
		}
	}
	return tallies
}

// ProviderRecords returns the counts of the providers queried since before.
func ProviderRecords(c *backlink.Chain, before map[string]backlink.Tally) []ProviderRecord {
	var records []ProviderRecord
	for _, s := range c.Standings() {
		if t := s.Tally.Since(before[s.Name]); t.Asked > 0 || t.Visited > 0 {
			records = append(records, ProviderRecord{s.Name, t})
		}
	}
	return records
}

// DescribeProviders returns one line on the results of backlink queries, "" if there were none.
func DescribeProviders(records []ProviderRecord) string {
	var parts []string
	for _, r := range records {
		part := fmt.Sprintf("%s queried %s: %s, %s", r.Name, text.Count(r.Asked, "time", "times"), text.Count(r.Calls, "call", "calls"), text.Count(r.Returned, "link", "links"))
		if r.Cost > 0 {
			part += fmt.Sprintf(", cost %g", r.Cost)
		}
		if r.Visited > 0 {
			part += fmt.Sprintf(", %d of %d visited links verified", r.Verified, r.Visited)
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

// A providerStatus is the state of a provider: part of crawl status.
type providerStatus struct {
	backlink.Standing
	Trust float64 `json:"trust"` // share of its links that probably exist
}

// Describe describes a provider in one line.
func (p providerStatus) Describe() string {
	content := fmt.Sprintf("%s: %s, %s, %s, %d of %d visited links verified", p.Name, text.Count(p.Asked, "query", "queries"),
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
