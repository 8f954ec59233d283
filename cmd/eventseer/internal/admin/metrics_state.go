package admin

import (
	"eventseer/crawler"

	"github.com/prometheus/client_golang/prometheus"
)

// A StateCollector reads figures when somebody asks for the metrics.
type StateCollector struct {
	Described
	Stats  func() crawler.Stats
	Status func() (CrawlStatus, error)
	Budget float64
	Robots func() (files, bytes int) // nil where no robots.txt is remembered
}

// Collect implements prometheus.Collector.
func (c StateCollector) Collect(ch chan<- prometheus.Metric) {
	gauge := func(name, help string, labels ...string) func(float64, ...string) {
		return Family(ch, prometheus.GaugeValue, "eventseer_"+name, help, labels...)
	}
	if c.Robots != nil {
		files, bytes := c.Robots()
		gauge("robots_cached_files", "Files robots.txt remembered.")(float64(files))
		gauge("robots_cached_bytes", "Memory of the robots.txt files remembered, more or less.")(float64(bytes))
	}
	gauge("budget_pages", "Pages of budget that may be spent in all; 0 is no limit.")(c.Budget)
	gauge("budget_spent_pages", "Pages of budget spent, earlier parts of the crawl included.")(c.Stats().Spent)
	s, err := c.Status()
	if err != nil {
		ch <- prometheus.NewInvalidMetric(prometheus.NewInvalidDesc(err), err)
		return
	}
	links := gauge("frontier_links", "Links in the frontier by state.", "state")
	for state, n := range s.Links {
		links(float64(n), state)
	}
	hosts := gauge("frontier_hosts", "Hosts by what may be done with them: ready hosts may be asked now, spent ones have used up their budget.", "state")
	for state, n := range s.Hosts {
		hosts(float64(n), state)
	}
	asked := gauge("backlinks", "What came of asking providers of backlinks, by provider: asked, calls, failed, returned, visited and verified links, ever.", "provider", "what")
	for _, p := range s.Providers {
		for what, n := range map[string]int{
			"asked": p.Asked, "calls": p.Calls, "failed": p.Failed, "returned": p.Returned, "visited": p.Visited, "verified": p.Verified,
		} {
			asked(float64(n), p.Name, what)
		}
	}
}
