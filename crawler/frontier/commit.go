package frontier

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/frontier/hosts"
	"github.com/eventseer/eventseer/internal/bolt"
	"github.com/eventseer/eventseer/webgraph"
)

// A txn makes the changes of one commit in memory and collects them for the disk. Its reads see its
// own changes.
type txn struct {
	*Frontier
	b     *batch
	r     *commitReader
	now   time.Time
	stale []hosts.ID // hosts whose best link was removed
	times bool       // links were added to or removed from due
}

// commit runs check, which may reject and changes nothing, and then do, and writes the changes of
// do in one transaction. An error of do or of the disk breaks the frontier.
func (f *Frontier) commit(check, do func(*txn) error) error {
	f.writer.Lock()
	defer f.writer.Unlock()
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.flushLocked(); err != nil {
		return err
	}
	t, err := f.beginCommit(check, do)
	if err != nil || t == nil {
		return err
	}
	return f.writeBatch(t.b)
}

// commitEnds is commit for some ends, whose changes may wait for those of later ones; see
// Options.EndsPerWrite.
func (f *Frontier) commitEnds(ends int, check, do func(*txn) error) error {
	f.writer.Lock()
	defer f.writer.Unlock()
	f.mu.Lock()
	defer f.mu.Unlock()
	t, err := f.beginCommit(check, do)
	if err != nil || t == nil {
		return err
	}
	if f.pending += ends; f.pending >= f.o.EndsPerWrite || t.b.len() > maxSpare {
		return f.writeBatch(t.b)
	}
	f.flying, f.committed = t.b, f.count
	f.wakeWaiting()
	return nil
}

// Flush writes the ends that wait for later ones; see Options.EndsPerWrite.
func (f *Frontier) Flush() error {
	if f.o.EndsPerWrite <= 1 {
		return nil
	}
	f.writer.Lock()
	defer f.writer.Unlock()
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.flushLocked()
}

// flushLocked is Flush for callers that hold writer and mu. It returns the error that broke the
// frontier, if any.
func (f *Frontier) flushLocked() error {
	if f.err != nil || f.pending == 0 {
		return f.err
	}
	return f.writeBatch(f.spare)
}

// writeBatch writes a batch in one transaction. The caller holds writer and mu; mu is free meanwhile.
func (f *Frontier) writeBatch(b *batch) error {
	f.flying = b
	f.mu.Unlock()
	err := f.db.Update(func(tx *bolt.Tx) error { return b.write(tx, &f.count) })
	f.mu.Lock()
	f.flying, f.spare, f.pending = nil, b.reset(), 0
	if err != nil {
		return f.markBroken(err)
	}
	f.committed = f.count
	f.wakeWaiting()
	return nil
}

// wakeWaiting wakes the callers waiting in Next.
func (f *Frontier) wakeWaiting() {
	close(f.changed)
	f.changed = make(chan struct{})
}

// markBroken breaks the frontier.
func (f *Frontier) markBroken(err error) error {
	f.err = fmt.Errorf("frontier: %w; open it again", err)
	f.stopTimer()
	f.wakeWaiting()
	return f.err
}

// beginCommit makes the changes in memory. It returns nil if there are none.
func (f *Frontier) beginCommit(check, do func(*txn) error) (*txn, error) {
	if f.err != nil {
		return nil, f.err
	}
	r, err := f.beginReading()
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
		return nil, f.markBroken(err)
	}
	t.writeUnsavedLeases()
	t.journalHosts()
	f.count.urls = uint64(f.seen.len())
	if t.b.len() == 0 && f.count == f.committed {
		return nil, nil
	}
	t.b.sort()
	t.refreshBestLinks()
	return t, nil
}

// refreshBestLinks finds the new best links and first due time after removals.
func (t *txn) refreshBestLinks() {
	slices.Sort(t.stale)
	for _, id := range slices.Compact(t.stale) {
		k, ok := t.firstWaitingLink(t.r, id, hosts.LinkKey{})
		t.hosts.SetBestLink(id, k, ok)
	}
	if !t.times {
		return
	}
	t.nextDue = 0
	t.r.scanKeys(bucketKey{in: dueBucket}, func(p bucketKey) bool {
		if at, _ := p.splitDueKey(); at != held {
			t.nextDue = int64(at)
		}
		return false
	})
}

// hostID returns a host's number; a new host gets the next one, which the next commit writes.
func (f *Frontier) hostID(name webgraph.Host, now time.Time) hosts.ID {
	if id, ok := f.hosts.Find(name); ok {
		return id
	}
	return f.hosts.Add(name, now)
}

// enqueue puts a record into the queue of its host.
func (t *txn) enqueue(hash uint64, rec *Record) {
	id := t.hostID(hostOf(rec.URL), t.now)
	k := hosts.LinkKey{Rank: hosts.Rank(rec.Score), Seq: rec.Seq}
	if rec.Interrupted {
		k.Rank = 0
	}
	rec.State, rec.Due, rec.Held = Waiting, time.Time{}, false
	t.b.putRecord(queueKey(id, k), rec)
	t.seen.set(hash, k.Rank, k.Seq, inQueue)
	t.makeVisible(id, k, hash)
}

// addWaiting puts a record into queue, or into due if it waits for a time.
func (t *txn) addWaiting(hash uint64, rec *Record) {
	at := uint64(held)
	if !rec.Held {
		if t.o.NoWait || !rec.Due.After(t.now) {
			t.enqueue(hash, rec)
			return
		}
		at = uint64(rec.Due.UnixNano())
	}
	rec.State, t.times = Waiting, true
	t.b.putRecord(dueKey(at, rec.Seq), rec)
	t.seen.set(hash, at, rec.Seq, inDue)
}

// addEnded puts a record that no longer waits at the end of done.
func (t *txn) addEnded(hash uint64, rec *Record) {
	n := t.count.done
	t.count.done++
	t.b.putRecord(numberedKey(doneBucket, n), rec)
	t.seen.set(hash, n, rec.Seq, rec.linkState())
}

// makeVisible makes a link in the queue visible to Next, unless it is claimed.
func (f *Frontier) makeVisible(id hosts.ID, k hosts.LinkKey, hash uint64) {
	if _, claimed := f.claims[hash]; claimed {
		f.hidden[k.Seq] = struct{}{}
		return
	}
	if best, ok := f.hosts.BestLink(id); !ok || k.Less(best) {
		f.hosts.SetBestLink(id, k, true)
	}
}

// placeOf returns the place of the record of a URL. A leased link has none.
func (f *Frontier) placeOf(s tableEntry, host webgraph.Host) (bucketKey, bool) {
	switch st := s.linkState(); st {
	case unseen, isLeased:
		return bucketKey{}, false
	case inQueue:
		id, ok := f.hosts.Find(host)
		return queueKey(id, hosts.LinkKey{Rank: s.at, Seq: s.sequence()}), ok
	case inDue:
		return dueKey(s.at, s.sequence()), true
	case isAway:
		return numberedKey(awayBucket, s.at), true
	default:
		return numberedKey(doneBucket, s.at), true
	}
}

// recordOf returns the record of a URL that is not leased. ok is false if there is none, or one of
// another URL with the same hash.
func (f *Frontier) recordOf(r *commitReader, s tableEntry, url string) (rec Record, ok bool, err error) {
	p, ok := f.placeOf(s, hostOf(url))
	if !ok {
		return rec, false, nil
	}
	rec, err = r.recordAt(p)
	if s.linkState() == inQueue {
		rec.Interrupted = s.at == 0
	}
	rec.Held = s.linkState() == inDue && s.at == held
	return rec, err == nil && rec.URL == url, err
}

// removeRecord removes the record of a URL from its place.
func (t *txn) removeRecord(s tableEntry, url string) {
	p, ok := t.placeOf(s, hostOf(url))
	if !ok {
		return
	}
	t.b.delete(p)
	switch s.linkState() {
	case inQueue:
		id, k := p.splitQueueKey()
		delete(t.hidden, k.Seq)
		if best, ok := t.hosts.BestLink(id); ok && best == k {
			t.stale = append(t.stale, id)
		}
	case inDue:
		t.times = true
	}
}

func checkNotes(notes []crawler.Note) error {
	for _, n := range notes {
		if len(n.Key) == 0 || len(n.Key) > maxNoteKey {
			return fmt.Errorf("frontier: a note has a key of %d bytes, must have 1 to %d", len(n.Key), maxNoteKey)
		}
	}
	return nil
}

const maxNoteKey = 30000

// A commitReader reads the disk as it will be after the commit of the batch over it.
type commitReader struct {
	over *batch // nil if there is none
	tx   *bolt.Tx
	b    [buckets]*bolt.Bucket
}

// beginReading begins to read, including the batch being committed. A caller that holds mu must close it
// before unlocking.
func (f *Frontier) beginReading() (*commitReader, error) {
	tx, err := f.db.Begin(false)
	if err != nil {
		return nil, fmt.Errorf("frontier: %w", err)
	}
	return &commitReader{over: f.flying, tx: tx}, nil
}

func (r *commitReader) close() { _ = r.tx.Rollback() } // for a read transaction the only error is a second call

func (r *commitReader) bucket(in bucket) *bolt.Bucket {
	if r.b[in] == nil {
		r.b[in] = r.tx.Bucket(bucketNames[in])
	}
	return r.b[in]
}

// get returns the value at p, nil if there is none. It is valid until the reader is closed.
func (r *commitReader) get(p bucketKey) []byte {
	if r.over != nil {
		if v, ok := r.over.get(p); ok {
			return v
		}
	}
	return r.bucket(p.in).Get(p.bytes())
}

// recordAt returns the record at p, which must be there.
func (r *commitReader) recordAt(p bucketKey) (Record, error) {
	v := r.get(p)
	if v == nil {
		return Record{}, fmt.Errorf("frontier: no record is stored at %x of bucket %s; run eventseer check", p.bytes(), bucketNames[p.in])
	}
	rec, err := decodeRecord(v)
	if err != nil {
		err = fmt.Errorf("frontier: record %x of bucket %s: %w", p.bytes(), bucketNames[p.in], err)
	}
	return rec, err
}

// scanKeys calls do with the places starting at from, in order, until do returns false. The batch over
// the disk must be sorted.
func (r *commitReader) scanKeys(from bucketKey, do func(p bucketKey) bool) {
	c := r.bucket(from.in).Cursor()
	k, _ := c.Seek(from.bytes())
	var ops []bucketOperation
	if r.over != nil {
		ops = r.over.ops[from.in]
		at, _ := slices.BinarySearchFunc(ops, from, func(o bucketOperation, p bucketKey) int { return o.compare(&p) })
		ops = ops[at:]
	}
	for k != nil || len(ops) > 0 {
		order := -1
		switch {
		case k == nil:
			order = 1
		case len(ops) > 0:
			order = bytes.Compare(k, ops[0].bytes())
		}
		p, there := bucketKey{}, true
		if order < 0 {
			p = bucketKeyOf(from.in, k)
		} else {
			p, there = ops[0].bucketKey, ops[0].value != nil
			ops = ops[1:]
		}
		if order <= 0 {
			k, _ = c.Next()
		}
		if there && !do(p) {
			return
		}
	}
}

// firstWaitingLink returns the first link of a host, from the position from on, that may be handed out.
func (f *Frontier) firstWaitingLink(r *commitReader, id hosts.ID, from hosts.LinkKey) (k hosts.LinkKey, ok bool) {
	r.scanKeys(queueKey(id, from), func(p bucketKey) bool {
		host, key := p.splitQueueKey()
		if host != id {
			return false
		}
		if _, hidden := f.hidden[key.Seq]; hidden {
			return true
		}
		k, ok = key, true
		return false
	})
	return k, ok
}

// A batch contains the changes of one transaction. They are collected first and written in order of the keys,
// which is much cheaper in bbolt. Readers see the batch as an overlay while it is written; see commitReader.
type batch struct {
	ops    [buckets][]bucketOperation
	sorted [buckets]int      // of the operations of each bucket, how many are in order of keys
	index  map[bucketKey]int // of the others, into the operations of the place's bucket
	moved  []bucketOperation // memory of sort
	notes  []crawler.Note
	arena  []byte // of the values
}

// A bucketOperation is a put, or a delete if value is nil.
type bucketOperation struct {
	bucketKey
	value []byte
}

// maxSpare is the maximum number of operations whose memory is reused for the next batch.
const maxSpare = 1 << 16

func newBatch() *batch { return &batch{index: make(map[bucketKey]int)} }

func (b *batch) len() int {
	n := len(b.notes)
	for _, ops := range b.ops {
		n += len(ops)
	}
	return n
}

// reset empties a batch, or returns a new one if it has grown large.
func (b *batch) reset() *batch {
	if b.len() > maxSpare {
		return newBatch()
	}
	for i := range b.ops {
		b.ops[i], b.sorted[i] = b.ops[i][:0], 0
	}
	clear(b.index)
	b.notes, b.arena = nil, b.arena[:0]
	return b
}

// find returns the index of the operation at p; ok is false if there is none.
func (b *batch) find(p *bucketKey) (i int, ok bool) {
	if i, ok = b.index[*p]; ok {
		return i, true
	}
	return slices.BinarySearchFunc(b.ops[p.in][:b.sorted[p.in]], p, func(o bucketOperation, p *bucketKey) int { return o.compare(p) })
}

func (b *batch) setValue(p bucketKey, value []byte) {
	if i, ok := b.find(&p); ok {
		b.ops[p.in][i].value = value
		return
	}
	b.index[p] = len(b.ops[p.in])
	b.ops[p.in] = append(b.ops[p.in], bucketOperation{p, value})
}

// get returns the value that the batch sets at p; ok is false if it does not change p.
func (b *batch) get(p bucketKey) (value []byte, ok bool) {
	i, ok := b.find(&p)
	if !ok {
		return nil, false
	}
	return b.ops[p.in][i].value, true
}

func (b *batch) delete(p bucketKey) { b.setValue(p, nil) }

func (b *batch) putRecord(p bucketKey, r *Record) {
	start := len(b.arena)
	b.arena = appendRecord(b.arena, r)
	b.setValue(p, b.arena[start:len(b.arena):len(b.arena)])
}

// sort puts the operations in order of keys. Those that were in order stay so: the others are
// sorted and merged with them, from the last on.
func (b *batch) sort() {
	for in, ops := range b.ops {
		n := b.sorted[in]
		slices.SortFunc(ops[n:], func(a, b bucketOperation) int { return a.compare(&b.bucketKey) })
		b.sorted[in] = len(ops)
		if n == 0 || n == len(ops) || ops[n-1].compare(&ops[n].bucketKey) < 0 {
			continue
		}
		b.moved = append(b.moved[:0], ops[n:]...)
		for to, late := len(ops)-1, b.moved; len(late) > 0; to-- {
			if last := len(late) - 1; n == 0 || ops[n-1].compare(&late[last].bucketKey) < 0 {
				ops[to], late = late[last], late[:last]
			} else {
				n--
				ops[to] = ops[n]
			}
		}
	}
	clear(b.index)
}

// lastNotes returns the notes in order of keys; of several with one key the last counts.
func (b *batch) lastNotes() []crawler.Note {
	slices.SortStableFunc(b.notes, func(x, y crawler.Note) int { return strings.Compare(x.Key, y.Key) })
	last := b.notes[:0]
	for i, n := range b.notes {
		if i+1 == len(b.notes) || b.notes[i+1].Key != n.Key {
			last = append(last, n)
		}
	}
	return last
}

// write makes the changes in a transaction.
func (b *batch) write(tx *bolt.Tx, c *counts) error {
	for in, ops := range b.ops {
		bb := tx.Bucket(bucketNames[in])
		if len(ops) == 0 {
			continue
		}
		if in := bucket(in); in == doneBucket || in == journalBucket || in == awayBucket {
			bb.FillFromEnd() // filled from the end
		}
		for i := range ops {
			if err := ops[i].write(bb); err != nil {
				return err
			}
		}
	}
	notes := tx.Bucket(noteBucket)
	for _, n := range b.lastNotes() {
		var err error
		if len(n.Value) == 0 {
			err = notes.Delete([]byte(n.Key))
		} else {
			err = notes.Put([]byte(n.Key), n.Value)
		}
		if err != nil {
			return err
		}
	}
	return tx.Bucket(countBucket).Put(countKey, c.encode())
}

func (o *bucketOperation) write(b *bolt.Bucket) error {
	if o.value == nil {
		return b.Delete(o.bytes())
	}
	return b.Put(o.bytes(), o.value)
}
