package frontier

import (
	"context"
	"fmt"
	"io"

	"eventseer/webgraph"

	"go.etcd.io/bbolt"
)

// Export writes all that is known of some hosts and of their links, but not which
// links were sent, or are to be: see stream.go. It is of one moment. None of the hosts
// may be owned or in hand. While it writes, the file cannot grow: w must not be slow.
func (f *Frontier) Export(ctx context.Context, of func(webgraph.Host) bool, w io.Writer) error {
	ids, err := f.others(ctx, of)
	if err != nil {
		return err
	}
	hosts, tx, err := f.hostsNow(ids)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // read only
	s, err := newStreamWriter(w)
	if err != nil {
		return fmt.Errorf("frontier: export: %w", err)
	}
	e := &exporter{ctx: ctx, f: f, tx: tx, s: s, of: cached(of)}
	if err := e.all(ids, hosts); err != nil {
		return fmt.Errorf("frontier: export: %w", err)
	}
	return nil
}

// hostsNow returns what is known of hosts, and the disk of the same moment.
func (f *Frontier) hostsNow(ids []hostID) ([]Host, *bbolt.Tx, error) {
	f.writer.Lock() // all that is in memory is on disk
	defer f.writer.Unlock()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err != nil {
		return nil, nil, f.err
	}
	hosts := make([]Host, 0, len(ids))
	for _, id := range ids {
		hosts = append(hosts, f.hosts.host(id))
	}
	tx, err := f.db.Begin(false)
	return hosts, tx, err
}

type exporter struct {
	ctx context.Context
	f   *Frontier
	tx  *bbolt.Tx
	s   *streamWriter
	of  func(webgraph.Host) bool
	buf []byte
}

func (e *exporter) all(ids []hostID, hosts []Host) error {
	for _, h := range hosts {
		e.buf = encodeHost(e.buf[:0], h)
		if err := e.s.put(hostEntry, e.buf); err != nil {
			return err
		}
	}
	for _, id := range ids {
		err := e.bucket(queuePlace(id, linkKey{}), func(p place, _ State, _ []byte) bool { host, _ := p.link(); return host == id }, true)
		if err != nil {
			return err
		}
	}
	for _, in := range []bucket{dueBucket, doneBucket} {
		err := e.bucket(place{in: in}, func(_ place, st State, url []byte) bool { return st != Sent && e.of(hostOf(string(url))) }, false)
		if err != nil {
			return err
		}
	}
	return e.s.close()
}

// bucket writes the links of a bucket that are meant, from a place on; if they are in
// a row, until the first that is not.
func (e *exporter) bucket(from place, meant func(place, State, []byte) bool, row bool) error {
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
		p := placeOf(from.in, k)
		if !meant(p, st, url) {
			if row {
				return nil
			}
			continue
		}
		if err := e.link(p, v); err != nil {
			return err
		}
	}
	return nil
}

func (e *exporter) link(p place, v []byte) error {
	rec, err := decodeRecord(v)
	if err != nil {
		return brokenAt(p.in, p.bytes(), err)
	}
	rec.placed(&p)
	marks := byte(0)
	if rec.Interrupted {
		marks |= wasInterrupted
	}
	first := textPlace(answerHost(&rec), rec.Text)
	if rec.Text != 0 && holds(e.tx.Bucket(bucketNames[textBucket]).Get(first.bytes()), e.f.hash(rec.URL)) {
		marks |= firstWithText
	}
	e.buf = append(append(e.buf[:0], marks), v...)
	return e.s.put(linkEntry, e.buf)
}
