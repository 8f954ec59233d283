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
		return fmt.Errorf("bucket: key %.300q: at most 256 letters, digits, -/_= and dots between them", key)
	}
	return nil
}

// Get implements cluster.Bus.
func (b *bus) Get(ctx context.Context, key string) (cluster.Entry, error) {
	if err := checkKey(key); err != nil {
		return cluster.Entry{}, err
	}
	var e jetstream.KeyValueEntry
	err := b.retry(ctx, temporary, func(ctx context.Context) (err error) {
		e, err = b.kv.Get(ctx, key)
		return err
	})
	if errors.Is(err, jetstream.ErrKeyNotFound) || errors.Is(err, jetstream.ErrKeyDeleted) {
		return cluster.Entry{}, cluster.ErrNoKey
	}
	if err != nil {
		return cluster.Entry{}, fmt.Errorf("bucket: get %s: %w", key, err)
	}
	return entry(e), nil
}

func entry(e jetstream.KeyValueEntry) cluster.Entry {
	c := cluster.Entry{Key: e.Key(), Revision: e.Revision()}
	if e.Operation() == jetstream.KeyValuePut {
		c.Value = append([]byte{}, e.Value()...) // empty is not nil
	}
	return c
}

// Set implements cluster.Bus. After a timeout it is open whether it was taken.
func (b *bus) Set(ctx context.Context, key string, value []byte, last uint64) (revision uint64, err error) {
	if err := checkKey(key); err != nil {
		return 0, err
	}
	if len(value) > cluster.MaxEntry {
		return 0, fmt.Errorf("bucket: %s has %d bytes, at most %d", key, len(value), cluster.MaxEntry)
	}
	revision, err = b.change(ctx, key, value, "", last)
	return revision, changed("set", key, last, err)
}

// Delete implements cluster.Bus.
func (b *bus) Delete(ctx context.Context, key string, last uint64) error {
	if err := checkKey(key); err != nil {
		return err
	}
	if last == 0 {
		return changed("delete", key, last, cluster.ErrConflict)
	}
	_, err := b.change(ctx, key, nil, deletion, last)
	return changed("delete", key, last, err)
}

// The header of an entry that deletes.
const (
	operation = "KV-Operation"
	deletion  = "DEL"
)

func (b *bus) subject(key string) string { return "$KV." + b.o.Bucket + "." + key }

// change writes an entry as nats.go's KeyValue does, but with an ID. A leader that lost the other
// nodes stores an entry and does not answer. It is sent again, to another node too, and stored
// once.
func (b *bus) change(ctx context.Context, key string, value []byte, op string, last uint64) (revision uint64, err error) {
	m := &nats.Msg{Subject: b.subject(key), Data: value, Header: nats.Header{
		jetstream.ExpectedLastSubjSeqHeader: {strconv.FormatUint(last, 10)},
	}}
	if op != "" {
		m.Header.Set(operation, op)
	}
	id := "k:" + rand.Text()
	revision, err = b.store(ctx, m, id)
	if !isConflict(err) {
		return revision, err
	}
	have, e := b.last(ctx, key)
	switch {
	case e != nil:
		return 0, e
	case have == nil:
	case have.Header.Get(jetstream.MsgIDHeader) == id: // stored by a try whose answer was lost
		return have.Sequence, nil
	case last == 0 && have.Header.Get(operation) != "": // a deletion counts as a revision there
		return b.change(ctx, key, value, op, have.Sequence)
	}
	return 0, err
}

// last returns the last change of a key, nil if there is none.
func (b *bus) last(ctx context.Context, key string) (m *jetstream.RawStreamMsg, err error) {
	err = b.retry(ctx, temporary, func(ctx context.Context) (err error) {
		m, err = b.entries.GetLastMsgForSubject(ctx, b.subject(key))
		return err
	})
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil, nil
	}
	return m, err
}

func changed(what, key string, last uint64, err error) error {
	if err == nil {
		return nil
	}
	if isConflict(err) {
		err = cluster.ErrConflict
	}
	return fmt.Errorf("bucket: %s %s at %d: %w", what, key, last, err)
}

// lagCheck is how long a watch may be silent before it asks whether it missed something.
const lagCheck = 2 * time.Second

// newest returns the revision of the newest entry, 0 if there was none yet.
func (b *bus) newest(ctx context.Context) (revision uint64, err error) {
	s, err := b.led(ctx, b.entryStream())
	if err != nil {
		return 0, err
	}
	return s.CachedInfo().State.LastSeq, nil
}

// Watch implements cluster.Bus. A watch of NATS reads one replica, any of those of the
// bucket, and says that all came when that replica has no more, though it may lack what
// others have acknowledged. So the leader is asked how far the bucket is.
func (b *bus) Watch(ctx context.Context) (<-chan cluster.Entry, error) {
	var upTo uint64
	err := b.retry(ctx, temporary, func(ctx context.Context) (err error) {
		upTo, err = b.newest(ctx)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("bucket: watch: %w", err)
	}
	first, err := b.watcher(ctx, 0)
	if err != nil {
		return nil, fmt.Errorf("bucket: watch: %w", err)
	}
	if err := b.begin(); err != nil {
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
		w := watch{b: b, in: first, upTo: upTo, newest: map[string]int{}}
		defer func() { stopWatcher(w.in) }()
		w.run(ctx, out)
	}()
	return out, nil
}

// A keyWatcher is a watch of nats.go, which ends with a context of its own.
type keyWatcher struct {
	jetstream.KeyWatcher
	end context.CancelFunc
}

func (b *bus) watcher(ctx context.Context, from uint64) (w keyWatcher, err error) {
	var opts []jetstream.WatchOpt
	if from > 0 {
		opts = append(opts, jetstream.ResumeFromRevision(from))
	}
	err = b.retry(ctx, temporary, func(once context.Context) error {
		w, err = b.watchOnce(ctx, once, opts...)
		return err
	})
	return w, err
}

// watchOnce begins a watch that lasts until ctx ends. once limits only the beginning:
// nats.go takes one context for both, and waits for an answer that was lost until that
// context ends.
func (b *bus) watchOnce(ctx, once context.Context, opts ...jetstream.WatchOpt) (keyWatcher, error) {
	ctx, cancel := context.WithCancel(ctx)
	begun := context.AfterFunc(once, cancel)
	in, err := b.kv.WatchAll(ctx, opts...)
	w := keyWatcher{in, cancel}
	if begun() && err == nil {
		return w, nil
	}
	cancel()
	if err == nil { // the answer came too late
		stopWatcher(w)
	}
	if once.Err() != nil {
		err = once.Err()
	}
	return keyWatcher{}, err
}

// stopWatcher stops one whose sender may wait for a reader.
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

// watch is one Watch: of received and unread changes it holds the last per key.
type watch struct {
	b       *bus
	in      keyWatcher
	seen    uint64 // the largest revision received
	upTo    uint64 // the revision that the marker follows
	marked  bool
	pending []cluster.Entry
	newest  map[string]int // index into pending of changes on the same side of the marker, plus taken
	taken   int
	deaf    time.Time // since when the leader of the bucket does not answer, zero if it does
}

func (w *watch) run(ctx context.Context, out chan<- cluster.Entry) {
	w.mark()
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
			w.pop()
		case e, ok := <-w.in.Updates():
			if !ok {
				w.again(ctx)
				break
			}
			heard = true
			if e != nil {
				w.keepEntry(entry(e))
			}
		case <-lag.C:
			if !heard && w.missed(ctx) {
				w.again(ctx)
			}
			heard = false
		}
	}
}

// keepEntry stores a change in place of an older unread one of that key. The older one is dropped,
// and so revisions only grow.
func (w *watch) keepEntry(e cluster.Entry) {
	if e.Revision <= w.seen {
		return
	}
	w.seen = e.Revision
	if at, ok := w.newest[e.Key]; ok {
		w.drop(at - w.taken)
	}
	w.pending = append(w.pending, e)
	w.newest[e.Key] = w.taken + len(w.pending) - 1
	w.mark()
}

// mark puts the marker after the entries that were there when the watch began, once all have come.
// Nothing is sent before: a replica that lags sends older ones first.
func (w *watch) mark() {
	if w.marked || w.seen < w.upTo {
		return
	}
	w.marked = true
	w.pending = append(w.pending, cluster.Entry{})
	clear(w.newest) // later entries replace none of these
}

// drop leaves a pending entry out.
func (w *watch) drop(at int) {
	w.pending = append(w.pending[:at], w.pending[at+1:]...)
	for i := at; i < len(w.pending); i++ {
		w.newest[w.pending[i].Key] = w.taken + i
	}
}

func (w *watch) pop() {
	if key := w.pending[0].Key; w.newest[key] == w.taken {
		delete(w.newest, key)
	}
	w.pending = w.pending[1:]
	w.taken++
}

// missed reports whether the bucket has changes that this watch did not receive. If no node
// answers within the time of a call, the connection moves to another node.
func (w *watch) missed(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, w.b.time.call)
	defer cancel()
	began := time.Now()
	revision, err := w.b.newest(ctx)
	switch {
	case err == nil:
		w.deaf = time.Time{}
	case w.deaf.IsZero():
		w.deaf = began
	case time.Since(w.deaf) > w.b.time.move:
		w.b.move()
	}
	return err == nil && revision > w.seen
}

// again watches from what was seen last on.
func (w *watch) again(ctx context.Context) {
	for {
		next, err := w.b.watcher(ctx, w.seen+1)
		if err == nil {
			stopWatcher(w.in)
			w.in = next
			return
		}
		w.b.log.Warn("the bucket cannot be watched", "err", err)
		if crawler.Pause(ctx, time.Second) != nil {
			return
		}
	}
}
