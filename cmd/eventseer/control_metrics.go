package main

import (
	"eventseer/crawler/cluster"

	"github.com/prometheus/client_golang/prometheus"
)

// clusterMetrics shows what a manager knows of its cluster.
type clusterMetrics struct{ of *cluster.Manager }

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
)

// Describe implements prometheus.Collector.
func (clusterMetrics) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{
		descClusterParts, descClusterWorkers, descClusterPages, descClusterTargets, descClusterWaiting, descClusterOutbox,
		descClusterBacklog, descClusterMoves, descClusterLost, descClusterTerm,
	} {
		out <- d
	}
}

// Collect implements prometheus.Collector.
func (c clusterMetrics) Collect(out chan<- prometheus.Metric) {
	s := c.of.Status()
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
}
