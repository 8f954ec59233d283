package frontier

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/frontier/hosts"
	"github.com/eventseer/eventseer/internal/bolt"
	"github.com/eventseer/eventseer/webgraph"
)

// migrations returns the steps that build the schema; append only.
func migrations() []func(*bolt.Tx) error {
	return []func(*bolt.Tx) error{migrate1, migrate2, migrate3, bolt.AddChecksums}
}

// Schema returns the version of the files that this program writes.
func Schema() int { return len(migrations()) }

// migrate1 converts a file of version 1, which had a record per URL and a queue by host name:
//
//	link   url                   → record, see decodeRecord1
//	queue  host 0x00 rank⁸ seq⁸  → url
//	lease  url                   → 1
//	host   host                  → due⁸ fetched⁸
//	note   key                   → value
//	count  "count"               → counts, see decodeCounts1
func migrate1(tx *bolt.Tx) error {
	for _, name := range []string{"link", "queue", "lease", "host", "note", "count"} {
		if _, err := tx.CreateBucketIfNotExists([]byte(name)); err != nil {
			return err
		}
	}
	return nil
}

// migrate2 puts the records into buckets by state. Leased or claimed links come back as after a
// crash.
func migrate2(tx *bolt.Tx) error {
	m := &migration{tx: tx, b: newBatch(), ids: make(map[webgraph.Host]hosts.ID)}
	var seed [8]byte
	_, _ = rand.Read(seed[:]) // never fails
	var err error
	if m.count, err = decodeCounts1(tx.Bucket(countBucket).Get(countKey)); err != nil {
		return err
	}
	if err := m.migrateHosts(); err != nil {
		return err
	}
	if err := m.migrateLinks(); err != nil {
		return err
	}
	for _, old := range []string{"link", "queue", "lease", "host"} {
		if err := tx.DeleteBucket([]byte(old)); err != nil {
			return err
		}
	}
	for _, name := range bucketNames[:awayBucket] {
		if _, err := tx.CreateBucket(name); err != nil {
			return err
		}
	}
	if err := tx.Bucket(countBucket).Put(seedKey, seed[:]); err != nil {
		return err
	}
	m.b.sort()
	return m.b.write(tx, &m.count)
}

// migrate3 makes the outbox.
func migrate3(tx *bolt.Tx) error {
	_, err := tx.CreateBucket(bucketNames[awayBucket])
	return err
}

type migration struct {
	tx    *bolt.Tx
	b     *batch
	count counts
	ids   map[webgraph.Host]hosts.ID
}

// hostID returns a host's number; a new host is written with its known state.
func (m *migration) hostID(name webgraph.Host) (hosts.ID, error) {
	if id, ok := m.ids[name]; ok {
		return id, nil
	}
	id := hosts.ID(len(m.ids))
	m.ids[name] = id
	h := hosts.Host{Name: name}
	if v := m.tx.Bucket([]byte("host")).Get([]byte(name)); len(v) == 16 {
		if due := int64(binary.BigEndian.Uint64(v)); due != 0 {
			h.Due = time.Unix(0, due).UTC()
		}
		h.Fetched = int(binary.BigEndian.Uint64(v[8:]))
	} else if v != nil {
		return 0, fmt.Errorf("host %s: its value has %d bytes instead of 16", name, len(v))
	}
	m.b.setValue(hostKey(id), encodeHost(nil, h))
	return id, nil
}

func (m *migration) migrateHosts() error {
	return m.tx.Bucket([]byte("host")).ForEach(func(k, _ []byte) error {
		_, err := m.hostID(webgraph.Host(k))
		return err
	})
}

func (m *migration) migrateLinks() error {
	var ended []Record
	err := m.tx.Bucket([]byte("link")).ForEach(func(k, v []byte) error {
		rec, err := decodeRecord1(v)
		if err != nil {
			return fmt.Errorf("link %s: %w", k, err)
		}
		rec.URL = string(k)
		switch rec.State {
		case Leased:
			rec.State, rec.Interrupted = Waiting, true
		case Claimed:
			rec.State, rec.Via = Waiting, ""
		}
		if rec.State != Waiting {
			ended = append(ended, rec)
			return nil
		}
		id, err := m.hostID(hostOf(rec.URL))
		key := hosts.LinkKey{Rank: hosts.Rank(rec.Score), Seq: rec.Seq}
		if rec.Interrupted {
			key.Rank = 0
		}
		m.b.putRecord(queueKey(id, key), &rec)
		return err
	})
	slices.SortStableFunc(ended, func(a, b Record) int { return a.At.Compare(b.At) })
	for i := range ended {
		m.b.putRecord(numberedKey(doneBucket, m.count.done), &ended[i])
		m.count.done++
		if ended[i].State == Ended {
			m.count.depth[depthOf(&ended[i])]++
		}
	}
	return err
}

func decodeCounts1(b []byte) (c counts, err error) {
	if b == nil {
		return c, nil
	}
	d := decoder{b: b}
	if v := d.readByte(); v != 1 && d.err == nil {
		return c, fmt.Errorf("the counts have version %d instead of 1", v)
	}
	c.seq, c.ended = d.readUint64(), d.readUint64()
	d.takeBytes(3 * 8) // waiting, leased, hosts
	c.clips = d.readUint64()
	c.spent = math.Float64frombits(d.readUint64())
	return c, d.err
}

// decodeRecord1 reads a record of version 1. It has version, state, interrupted, score and proposed
// (8 bytes each), then numbers and times as varints and strings with their length before them.
func decodeRecord1(b []byte) (r Record, err error) {
	d := decoder{b: b}
	if v := d.readByte(); v != 1 && d.err == nil {
		return r, fmt.Errorf("the record has version %d instead of 1", v)
	}
	r.State = State(d.readByte())
	r.Interrupted = d.readByte() == 1
	r.Score, r.Proposed = math.Float64frombits(d.readUint64()), math.Float64frombits(d.readUint64())
	r.Seq = d.readUvarint()
	for _, n := range []*int{&r.Depth, &r.Tries, &r.Status, &r.Bytes} {
		*n = d.readInt()
	}
	d.readTime() // expiry
	r.At = d.readTime()
	r.How = crawler.Origin(d.readString())
	r.Parent, r.Anchor = d.readString(), d.readString()
	_ = d.readString() // owner
	r.Via = d.readString()
	r.Fate = crawler.Fate(d.readString())
	r.FinalURL = d.readString()
	r.Digest = webgraph.Digest(d.readString())
	r.Reason = d.readString()
	for n := d.readInt(); n > 0 && d.err == nil; n-- {
		r.Clips = append(r.Clips, d.readString())
	}
	if d.err == nil && (r.State < Waiting || r.State > Alias || len(d.b) > 0) {
		d.err = errBroken
	}
	return r, d.err
}
