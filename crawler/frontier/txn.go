package frontier

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"time"

	"eventseer/webgraph"

	"go.etcd.io/bbolt"
)

// A txn is one transaction on the buckets, and what it changes in memory when
// it is committed.
type txn struct {
	link, queue, lease, host, note, counts *bbolt.Bucket

	noWait  bool
	count   counts
	touched []string        // hosts whose first link or due time may have changed
	known   map[string]bool // the same as a set
	heads   []head
}

// A head is a host's place in the schedule: its due time and best link.
type head struct {
	host    string
	due     int64 // Unix nanoseconds; 0 means always
	waiting bool
	key     linkKey
	busy    int // change in the number of fetches in hand
}

func (f *Frontier) begin(tx *bbolt.Tx) *txn {
	return &txn{
		link: tx.Bucket(linkBucket), queue: tx.Bucket(queueBucket), lease: tx.Bucket(leaseBucket),
		host: tx.Bucket(hostBucket), note: tx.Bucket(noteBucket), counts: tx.Bucket(countBucket),
		noWait: f.o.NoWait, count: f.count, known: make(map[string]bool),
	}
}

// record returns the record of url, nil if it was never seen.
func (t *txn) record(url string) (*Record, error) {
	value := t.link.Get([]byte(url))
	if value == nil {
		return nil, nil
	}
	r, err := decodeRecord(value)
	if err != nil {
		return nil, fmt.Errorf("link %s: %w", url, err)
	}
	return &r, nil
}

// put replaces the record of url, nil if there was none, and moves its entries
// in queue and lease and the counts along: the one place that keeps them in
// step.
func (t *txn) put(url string, old *Record, rec Record) error {
	host := string(webgraph.HostOf(url))
	if old != nil {
		if err := t.unlist(url, host, *old); err != nil {
			return err
		}
	}
	switch rec.State {
	case Waiting:
		t.count.waiting++
		if err := t.queue.Put(queueKey(host, rec.key()), []byte(url)); err != nil {
			return err
		}
		t.touch(host)
	case Leased:
		t.count.leased++
		if err := t.lease.Put([]byte(url), []byte{1}); err != nil {
			return err
		}
	case Ended:
		t.count.ended++
		t.count.clips += uint64(len(rec.Clips))
	}
	return t.link.Put([]byte(url), rec.encode())
}

// unlist takes url out of the bucket and the count its state stands in.
func (t *txn) unlist(url, host string, old Record) error {
	switch old.State {
	case Waiting:
		t.count.waiting--
		t.touch(host)
		return t.queue.Delete(queueKey(host, old.key()))
	case Leased:
		t.count.leased--
		return t.lease.Delete([]byte(url))
	}
	return nil
}

func (t *txn) touch(host string) {
	if !t.known[host] {
		t.known[host] = true
		t.touched = append(t.touched, host)
	}
}

// busy notes that a fetch from host begins (1) or ends (-1).
func (t *txn) busy(host string, change int) {
	t.heads = append(t.heads, head{host: host, busy: change})
}

// end writes the counts and finds the heads of the hosts touched.
func (t *txn) end() error {
	for _, host := range t.touched {
		if err := t.reschedule(host); err != nil {
			return err
		}
	}
	return t.counts.Put(countKey, t.count.encode())
}

// reschedule finds a host's first link and due time.
func (t *txn) reschedule(host string) error {
	h := head{host: host}
	prefix := append([]byte(host), 0)
	if k, _ := t.queue.Cursor().Seek(prefix); k != nil && bytes.HasPrefix(k, prefix) {
		_, key, err := splitQueueKey(k)
		if err != nil {
			return err
		}
		h.waiting, h.key = true, key
	}
	info, err := t.hostInfo(host)
	if err != nil {
		return err
	}
	if !t.noWait && !info.Due.IsZero() {
		h.due = info.Due.UnixNano()
	}
	t.heads = append(t.heads, h)
	return nil
}

// A Host is what the frontier knows of one.
type Host struct {
	Due     time.Time // not to be asked before; zero if never asked
	Fetched int       // answers
}

func (t *txn) hostInfo(host string) (Host, error) {
	v := t.host.Get([]byte(host))
	if v == nil {
		return Host{}, nil
	}
	return decodeHost(v)
}

func (t *txn) putHost(host string, h Host) error {
	var due uint64
	if !h.Due.IsZero() {
		due = uint64(h.Due.UnixNano())
	}
	t.touch(host)
	return t.host.Put([]byte(host), append(be64(due), be64(uint64(h.Fetched))...))
}

func decodeHost(v []byte) (Host, error) {
	if len(v) != 16 {
		return Host{}, fmt.Errorf("host value of %d bytes, want 16", len(v))
	}
	h := Host{Fetched: int(binary.BigEndian.Uint64(v[8:]))}
	if due := int64(binary.BigEndian.Uint64(v)); due != 0 {
		h.Due = time.Unix(0, due).UTC()
	}
	return h, nil
}

// A linkKey orders the links of all hosts: rank, then seq.
type linkKey struct{ rank, seq uint64 }

// key returns the place of a waiting record.
func (r Record) key() linkKey {
	if r.Interrupted {
		return linkKey{0, r.Seq}
	}
	return linkKey{rank(r.Score), r.Seq}
}

// rank maps a score to bits that sort the other way round. Scores are clamped,
// so no rank is 0.
func rank(score float64) uint64 {
	bits := math.Float64bits(score + 0) // -0 becomes 0
	if bits>>63 == 0 {
		bits |= 1 << 63
	} else {
		bits = ^bits
	}
	return ^bits
}

func queueKey(host string, k linkKey) []byte {
	b := append([]byte(host), 0)
	b = binary.BigEndian.AppendUint64(b, k.rank)
	return binary.BigEndian.AppendUint64(b, k.seq)
}

func splitQueueKey(b []byte) (host string, k linkKey, err error) {
	n := len(b) - 17
	if n < 1 || b[n] != 0 {
		return "", linkKey{}, fmt.Errorf("queue key %q is broken", b)
	}
	return string(b[:n]), linkKey{binary.BigEndian.Uint64(b[n+1:]), binary.BigEndian.Uint64(b[n+9:])}, nil
}
