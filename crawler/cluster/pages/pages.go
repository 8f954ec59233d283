// Package pages finds the pages that a crawler of a cluster has recorded, by URL.
package pages

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/eventseer/eventseer/crawler/cluster"
	"github.com/eventseer/eventseer/internal/bolt"
	"github.com/eventseer/eventseer/internal/warc"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/zeebo/xxh3"
)

// Names in a crawler's data directory: the folder of its recording, the prefix of the files in it, and
// the index.
const (
	pagesDir    = "pages"
	pagesPrefix = "web"
	pagesIndex  = "index.db"
)

// maxIndexed is the largest number of records that one transaction indexes.
const maxIndexed = 1000

// Buckets of the index. The whole index can be rebuilt from the recording.
var (
	// answerBucket maps the hash of a canonical URL to the place of its latest response.
	answerBucket = []byte("answer")
	// bodyBucket maps the hash of a payload digest to the place of a record with that body, for responses
	// that were recorded without their body.
	bodyBucket = []byte("body")
	// readBucket maps the number of a file to the offset up to which it is indexed.
	readBucket = []byte("read")
)

// Files finds the recorded responses of a crawler by URL. The index is updated from the files when a page
// is requested. It is on disk and takes about 100 bytes per page. Files is safe for concurrent use.
type Files struct {
	prefix string // of the recording
	db     *bolt.DB

	mu sync.Mutex // held while the index is updated
}

// RecordingPrefix returns the path prefix of the recording's files in a data directory.
func RecordingPrefix(data string) string { return filepath.Join(data, pagesDir, pagesPrefix) }

// Open opens the index of the recording in a data directory, and creates it if it does not exist.
func Open(data string) (*Files, error) {
	dir := filepath.Join(data, pagesDir)
	db, err := bolt.Open(filepath.Join(dir, pagesIndex), bolt.Options{Kind: "pages", Migrations: []func(*bolt.Tx) error{
		func(tx *bolt.Tx) error {
			for _, bucket := range [][]byte{answerBucket, bodyBucket, readBucket} {
				if _, err := tx.CreateBucketIfNotExists(bucket); err != nil {
					return err
				}
			}
			return nil
		},
		bolt.AddChecksums,
	}})
	if err != nil {
		return nil, err
	}
	return &Files{prefix: RecordingPrefix(data), db: db}, nil
}

// Close closes the index.
func (p *Files) Close() error { return p.db.Close() }

// Page returns the latest recorded response of a URL, HTTP headers and body, in parts of at most
// cluster.MaxReply bytes. It returns cluster.ErrNoPage if there is none.
func (p *Files) Page(ctx context.Context, url string, part func([]byte) error) error {
	key, err := pageKey(url)
	if err != nil {
		return fmt.Errorf("%w: %.200q: %w", cluster.ErrNoPage, url, err)
	}
	if err := p.indexNewRecords(ctx); err != nil {
		return err
	}
	rec, err := p.readRecord(answerBucket, key)
	if err != nil {
		return err
	}
	if got, err := webgraph.Canonical(rec.TargetURI()); err != nil || string(keyOf(got)) != string(key) {
		return fmt.Errorf("%w: the recording does not match its index; remove %s", cluster.ErrNoPage, p.db.Path())
	}
	if rec.IsDuplicate() {
		original, err := p.readRecord(bodyBucket, keyOf(rec.Header.Get("WARC-Payload-Digest")))
		if err != nil {
			return err
		}
		if rec, err = rec.Restore(original); err != nil {
			return err
		}
	}
	if len(rec.Block) > cluster.MaxPage {
		return fmt.Errorf("%s: %d bytes, more than the limit of %d", url, len(rec.Block), cluster.MaxPage)
	}
	for block := rec.Block; len(block) > 0 && ctx.Err() == nil; {
		n := min(len(block), cluster.MaxReply)
		if err := part(block[:n]); err != nil {
			return err
		}
		block = block[n:]
	}
	return ctx.Err()
}

// readRecord returns the record whose place is stored in a bucket of the index under key.
func (p *Files) readRecord(bucket, key []byte) (*warc.Record, error) {
	var at pagePlace
	err := p.db.View(func(tx *bolt.Tx) error {
		value := tx.Bucket(bucket).Get(key)
		if value == nil {
			return cluster.ErrNoPage
		}
		return at.decode(value)
	})
	if err != nil {
		return nil, err
	}
	rec, err := warc.ReadAt(p.filePath(at.file), at.offset)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, warc.ErrNotFound) { // removed to make room
		return nil, fmt.Errorf("%w any more: %w", cluster.ErrNoPage, err)
	}
	return rec, err
}

// indexNewRecords indexes all records that were written since the last call.
func (p *Files) indexNewRecords(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	files, err := warc.SeriesFiles(p.prefix)
	if err != nil {
		return err
	}
	for _, path := range files {
		for {
			n, err := p.indexFile(path)
			if err := errors.Join(err, ctx.Err()); err != nil {
				return err
			}
			if n < maxIndexed {
				break
			}
		}
	}
	return nil
}

// indexFile indexes the next records of a file, at most maxIndexed, and returns their number. It stores the
// offset of the last complete record, so that a partly written record is read again when the file has
// grown.
func (p *Files) indexFile(path string) (n int, err error) {
	var number uint32
	if _, err := fmt.Sscanf(filepath.Base(path), pagesPrefix+"-%d.warc.gz", &number); err != nil {
		return 0, fmt.Errorf("%s: %w", path, err)
	}
	file := binary.BigEndian.AppendUint32(nil, number)
	from, err := p.indexedUpTo(file)
	if err != nil {
		return 0, err
	}
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer func() { _ = f.Close() }() // opened for reading: an error on closing loses nothing
	info, err := f.Stat()
	if err != nil || from.size == info.Size() {
		return 0, err
	}
	from.offset = min(from.offset, info.Size())
	tail := io.NewSectionReader(f, from.offset, info.Size()-from.offset)
	r := warc.NewReader(tail, tail.Size(), path)
	var found []pageRow
	next, torn := from, false
	for n < maxIndexed && r.Scan() {
		rec, err := r.Record()
		if torn = err != nil; torn {
			continue // or a damaged file: files are checked elsewhere
		}
		n++
		next.offset = from.offset + rec.Position.Offset
		found = append(found, pageRowsOf(rec, pagePlace{number, next.offset})...)
	}
	if err := r.Err(); err != nil {
		return 0, err
	}
	if n < maxIndexed && !torn {
		next.size = info.Size()
	}
	return n, p.db.Update(func(tx *bolt.Tx) error {
		for _, row := range found {
			if err := tx.Bucket(row.bucket).Put(row.key, row.at.encode()); err != nil {
				return err
			}
		}
		return tx.Bucket(readBucket).Put(file, next.encode())
	})
}

// indexedUpTo returns how far a file is indexed.
func (p *Files) indexedUpTo(file []byte) (to indexMark, err error) {
	err = p.db.View(func(tx *bolt.Tx) error {
		if value := tx.Bucket(readBucket).Get(file); len(value) == 16 {
			to.offset = int64(binary.BigEndian.Uint64(value))
			to.size = int64(binary.BigEndian.Uint64(value[8:]))
		}
		return nil
	})
	return to, err
}

func (p *Files) filePath(number uint32) string {
	return fmt.Sprintf("%s-%05d.warc.gz", p.prefix, number)
}

// An indexMark is how far a file is indexed. It has the offset of the last complete record, and the size
// that the file had when no complete record followed.
type indexMark struct{ offset, size int64 }

func (m indexMark) encode() []byte {
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, uint64(m.offset)), uint64(m.size))
}

// A pagePlace is the file and offset where a record begins.
type pagePlace struct {
	file   uint32
	offset int64
}

func (a pagePlace) encode() []byte {
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint32(nil, a.file), uint64(a.offset))
}

func (a *pagePlace) decode(value []byte) error {
	if len(value) != 12 {
		return fmt.Errorf("index of the pages: an entry has %d bytes; remove %s", len(value), pagesIndex)
	}
	a.file, a.offset = binary.BigEndian.Uint32(value), int64(binary.BigEndian.Uint64(value[4:]))
	return nil
}

// A pageRow is an entry of the index.
type pageRow struct {
	bucket, key []byte
	at          pagePlace
}

// pageRowsOf returns the index entries for a record. There is none for a response that the page has not
// changed (304), so the latest complete response stays in the index.
func pageRowsOf(rec *warc.Record, at pagePlace) (rows []pageRow) {
	response := rec.Type() == "response"
	if !response && !rec.IsDuplicate() {
		return nil
	}
	if key, err := pageKey(rec.TargetURI()); err == nil {
		rows = append(rows, pageRow{answerBucket, key, at})
	}
	if digest := rec.Header.Get("WARC-Payload-Digest"); response && digest != "" {
		rows = append(rows, pageRow{bodyBucket, keyOf(digest), at})
	}
	return rows
}

// pageKey returns the key of a URL. Different spellings of the same canonical URL have the same key.
func pageKey(url string) ([]byte, error) {
	canonical, err := webgraph.Canonical(url)
	if err != nil {
		return nil, err
	}
	return keyOf(canonical), nil
}

func keyOf(text string) []byte {
	sum := xxh3.HashString128(text).Bytes()
	return sum[:]
}
