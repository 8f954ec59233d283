package jetstream

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"time"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/cluster"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

var validKey = regexp.MustCompile(`^[-/_=a-zA-Z0-9]+(\.[-/_=a-zA-Z0-9]+)*$`)

func checkKey(key string) error {
	if len(key) > 256 || !validKey.MatchString(key) {
		return fmt.Errorf("bucket: key %.300q must have at most 256 letters, digits, -/_=, and dots between them", key)
	}
	return nil
}

// Get implements cluster.Bus.
func (b *bus) Get(ctx context.Context, key string) (cluster.Entry, error) {
	if err := checkKey(key); err != nil {
		return cluster.Entry{}, err
	}
	var e jetstream.KeyValueEntry
	err := b.retry(ctx, isTemporary, func(ctx context.Context) (err error) {
		e, err = b.kv.Get(ctx, key)
		return err
	})
	if errors.Is(err, jetstream.ErrKeyNotFound) || errors.Is(err, jetstream.ErrKeyDeleted) {
		return cluster.Entry{}, cluster.ErrNoKey
	}
	if err != nil {
		return cluster.Entry{}, fmt.Errorf("bucket: get %s: %w", key, err)
	}
	return convertEntry(e), nil
}

func convertEntry(e jetstream.KeyValueEntry) cluster.Entry {
	c := cluster.Entry{Key: e.Key(), Revision: e.Revision()}
	if e.Operation() == jetstream.KeyValuePut {
		c.Value = append([]byte{}, e.Value()...) // empty is not nil
	}
	return c
}

// Set implements cluster.Bus. After a timeout the value may or may not have been written.
func (b *bus) Set(ctx context.Context, key string, value []byte, last uint64) (revision uint64, err error) {
	if err := checkKey(key); err != nil {
		return 0, err
	}
	if len(value) > cluster.MaxEntry {
		return 0, fmt.Errorf("bucket: %s has %d bytes, at most %d are allowed", key, len(value), cluster.MaxEntry)
	}
	revision, err = b.writeChange(ctx, key, value, "", last)
	return revision, changeError("set", key, last, err)
}

// Delete implements cluster.Bus.
func (b *bus) Delete(ctx context.Context, key string, last uint64) error {
	if err := checkKey(key); err != nil {
		return err
	}
	if last == 0 {
		return changeError("delete", key, last, cluster.ErrConflict)
	}
	_, err := b.writeChange(ctx, key, nil, deletion, last)
	return changeError("delete", key, last, err)
}

// The header of an entry that marks a deletion.
const (
	operation = "KV-Operation"
	deletion  = "DEL"
)

func (b *bus) entrySubject(key string) string { return "$KV." + b.o.Bucket + "." + key }

// writeChange writes an entry like nats.go's KeyValue, but with a message ID. A leader that lost contact to
// the other nodes may store the entry without responding. change then sends it again, possibly to another
// node; because of the ID it is stored only once.
func (b *bus) writeChange(ctx context.Context, key string, value []byte, op string, last uint64) (revision uint64, err error) {
	m := &nats.Msg{Subject: b.entrySubject(key), Data: value, Header: nats.Header{
		jetstream.ExpectedLastSubjSeqHeader: {strconv.FormatUint(last, 10)},
	}}
	if op != "" {
		m.Header.Set(operation, op)
	}
	id := "k:" + rand.Text()
	revision, err = b.storeMessage(ctx, m, id)
	if !isConflict(err) {
		return revision, err
	}
	have, e := b.lastChange(ctx, key)
	switch {
	case e != nil:
		return 0, e
	case have == nil:
	case have.Header.Get(jetstream.MsgIDHeader) == id: // stored by an earlier attempt whose response was lost
		return have.Sequence, nil
	case last == 0 && have.Header.Get(operation) != "": // the server counts a deletion as a revision
		return b.writeChange(ctx, key, value, op, have.Sequence)
	}
	return 0, err
}

// lastChange returns the last change of a key, nil if there is none.
func (b *bus) lastChange(ctx context.Context, key string) (m *jetstream.RawStreamMsg, err error) {
	err = b.retry(ctx, isTemporary, func(ctx context.Context) (err error) {
		m, err = b.entries.GetLastMsgForSubject(ctx, b.entrySubject(key))
		return err
	})
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil, nil
	}
	return m, err
}

func changeError(what, key string, last uint64, err error) error {
	if err == nil {
		return nil
	}
	if isConflict(err) {
		err = cluster.ErrConflict
	}
	return fmt.Errorf("bucket: %s %s at %d: %w", what, key, last, err)
}

// lagCheck is how long a watch may receive nothing before it checks whether it missed something.
const lagCheck = 2 * time.Second

// newestRevision returns the revision of the newest entry, 0 if the bucket never had one.
func (b *bus) newestRevision(ctx context.Context) (revision uint64, err error) {
	s, err := b.leaderStream(ctx, b.entryStream())
	if err != nil {
		return 0, err
	}
	return s.CachedInfo().State.LastSeq, nil
}

// Watch implements cluster.Bus. A watch of NATS reads any replica of the bucket and reports that all
// entries were sent when that replica has no more, even if it lacks entries that others have
// acknowledged. So Watch asks the leader for the newest revision first.
func (b *bus) Watch(ctx context.Context) (<-chan cluster.Entry, error) {
	var upTo uint64
	err := b.retry(ctx, isTemporary, func(ctx context.Context) (err error) {
		upTo, err = b.newestRevision(ctx)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("bucket: watch: %w", err)
	}
	first, err := b.startWatcher(ctx, 0)
	if err != nil {
		return nil, fmt.Errorf("bucket: watch: %w", err)
	}
	if err := b.registerBackgroundWork(); err != nil {
		stopWatcher(first)
		return nil, err
	}
	out := make(chan cluster.Entry)
	ctx, cancel := context.WithCancel(ctx)
	release := context.AfterFunc(b.ctx, cancel)
	go func() {
		defer b.wg.Done()
		defer cancel()
		defer release()
		defer close(out)
		w := watchState{b: b, in: first, upTo: upTo, newest: map[string]int{}}
		defer func() { stopWatcher(w.in) }()
		w.forwardChanges(ctx, out)
	}()
	return out, nil
}

// A keyWatcher is a watch of nats.go with its own context.
type keyWatcher struct {
	jetstream.KeyWatcher
	end context.CancelFunc
}

func (b *bus) startWatcher(ctx context.Context, from uint64) (w keyWatcher, err error) {
	var opts []jetstream.WatchOpt
	if from > 0 {
		opts = append(opts, jetstream.ResumeFromRevision(from))
	}
	err = b.retry(ctx, isTemporary, func(once context.Context) error {
		w, err = b.watchOnce(ctx, once, opts...)
		return err
	})
	return w, err
}

// watchOnce begins a watch that lasts until ctx ends. The context once limits only the start. nats.go
// takes a single context for both, and if the response is lost it waits until that context ends.
func (b *bus) watchOnce(ctx, once context.Context, opts ...jetstream.WatchOpt) (keyWatcher, error) {
	ctx, cancel := context.WithCancel(ctx)
	begun := context.AfterFunc(once, cancel)
	in, err := b.kv.WatchAll(ctx, opts...)
	w := keyWatcher{in, cancel}
	if begun() && err == nil {
		return w, nil
	}
	cancel()
	if err == nil { // the response came too late
		stopWatcher(w)
	}
	if once.Err() != nil {
		err = once.Err()
	}
	return keyWatcher{}, err
}

// stopWatcher stops a watch and reads its remaining updates, because its sender may be blocked.
func stopWatcher(w keyWatcher) {
	defer w.end()
	w.Stop()
	for {
		select {
		case _, ok := <-w.Updates():
			if !ok {
				return
			}
		case <-time.After(callTimeout):
			return
		}
	}
}

// A watchState is the state of one Watch. Of the changes not yet read it stores the last one per key.
type watchState struct {
	b               *bus
	in              keyWatcher
	seen            uint64 // the largest revision received
	upTo            uint64 // revision of the newest entry at the start of the watch; the marker follows it
	marked          bool
	pending         []cluster.Entry
	newest          map[string]int // by key: index in pending plus taken, for changes on the current side of the marker
	popped          int
	noResponseSince time.Time // time since when the leader of the bucket does not respond, zero if it does
}

func (w *watchState) forwardChanges(ctx context.Context, out chan<- cluster.Entry) {
	w.addMarker()
	lag := time.NewTicker(lagCheck)
	defer lag.Stop()
	heard := true
	for {
		send, head := out, cluster.Entry{}
		if w.marked && len(w.pending) > 0 {
			head = w.pending[0]
		} else {
			send = nil
		}
		select {
		case <-ctx.Done():
			return
		case send <- head:
			w.removeFirst()
		case e, ok := <-w.in.Updates():
			if !ok {
				w.restart(ctx)
				break
			}
			heard = true
			if e != nil {
				w.storeChange(convertEntry(e))
			}
		case <-lag.C:
			if !heard && w.hasMissed(ctx) {
				w.restart(ctx)
			}
			heard = false
		}
	}
}

// storeChange stores a change. It drops an older unread change of the same key, so that revisions only
// increase.
func (w *watchState) storeChange(e cluster.Entry) {
	if e.Revision <= w.seen {
		return
	}
	w.seen = e.Revision
	if at, ok := w.newest[e.Key]; ok {
		w.dropPending(at - w.popped)
	}
	w.pending = append(w.pending, e)
	w.newest[e.Key] = w.popped + len(w.pending) - 1
	w.addMarker()
}

// addMarker appends the marker once all entries have arrived that existed when the watch began. Nothing is
// sent before, because a replica that lags behind sends older entries first.
func (w *watchState) addMarker() {
	if w.marked || w.seen < w.upTo {
		return
	}
	w.marked = true
	w.pending = append(w.pending, cluster.Entry{})
	clear(w.newest) // later changes do not replace entries before the marker
}

// dropPending removes a pending entry.
func (w *watchState) dropPending(at int) {
	w.pending = append(w.pending[:at], w.pending[at+1:]...)
	for i := at; i < len(w.pending); i++ {
		w.newest[w.pending[i].Key] = w.popped + i
	}
}

func (w *watchState) removeFirst() {
	if key := w.pending[0].Key; w.newest[key] == w.popped {
		delete(w.newest, key)
	}
	w.pending = w.pending[1:]
	w.popped++
}

// hasMissed reports whether the bucket has changes that this watch did not receive. If no node
// answers within the time of a call, the connection moves to another node.
func (w *watchState) hasMissed(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, w.b.time.call)
	defer cancel()
	began := time.Now()
	revision, err := w.b.newestRevision(ctx)
	switch {
	case err == nil:
		w.noResponseSince = time.Time{}
	case w.noResponseSince.IsZero():
		w.noResponseSince = began
	case time.Since(w.noResponseSince) > w.b.time.move:
		w.b.moveToOtherNode()
	}
	return err == nil && revision > w.seen
}

// restart starts a new watch from the last received revision.
func (w *watchState) restart(ctx context.Context) {
	for {
		next, err := w.b.startWatcher(ctx, w.seen+1)
		if err == nil {
			stopWatcher(w.in)
			w.in = next
			return
		}
		w.b.log.Warn("the bucket cannot be watched; trying again", "err", err)
		if crawler.WaitFor(ctx, time.Second) != nil {
			return
		}
	}
}
