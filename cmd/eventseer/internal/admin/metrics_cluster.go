package admin

import (
	"context"

	"eventseer/crawler/cluster"
	"eventseer/crawler/cluster/worker"

	"github.com/prometheus/client_golang/prometheus"
)

// Metrics of a cluster come from its manager, those of one crawler from that too.

// ClusterMetrics shows what a manager knows of its cluster.
type ClusterMetrics struct {
	Described
	Status func() cluster.Status
	Name   string // of the manager
}

// Collect implements prometheus.Collector.
func (c ClusterMetrics) Collect(out chan<- prometheus.Metric) {
	s := c.Status()
	gauge := func(name, help string, labels ...string) func(float64, ...string) {
		return Family(out, prometheus.GaugeValue, "eventseer_cluster_"+name, help, labels...)
	}
	parts := gauge("partitions", "Partitions by how they are owned.", "state")
	parts(float64(s.Parts.Owned-s.Parts.Moving), "owned")
	parts(float64(s.Parts.Moving), "moving")
	parts(float64(s.Parts.Orphans), "orphan")
	crawlerParts := gauge("crawler_partitions", "Partitions owned, by crawler.", "crawler")
	crawlerPages := gauge("crawler_pages", "Pages fetched since it was started, by crawler.", "crawler")
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
	gauge("pages", "Pages fetched by all crawlers that are known.")(float64(s.Sum.Pages))
	gauge("targets", "Calls found by all crawlers that are known.")(float64(s.Sum.Targets))
	gauge("links_waiting", "Links that wait at all crawlers.")(float64(s.Sum.Waiting))
	gauge("outbox", "Links that wait to be sent to the owners of their hosts.")(float64(s.Sum.Outbox))
	gauge("backlog_messages", "Messages of links that are not acknowledged.")(float64(s.Backlog.Waiting))
	gauge("moves", "Partitions given to another owner by this leader.")(float64(s.Moves))
	gauge("lost", "Partitions taken over without their state by this leader.")(float64(s.Lost))
	gauge("term", "Number of leaders there were.")(float64(s.Term))
	gauge("leads", "1 where this manager leads.")(oneIf(s.Leader == c.Name))
}

// oneIf is the value of a metric that is 1 or 0.
func oneIf(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// NewNodeMetric shows whether a node of the bus has all that it is to keep.
func NewNodeMetric(whole func() error) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "eventseer_cluster_node_whole", Help: "1 where the node of NATS in this process has a copy of all that it is to keep.",
	}, func() float64 { return oneIf(whole() == nil) })
}

// WorkerMetrics shows what a crawler does for its cluster.
type WorkerMetrics struct {
	Described
	Of func() *worker.Worker
}

// Collect implements prometheus.Collector.
func (m WorkerMetrics) Collect(out chan<- prometheus.Metric) {
	w := m.Of()
	c := w.Counts(context.Background()) // it is read from memory
	gauge := func(name, help string) func(float64, ...string) {
		return Family(out, prometheus.GaugeValue, "eventseer_worker_"+name, help)
	}
	counter := func(name, help string, labels ...string) func(uint64, ...string) {
		write := Family(out, prometheus.CounterValue, "eventseer_worker_"+name, help, labels...)
		return func(value uint64, of ...string) { write(float64(value), of...) }
	}
	parts, fenced := w.Owned()
	gauge("partitions", "Partitions whose hosts this crawler asks.")(float64(parts))
	gauge("fenced", "1 where it asks nobody, since the cluster has not heard of it for too long.")(oneIf(fenced))
	gauge("outbox", "Links that wait to be sent to the owners of their hosts.")(float64(c.Outbox))
	links := counter("links_total", "Links sent to other crawlers and taken from them since the turn began.", "way")
	links(c.LinksSent, "sent")
	links(c.LinksTaken, "taken")
	counter("resent_links_total", "Links sent again since their owner had lost them.")(c.Resent)
	counter("events_total", "Versions of events handed to the managers.")(c.Events)
	moves := counter("moves_total", "Partitions handed over and adopted with all that was known of them.", "way")
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
