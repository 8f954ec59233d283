package backlink

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/backlink/linkruns"
	"github.com/eventseer/eventseer/crawler/backlink/sortedlinks"
	"github.com/eventseer/eventseer/internal/bolt"
	"github.com/eventseer/eventseer/webgraph"
)

// Limits on the reversed links.
const (
	MaxSources  = 1000    // sources stored for one target: the first ones in order of URL
	maxScan     = 20000   // links examined for one answer
	maxPending  = 8 << 20 // bytes of links in memory
	maxFrame    = 1 << 20 // bytes of links in a frame of the journal
	maxLinkText = 4 << 10 // bytes of an anchor
)

// A LinkDB stores the reversed links of local crawls, and the data of a Chain, in one bbolt file.
// It is safe for concurrent use.
//
//	block, run                   links, sorted by target and source; see package linkruns
//	answer, promise, provider    see cache.go, verify.go and limit.go
//
// New links wait in memory and in a journal beside the file until there are many of them, or the file is
// closed.
type LinkDB struct {
	db *bolt.DB

	mu      sync.Mutex // guards below
	journal *journal
	pending linkruns.Pending
	merger  linkruns.Merger
	sites   siteCache
	value   []byte // buffer of add
}

// JournalSuffix is appended to the name of the file to get that of the journal.
const JournalSuffix = ".journal"

var (
	_ crawler.LinkStore = (*LinkDB)(nil)
	_ Provider          = (*LinkDB)(nil)
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
	d := &LinkDB{db: db}
	d.journal, err = openJournal(path+JournalSuffix, o.NoSync, d.readPending)
	if err == nil {
		err = d.writePending()
	}
	if err == nil {
		err = d.adoptRuns()
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", path, err), d.Close())
	}
	return d, nil
}

// readPending adds a link of the journal to the pending ones.
func (d *LinkDB) readPending(key, value []byte) error {
	if _, err := decodeEntry(key, value); err != nil {
		return err
	}
	target, source, _ := bytes.Cut(key, []byte{0})
	d.pending.Add(string(target), string(source), value)
	if d.pending.Size() < maxPending {
		return nil
	}
	return d.writeRun()
}

// adoptRuns makes links readable of which a repair lost the record of their run.
func (d *LinkDB) adoptRuns() error {
	lacks := false
	err := d.db.View(func(tx *bolt.Tx) (err error) { lacks, err = linkruns.LacksRecords(tx); return err })
	if err != nil || !lacks {
		return err
	}
	return d.db.Update(linkruns.AdoptRuns)
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
	if err := ctx.Err(); err != nil || len(links) == 0 {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	links = d.sites.linksBetweenSites(links)
	for len(links) > 0 {
		n, size := 0, 0
		for ; n < len(links) && size < maxFrame; n++ {
			size += len(links[n].Target) + len(links[n].Source) + len(links[n].Anchor)
		}
		if err := d.add(links[:n]); err != nil {
			return fmt.Errorf("reversed links: %w", err)
		}
		links = links[n:]
	}
	return nil
}

// add writes links to the journal, and all pending links to the database if there are many. mu must
// be held.
func (d *LinkDB) add(links []webgraph.Link) error {
	d.journal.beginFrame()
	before := d.pending.Len()
	for _, l := range links {
		d.value = appendLinkValue(d.value[:0], l)
		d.pending.Add(l.Target, l.Source, d.value)
		d.journal.putLink(schemelessKey(l.Target), l.Source, d.value)
	}
	if err := d.journal.writeFrame(); err != nil {
		d.pending.Truncate(before) // a repeated call must not treat them as stored
		return err
	}
	if d.pending.Size() >= maxPending {
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
// same links are written again, which changes no answer.
func (d *LinkDB) writePendingLocked() error {
	if d.pending.Len() == 0 && d.journal.size == 0 {
		return nil
	}
	if err := d.writeRun(); err != nil {
		return err
	}
	return d.journal.clearFrames()
}

// writeRun writes the pending links as a run, and continues merging. mu must be held.
func (d *LinkDB) writeRun() error {
	var after linkruns.Merger
	err := d.db.Update(func(tx *bolt.Tx) (err error) {
		if err := linkruns.WriteRun(tx, &d.pending, MaxSources); err != nil {
			return err
		}
		after, err = d.merger.Step(tx, MaxSources)
		return err
	})
	if err != nil {
		return err
	}
	d.merger = after
	d.pending.Reset()
	return nil
}

// scan calls f for the links whose keys have the prefix and are not smaller than from, until it returns
// false. The pending links of this moment are included, without being written.
func (d *LinkDB) scan(prefix, from []byte, f func(key, value []byte) bool) error {
	d.mu.Lock()
	unlock := sync.OnceFunc(d.mu.Unlock)
	defer unlock()
	return d.db.View(func(tx *bolt.Tx) error { // the same moment as that of the pending links
		pending := d.pending.Within(prefix, linkruns.ScanStart(prefix, from))
		unlock()
		return linkruns.Scan(tx, pending, prefix, from, MaxSources, f)
	})
}

// A siteCache holds the sites of hosts, by the beginnings of URLs: https://conf.org.
type siteCache map[string]string

// maxSites is the largest number of hosts in a siteCache.
const maxSites = 4096

// siteOf returns the registered domain of the host of a canonical URL; of another URL, "".
func (c *siteCache) siteOf(url string) string {
	scheme := strings.Index(url, "://")
	if scheme < 0 {
		return ""
	}
	end := strings.IndexByte(url[scheme+3:], '/')
	if end < 0 {
		return ""
	}
	begin := url[:scheme+3+end]
	site, ok := (*c)[begin]
	if ok {
		return site
	}
	if *c == nil || len(*c) >= maxSites {
		*c = siteCache{}
	}
	site = webgraph.RegisteredDomain(webgraph.HostOf(begin + "/"))
	(*c)[strings.Clone(begin)] = strings.Clone(site) // may be parts of a page
	return site
}

// linksBetweenSites returns the links from one site to another whose keys are short enough to be stored.
func (c *siteCache) linksBetweenSites(links []webgraph.Link) []webgraph.Link {
	var kept []webgraph.Link
	source, from := "", "" // of the link before
	for _, l := range links {
		if l.Source != source || source == "" {
			source, from = l.Source, c.siteOf(l.Source)
		}
		to := c.siteOf(l.Target)
		if from != "" && to != "" && from != to && len(l.Source) <= webgraph.MaxURL && len(l.Target) <= webgraph.MaxURL {
			kept = append(kept, l)
		}
	}
	return kept
}

// appendLinkValue appends the value of a link: a byte for the scheme of its target, one for nofollow, and the
// anchor.
func appendLinkValue(v []byte, l webgraph.Link) []byte {
	scheme, follow := byte('h'), byte('f')
	if strings.HasPrefix(l.Target, "https:") {
		scheme = 's'
	}
	if l.NoFollow {
		follow = 'n'
	}
	return append(append(v, scheme, follow), cutAnchor(l.Anchor)...)
}

// cutAnchor cuts anchors that are much longer than those of pages.
func cutAnchor(anchor string) string {
	if len(anchor) <= maxLinkText {
		return anchor
	}
	return strings.ToValidUTF8(anchor[:maxLinkText], "")
}

var errBroken = errors.New("reversed link is broken")

// decodeLink decodes a link in a run.
func decodeLink(key, value []byte) (webgraph.Link, error) {
	target, source, ok := bytes.Cut(key, []byte{sortedlinks.PageEnd})
	if !ok {
		return webgraph.Link{}, fmt.Errorf("%w: %.200q", errBroken, key)
	}
	url, ok := sortedlinks.URLOfPrefix(target)
	if !ok {
		return webgraph.Link{}, fmt.Errorf("%w: %.200q", errBroken, key)
	}
	return linkOf(url, string(source), value)
}

// decodeEntry decodes a link of the journal, or of a file of version 3. Its key is the target without scheme, 0x00
// and the source.
func decodeEntry(key, value []byte) (webgraph.Link, error) {
	target, source, ok := bytes.Cut(key, []byte{0})
	if !ok || len(target) == 0 {
		return webgraph.Link{}, fmt.Errorf("%w: %.200q", errBroken, key)
	}
	return linkOf(string(target), string(source), value)
}

// linkOf returns a link with the given value. The target has no scheme.
func linkOf(target, source string, value []byte) (webgraph.Link, error) {
	if len(value) < 2 {
		return webgraph.Link{}, fmt.Errorf("%w: it leads to %.200q and has the value %q", errBroken, target, value)
	}
	scheme := "http://"
	if value[0] == 's' {
		scheme = "https://"
	}
	return webgraph.Link{Source: source, Target: scheme + target, Anchor: string(value[2:]), NoFollow: value[1] == 'n'}, nil
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
		broken = append(broken, checkStoredData(tx)...)
		broken = append(broken, linkruns.Check(tx, func(key, value []byte) error {
			_, err := decodeLink(key, value)
			return err
		})...)
		return nil
	})
	if err != nil {
		broken = append(broken, err)
	}
	return broken
}
