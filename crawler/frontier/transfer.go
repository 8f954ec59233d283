package frontier

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"reflect"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/frontier/handover"
	"github.com/eventseer/eventseer/crawler/frontier/hosts"
	"github.com/eventseer/eventseer/internal/bolt"
	"github.com/eventseer/eventseer/webgraph"
)

// maxAdopted is the most bytes of entries imported in one commit.
const maxAdopted = 4 << 20

// An importedPart is the entries imported in one commit.
type importedPart struct {
	hosts []hosts.Host
	links []importedLink
	notes []crawler.Note
}

type importedLink struct {
	rec   Record
	first bool // first page of its host with its text
}

// readPart reads entries enough for a commit. It returns io.EOF with the last.
func readPart(s *handover.Reader) (p importedPart, err error) {
	for size := 0; size < maxAdopted && len(p.links)+len(p.hosts) < maxMoved; {
		kind, entry, err := s.Next()
		if err != nil {
			return p, err
		}
		size += len(entry)
		switch kind {
		case handover.HostEntry:
			err = p.readHost(entry)
		case handover.LinkEntry:
			err = p.readLink(entry)
		default:
			err = handover.ErrBroken
		}
		if err != nil {
			return p, err
		}
	}
	return p, nil
}

func (p *importedPart) readHost(entry []byte) error {
	h, err := decodeHost(entry)
	if err == nil && (h.Name == "" || hostOf("https://"+string(h.Name)+"/") != h.Name) {
		err = errBroken
	}
	p.hosts = append(p.hosts, h)
	return err
}

func (p *importedPart) readLink(entry []byte) error {
	if len(entry) == 0 {
		return errBroken
	}
	marks := entry[0]
	rec, err := decodeRecord(entry[1:])
	switch {
	case err != nil:
		return err
	case marks > handover.WasInterrupted|handover.FirstWithText, len(rec.URL) > webgraph.MaxURL, hostOf(rec.URL) == "", len(rec.Clips) > MaxClips,
		rec.State != Waiting && rec.State != Ended && rec.State != Dropped && rec.State != Alias:
		return fmt.Errorf("a link that no frontier exports (%.200q in state %v)", rec.URL, rec.State)
	}
	rec.Interrupted = marks&handover.WasInterrupted != 0 && rec.State == Waiting
	rec.Held = false
	p.links = append(p.links, importedLink{rec, marks&handover.FirstWithText != 0})
	return nil
}

func (p *importedPart) importInto(t *txn) error {
	for _, h := range p.hosts {
		t.importHost(h)
	}
	for i := range p.links {
		if err := t.importLink(&p.links[i]); err != nil {
			return err
		}
	}
	t.b.notes = append(t.b.notes, p.notes...)
	return nil
}

// importHost merges the state of a host elsewhere with the local one. Its delay begins now, since
// clocks may differ.
func (t *txn) importHost(in hosts.Host) {
	if t.hosts.MergeHost(t.hostID(in.Name, t.now), in, t.now) {
		t.count.hosts++
	}
}

// importLink imports a link. One that is leased here is unchanged.
func (t *txn) importLink(l *importedLink) error {
	rec := l.rec
	hash := t.hashURL(rec.URL)
	s := t.seen.get(hash)
	var old Record
	switch s.linkState() {
	case isLeased:
		return nil
	case unseen:
	default:
		var ok bool
		var err error
		if old, ok, err = t.recordOf(t.r, s, rec.URL); err != nil || !ok {
			return err
		}
		if old.State != Away && old.State != Sent {
			if rec = joinRecords(&old, &rec); reflect.DeepEqual(old, rec) {
				return t.importText(hash, l, &rec)
			}
		}
		t.removeRecord(s, rec.URL)
	}
	if rec.Seq = old.Seq; old.State != Waiting || rec.State != Waiting {
		rec.Seq = t.count.seq
		t.count.seq++
	}
	t.count.clips += uint64(len(rec.Clips) - len(old.Clips))
	switch {
	case rec.State != Waiting:
		t.addEnded(hash, &rec)
	case rec.Interrupted:
		t.enqueue(hash, &rec)
	default:
		t.addWaiting(hash, &rec)
	}
	return t.importText(hash, l, &rec)
}

// importText records an imported page as the first page of its host with its text. It does nothing if the
// page was not that where it comes from, or if there already is such a page here.
func (t *txn) importText(hash uint64, l *importedLink, rec *Record) error {
	if !l.first || rec.Text == 0 || rec.Text != l.rec.Text {
		return nil
	}
	host := servingHost(rec)
	twin, err := t.firstWithText(t.r, host, rec.Text)
	if err != nil || twin != nil {
		return err
	}
	id := t.hostID(hostOf(rec.URL), t.now)
	t.b.setValue(textKey(host, rec.Text), binary.BigEndian.AppendUint32(bigEndian64(hash), uint32(id)))
	return nil
}

// progressRank orders the states of links by progress: a link waiting for another visit has ended once.
func (r *Record) progressRank() int {
	switch {
	case r.State == Ended, r.Fate != "" && r.State != Alias:
		return 3
	case r.State == Alias:
		return 2
	case r.State == Dropped:
		return 1
	}
	return 0
}

// joinRecords merges the state of a link known here, a, with that from elsewhere, b.
func joinRecords(a, b *Record) Record {
	switch order := cmp.Or(cmp.Compare(b.progressRank(), a.progressRank()), b.At.Compare(a.At)); {
	case order > 0, order == 0 && a.State != Waiting && b.State == Waiting:
		return *b
	case order < 0, a.State != Waiting, b.State != Waiting:
		return *a
	}
	r := *a
	if b.Proposed > a.Proposed {
		r.setOrigin(b.toCandidate(), b.Proposed)
	}
	r.Score = max(a.Score, b.Score)
	r.Interrupted, r.Crashes = a.Interrupted || b.Interrupted, max(a.Crashes, b.Crashes)
	if b.Tries > a.Tries {
		r.Tries, r.Due, r.Reason, r.Status = b.Tries, b.Due, b.Reason, b.Status
	}
	return r
}

type exporter struct {
	ctx context.Context
	f   *Frontier
	tx  *bolt.Tx
	s   *handover.Writer
	of  func(webgraph.Host) bool
	buf []byte
}

func (e *exporter) exportAll(ids []hosts.ID, known []hosts.Host) error {
	for _, h := range known {
		e.buf = encodeHost(e.buf[:0], h)
		if err := e.s.Put(handover.HostEntry, e.buf); err != nil {
			return err
		}
	}
	for _, id := range ids {
		err := e.exportBucket(queueKey(id, hosts.LinkKey{}), func(p bucketKey, _ State, _ []byte) bool { host, _ := p.splitQueueKey(); return host == id }, true)
		if err != nil {
			return err
		}
	}
	for _, in := range []bucket{dueBucket, doneBucket} {
		err := e.exportBucket(bucketKey{in: in}, func(_ bucketKey, st State, url []byte) bool { return st != Sent && e.of(hostOf(string(url))) }, false)
		if err != nil {
			return err
		}
	}
	return e.s.Close()
}

// exportBucket writes the links of a bucket, from a place on, for which meant returns true. With row it
// stops at the first other one.
func (e *exporter) exportBucket(from bucketKey, meant func(bucketKey, State, []byte) bool, row bool) error {
	c := e.tx.Bucket(bucketNames[from.in]).Cursor()
	n := 0
	for k, v := c.Seek(from.bytes()); k != nil; k, v = c.Next() {
		if n++; n%maxMoved == 0 && e.ctx.Err() != nil {
			return e.ctx.Err()
		}
		st, url, err := peekURL(v)
		if err != nil {
			return brokenAt(from.in, k, err)
		}
		p := bucketKeyOf(from.in, k)
		if !meant(p, st, url) {
			if row {
				return nil
			}
			continue
		}
		if err := e.exportLink(p, v); err != nil {
			return err
		}
	}
	return nil
}

func (e *exporter) exportLink(p bucketKey, v []byte) error {
	rec, err := decodeRecord(v)
	if err != nil {
		return brokenAt(p.in, p.bytes(), err)
	}
	rec.completeFromKey(&p)
	marks := byte(0)
	if rec.Interrupted {
		marks |= handover.WasInterrupted
	}
	first := textKey(servingHost(&rec), rec.Text)
	if rec.Text != 0 && containsPage(e.tx.Bucket(bucketNames[textBucket]).Get(first.bytes()), e.f.hashURL(rec.URL)) {
		marks |= handover.FirstWithText
	}
	e.buf = append(append(e.buf[:0], marks), v...)
	return e.s.Put(handover.LinkEntry, e.buf)
}

// maxMoved is the maximum number of links changed in one commit of Forget, Resend and Adopt.
// maxRead is the maximum number read in one transaction, which keeps the file from growing.
const (
	maxMoved = 4096
	maxRead  = 1 << 17
)

// releaseLink marks a link of another owner as sent, or puts it into the outbox.
func (t *txn) releaseLink(p bucketKey, rec *Record, send bool) {
	hash := t.hashURL(rec.URL)
	s := t.seen.get(hash)
	at, ok := t.placeOf(s, hostOf(rec.URL))
	if !ok || at != p || t.isOwned(hostOf(rec.URL)) {
		return // it has moved meanwhile
	}
	if p.in == doneBucket {
		t.reduceForOwner(hash, rec)
		t.b.putRecord(p, rec)
		t.seen.set(hash, s.at, rec.Seq, wasSent)
		return
	}
	t.removeRecord(s, rec.URL)
	if send {
		t.moveToOutbox(hash, rec)
		return
	}
	t.storeSentRecord(hash, rec)
}

// emptyHosts clears the counts of pages fetched from hosts: their next owner counts those.
func (t *txn) emptyHosts(ids []hosts.ID) {
	for _, id := range ids {
		if t.hosts.ClearFetched(id) {
			t.count.hosts--
		}
	}
}

// A mover finds links of some hosts without blocking the frontier, and changes many at a time.
type mover struct {
	f   *Frontier
	ctx context.Context
	of  func(webgraph.Host) bool
	// do changes a link whose record was found at p and is still there.
	do     func(t *txn, p bucketKey, rec *Record)
	places []bucketKey
}

// collectQueues finds the links in the queues of hosts.
func (m *mover) collectQueues(ids []hosts.ID) error {
	for _, id := range ids {
		err := m.collectFrom(queueKey(id, hosts.LinkKey{}), func(p bucketKey) bool { host, _ := p.splitQueueKey(); return host == id }, nil)
		if err != nil {
			return err
		}
	}
	return nil
}

// collectBucket finds the links of the mover's hosts in a bucket whose state is wanted.
func (m *mover) collectBucket(in bucket, want func(State) bool) error {
	m.f.mu.Lock()
	end := m.f.count.done
	m.f.mu.Unlock()
	within := func(p bucketKey) bool { return in != doneBucket || p.number() < end } // entries added after it are not new
	return m.collectFrom(bucketKey{in: in}, within, func(st State, url []byte) bool { return want(st) && m.of(hostOf(string(url))) })
}

// collectFrom finds links starting at a place, as long as within returns true; a nil want selects all.
func (m *mover) collectFrom(from bucketKey, within func(bucketKey) bool, want func(State, []byte) bool) error {
	if err := m.f.Flush(); err != nil {
		return err
	}
	for more := true; more; {
		more = false
		err := m.f.db.View(func(tx *bolt.Tx) error {
			c := tx.Bucket(bucketNames[from.in]).Cursor()
			k, v := c.Seek(from.bytes())
			for n := 0; k != nil; k, v = c.Next() {
				p := bucketKeyOf(from.in, k)
				if !within(p) {
					return nil
				}
				if n++; n > maxRead || len(m.places) >= maxMoved {
					from, more = p, true
					return nil
				}
				st, url, err := peekURL(v)
				if err != nil {
					return brokenAt(from.in, k, err)
				}
				if want == nil || want(st, url) {
					m.places = append(m.places, p)
				}
			}
			return nil
		})
		if err == nil && len(m.places) >= maxMoved {
			err = m.changeCollected()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// changeCollected changes the links found and commits notes with them.
func (m *mover) changeCollected(notes ...crawler.Note) error {
	if err := m.ctx.Err(); err != nil {
		return err
	}
	places := m.places
	m.places = m.places[:0]
	return m.f.commit(nil, func(t *txn) error {
		for _, p := range places {
			if t.r.get(p) == nil {
				continue
			}
			rec, err := t.r.recordAt(p)
			if err != nil {
				return err
			}
			m.do(t, p, &rec)
		}
		t.b.notes = append(t.b.notes, notes...)
		return nil
	})
}

// brokenAt returns an error that names the place of a broken record.
func brokenAt(in bucket, key []byte, err error) error {
	return fmt.Errorf("frontier: %s %x: %w; run eventseer check", bucketNames[in], key, err)
}
