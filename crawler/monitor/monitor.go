// Package monitor watches pages that change: lists of calls, calendars, pages of events, feeds and
// sitemaps. It stores every version of them, estimates how often they change, and determines which
// are due for a visit, what is new on them and which have stopped changing.
//
// The visits themselves are those of a crawl. A Frontier pushes the sources that are due into the
// frontier of the crawls, so that politeness and known URLs are shared. A Fetcher sends the
// validators of the stored version, a Strategy proposes the new links of a source, and a Recorder,
// which is a crawler.Observer, stores the result of each visit:
//
//	Frontier.Next → Fetcher.Fetch → Strategy.Visit → Sink.StorePage → Recorder.ObservePages → Frontier.Done
//
// Versions are in WARC files, and are synced before the database names them. A kill or a power
// failure may leave a record without a name, never a name without a record.
package monitor

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/eventseer/eventseer/internal/bolt"
	"github.com/eventseer/eventseer/internal/warc"
)

// The monitor's files in a data directory.
const (
	File        = "monitor.db"
	VersionsDir = "versions"

	versionsName = "pages" // prefix of the series of WARC files
)

// maxFile is the size of a file of versions, in bytes. One file is read when a process writes its
// first version.
const maxFile = 64 << 20

// Options are the settings of the monitor's files.
type Options struct {
	// MustExist makes Open return bolt.ErrMissing instead of making a new file.
	MustExist bool
	// Software is the name in the WARC files. "" means "eventseer".
	Software string
	// Now is the clock for the operator's actions. Nil means time.Now.
	Now func() time.Time
	// Warn is called for versions that cannot be read, which visits treat as missing; Check lists
	// them all. It may be called from many goroutines. Nil means no calls.
	Warn func(error)
	// OpenFile replaces os.OpenFile for the database; fault-injecting tests set it.
	OpenFile func(string, int, os.FileMode) (*os.File, error)
}

// A DB is the state of the monitor of a data directory. It is safe for concurrent use.
//
// Buckets
//
//	source   url              → Source, see source.go
//	version  url 0x00 micros⁸ → place, digest and status of a version, see version.go
//	yield    url              → Yielded: the links of a page that were followed
//	word     word             → Tally of the links with a word; "" is not a key of
//	                            bbolt's, a space stands for all links
//
// A value is a version byte and JSON. micros is the time of the version, big-endian,
// in microseconds since 1970, as WARC-Date has it.
type DB struct {
	db *bolt.DB
	o  Options

	dir string // of the versions

	mu     sync.Mutex // guards writer
	writer *warc.Writer
}

var (
	sourceBucket  = []byte("source")
	versionBucket = []byte("version")
	yieldBucket   = []byte("yield")
	wordBucket    = []byte("word")
)

// migrations make the schema; append only.
func migrations() []func(*bolt.Tx) error {
	return []func(*bolt.Tx) error{
		func(tx *bolt.Tx) error {
			for _, name := range [][]byte{sourceBucket, versionBucket, yieldBucket} {
				if _, err := tx.CreateBucketIfNotExists(name); err != nil {
					return err
				}
			}
			return nil
		},
		func(tx *bolt.Tx) error {
			_, err := tx.CreateBucketIfNotExists(wordBucket)
			return err
		},
		countSources,
		bolt.AddChecksums,
	}
}

// Schema returns the version of the files that this program writes.
func Schema() int { return len(migrations()) }

// Open opens or makes the monitor's state in a data directory.
func Open(dir string, o Options) (*DB, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Warn == nil {
		o.Warn = func(error) {}
	}
	db, err := bolt.Open(filepath.Join(dir, File), bolt.Options{
		Kind: "monitor", Migrations: migrations(), MustExist: o.MustExist, OpenFile: o.OpenFile,
	})
	if err != nil {
		return nil, err
	}
	return &DB{db: db, o: o, dir: filepath.Join(dir, VersionsDir)}, nil
}

// Database returns the open file, for snapshots. Versions of pages are on disk before it names
// them.
func (d *DB) Database() bolt.Source { return bolt.SourceOf(d.db) }

// Close closes the files.
func (d *DB) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	var err error
	if d.writer != nil {
		err = d.writer.Close()
		d.writer = nil
	}
	return errors.Join(err, d.db.Close())
}

// Check reads everything and reports damage: unreadable records, and missing versions.
func (d *DB) Check() []error {
	broken := bolt.Check(d.db)
	if len(broken) > 0 {
		return broken
	}
	sources, err := d.Sources()
	if err != nil {
		broken = append(broken, err)
	}
	err = d.eachVersion(func(url string, v Version) {
		if _, err := d.readVersion(url, v); err != nil {
			broken = append(broken, fmt.Errorf("version of %s at %s: %w", url, v.At.Format(time.RFC3339Nano), err))
		}
	})
	if err != nil {
		broken = append(broken, err)
	}
	broken = append(broken, d.checkWords()...)
	for _, s := range sources {
		if !s.Kind.isValid() {
			broken = append(broken, fmt.Errorf("source %s: unknown kind %q", s.URL, s.Kind))
		}
	}
	return broken
}
