package manager

import (
	"context"
	"fmt"
	"strconv"

	"eventseer/crawler"
	"eventseer/crawler/cluster"
	"eventseer/webgraph"

	"github.com/zeebo/xxh3"
)

// maxSeedLinks is the most seeds in one message.
const maxSeedLinks = 64

// seed publishes the seeds, once a Conf.Version: twice does no harm.
func (m *Manager) seed(ctx context.Context) error {
	m.mu.Lock()
	done, last := m.seen.seeded == m.o.Conf.Version, m.seen.last[cluster.SeededKey]
	m.mu.Unlock()
	if done {
		return nil
	}
	parts := make([][]crawler.Candidate, m.o.Conf.Partitions)
	for _, c := range m.o.Seeds {
		n := cluster.PartitionOf(webgraph.HostOf(c.URL), len(parts))
		parts[n] = append(parts[n], c)
	}
	for n, links := range parts {
		for from := m.sown[n]; from < len(links); from += maxSeedLinks {
			if err := m.publishSeeds(ctx, n, links[from:min(from+maxSeedLinks, len(links))]); err != nil {
				return err
			}
			m.sown[n] = from + maxSeedLinks
		}
	}
	rev, err := m.o.Bus.Set(ctx, cluster.SeededKey, []byte(m.o.Conf.Version), last)
	if err != nil {
		return err
	}
	return m.learn(cluster.Entry{Key: cluster.SeededKey, Value: []byte(m.o.Conf.Version), Revision: rev})
}

func (m *Manager) publishSeeds(ctx context.Context, n int, links []crawler.Candidate) error {
	data, err := cluster.PackLinks(links)
	if err != nil {
		return err
	}
	if len(data) > cluster.MaxMessage {
		if len(links) == 1 {
			m.o.Log.Warn("a seed makes a message of its own that is too large, and is left out", "url", links[0].URL)
			return nil
		}
		if err := m.publishSeeds(ctx, n, links[:len(links)/2]); err != nil {
			return err
		}
		return m.publishSeeds(ctx, n, links[len(links)/2:])
	}
	id := "seeds." + strconv.FormatUint(xxh3.HashString(m.o.Conf.Version)^xxh3.Hash(data), 36)
	if err := m.o.Bus.Publish(ctx, n, id, data); err != nil {
		return fmt.Errorf("publish the seeds: %w", err)
	}
	return nil
}
