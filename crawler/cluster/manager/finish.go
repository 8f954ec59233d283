package manager

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/crawler/cluster"
)

// updateOrder writes the first order, and ends a crawl whose budget is spent or that has nothing left to do.
func (m *Manager) updateOrder(ctx context.Context) error {
	backlog, err := m.o.Bus.Backlog(ctx)
	if err != nil {
		return err
	}
	m.mu.Lock()
	m.backlog = backlog
	order := m.view.order
	spent := m.view.sumCounts().Spent
	_, bad := m.view.bad[cluster.OrderKey]
	m.mu.Unlock()
	conf := m.o.Conf
	switch {
	case bad && order.Do == "":
		return m.giveOrder(ctx, cluster.Order{Do: cluster.DoStop, Reason: "the last order could not be read: give it again"})
	case bad:
		return m.giveOrder(ctx, order)
	case order.Do == "":
		return m.giveOrder(ctx, cluster.Order{Do: cluster.DoCrawl, Reason: "the first order"})
	case order.Do == cluster.DoFinish:
		return nil
	case conf.Budget > 0 && spent >= conf.Budget:
		return m.giveOrder(ctx, cluster.Order{Do: cluster.DoFinish, Reason: fmt.Sprintf("the budget of %g pages is used up", conf.Budget)})
	case !conf.Once || order.Do != cluster.DoCrawl || backlog.Waiting > 0:
		return nil
	}
	done, err := m.isCrawlFinished(ctx, backlog)
	if err != nil || !done {
		return err
	}
	return m.giveOrder(ctx, cluster.Order{Do: cluster.DoFinish, Reason: "no link is left"})
}

// giveOrder writes an order. It returns ErrConflict if another order was written meanwhile.
func (m *Manager) giveOrder(ctx context.Context, o cluster.Order) error {
	m.mu.Lock()
	last := m.lastRevision(cluster.OrderKey)
	m.mu.Unlock()
	o.By, o.At = m.o.Name, m.o.Now().UTC()
	return m.applyWrite(ctx, plannedWrite{key: cluster.OrderKey, value: o, last: last, what: "order: " + o.Do + ": " + o.Reason})
}

// isCrawlFinished reports whether no link waits anywhere. The argument before is a backlog without messages.
//
// A crawler that receives a message clears its idle state before it acknowledges. So if all crawlers are
// idle after before was read, and the queues are still empty and no message was published since, no
// crawler has a link.
func (m *Manager) isCrawlFinished(ctx context.Context, before cluster.Backlog) (bool, error) {
	m.mu.Lock()
	names, settled := m.view.crawlerNames(), m.view.isSettled(m.o.Conf)
	m.mu.Unlock()
	if !settled || !m.areSeedsPublished() {
		return false, nil
	}
	owners := map[string]bool{}
	for n := range m.o.Conf.Partitions {
		var p cluster.Part
		if there, err := m.readEntry(ctx, cluster.PartKey(n), &p); err != nil || !there || p.Owner == "" || p.Owner != p.Next {
			return false, err
		}
		owners[p.Owner] = true
	}
	for _, name := range names {
		var b cluster.Beat
		there, err := m.readEntry(ctx, cluster.WorkerPrefix+name, &b)
		if err != nil {
			return false, err
		}
		if owners[name] && (!there || b.Revoked) || there && !b.Revoked && !b.Idle {
			return false, nil // links may wait at a revoked owner
		}
		delete(owners, name)
	}
	if len(owners) > 0 {
		return false, nil
	}
	after, err := m.o.Bus.Backlog(ctx)
	if err != nil || after.Waiting > 0 || after.Ever != before.Ever {
		return false, err
	}
	all, err := cluster.ReadAll(ctx, m.o.Bus)
	for key := range all { // a crawler that joined meanwhile was not checked
		if name, ok := strings.CutPrefix(key, cluster.WorkerPrefix); ok && !slices.Contains(names, name) {
			return false, err
		}
	}
	return err == nil, err
}

// readEntry reads the current value of an entry into to. It returns false if the entry does not exist.
func (m *Manager) readEntry(ctx context.Context, key string, to any) (bool, error) {
	e, err := m.o.Bus.Get(ctx, key)
	if errors.Is(err, cluster.ErrNoKey) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, json.Unmarshal(e.Value, to)
}

// isSettled reports whether every partition has its intended owner, which is not revoked, and all crawlers
// seem idle. It only looks at the view, so it is a cheap first test.
func (b *clusterView) isSettled(c cluster.Conf) bool {
	for n := range c.Partitions {
		p := b.parts[n]
		if owner, ok := b.workers[p.Owner]; !ok || owner.Revoked || p.Owner != p.Next {
			return false
		}
	}
	for _, w := range b.workers {
		if !w.Revoked && !w.Idle {
			return false
		}
	}
	return true
}

// checkEnded returns errFinished if the crawl is over and no crawler works any more, else nil.
func (m *Manager) checkEnded() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.o.Conf.Once || m.view.order.Do != cluster.DoFinish {
		return nil
	}
	for _, w := range m.view.workers {
		if !w.Revoked && w.Doing != cluster.Gone {
			return nil
		}
	}
	return errFinished
}
