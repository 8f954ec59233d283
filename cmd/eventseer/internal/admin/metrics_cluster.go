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
	Status func() cluster.Status
	Name   string // of the manager
}

func clusterDesc(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("eventseer_cluster_"+name, help, labels, nil)
}

var (
	descClusterParts   = clusterDesc("partitions", "Partitions by how they are owned.", "state")
	descClusterWorkers = clusterDesc("crawlers", "Crawlers by state.", "state")
	descClusterPages   = clusterDesc("pages", "Pages fetched by all crawlers that are known.")
	descClusterTargets = clusterDesc("targets", "Calls found by all crawlers that are known.")
	descClusterWaiting = clusterDesc("links_waiting", "Links that wait at all crawlers.")
	descClusterOutbox  = clusterDesc("outbox", "Links that wait to be sent to the owners of their hosts.")
	descClusterBacklog = clusterDesc("backlog_messages", "Messages of links that are not acknowledged.")
	descClusterMoves   = clusterDesc("moves", "Partitions given to another owner by this leader.")
	descClusterLost    = clusterDesc("lost", "Partitions taken over without their state by this leader.")
	descClusterTerm    = clusterDesc("term", "Number of leaders there were.")
	descClusterLeads   = clusterDesc("leads", "1 where this manager leads.")
	descCrawlerParts   = clusterDesc("crawler_partitions", "Partitions owned, by crawler.", "crawler")
	descCrawlerPages   = clusterDesc("crawler_pages", "Pages fetched since it was started, by crawler.", "crawler")
	descCrawlerSilent  = clusterDesc("crawler_silent_seconds", "Seconds since the last sign of life, by crawler.", "crawler")
)

// Describe implements prometheus.Collector.
func (ClusterMetrics) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{
		descClusterParts, descClusterWorkers, descClusterPages, descClusterTargets, descClusterWaiting, descClusterOutbox,
		descClusterBacklog, descClusterMoves, descClusterLost, descClusterTerm, descClusterLeads,
		descCrawlerParts, descCrawlerPages, descCrawlerSilent,
	} {
		out <- d
	}
}

// Collect implements prometheus.Collector.
func (c ClusterMetrics) Collect(out chan<- prometheus.Metric) {
	s := c.Status()
	gauge := func(d *prometheus.Desc, value float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
	}
	gauge(descClusterParts, float64(s.Parts.Owned-s.Parts.Moving), "owned")
	gauge(descClusterParts, float64(s.Parts.Moving), "moving")
	gauge(descClusterParts, float64(s.Parts.Orphans), "orphan")
	states := map[string]int{}
	for _, state := range cluster.WorkerStates() {
		states[state] = 0
	}
	for _, w := range s.Workers {
		states[w.State]++
		gauge(descCrawlerParts, float64(len(w.Parts)), w.Name)
		gauge(descCrawlerPages, float64(w.Counts.Pages), w.Name)
		gauge(descCrawlerSilent, w.Silent.Seconds(), w.Name)
	}
	for state, n := range states {
		gauge(descClusterWorkers, float64(n), state)
	}
	gauge(descClusterPages, float64(s.Sum.Pages))
	gauge(descClusterTargets, float64(s.Sum.Targets))
	gauge(descClusterWaiting, float64(s.Sum.Waiting))
	gauge(descClusterOutbox, float64(s.Sum.Outbox))
	gauge(descClusterBacklog, float64(s.Backlog.Waiting))
	gauge(descClusterMoves, float64(s.Moves))
	gauge(descClusterLost, float64(s.Lost))
	gauge(descClusterTerm, float64(s.Term))
	leads := 0.0
	if s.Leader == c.Name {
		leads = 1
	}
	gauge(descClusterLeads, leads)
}

// NewNodeMetric shows whether a node of the bus has all that it is to keep.
func NewNodeMetric(whole func() error) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "eventseer_cluster_node_whole", Help: "1 where the node of NATS in this process has a copy of all that it is to keep.",
	}, func() float64 {
		if whole() != nil {
			return 0
		}
		return 1
	})
}

// WorkerMetrics shows what a crawler does for its cluster.
type WorkerMetrics struct{ Of func() *worker.Worker }

func workerDesc(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("eventseer_worker_"+name, help, labels, nil)
}

var (
	descWorkerParts      = workerDesc("partitions", "Partitions whose hosts this crawler asks.")
	descWorkerFenced     = workerDesc("fenced", "1 where it asks nobody, since the cluster has not heard of it for too long.")
	descWorkerOutbox     = workerDesc("outbox", "Links that wait to be sent to the owners of their hosts.")
	descWorkerLinks      = workerDesc("links_total", "Links sent to other crawlers and taken from them since the turn began.", "way")
	descWorkerResent     = workerDesc("resent_links_total", "Links sent again since their owner had lost them.")
	descWorkerEvents     = workerDesc("events_total", "Versions of events handed to the managers.")
	descWorkerMoves      = workerDesc("moves_total", "Partitions handed over and adopted with all that was known of them.", "way")
	descWorkerMessages   = workerDesc("bus_messages_total", "Messages to and from the bus.", "way")
	descWorkerBytes      = workerDesc("bus_bytes_total", "Bytes to and from the bus.", "way")
	descWorkerReconnects = workerDesc("bus_reconnects_total", "Times the bus was lost and found again.")
)

// Describe implements prometheus.Collector.
func (WorkerMetrics) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{
		descWorkerParts, descWorkerFenced, descWorkerOutbox, descWorkerLinks, descWorkerResent, descWorkerEvents, descWorkerMoves,
		descWorkerMessages, descWorkerBytes, descWorkerReconnects,
	} {
		out <- d
	}
}

// Collect implements prometheus.Collector.
func (m WorkerMetrics) Collect(out chan<- prometheus.Metric) {
	w := m.Of()
	c := w.Counts(context.Background()) // it is read from memory
	show := func(d *prometheus.Desc, kind prometheus.ValueType, value float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, kind, value, labels...)
	}
	counter := func(d *prometheus.Desc, value uint64, labels ...string) {
		show(d, prometheus.CounterValue, float64(value), labels...)
	}
	parts, fenced := w.Owned()
	shut := 0.0
	if fenced {
		shut = 1
	}
	show(descWorkerParts, prometheus.GaugeValue, float64(parts))
	show(descWorkerFenced, prometheus.GaugeValue, shut)
	show(descWorkerOutbox, prometheus.GaugeValue, float64(c.Outbox))
	counter(descWorkerLinks, c.LinksSent, "sent")
	counter(descWorkerLinks, c.LinksTaken, "taken")
	counter(descWorkerResent, c.Resent)
	counter(descWorkerEvents, c.Events)
	counter(descWorkerMoves, c.HandedOver, "handed over")
	counter(descWorkerMoves, c.Adopted, "adopted")
	counter(descWorkerMessages, c.Traffic.Sent, "sent")
	counter(descWorkerMessages, c.Traffic.Received, "received")
	counter(descWorkerBytes, c.Traffic.SentBytes, "sent")
	counter(descWorkerBytes, c.Traffic.ReceivedBytes, "received")
	counter(descWorkerReconnects, c.Traffic.Reconnects)
}
