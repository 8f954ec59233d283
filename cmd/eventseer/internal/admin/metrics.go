package admin

import (
	"context"
	"fmt"
	"time"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/crawler"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
)

// NewRegistry returns a registry with what every process shows: its version,
// its memory and the Go runtime's state.
func NewRegistry() *prometheus.Registry {
	build := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "eventseer_build_info", Help: "1, labelled with the version.", ConstLabels: prometheus.Labels{"version": app.Version},
	})
	build.Set(1)
	r := prometheus.NewRegistry()
	r.MustRegister(build, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return r
}

// CrawlMetrics count what a crawl does. As an Observer they hear of every page,
// as a committedFrontier of every commit; the rest is asked for when they are
// read.
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
			Name: "eventseer_pages_total", Help: "Ends of fetches by class of the HTTP status (none without an answer) and by fate.",
		}, []string{"status", "fate"}),
		bytes:   counter("eventseer_page_bytes_total", "Decoded bytes of pages."),
		targets: counter("eventseer_targets_total", "Pages judged to be calls."),
		asked:   counter("eventseer_backlink_requests_total", "Requests for backlinks."),
		fetch: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "eventseer_fetch_duration_seconds", Help: "Time from the lease of a page to its last byte.",
			Buckets: prometheus.ExponentialBuckets(0.01, 2, 13), // to 41 s
		}),
		commit: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "eventseer_commit_duration_seconds", Help: "Time of a commit of the frontier.",
			Buckets: prometheus.ExponentialBuckets(0.0005, 2, 13), // to 2 s
		}),
		commitPages: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "eventseer_commit_pages", Help: "Pages ended by one commit.", Buckets: prometheus.ExponentialBuckets(1, 2, 9),
		}),
	}
	r.MustRegister(m.pages, m.bytes, m.targets, m.asked, m.fetch, m.commit, m.commitPages)
	return m
}

// Arrived implements crawler.Observer.
func (m *CrawlMetrics) Arrived(batch []crawler.Told) error {
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
	began := time.Now() // not the crawl's clock, which may stand still
	err := f.Frontier.Done(ctx, ends...)
	f.Metrics.commit.Observe(time.Since(began).Seconds())
	f.Metrics.commitPages.Observe(float64(len(ends)))
	return err
}

// Described is embedded in collectors that make their metrics when somebody asks for
// them: they are described by being collected.
type Described struct{}

// Describe implements prometheus.Collector.
func (Described) Describe(chan<- *prometheus.Desc) {}

// Family returns what writes the values of a metric.
func Family(out chan<- prometheus.Metric, kind prometheus.ValueType, name, help string, labels ...string) func(value float64, of ...string) {
	d := prometheus.NewDesc(name, help, labels, nil)
	return func(value float64, of ...string) { out <- prometheus.MustNewConstMetric(d, kind, value, of...) }
}
