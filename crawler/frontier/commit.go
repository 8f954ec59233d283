package frontier

import (
	"fmt"
	"slices"
	"time"

	"eventseer/crawler"
	"eventseer/webgraph"

	"go.etcd.io/bbolt"
)

// A txn makes the changes of one commit in memory and collects them for the
// disk. It reads what it has changed.
type txn struct {
	*Frontier
	b     *batch
	r     *reader
	now   time.Time
	stale []hostID // hosts whose best link was taken away
	times bool     // links in due have come or gone
}

// commit runs check, which changes nothing and may refuse, and then do, and
// writes what do has changed in one transaction. An error of do or of the disk
// breaks the frontier.
func (f *Frontier) commit(check, do func(*txn) error) error {
	f.writer.Lock()
	defer f.writer.Unlock()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err != nil {
		return f.err
	}
	t, err := f.begin(check, do)
	if err != nil || t == nil {
		return err
	}
	f.flying = t.b
	f.mu.Unlock()
	err = f.db.Update(func(tx *bbolt.Tx) error { return t.b.write(tx, &t.count) })
	f.mu.Lock()
	f.flying, f.spare = nil, t.b.reset()
	if err != nil {
		return f.fail(err)
	}
	f.committed = f.count
	f.wake()
	return nil
}

// wake lets those who wait in Next look again.
func (f *Frontier) wake() {
	close(f.changed)
	f.changed = make(chan struct{})
}

// fail breaks the frontier.
func (f *Frontier) fail(err error) error {
	f.err = fmt.Errorf("frontier: %w; open it again", err)
	f.stopTimer()
	f.wake()
	return f.err
}

// begin makes the changes in memory. It returns nil if there are none.
func (f *Frontier) begin(check, do func(*txn) error) (*txn, error) {
	r, err := f.reader()
	if err != nil {
		return nil, err
	}
	defer r.close()
	t := &txn{Frontier: f, b: f.spare, r: r, now: f.o.Now()}
	r.over = t.b
	if check != nil {
		if err := check(t); err != nil {
			return nil, err
		}
	}
	if err := do(t); err != nil {
		return nil, f.fail(err)
	}
	t.flush()
	t.journalHosts()
	f.count.urls = uint64(f.seen.len())
	if t.b.len() == 0 && f.count == f.committed {
		return nil, nil
	}
	t.b.sort()
	t.settle()
	return t, nil
}

// settle finds the best links and the first due time where they were taken away.
func (t *txn) settle() {
	slices.Sort(t.stale)
	for _, id := range slices.Compact(t.stale) {
		k, ok := t.head(t.r, id, linkKey{})
		t.hosts.head(id, k, ok)
	}
	if !t.times {
		return
	}
	t.nextDue = 0
	t.r.scan(place{in: dueBucket}, func(p place) bool {
		if at, _ := p.due(); at != held {
			t.nextDue = int64(at)
		}
		return false
	})
}

// hostID returns a host's number; a new one gets the next, and is written with
// the next commit.
func (f *Frontier) hostID(name webgraph.Host, now time.Time) hostID {
	if id, ok := f.hosts.find(name); ok {
		return id
	}
	id := f.hosts.add(name, now)
	f.hosts.touch(f.hosts.hosts[id])
	return id
}

// enqueue puts a record into the queue of its host.
func (t *txn) enqueue(hash uint64, rec *Record) {
	id := t.hostID(hostOf(rec.URL), t.now)
	k := linkKey{rank(rec.Score), rec.Seq}
	if rec.Interrupted {
		k.rank = 0
	}
	rec.State, rec.Due, rec.Held = Waiting, time.Time{}, false
	t.b.putRecord(queuePlace(id, k), rec)
	t.seen.set(hash, k.rank, k.seq, inQueue)
	t.show(id, k, hash)
}

// wait puts a record where it waits: in the queue, or in due for its time.
func (t *txn) wait(hash uint64, rec *Record) {
	at := uint64(held)
	if !rec.Held {
		if t.o.NoWait || !rec.Due.After(t.now) {
			t.enqueue(hash, rec)
			return
		}
		at = uint64(rec.Due.UnixNano())
	}
	rec.State, t.times = Waiting, true
	t.b.putRecord(duePlace(at, rec.Seq), rec)
	t.seen.set(hash, at, rec.Seq, inDue)
}

// retire puts a record that waits no more at the end of done.
func (t *txn) retire(hash uint64, rec *Record) {
	n := t.count.done
	t.count.done++
	t.b.putRecord(numbered(doneBucket, n), rec)
	t.seen.set(hash, n, rec.Seq, rec.standing())
}

// show lets a link in the queue be seen by Next, unless it is claimed.
func (f *Frontier) show(id hostID, k linkKey, hash uint64) {
	if _, claimed := f.claims[hash]; claimed {
		f.hidden[k.seq] = struct{}{}
		return
	}
	if best, ok := f.hosts.best(id); !ok || k.less(best) {
		f.hosts.head(id, k, true)
	}
}

// place returns where the record of a URL is. A link in hand has none of its own.
func (f *Frontier) place(s slot, host webgraph.Host) (place, bool) {
	switch st := s.standing(); st {
	case unseen, isLeased:
		return place{}, false
	case inQueue:
		id, ok := f.hosts.find(host)
		return queuePlace(id, linkKey{s.at, s.seq()}), ok
	case inDue:
		return duePlace(s.at, s.seq()), true
	case isAway:
		return numbered(awayBucket, s.at), true
	default:
		return numbered(doneBucket, s.at), true
	}
}

// record returns the record of a URL that is not in hand. ok is false if there
// is none, or one of another URL with the same hash.
func (f *Frontier) record(r *reader, s slot, url string) (rec Record, ok bool, err error) {
	p, ok := f.place(s, hostOf(url))
	if !ok {
		return rec, false, nil
	}
	rec, err = r.record(p)
	if s.standing() == inQueue {
		rec.Interrupted = s.at == 0
	}
	rec.Held = s.standing() == inDue && s.at == held
	return rec, err == nil && rec.URL == url, err
}

// remove takes the record of a URL away from where it is.
func (t *txn) remove(s slot, url string) {
	p, ok := t.place(s, hostOf(url))
	if !ok {
		return
	}
	t.b.delete(p)
	switch s.standing() {
	case inQueue:
		id, k := p.link()
		delete(t.hidden, k.seq)
		if best, ok := t.hosts.best(id); ok && best == k {
			t.stale = append(t.stale, id)
		}
	case inDue:
		t.times = true
	}
}

func checkNotes(notes []crawler.Note) error {
	for _, n := range notes {
		if len(n.Key) == 0 || len(n.Key) > maxNoteKey {
			return fmt.Errorf("frontier: note with a key of %d bytes, not 1 to %d", len(n.Key), maxNoteKey)
		}
	}
	return nil
}

const maxNoteKey = 30000
