package cluster

import (
	"context"
	"fmt"
	"strconv"
	"strings"
)

// A mirror is what a crawler has seen of the bucket.
type mirror struct {
	ready bool // all there was has been seen
	conf  *Conf
	order Order
	drain bool
	parts map[int]partEntry
	last  map[string]uint64 // revisions by key
}

func newMirror() mirror { return mirror{parts: map[int]partEntry{}, last: map[string]uint64{}} }

// take takes an entry in and reports whether it is news to a crawler of that name.
func (m *mirror) take(e Entry, name string) (news bool, err error) {
	if e.Revision <= m.last[e.Key] {
		return false, nil
	}
	number, isPart := strings.CutPrefix(e.Key, partPrefix)
	switch {
	case e.Key == confKey:
		var c Conf
		if err := read(e, &c); err != nil {
			return false, err
		}
		m.conf = &c
	case e.Key == orderKey:
		var o Order
		if err := read(e, &o); err != nil {
			return false, err
		}
		m.order = o
	case e.Key == drainPrefix+name:
		m.drain = e.Value != nil
	case isPart:
		n, err := strconv.Atoi(number)
		if err != nil || n < 0 || n >= MaxPartitions {
			return false, fmt.Errorf("entry %s is of no partition", e.Key)
		}
		var p Part
		if err := read(e, &p); err != nil {
			return false, err
		}
		m.parts[n] = partEntry{Part: p, revision: e.Revision}
	default:
		return false, nil
	}
	m.last[e.Key] = e.Revision
	return true, nil
}

// watch keeps the mirror as the bucket is, until ctx ends.
func (w *Worker) watch(ctx context.Context) error {
	for {
		if err := w.watchOnce(ctx); err != nil {
			return err
		}
		if err := pause(ctx, beatEvery(w.conf.Lease)); err != nil {
			return err
		}
	}
}

// watchOnce returns nil where the watch has to begin anew.
func (w *Worker) watchOnce(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	entries, err := w.o.Bus.Watch(ctx)
	if err != nil {
		w.tell("watch the cluster", err)
		return ctx.Err()
	}
	drain, all := false, false
	for e := range entries {
		drain = drain || e.Key == drainPrefix+w.o.Name
		if e.Key == "" && !all {
			all = true
			w.complete(drain)
			continue
		}
		if err := w.learn(e); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// complete says that all there is was seen, with or without an order to drain.
func (w *Worker) complete(drain bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen.ready = true
	w.seen.drain = w.seen.drain && drain
	w.wake()
}

// learn takes in an entry. Its error is that the crawl became another.
func (w *Worker) learn(e Entry) error {
	if e.Key == workerPrefix+w.o.Name {
		w.look(e)
		return nil
	}
	w.mu.Lock()
	news, err := w.seen.take(e, w.o.Name)
	if news {
		w.shed()
		w.cut(w.astray)
		w.wake()
	}
	conf := w.seen.conf
	w.mu.Unlock()
	if err != nil {
		w.tell("read the cluster's bucket", err)
	}
	if news && e.Key == confKey && conf != nil && conf.Version != w.conf.Version {
		return fmt.Errorf("%w: %s, this crawler has %s: start it again", ErrVersion, conf.Version, w.conf.Version)
	}
	return nil
}

// look asks for a beat where another has changed this crawler's entry.
func (w *Worker) look(e Entry) {
	var b Beat
	if read(e, &b) != nil {
		return
	}
	w.mu.Lock()
	strange := b.Revoked || b.Boot != w.boot
	w.mu.Unlock()
	if strange {
		w.hurry()
	}
}
