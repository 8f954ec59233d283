package cluster

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"eventseer/crawler"
)

// Notes of a crawler in its frontier.
const (
	notePrefix = "crawler/cluster/"
	diskNote   = notePrefix + "disk"
)

// Join waits until there is a cluster, checks that this crawler may work for it
// (ErrVersion), and takes its name. It fails if another process lives by that name.
// Run is to be called at once: the lease runs.
func Join(ctx context.Context, o WorkerOptions) (*Worker, error) {
	if err := o.validate(); err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	if o.MaxOutbox == 0 {
		o.MaxOutbox = defaultMaxOutbox
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	w := &Worker{
		o: o, kick: make(chan struct{}, 1), beating: make(chan struct{}, 1), boot: rand.Text(), started: o.Now(), seen: newMirror(),
		held: map[int]holding{}, changed: make(chan struct{}), requests: map[*request]struct{}{},
	}
	o.Local.Own(w.own.owns(1))
	if err := w.join(ctx); err != nil {
		return nil, fmt.Errorf("join as %s: %w", o.Name, err)
	}
	return w, nil
}

func (w *Worker) join(ctx context.Context) error {
	if err := w.await(ctx); err != nil {
		return err
	}
	version, err := w.o.Version(w.conf)
	if err != nil {
		return err
	}
	if version != w.conf.Version {
		return fmt.Errorf("%w: %s, this crawler has %s", ErrVersion, w.conf.Version, version)
	}
	if err := w.readNotes(ctx); err != nil {
		return err
	}
	return w.takeName(ctx)
}

// await waits until there is a Conf.
func (w *Worker) await(ctx context.Context) error {
	for {
		err := w.awaitOnce(ctx)
		if err == nil || ctx.Err() != nil {
			return err
		}
		w.tell("wait for a cluster", err)
		if err := pause(ctx, MinLease); err != nil {
			return err
		}
	}
}

func (w *Worker) awaitOnce(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	entries, err := w.o.Bus.Watch(ctx)
	if err != nil {
		return err
	}
	all := false
	for e := range entries {
		all = all || e.Key == ""
		if _, err := w.seen.take(e, w.o.Name); err != nil {
			return err
		}
		if c := w.seen.conf; all && c != nil && c.Version != "" {
			if err := c.validate(); err != nil {
				return err
			}
			w.conf = *c
			return nil
		}
	}
	return errors.Join(ctx.Err(), errors.New("the watch of the bucket ended"))
}

// readNotes takes up what this crawler has done before. A new frontier has never
// sent a link, so that what was lost before needs nothing.
func (w *Worker) readNotes(ctx context.Context) error {
	var broken error
	err := w.o.Local.Notes(ctx, func(n crawler.Note) error {
		if n.Key == diskNote {
			w.disk = string(n.Value)
		} else if number, ok := strings.CutPrefix(n.Key, holdingPrefix); ok {
			part, h, err := readHolding(number, n.Value)
			if err != nil {
				broken = errors.Join(broken, err)
				return nil
			}
			w.held[part] = h
		}
		return nil
	})
	if err = errors.Join(err, broken); err != nil || w.disk != "" {
		return err
	}
	w.disk = rand.Text()
	notes := []crawler.Note{{Key: diskNote, Value: []byte(w.disk)}}
	for n := range w.conf.Partitions {
		if p := w.seen.parts[n]; p.Lost > 0 {
			h := holding{Seen: p.Lost}
			w.held[n] = h
			notes = append(notes, h.note(n))
		}
	}
	return w.note(ctx, notes...)
}

// takeName waits as long as it may be that another process lives by the name.
func (w *Worker) takeName(ctx context.Context) error {
	first, since := uint64(0), time.Now()
	for {
		e, err := w.o.Bus.Get(ctx, workerPrefix+w.o.Name)
		if err != nil && !errors.Is(err, ErrNoKey) {
			return err
		}
		var b Beat
		if err := read(e, &b); err != nil {
			return err
		}
		if first == 0 {
			first = e.Revision
		}
		free := e.Value == nil || b.Revoked || b.Doing == gone || b.Disk == w.disk || time.Since(since) > w.conf.Lease
		switch {
		case free:
			err := w.enter(ctx, e, b)
			if err == nil || !errors.Is(err, ErrConflict) {
				return err
			}
		case e.Revision != first:
			return fmt.Errorf("another process works by this name since %s: give this crawler another", b.Started.Format(time.RFC3339))
		}
		if err := pause(ctx, beatEvery(w.conf.Lease)); err != nil {
			return err
		}
	}
}

// enter puts the first beat in the place of an entry. What the last process had when
// it was revoked is to be claimed, so that a manager on its way to take it fails.
func (w *Worker) enter(ctx context.Context, e Entry, old Beat) error {
	if e.Value == nil || old.Revoked {
		if err := w.reclaim(ctx); err != nil {
			return err
		}
	}
	if err := w.lockBeat(ctx); err != nil {
		return err
	}
	defer w.unlockBeat()
	w.mu.Lock()
	w.boot = rand.Text()
	w.mu.Unlock()
	start := w.o.Now()
	data, err := json.Marshal(w.describe(ctx))
	if err != nil {
		return err
	}
	rev, err := w.o.Bus.Set(ctx, workerPrefix+w.o.Name, data, e.Revision)
	if err == nil {
		w.took(start, rev)
	}
	return err
}
