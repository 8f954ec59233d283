package manager

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/cluster"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/zeebo/xxh3"
)

// A plannedWrite is a change of an entry that the manager wants to make.
type plannedWrite struct {
	key   string
	value any // nil deletes
	last  uint64
	what  string       // log message; "": none
	old   cluster.Part // the previous Part, if value is a Part
}

// maxMovePart limits how many partitions move at the same time: one in maxMovePart.
const maxMovePart = 8

// planWrites returns the changes that the manager of a term should make to the bucket as shown by the view. It
// revokes dead crawlers, takes over their partitions, and assigns owners.
func (b *clusterView) planWrites(c cluster.Conf, term uint64, now time.Time) (ws []plannedWrite) {
	b.addMissingOwners(c, now)
	ws = append(ws, b.revokeSilent(c, now)...)
	current := make([]string, c.Partitions)
	crew := b.candidateOwners(c, now)
	able := map[string]bool{}
	for _, m := range crew {
		able[m.name] = true
	}
	moving := 0
	for n := range current {
		p := b.parts[n]
		switch {
		case able[p.Next]:
			current[n] = p.Next
		case able[p.Owner]:
			current[n] = p.Owner
		}
		if p.Owner != "" && p.Owner != p.Next || p.Owner == "" && p.Token > 0 {
			moving++
		}
	}
	next := make([]string, c.Partitions)
	if len(crew) > 0 && !b.waitsForCrawlers(c, crew) {
		next, _ = assignPartitions(current, crew, max(1, c.Partitions/maxMovePart)-moving)
	}
	for n := range next {
		if w, ok := b.planPart(n, cmp.Or(next[n], b.parts[n].Next), term); ok {
			ws = append(ws, w)
		}
	}
	return ws
}

// addMissingOwners adds owners whose entry was deleted to the crawlers, as silent from now on. They may make requests
// until their lease ends.
func (b *clusterView) addMissingOwners(c cluster.Conf, now time.Time) {
	for n := range c.Partitions {
		owner := b.parts[n].Owner
		if _, known := b.workers[owner]; owner != "" && !known {
			b.workers[owner] = crawlerEntry{Beat: cluster.Beat{Doing: cluster.Gone}, changed: now}
		}
	}
}

// revokeSilent returns the changes that revoke crawlers that were silent for a lease, and delete the entries of
// those revoked long ago.
func (b *clusterView) revokeSilent(c cluster.Conf, now time.Time) (ws []plannedWrite) {
	owners := map[string]bool{}
	for n := range c.Partitions {
		owners[b.parts[n].Owner] = true
	}
	for _, name := range b.crawlerNames() {
		w := b.workers[name]
		silent := now.Sub(w.changed)
		switch {
		case w.Revoked && !owners[name] && silent > revokedKept:
			ws = append(ws, plannedWrite{key: cluster.WorkerPrefix + name, last: w.revision})
		case !w.Revoked && silent >= c.Lease:
			beat := w.Beat
			beat.Revoked = true
			ws = append(ws, plannedWrite{key: cluster.WorkerPrefix + name, value: beat, last: w.revision, what: fmt.Sprintf("crawler %s was silent for %s: revoked", name, silent.Round(time.Second))})
		}
	}
	return ws
}

// revokedKept is how long the entry of a revoked crawler is kept.
const revokedKept = 24 * time.Hour

// candidateOwners returns the crawlers that may own partitions.
func (b *clusterView) candidateOwners(c cluster.Conf, now time.Time) (crew []candidateOwner) {
	for _, name := range b.crawlerNames() {
		w := b.workers[name]
		if w.isWorking(c, now) && !b.drains[name] && w.Version == c.Version && len(crew) < cluster.MaxWorkers {
			crew = append(crew, candidateOwner{name, now.Sub(w.workingSince) >= c.Settle})
		}
	}
	return crew
}

// waitsForCrawlers reports whether the crawl has not begun and more crawlers may join soon. Otherwise the first
// crawler would get all partitions and hand over most of them at once.
func (b *clusterView) waitsForCrawlers(c cluster.Conf, crew []candidateOwner) bool {
	for n := range c.Partitions {
		if b.parts[n].Token > 0 || b.parts[n].Next != "" {
			return false
		}
	}
	for _, m := range crew {
		if m.settled {
			return false
		}
	}
	return true
}

// planPart returns the change of partition n for its next owner. It returns false if nothing is to be
// changed.
func (b *clusterView) planPart(n int, next string, term uint64) (plannedWrite, bool) {
	old := b.parts[n]
	if old.Term > term {
		return plannedWrite{}, false // a later manager leads
	}
	p, what := old.Part, ""
	if p.Owner != "" && b.workers[p.Owner].Revoked {
		what = fmt.Sprintf("partition %d is taken over from %s; its links are sent again", n, p.Owner)
		p.Owner, p.State = "", ""
		p.Token++
		p.Lost = p.Token
	}
	p.Next = next
	if _, bad := b.bad[cluster.PartKey(n)]; p == old.Part && old.Revision > 0 && !bad {
		return plannedWrite{}, false
	}
	p.Term = term
	return plannedWrite{cluster.PartKey(n), p, old.Revision, what, old.Part}, true
}

// encodedValue returns the encoded value, nil to delete the entry.
func (w plannedWrite) encodedValue() ([]byte, error) {
	if w.value == nil {
		return nil, nil
	}
	return json.Marshal(w.value)
}

// maxSeedLinks is the largest number of seeds in one message.
const maxSeedLinks = 64

// A seedState says how many seeds of a partition were published, and for which value of Part.Lost.
type seedState struct {
	published int
	lost      uint64
}

// publishSeeds publishes the seeds once per Conf.Version, and those of a partition again when its state is lost. The
// crawler that had it may have been the only one that knew them. To publish them twice does no harm.
func (m *Manager) publishSeeds(ctx context.Context) error {
	m.mu.Lock()
	done, last := m.view.seeded == m.o.Conf.Version, m.view.last[cluster.SeededKey]
	m.mu.Unlock()
	for n, links := range m.seeds {
		s := m.unpublishedSeeds(n, done)
		for s.published < len(links) {
			to := min(s.published+maxSeedLinks, len(links))
			if err := m.publishSeedLinks(ctx, n, s.lost, links[s.published:to]); err != nil {
				return err
			}
			s.published = to
			m.seedStates[n] = s
		}
	}
	if done {
		return nil
	}
	rev, err := m.o.Bus.Set(ctx, cluster.SeededKey, []byte(m.o.Conf.Version), last)
	if err != nil {
		return err
	}
	return m.applyEntry(cluster.Entry{Key: cluster.SeededKey, Value: []byte(m.o.Conf.Version), Revision: rev})
}

// unpublishedSeeds returns how far the seeds of partition n are published. done means that all were published once. A new
// leader publishes those of lost partitions again.
func (m *Manager) unpublishedSeeds(n int, done bool) seedState {
	m.mu.Lock()
	lost := m.view.parts[n].Lost
	m.mu.Unlock()
	s := m.seedStates[n]
	switch {
	case done && lost == 0:
		s.published = len(m.seeds[n])
	case s.lost != lost:
		s = seedState{lost: lost}
	}
	return s
}

// areSeedsPublished reports whether publishSeeds has nothing to do.
func (m *Manager) areSeedsPublished() bool {
	m.mu.Lock()
	done := m.view.seeded == m.o.Conf.Version
	m.mu.Unlock()
	for n, links := range m.seeds {
		if m.unpublishedSeeds(n, done).published < len(links) {
			return false
		}
	}
	return done
}

// seedsByPartition returns the seeds of each partition.
func seedsByPartition(seeds []crawler.Candidate, partitions int) [][]crawler.Candidate {
	parts := make([][]crawler.Candidate, partitions)
	for _, c := range seeds {
		n := cluster.PartitionOf(webgraph.HostOf(c.URL), partitions)
		parts[n] = append(parts[n], c)
	}
	return parts
}

// publishSeedLinks publishes seeds of partition n for a value of Part.Lost.
func (m *Manager) publishSeedLinks(ctx context.Context, n int, lost uint64, links []crawler.Candidate) error {
	data, err := cluster.PackLinks(links)
	if err != nil {
		return err
	}
	if len(data) > cluster.MaxMessage {
		if len(links) == 1 {
			m.o.Log.Warn("a seed exceeds the size of a message and is left out", "url", links[0].URL)
			return nil
		}
		if err := m.publishSeedLinks(ctx, n, lost, links[:len(links)/2]); err != nil {
			return err
		}
		return m.publishSeedLinks(ctx, n, lost, links[len(links)/2:])
	}
	id := "seeds." + strconv.FormatUint(xxh3.HashString(m.o.Conf.Version)^xxh3.Hash(data), 36)
	if lost > 0 { // or the bus would take it for a repetition
		id += "." + strconv.FormatUint(lost, 36)
	}
	if err := m.o.Bus.Publish(ctx, n, id, data); err != nil {
		return fmt.Errorf("publish the seeds: %w", err)
	}
	return nil
}
