package warc

import (
	"errors"
	"fmt"
	"hash/maphash"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/eventseer/eventseer/webgraph"
)

// An Index finds the records of one file by URL. It is read from the CDXJ file beside the WARC, if that
// is current, else built in one pass over the file. It is safe for concurrent use. It stores URLs as
// 64-bit hashes and takes about 90 bytes per record; the URL of a record that is read is compared with
// the requested one.
type Index struct {
	name    string
	file    *os.File
	size    int64
	readers sync.Pool // of *Reader, each used for one record at a time

	seed      maphash.Seed
	exact     map[uint64]Position
	canonical map[uint64]Position // records whose URI is not canonical, by hash of the canonical URL
	payloads  map[uint64]Position // first response with each payload digest, by hash
	hosts     map[webgraph.Host]bool
	bad       []*BadRecord
	newest    time.Time
}

// OpenIndex indexes the response, resource and duplicate records of a file. If several have the same URL,
// the last one is used. Bad records are skipped; Bad returns them.
func OpenIndex(path string) (*Index, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	x := &Index{
		name:      path,
		file:      f,
		seed:      maphash.MakeSeed(),
		exact:     make(map[uint64]Position),
		canonical: make(map[uint64]Position),
		payloads:  make(map[uint64]Position),
		hosts:     make(map[webgraph.Host]bool),
	}
	if err := x.buildIndex(); err != nil {
		f.Close()
		return nil, err
	}
	return x, nil
}

func (x *Index) buildIndex() error {
	info, err := x.file.Stat()
	if err != nil {
		return err
	}
	x.size = info.Size()
	if cdx, err := readCDXJ(x.name+CDXJSuffix, filepath.Base(x.name)); err == nil && cdx.file.isUnchanged(info) {
		x.bad, x.newest = cdx.file.badRecords(x.name), cdx.file.Newest
		for _, e := range cdx.entries {
			x.add(e)
		}
		return nil
	}
	r := NewReader(x.file, x.size, x.name)
	summary, err := scanEntries(r, func(_ *Record, e entry) { x.add(e) })
	x.bad, x.newest = summary.bad, summary.newest
	return err
}

// An entry is what an index stores about one record.
type entry struct {
	uri      string
	at       time.Time
	kind     string // WARC-Type; "duplicate" for a revisit that IsDuplicate
	digest   string // of the payload
	position Position
}

const duplicate = "duplicate"

func (e entry) holdsPage() bool {
	return e.kind == duplicate || holdsPage(e.kind, e.uri)
}

// A summary is what an index stores about a file.
type summary struct {
	records int
	bad     []*BadRecord
	newest  time.Time // WARC-Date of a page
}

// scanEntries reads a file and calls add for each record, in order.
func scanEntries(r *Reader, add func(*Record, entry)) (summary, error) {
	var s summary
	for r.Scan() {
		rec, err := r.Record()
		var bad *BadRecord
		if errors.As(err, &bad) {
			s.bad = append(s.bad, bad)
			continue
		}
		s.records++
		e := entryOf(rec)
		if e.holdsPage() && e.at.After(s.newest) {
			s.newest = e.at
		}
		add(rec, e)
	}
	if err := r.Err(); err != nil {
		return s, err
	}
	if s.records == 0 {
		return s, fmt.Errorf("%s: %w", r.name, ErrNoRecords)
	}
	return s, nil
}

func entryOf(rec *Record) entry {
	e := entry{uri: rec.TargetURI(), at: rec.Date(), kind: rec.Type(), digest: rec.Header.Get("WARC-Payload-Digest"), position: rec.Position}
	if rec.IsDuplicate() {
		e.kind = duplicate
	}
	return e
}

func (x *Index) add(e entry) {
	if e.kind == "response" && e.digest != "" {
		key := x.hashURI(e.digest)
		if _, known := x.payloads[key]; !known {
			x.payloads[key] = e.position
		}
	}
	if !e.holdsPage() {
		return
	}
	x.exact[x.hashURI(e.uri)] = e.position
	canonical, err := webgraph.Canonical(e.uri)
	if err != nil {
		return
	}
	if canonical != e.uri {
		x.canonical[x.hashURI(canonical)] = e.position
	}
	x.hosts[webgraph.HostOf(canonical)] = true
}

// Original returns the response with the body of the duplicate (see Record.IsDuplicate). If it is not in
// this file, the error wraps ErrNotFound.
func (x *Index) Original(dup *Record) (*Record, error) {
	digest := dup.Header.Get("WARC-Payload-Digest")
	what := fmt.Sprintf("the body %.100s of %.200s", digest, dup.TargetURI())
	return x.findAccepted(x.payloads, digest, what, func(rec *Record) bool { return rec.Header.Get("WARC-Payload-Digest") == digest })
}

func (x *Index) hashURI(uri string) uint64 { return maphash.String(x.seed, uri) }

// Find returns the record whose WARC-Target-URI is uri, byte for byte. It may be a
// duplicate, whose body Original finds. The error wraps ErrNotFound if there is
// none.
func (x *Index) Find(uri string) (*Record, error) {
	return x.findAccepted(x.exact, uri, fmt.Sprintf("%.200s", uri), func(rec *Record) bool { return rec.TargetURI() == uri })
}

// FindCanonical returns the record of a page by its canonical URL, however the URL is spelled in the
// archive.
func (x *Index) FindCanonical(canonical string) (*Record, error) {
	rec, err := x.Find(canonical)
	if !errors.Is(err, ErrNotFound) {
		return rec, err
	}
	return x.findAccepted(x.canonical, canonical, fmt.Sprintf("%.200s", canonical), func(rec *Record) bool {
		again, err := webgraph.Canonical(rec.TargetURI())
		return err == nil && again == canonical
	})
}

// findAccepted returns the record under a key if is accepts it: two keys may have the same hash.
func (x *Index) findAccepted(places map[uint64]Position, key, what string, is func(*Record) bool) (*Record, error) {
	at, ok := places[x.hashURI(key)]
	if !ok {
		return nil, fmt.Errorf("%w: %s", ErrNotFound, what)
	}
	rec, err := x.readRecord(at)
	if err == nil && !is(rec) {
		return nil, fmt.Errorf("%w: %s", ErrNotFound, what)
	}
	return rec, err
}

// readRecord reads the record at a position of the index.
func (x *Index) readRecord(at Position) (*Record, error) {
	r, ok := x.readers.Get().(*Reader)
	if !ok {
		r = NewReader(x.file, x.size, x.name)
	}
	defer x.readers.Put(r)
	return r.readAt(at)
}

// HasHost reports whether any record belongs to the host.
func (x *Index) HasHost(h webgraph.Host) bool { return x.hosts[h] }

// Hosts returns the hosts of all records, in no order.
func (x *Index) Hosts() []webgraph.Host {
	hosts := make([]webgraph.Host, 0, len(x.hosts))
	for h := range x.hosts {
		hosts = append(hosts, h)
	}
	return hosts
}

// Newest returns the latest WARC-Date, the zero time if none can be read.
func (x *Index) Newest() time.Time { return x.newest }

// Bad returns the places where no record could be read, at most MaxBad.
func (x *Index) Bad() []*BadRecord { return x.bad }

// Close closes the file. Records returned before stay valid.
func (x *Index) Close() error { return x.file.Close() }
