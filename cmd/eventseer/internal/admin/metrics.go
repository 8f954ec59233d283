package admin

import (
	"context"
	"fmt"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/cluster"
	"github.com/eventseer/eventseer/crawler/cluster/worker"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
)

// NewRegistry returns a registry with the metrics of every process: version, memory and the Go
// runtime.
func NewRegistry() *prometheus.Registry {
	build := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "eventseer_build_info", Help: "Always 1; a label has the version.", ConstLabels: prometheus.Labels{"version": app.Version},
	})
	build.Set(1)
	r := prometheus.NewRegistry()
	r.MustRegister(build, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return r
}

// CrawlMetrics counts the events of a crawl. As an Observer it counts every page, as a
// committedFrontier every commit; other metrics are computed when they are read.
type CrawlMetrics struct {
	pages                      *prometheus.CounterVec
	bytes, targets, asked      prometheus.Counter
	fetch, commit, commitPages prometheus.Histogram
}

var _ crawler.Observer = (*CrawlMetrics)(nil)

// NewCrawlMetrics registers the metrics of a crawl with r.
func NewCrawlMetrics(r *prometheus.Registry) *CrawlMetrics {
	counter := func(name, help string) prometheus.Counter {
		return prometheus.NewCounter(prometheus.CounterOpts{Name: name, Help: help})
	}
	m := &CrawlMetrics{
		pages: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "eventseer_pages_total", Help: "Fetches ended, by class of the HTTP status (none without a response) and by result.",
		}, []string{"status", "fate"}),
		bytes:   counter("eventseer_page_bytes_total", "Decoded bytes of pages."),
		targets: counter("eventseer_targets_total", "Pages judged to be calls."),
		asked:   counter("eventseer_backlink_requests_total", "Requests for backlinks."),
		fetch: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "eventseer_fetch_duration_seconds", Help: "Time from the lease of a page to its last byte.",
			Buckets: prometheus.ExponentialBuckets(0.01, 2, 13), // to 41 s
		}),
		commit: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "eventseer_commit_duration_seconds", Help: "Duration of a commit of the frontier.",
			Buckets: prometheus.ExponentialBuckets(0.0005, 2, 13), // to 2 s
		}),
		commitPages: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "eventseer_commit_pages", Help: "Number of pages completed by one commit.", Buckets: prometheus.ExponentialBuckets(1, 2, 9),
		}),
	}
	r.MustRegister(m.pages, m.bytes, m.targets, m.asked, m.fetch, m.commit, m.commitPages)
	return m
}

// ObservePages implements crawler.Observer.
func (m *CrawlMetrics) ObservePages(batch []crawler.StepRecord) error {
	for _, t := range batch {
		o, class := t.Arrival.Outcome, "none"
		if o.Status >= 100 && o.Status <= 599 {
			class = fmt.Sprintf("%dxx", o.Status/100)
		}
		m.pages.WithLabelValues(class, string(o.Fate)).Inc()
		m.bytes.Add(float64(o.Bytes))
		m.fetch.Observe(o.Took.Seconds())
		if t.Verdict.Target {
			m.targets.Inc()
		}
		if t.Asked != nil {
			m.asked.Inc()
		}
	}
	return nil
}

// A CommittedFrontier measures its commits.
type CommittedFrontier struct {
	crawler.Frontier
	Metrics *CrawlMetrics
}

// Done implements crawler.Frontier.
func (f CommittedFrontier) Done(ctx context.Context, ends ...crawler.End) error {
	began := time.Now() // not the crawl's clock, which may be fixed
	err := f.Frontier.Done(ctx, ends...)
	f.Metrics.commit.Observe(time.Since(began).Seconds())
	f.Metrics.commitPages.Observe(float64(len(ends)))
	return err
}

// Described is embedded in collectors that create their metrics on request: they are described by
// collecting them.
type Described struct{}

// Describe implements prometheus.Collector.
func (Described) Describe(chan<- *prometheus.Desc) {}

// MetricFamily returns a function that writes the values of a metric.
func MetricFamily(out chan<- prometheus.Metric, kind prometheus.ValueType, name, help string, labels ...string) func(value float64, of ...string) {
	d := prometheus.NewDesc(name, help, labels, nil)
	return func(value float64, of ...string) { out <- prometheus.MustNewConstMetric(d, kind, value, of...) }
}

// A StateCollector reads figures when the metrics are requested.
type StateCollector struct {
	Described
	Stats  func() crawler.Stats
	Status func() (CrawlStatus, error)
	Budget float64
	Robots func() (files, bytes int) // nil without a cache of robots.txt
}

// Collect implements prometheus.Collector.
func (c StateCollector) Collect(ch chan<- prometheus.Metric) {
	gauge := func(name, help string, labels ...string) func(float64, ...string) {
		return MetricFamily(ch, prometheus.GaugeValue, "eventseer_"+name, help, labels...)
	}
	if c.Robots != nil {
		files, bytes := c.Robots()
		gauge("robots_cached_files", "Robots.txt files in the cache.")(float64(files))
		gauge("robots_cached_bytes", "Memory of the cached robots.txt files, approximate.")(float64(bytes))
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
	hosts := gauge("frontier_hosts", "Hosts by state: ready hosts may be fetched from now, spent ones have used up their budget.", "state")
	for state, n := range s.Hosts {
		hosts(float64(n), state)
	}
	asked := gauge("backlinks", "Backlink providers, by provider: queries, calls, failures, and returned, visited and verified links, in all.", "provider", "what")
	for _, p := range s.Providers {
		for what, n := range map[string]int{
			"asked": p.Asked, "calls": p.Calls, "failed": p.Failed, "returned": p.Returned, "visited": p.Visited, "verified": p.Verified,
		} {
			asked(float64(n), p.Name, what)
		}
	}
}

// Metrics of a cluster come from its manager, those of a single crawler from the crawler.

// ClusterMetrics exports the manager's state of its cluster.
type ClusterMetrics struct {
	Described
	Status func() cluster.Status
	Name   string // of the manager
}

// Collect implements prometheus.Collector.
func (c ClusterMetrics) Collect(out chan<- prometheus.Metric) {
	s := c.Status()
	gauge := func(name, help string, labels ...string) func(float64, ...string) {
		return MetricFamily(out, prometheus.GaugeValue, "eventseer_cluster_"+name, help, labels...)
	}
	parts := gauge("partitions", "Partitions by how they are owned.", "state")
	parts(float64(s.Parts.Owned-s.Parts.Moving), "owned")
	parts(float64(s.Parts.Moving), "moving")
	parts(float64(s.Parts.Orphans), "orphan")
	crawlerParts := gauge("crawler_partitions", "Partitions by owner.", "crawler")
	crawlerPages := gauge("crawler_pages", "Pages fetched since the start, by crawler.", "crawler")
	crawlerSilent := gauge("crawler_silent_seconds", "Seconds since the last sign of life, by crawler.", "crawler")
	states := map[string]int{}
	for _, state := range cluster.WorkerStates() {
		states[state] = 0
	}
	for _, w := range s.Workers {
		states[w.State]++
		crawlerParts(float64(len(w.Parts)), w.Name)
		crawlerPages(float64(w.Counts.Pages), w.Name)
		crawlerSilent(w.Silent.Seconds(), w.Name)
	}
	crawlers := gauge("crawlers", "Crawlers by state.", "state")
	for state, n := range states {
		crawlers(float64(n), state)
	}
	gauge("pages", "Pages fetched by all known crawlers.")(float64(s.Sum.Pages))
	gauge("targets", "Calls found by all known crawlers.")(float64(s.Sum.Targets))
	gauge("links_waiting", "Links waiting at all crawlers.")(float64(s.Sum.Waiting))
	gauge("outbox", "Links waiting to be sent to the owners of their hosts.")(float64(s.Sum.Outbox))
	gauge("backlog_messages", "Messages of links that are not acknowledged.")(float64(s.Backlog.Waiting))
	gauge("moves", "Partitions moved to another owner by this leader.")(float64(s.Moves))
	gauge("lost", "Partitions taken over without their state by this leader.")(float64(s.Lost))
	gauge("quarantined_keys", "Keys of the bucket with an invalid value that was set aside.")(float64(s.Quarantined))
	gauge("term", "Number of leaders so far.")(float64(s.Term))
	gauge("leads", "1 if this manager leads.")(oneIfTrue(s.Leader == c.Name))
}

// oneIfTrue returns 1 for true and 0 for false.
func oneIfTrue(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// NewNodeMetric reports whether a node of the bus has all the data that it should have.
func NewNodeMetric(whole func() error) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "eventseer_cluster_node_whole", Help: "1 if the node of NATS in this process has a copy of all that it is to store.",
	}, func() float64 { return oneIfTrue(whole() == nil) })
}

// WorkerMetrics counts a crawler's work for its cluster.
type WorkerMetrics struct {
	Described
	Of func() *worker.Worker
}

// Collect implements prometheus.Collector.
func (m WorkerMetrics) Collect(out chan<- prometheus.Metric) {
	w := m.Of()
	c := w.Counts(context.Background()) // it is read from memory
	gauge := func(name, help string) func(float64, ...string) {
		return MetricFamily(out, prometheus.GaugeValue, "eventseer_worker_"+name, help)
	}
	counter := func(name, help string, labels ...string) func(uint64, ...string) {
		write := MetricFamily(out, prometheus.CounterValue, "eventseer_worker_"+name, help, labels...)
		return func(value uint64, of ...string) { write(float64(value), of...) }
	}
	parts, fenced := w.OwnedPartitions()
	gauge("partitions", "Partitions owned by this crawler.")(float64(parts))
	gauge("fenced", "1 if this crawler makes no requests, because the cluster has not heard from it for too long.")(oneIfTrue(fenced))
	gauge("outbox", "Links waiting to be sent to the owners of their hosts.")(float64(c.Outbox))
	links := counter("links_total", "Links sent to and received from other crawlers since the turn began.", "way")
	links(c.LinksSent, "sent")
	links(c.LinksTaken, "taken")
	counter("resent_links_total", "Links sent again because their owner had lost them.")(c.Resent)
	counter("events_total", "Versions of events sent to the managers.")(c.Events)
	moves := counter("moves_total", "Partitions handed over and adopted with their state.", "way")
	moves(c.HandedOver, "handed over")
	moves(c.Adopted, "adopted")
	messages := counter("bus_messages_total", "Messages to and from the bus.", "way")
	messages(c.Traffic.Sent, "sent")
	messages(c.Traffic.Received, "received")
	bytes := counter("bus_bytes_total", "Bytes to and from the bus.", "way")
	bytes(c.Traffic.SentBytes, "sent")
	bytes(c.Traffic.ReceivedBytes, "received")
	counter("bus_reconnects_total", "Times the bus was lost and found again.")(c.Traffic.Reconnects)
}
