package admin

import (
	"eventseer/crawler"

	"github.com/prometheus/client_golang/prometheus"
)

// A StateCollector reads figures when somebody asks for the metrics.
type StateCollector struct {
	Stats  func() crawler.Stats
	Status func() (CrawlStatus, error)
	Budget float64
	Robots func() (files, bytes int) // nil where no robots.txt is remembered
}

var (
	linksDesc  = prometheus.NewDesc("eventseer_frontier_links", "Links in the frontier by state.", []string{"state"}, nil)
	hostsDesc  = prometheus.NewDesc("eventseer_frontier_hosts", "Hosts by what may be done with them: ready hosts may be asked now, spent ones have used up their budget.", []string{"state"}, nil)
	spentDesc  = prometheus.NewDesc("eventseer_budget_spent_pages", "Pages of budget spent, earlier parts of the crawl included.", nil, nil)
	askedDesc  = prometheus.NewDesc("eventseer_backlinks", "What came of asking providers of backlinks, by provider: asked, calls, failed, returned, visited and verified links, ever.", []string{"provider", "what"}, nil)
	filesDesc  = prometheus.NewDesc("eventseer_robots_cached_files", "Files robots.txt remembered.", nil, nil)
	bytesDesc  = prometheus.NewDesc("eventseer_robots_cached_bytes", "Memory of the robots.txt files remembered, more or less.", nil, nil)
	budgetDesc = prometheus.NewDesc("eventseer_budget_pages", "Pages of budget that may be spent in all; 0 is no limit.", nil, nil)
)

// Describe implements prometheus.Collector.
func (c StateCollector) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{linksDesc, hostsDesc, askedDesc, spentDesc, budgetDesc, filesDesc, bytesDesc} {
		ch <- d
	}
}

// Collect implements prometheus.Collector.
func (c StateCollector) Collect(ch chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	if c.Robots != nil {
		files, bytes := c.Robots()
		gauge(filesDesc, float64(files))
		gauge(bytesDesc, float64(bytes))
	}
	gauge(budgetDesc, c.Budget)
	gauge(spentDesc, c.Stats().Spent)
	s, err := c.Status()
	if err != nil {
		ch <- prometheus.NewInvalidMetric(linksDesc, err)
		return
	}
	for state, n := range s.Links {
		gauge(linksDesc, float64(n), state)
	}
	for state, n := range s.Hosts {
		gauge(hostsDesc, float64(n), state)
	}
	for _, p := range s.Providers {
		for what, n := range map[string]int{
			"asked": p.Asked, "calls": p.Calls, "failed": p.Failed, "returned": p.Returned, "visited": p.Visited, "verified": p.Verified,
		} {
			gauge(askedDesc, float64(n), p.Name, what)
		}
	}
}
