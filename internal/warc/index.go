package warc

import (
	"errors"
	"fmt"
	"hash/maphash"
	"os"
	"sync"
	"time"

	"eventseer/webgraph"
)

// An Index finds the records of one file by URL. It is built in memory by one
// pass over the file and is safe for concurrent use. URLs are kept as hashes of
// 64 bits, some 50 bytes a record in all; a record that is read is compared with
// the URL asked for.
type Index struct {
	name    string
	file    *os.File
	size    int64
	readers sync.Pool // of *Reader, for one record each

	seed      maphash.Seed
	exact     map[uint64]Position
	canonical map[uint64]Position // of records whose URI is not canonical
	hosts     map[webgraph.Host]bool
	bad       []*BadRecord
	newest    time.Time
}

// OpenIndex indexes the response and resource records of a file. Of several
// with one URL the last counts. Bad records are passed over; Bad lists them.
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
		hosts:     make(map[webgraph.Host]bool),
	}
	if err := x.build(); err != nil {
		f.Close()
		return nil, err
	}
	return x, nil
}

func (x *Index) build() error {
	info, err := x.file.Stat()
	if err != nil {
		return err
	}
	x.size = info.Size()
	r := NewReader(x.file, x.size, x.name)
	records := 0
	for r.Scan() {
		rec, err := r.Record()
		var bad *BadRecord
		switch {
		case errors.As(err, &bad):
			x.bad = append(x.bad, bad)
		default:
			records++
			x.add(rec)
		}
	}
	if err := r.Err(); err != nil {
		return err
	}
	if records == 0 {
		return fmt.Errorf("%s: %w", x.name, ErrNoRecords)
	}
	return nil
}

func (x *Index) add(rec *Record) {
	if !holdsPage(rec) {
		return
	}
	if at := rec.Date(); at.After(x.newest) {
		x.newest = at
	}
	uri := rec.TargetURI()
	x.exact[x.hash(uri)] = rec.Position
	canonical, err := webgraph.Canonical(uri)
	if err != nil {
		return
	}
	if canonical != uri {
		x.canonical[x.hash(canonical)] = rec.Position
	}
	x.hosts[webgraph.HostOf(canonical)] = true
}

func (x *Index) hash(uri string) uint64 { return maphash.String(x.seed, uri) }

// Find returns the record whose WARC-Target-URI is uri, byte for byte. The error
// wraps ErrNotFound if there is none.
func (x *Index) Find(uri string) (*Record, error) {
	at, ok := x.exact[x.hash(uri)]
	if !ok {
		return nil, fmt.Errorf("%w: %.200s", ErrNotFound, uri)
	}
	rec, err := x.read(at)
	if err == nil && rec.TargetURI() != uri {
		return nil, fmt.Errorf("%w: %.200s", ErrNotFound, uri)
	}
	return rec, err
}

// FindCanonical returns the record of a page by its canonical URL, whatever
// spelling of it the archive has.
func (x *Index) FindCanonical(canonical string) (*Record, error) {
	rec, err := x.Find(canonical)
	at, ok := x.canonical[x.hash(canonical)]
	if !ok || !errors.Is(err, ErrNotFound) {
		return rec, err
	}
	if rec, err = x.read(at); err != nil {
		return nil, err
	}
	if again, err := webgraph.Canonical(rec.TargetURI()); err != nil || again != canonical {
		return nil, fmt.Errorf("%w: %.200s", ErrNotFound, canonical)
	}
	return rec, nil
}

// read reads the record at a position that the pass over the file found.
func (x *Index) read(at Position) (*Record, error) {
	r, ok := x.readers.Get().(*Reader)
	if !ok {
		r = NewReader(x.file, x.size, x.name)
	}
	defer x.readers.Put(r)
	return r.readAt(at)
}

// Len returns the number of URLs that Find finds.
func (x *Index) Len() int { return len(x.exact) }

// HasHost reports whether any record is of that host.
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

// Close closes the file. Records that were returned stay valid.
func (x *Index) Close() error { return x.file.Close() }
