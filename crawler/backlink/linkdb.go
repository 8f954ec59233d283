package backlink

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/internal/bolt"
	"github.com/eventseer/eventseer/webgraph"
)

// Limits on the reversed links.
const (
	MaxSources = 1000   // sources stored for one target
	maxScan    = 20000  // links examined for one answer
	maxFresh   = 100000 // number of links in memory: about 30 MB
	addAtOnce  = 10000  // links of one frame of the journal
)

// A LinkDB stores the reversed links of local crawls, and the data of a Chain, in one bbolt file.
// It is safe for concurrent use.
//
//	in     target key 0x00 source  → scheme byte, nofollow byte, anchor   target key: without scheme
//	count  target key              → sources kept, uvarint
//	host   reversed host           → -       hosts of targets: org.conf.www:8080
//	answer, promise, provider      see cache.go, verify.go and limit.go
//
// New links wait in memory and in a journal beside the file until there are many of them, a query
// comes, or the file is closed.
type LinkDB struct {
	db *bolt.DB

	mu      sync.Mutex // guards below
	journal *journal
	fresh   map[string][]byte // key → value of bucket in
}

// JournalSuffix is appended to the name of the file to get that of the journal.
const JournalSuffix = ".journal"

var (
	_ crawler.LinkStore = (*LinkDB)(nil)
	_ Provider          = (*LinkDB)(nil)

	inBucket    = []byte("in")
	countBucket = []byte("count")
	hostBucket  = []byte("host")
)

// Options are the settings of a LinkDB.
type Options struct {
	// NoSync disables fsync: kill -9 loses nothing, but a power failure may damage the file. It is
	// for replays.
	NoSync bool
}

// OpenLinkDB opens the file at path and creates it if it does not exist.
func OpenLinkDB(path string, o Options) (*LinkDB, error) {
	db, err := bolt.Open(path, bolt.Options{Kind: "links", Migrations: migrations})
	if err != nil {
		return nil, err
	}
	db.NoSync = o.NoSync
	d := &LinkDB{db: db, fresh: map[string][]byte{}}
	d.journal, err = openJournal(path+JournalSuffix, o.NoSync, func(k, v []byte) { d.fresh[string(k)] = v })
	if err == nil {
		err = d.writePending()
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", path, err), d.Close())
	}
	return d, nil
}

// Database returns the open file, for snapshots. Pending links are in the journal, which must be
// read while no transaction is in progress.
func (d *LinkDB) Database() bolt.Source { return bolt.SourceOf(d.db) }

// Close closes the file.
func (d *LinkDB) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.journal == nil {
		return d.db.Close()
	}
	return errors.Join(d.writePendingLocked(), d.journal.f.Close(), d.db.Close())
}

// Add stores the links that lead to other sites, at most MaxSources for each target. It is
// idempotent.
func (d *LinkDB) Add(ctx context.Context, links []webgraph.Link) error {
	links = linksBetweenSites(links)
	if err := ctx.Err(); err != nil || len(links) == 0 {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for some := range slices.Chunk(links, addAtOnce) {
		if err := d.add(some); err != nil {
			return fmt.Errorf("reversed links: %w", err)
		}
	}
	return nil
}

// add writes links to the journal, and all pending links to the database if there are many. mu must
// be held.
func (d *LinkDB) add(links []webgraph.Link) error {
	d.journal.beginFrame()
	var added []string
	for _, l := range links {
		k := schemelessKey(l.Target) + "\x00" + l.Source
		if _, ok := d.fresh[k]; ok {
			continue
		}
		v := encodeLink(l)
		d.fresh[k] = v
		added = append(added, k)
		d.journal.putEntry(k, v)
	}
	if err := d.journal.writeFrame(); err != nil {
		for _, k := range added { // a repeated call must not treat them as stored
			delete(d.fresh, k)
		}
		return err
	}
	if len(d.fresh) >= maxFresh || d.journal.size >= maxJournal {
		return d.writePendingLocked()
	}
	return nil
}

// writePending writes all pending links to the database.
func (d *LinkDB) writePending() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.writePendingLocked()
}

// writePendingLocked is like writePending, but d.mu must be held. After a crash before the journal is cleared the
// same links are written again, which changes nothing.
func (d *LinkDB) writePendingLocked() error {
	if len(d.fresh) == 0 {
		return nil
	}
	keys := slices.Sorted(maps.Keys(d.fresh))
	err := d.db.Update(func(tx *bolt.Tx) error {
		for len(keys) > 0 {
			target, _, _ := strings.Cut(keys[0], "\x00")
			n := 1
			for n < len(keys) && strings.HasPrefix(keys[n], target+"\x00") {
				n++
			}
			if err := d.writeLinks(tx, target, keys[:n]); err != nil {
				return err
			}
			keys = keys[n:]
		}
		return nil
	})
	if err != nil {
		return err
	}
	clear(d.fresh)
	return d.journal.clearFrames()
}

// writeLinks writes the links to one target.
func (d *LinkDB) writeLinks(tx *bolt.Tx, target string, keys []string) error {
	in, counts := tx.Bucket(inBucket), tx.Bucket(countBucket)
	before, _ := binary.Uvarint(counts.Get([]byte(target)))
	n := before
	for _, k := range keys {
		if n >= MaxSources {
			break
		}
		if in.Get([]byte(k)) != nil {
			continue
		}
		n++
		if err := in.Put([]byte(k), d.fresh[k]); err != nil {
			return err
		}
	}
	if n == before {
		return nil
	}
	if before == 0 {
		if err := tx.Bucket(hostBucket).Put([]byte(reversedHost(target)), nil); err != nil {
			return err
		}
	}
	return counts.Put([]byte(target), binary.AppendUvarint(nil, n))
}

// linksBetweenSites returns the links from one site to another whose keys are short enough to be stored.
func linksBetweenSites(links []webgraph.Link) []webgraph.Link {
	var kept []webgraph.Link
	sites := map[webgraph.Host]string{}
	site := func(url string) string {
		host := webgraph.HostOf(url)
		if _, ok := sites[host]; !ok {
			sites[host] = webgraph.RegisteredDomain(host)
		}
		return sites[host]
	}
	for _, l := range links {
		from, to := site(l.Source), site(l.Target)
		if from != "" && to != "" && from != to && len(l.Source) <= webgraph.MaxURL && len(l.Target) <= webgraph.MaxURL {
			kept = append(kept, l)
		}
	}
	return kept
}

func encodeLink(l webgraph.Link) []byte {
	v := []byte{'h', 'f'}
	if strings.HasPrefix(l.Target, "https:") {
		v[0] = 's'
	}
	if l.NoFollow {
		v[1] = 'n'
	}
	return append(v, l.Anchor...)
}

var errBroken = errors.New("reversed link is broken")

func decodeLink(k, v []byte) (webgraph.Link, error) {
	target, source, ok := bytes.Cut(k, []byte{0})
	if !ok || len(v) < 2 {
		return webgraph.Link{}, fmt.Errorf("%w: %q", errBroken, k)
	}
	scheme := "http://"
	if v[0] == 's' {
		scheme = "https://"
	}
	return webgraph.Link{Source: string(source), Target: scheme + string(target), Anchor: string(v[2:]), NoFollow: v[1] == 'n'}, nil
}

// Check reports every damaged page of the file and every damaged record.
func (d *LinkDB) Check() []error {
	var broken []error
	if err := d.writePending(); err != nil {
		broken = append(broken, err)
	}
	if broken = append(broken, bolt.Check(d.db)...); len(broken) > 0 {
		return broken
	}
	err := d.db.View(func(tx *bolt.Tx) error {
		broken = append(broken, checkHosts(tx)...)
		broken = append(broken, checkStoredData(tx)...)
		return tx.Bucket(inBucket).ForEach(func(k, v []byte) error {
			if _, err := decodeLink(k, v); err != nil {
				broken = append(broken, err)
			}
			return nil
		})
	})
	if err != nil {
		broken = append(broken, err)
	}
	return broken
}
