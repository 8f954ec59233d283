package manager

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/eventseer/eventseer/crawler/cluster"
)

// leaderLease returns the time after which another manager may become leader. It is much shorter than the
// lease of crawlers.
func leaderLease(lease time.Duration) time.Duration {
	return max(cluster.MinLease, min(lease/4, 10*time.Second))
}

// renewLeadership makes this manager the leader, or renews its leadership, if possible. It reports whether this
// manager leads.
func (m *Manager) renewLeadership(ctx context.Context) (bool, error) {
	start := m.o.Now()
	lease := leaderLease(m.o.Conf.Lease)
	m.mu.Lock()
	old := m.view.leader
	mine := old.Boot == m.boot
	if m.term > 0 && (!mine || old.Term != m.term || !start.Before(m.until)) {
		m.term = 0
		m.o.Log.Warn("this manager no longer leads", "manager", m.o.Name)
	}
	due := m.until.Add(-lease * 3 / 5)
	if m.term > 0 && start.Before(due) {
		m.mu.Unlock()
		return true, nil
	}
	if m.term == 0 && old.revision > 0 && !mine && start.Sub(old.changed) < lease {
		m.mu.Unlock()
		return false, nil
	}
	next, was := cluster.Leader{Name: m.o.Name, Boot: m.boot, Term: m.view.largestTerm(), Beat: m.beats + 1}, m.term
	if was == 0 {
		next.Term++
	}
	m.beats++
	m.mu.Unlock()
	next.Status = m.boundedStatus(next)
	rev, err := m.writeLeader(ctx, next, old.revision)
	if err != nil {
		if errors.Is(err, cluster.ErrConflict) {
			err = m.rereadLeader(ctx)
		}
		return false, err
	}
	m.mu.Lock()
	m.term, m.until = next.Term, start.Add(lease*4/5)
	m.view.leader = leaderEntry{next, rev, start}
	m.view.last[cluster.LeaderKey] = rev
	if was == 0 {
		m.view.restartSilence(start)
		m.o.Log.Info("this manager leads", "manager", m.o.Name, "term", next.Term)
	}
	m.mu.Unlock()
	return true, nil
}

func (m *Manager) writeLeader(ctx context.Context, l cluster.Leader, last uint64) (uint64, error) {
	data, err := json.Marshal(l)
	if err != nil {
		return 0, err
	}
	return m.o.Bus.Set(ctx, cluster.LeaderKey, data, last)
}

// rereadLeader reads the leader entry again, because the response to a write of this manager may have been
// lost.
func (m *Manager) rereadLeader(ctx context.Context) error {
	e, err := m.o.Bus.Get(ctx, cluster.LeaderKey)
	if errors.Is(err, cluster.ErrNoKey) {
		return nil
	}
	if err != nil {
		return err
	}
	return m.applyEntry(e)
}

// boundedStatus returns the status of the leader, reduced if necessary to fit into an entry of the bucket.
func (m *Manager) boundedStatus(l cluster.Leader) cluster.Status {
	s := m.statusFor(l)
	for _, trim := range []func(*cluster.WorkerStatus){
		func(w *cluster.WorkerStatus) {},
		func(w *cluster.WorkerStatus) { w.Parts = nil },
		func(w *cluster.WorkerStatus) { w.Counts, w.Error, w.Disk, w.Boot = cluster.Counts{}, "", "", "" },
	} {
		for i := range s.Workers {
			trim(&s.Workers[i])
		}
		if data, err := json.Marshal(s); err == nil && len(data) < cluster.MaxEntry-1<<10 {
			return s
		}
	}
	s.Workers = nil
	return s
}

// writeConf writes the Conf if the bucket has none, an unreadable one or a different one.
func (m *Manager) writeConf(ctx context.Context) error {
	m.mu.Lock()
	have, last := m.view.conf, m.lastRevision(cluster.ConfKey)
	_, bad := m.view.bad[cluster.ConfKey]
	m.mu.Unlock()
	if have != nil && have.Equal(m.o.Conf) && !bad {
		return nil
	}
	data, err := json.Marshal(m.o.Conf)
	if err != nil {
		return err
	}
	if have != nil && have.Version != "" && have.Partitions != m.o.Conf.Partitions {
		return fmt.Errorf("the number of partitions of the cluster is %d and cannot be changed to %d: choose another bucket", have.Partitions, m.o.Conf.Partitions)
	}
	rev, err := m.o.Bus.Set(ctx, cluster.ConfKey, data, last)
	if err != nil {
		return err
	}
	return m.applyEntry(cluster.Entry{Key: cluster.ConfKey, Value: data, Revision: rev})
}
