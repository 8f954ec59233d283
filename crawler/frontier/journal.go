package frontier

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/eventseer/eventseer/crawler/frontier/hosts"
	"github.com/eventseer/eventseer/internal/bolt"
)

// Every page changes the record of a host somewhere in the bucket of hosts. Rewriting a database
// page for each would double the bytes written by a commit. So the changed hosts of a commit are
// stored under one key at the end of the journal, and moved to the bucket of hosts when the journal
// has grown.
type journal struct {
	next    uint64                // number of the next entry
	first   uint64                // of the oldest one
	changed map[hosts.ID]struct{} // hosts whose newest record is in the journal
	bytes   int
}

// maxJournal is the maximum size of the journal in bytes before it is merged into the hosts.
const maxJournal = 8 << 20

func newJournal() journal { return journal{changed: make(map[hosts.ID]struct{})} }

// journalHosts writes the hosts that have changed. An entry contains id⁴, length⁴ and record of
// each.
func (t *txn) journalHosts() {
	ids := t.hosts.TakeChanged()
	if len(ids) == 0 {
		return
	}
	start := len(t.b.arena)
	for _, id := range ids {
		t.journal.changed[id] = struct{}{}
		at := len(t.b.arena)
		b := binary.BigEndian.AppendUint32(t.b.arena, uint32(id))
		b = encodeHost(append(b, 0, 0, 0, 0), t.hosts.Host(id))
		binary.BigEndian.PutUint32(b[at+4:], uint32(len(b)-at-8))
		t.b.arena = b
	}
	entry := t.b.arena[start:len(t.b.arena):len(t.b.arena)]
	if t.journal.bytes += len(entry); t.journal.bytes > maxJournal {
		t.foldJournal()
		return
	}
	t.b.setValue(numberedKey(journalBucket, t.journal.next), entry)
	t.journal.next++
}

// foldJournal moves the hosts of the journal into the bucket of hosts.
func (t *txn) foldJournal() {
	for id := range t.journal.changed {
		start := len(t.b.arena)
		t.b.arena = encodeHost(t.b.arena, t.hosts.Host(id))
		t.b.setValue(hostKey(id), t.b.arena[start:len(t.b.arena):len(t.b.arena)])
	}
	for n := t.journal.first; n < t.journal.next; n++ {
		t.b.delete(numberedKey(journalBucket, n))
	}
	next := t.journal.next
	t.journal = newJournal()
	t.journal.first, t.journal.next = next, next
}

// readHosts calls do with the newest record of each host, in order of id.
func readHosts(tx *bolt.Tx, do func(id hosts.ID, h hosts.Host) error) error {
	newer, err := readJournal(tx.Bucket(bucketNames[journalBucket]))
	if err != nil {
		return err
	}
	err = tx.Bucket(bucketNames[hostBucket]).ForEach(func(k, v []byte) error {
		if len(k) != 4 {
			return fmt.Errorf("host key %x", k)
		}
		id := hosts.ID(binary.BigEndian.Uint32(k))
		if n, ok := newer[id]; ok {
			v = n
			delete(newer, id)
		}
		return decodeHostTo(id, v, do)
	})
	if err != nil {
		return err
	}
	ids := make([]hosts.ID, 0, len(newer))
	for id := range newer {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		if err := decodeHostTo(id, newer[id], do); err != nil {
			return err
		}
	}
	return nil
}

func decodeHostTo(id hosts.ID, v []byte, do func(hosts.ID, hosts.Host) error) error {
	h, err := decodeHost(v)
	if err != nil {
		return fmt.Errorf("host %d: %w", id, err)
	}
	return do(id, h)
}

// readJournal returns the newest records of the hosts in the journal.
func readJournal(b *bolt.Bucket) (map[hosts.ID][]byte, error) {
	newer := make(map[hosts.ID][]byte)
	err := b.ForEach(func(k, v []byte) error {
		for len(v) > 0 {
			if len(v) < 8 || uint64(len(v)-8) < uint64(binary.BigEndian.Uint32(v[4:])) {
				return fmt.Errorf("journal %x: %w", k, errBroken)
			}
			end := 8 + int(binary.BigEndian.Uint32(v[4:]))
			newer[hosts.ID(binary.BigEndian.Uint32(v))] = v[8:end]
			v = v[end:]
		}
		return nil
	})
	return newer, err
}

// loadHosts fills the schedule.
func loadHosts(f *Frontier, tx *bolt.Tx) error {
	now := f.o.Now()
	err := readHosts(tx, func(id hosts.ID, h hosts.Host) error {
		if got := f.hosts.Restore(h, now); got != id {
			return fmt.Errorf("host %d (%s) has the number %d in memory", id, h.Name, got)
		}
		if h.Fetched > 0 {
			f.count.hosts++
		}
		return nil
	})
	if err != nil {
		return err
	}
	b := tx.Bucket(bucketNames[journalBucket])
	newer, err := readJournal(b)
	for id := range newer {
		f.journal.changed[id] = struct{}{}
		f.journal.bytes += len(newer[id])
	}
	c := b.Cursor()
	if k, _ := c.First(); len(k) == 8 {
		f.journal.first = binary.BigEndian.Uint64(k)
	}
	if k, _ := c.Last(); len(k) == 8 {
		f.journal.next = binary.BigEndian.Uint64(k) + 1
	}
	return err
}
