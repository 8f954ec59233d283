package manager

import (
	"time"

	"github.com/eventseer/eventseer/crawler/cluster"
)

// Status returns the leader's view of the cluster. If another manager leads, it returns the view that this
// manager has written to its entry.
func (m *Manager) Status() cluster.Status {
	m.mu.Lock()
	leads, leader := m.term > 0, m.view.leader.Leader
	m.mu.Unlock()
	if !leads {
		return leader.Status
	}
	return m.statusFor(leader)
}

// statusFor returns this manager's view of the cluster, with the name and term of l.
func (m *Manager) statusFor(l cluster.Leader) cluster.Status {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.o.Now()
	s := cluster.Status{
		Leader: l.Name, Term: l.Term, Do: m.view.order.Do, Reason: m.view.order.Reason, Parts: m.view.countParts(m.o.Conf),
		Sum: m.view.sumCounts(), Backlog: m.backlog, Moves: m.moves, Lost: m.lost, Quarantined: len(m.view.quarantined), Finished: m.view.order.Do == cluster.DoFinish,
	}
	owned := map[string][]int{}
	for n := range m.o.Conf.Partitions {
		owner := m.view.parts[n].Owner
		owned[owner] = append(owned[owner], n)
	}
	for _, name := range m.view.crawlerNames() {
		w := m.view.workers[name]
		s.Workers = append(s.Workers, cluster.WorkerStatus{
			Name: name, Beat: w.Beat, State: m.view.crawlerState(name, m.o.Conf, now), Silent: now.Sub(w.changed).Round(time.Millisecond), Parts: owned[name],
		})
	}
	return s
}

// crawlerState returns the state of a crawler, one of cluster.WorkerStates.
func (b *clusterView) crawlerState(name string, c cluster.Conf, now time.Time) string {
	w := b.workers[name]
	switch {
	case w.Revoked:
		return cluster.StateRevoked
	case w.Doing == cluster.Gone:
		return cluster.Gone
	case now.Sub(w.changed) > c.Lease/2:
		return cluster.StateSilent
	case w.Version != c.Version:
		return cluster.StateOther
	case b.drains[name]:
		return cluster.StateDraining
	case now.Sub(w.workingSince) < c.Settle:
		return cluster.StateJoining
	}
	return cluster.StateWorking
}

// countParts counts partitions.
func (b *clusterView) countParts(c cluster.Conf) cluster.PartCounts {
	n := cluster.PartCounts{All: c.Partitions}
	for i := range c.Partitions {
		switch p := b.parts[i]; {
		case p.Owner == "":
			n.Orphans++
		case p.Owner != p.Next:
			n.Moving++
			n.Owned++
		default:
			n.Owned++
		}
	}
	return n
}

// sumCounts returns the sums of the counts of all crawlers, including those that have ended.
func (b *clusterView) sumCounts() (s cluster.Counts) {
	for _, w := range b.workers {
		c := w.Counts
		s.Ended += c.Ended
		s.Spent += c.Spent
		s.Waiting += c.Waiting
		s.Leased += c.Leased
		s.Hosts += c.Hosts
		s.Clips += c.Clips
		s.Pages += c.Pages
		s.Targets += c.Targets
		s.Outbox += c.Outbox
		s.LinksSent += c.LinksSent
		s.LinksTaken += c.LinksTaken
		s.Events += c.Events
		s.HandedOver += c.HandedOver
		s.Adopted += c.Adopted
		s.Resent += c.Resent
		s.Traffic.Add(c.Traffic)
	}
	return s
}
