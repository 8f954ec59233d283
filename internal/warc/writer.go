package warc

import (
	"bytes"
	"crypto/sha1"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/klauspost/compress/gzip"
)

// NewResponse returns the record of an HTTP answer: block is status line, header
// and body.
func NewResponse(uri string, at time.Time, block []byte) *Record {
	return newRecord("response", uri, at, "application/http;msgtype=response", block)
}

// NewRevisit returns the record of an answer 304, which says that an earlier
// record still holds (WARC 1.1 §6.7.3).
func NewRevisit(uri string, at time.Time, block []byte) *Record {
	rec := newRecord("revisit", uri, at, "application/http;msgtype=response", block)
	rec.Header.Set("WARC-Profile", "http://netpreserve.org/warc/1.1/revisit/server-not-modified")
	return rec
}

// NewRequest returns the record of an HTTP request.
func NewRequest(uri string, at time.Time, block []byte) *Record {
	return newRecord("request", uri, at, "application/http;msgtype=request", block)
}

// NewResource returns the record of a bare body.
func NewResource(uri string, at time.Time, contentType string, block []byte) *Record {
	return newRecord("resource", uri, at, contentType, block)
}

func newRecord(kind, uri string, at time.Time, contentType string, block []byte) *Record {
	h := Header{
		{"WARC-Type", kind},
		{"WARC-Record-ID", ""},
		{"WARC-Date", at.UTC().Format(dateFormat)},
		{"WARC-Target-URI", uri},
		{"Content-Type", contentType},
	}
	if kind != "revisit" {
		h.Set("WARC-Payload-Digest", digestOf(payload(block, kind)))
	}
	return seal(h, block)
}

// dateFormat is WARC-Date as version 1.1 allows it.
const dateFormat = "2006-01-02T15:04:05.000000Z"

// seal adds what follows from header and block.
func seal(h Header, block []byte) *Record {
	h.Set("WARC-Block-Digest", digestOf(block))
	h.Set("Content-Length", strconv.Itoa(len(block)))
	h.Set("WARC-Record-ID", recordID(h))
	return &Record{Header: h, Block: block}
}

// recordID derives a record's name from its header, which holds type, date, URI
// and digests, in the way of a version 5 UUID (RFC 9562 §5.5): the same answer
// at the same time is the same record.
func recordID(h Header) string {
	sum := sha1.New()
	for _, f := range h {
		fmt.Fprintf(sum, "%s: %s\r\n", f.Name, f.Value)
	}
	id := sum.Sum(nil)[:16]
	id[6] = id[6]&0x0f | 0x50
	id[8] = id[8]&0x3f | 0x80
	return fmt.Sprintf("<urn:uuid:%x-%x-%x-%x-%x>", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
}

// WriterOptions say what a Writer writes about itself.
type WriterOptions struct {
	// Software is named in the warcinfo record. "" means "eventseer".
	Software string
	// Description stands in the warcinfo record. "" leaves it out.
	Description string
	// Now is the clock of the warcinfo record, and of those who ask the Writer
	// what time it is. Nil means time.Now.
	Now func() time.Time
}

// A Writer writes a compressed WARC 1.1, one gzip member a record. It is safe
// for concurrent use. What Write has returned nil for is with the operating
// system: killing the process leaves a whole file.
type Writer struct {
	torn int64
	now  func() time.Time

	mu   sync.Mutex // guards below
	file *os.File
	end  int64 // of the last whole member
	gz   *gzip.Writer
	buf  bytes.Buffer
	err  error // the first failure; nothing is written after it
}

// Create opens path for writing, after the records it may hold already, and
// writes a warcinfo record. A member that was torn at the end of the file, by a
// full disk or a power failure, is cut off; Torn tells. A file that is not empty
// and holds no records is left alone, with an error.
func Create(path string, o WriterOptions) (*Writer, error) {
	if o.Software == "" {
		o.Software = "eventseer"
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	w := &Writer{file: file, gz: gzip.NewWriter(nil), now: o.Now}
	if err := w.recover(path); err != nil {
		file.Close()
		return nil, err
	}
	if err := w.Write(info(path, o)); err != nil {
		file.Close()
		return nil, err
	}
	return w, nil
}

// recover finds the end of the last whole record and cuts what follows it.
func (w *Writer) recover(path string) error {
	stat, err := w.file.Stat()
	if err != nil {
		return err
	}
	r := NewReader(w.file, stat.Size(), path)
	good := 0
	w.end = stat.Size()
	for r.Scan() {
		rec, err := r.Record()
		var bad *BadRecord
		if errors.As(err, &bad) && errors.Is(err, ErrRotten) {
			w.end = min(w.end, bad.Position.Offset)
			continue
		}
		if err == nil {
			good++
			if rec.Position.Skip > 0 {
				return fmt.Errorf("%s is not one gzip member a record; write to a new file", path)
			}
		}
		w.end = stat.Size()
	}
	if err := r.Err(); err != nil {
		return err
	}
	if stat.Size() > 0 && (good == 0 || !r.src.gzipped) {
		return fmt.Errorf("%s: %w that are compressed one by one; write to a new file", path, ErrNoRecords)
	}
	if w.torn = stat.Size() - w.end; w.torn > 0 {
		return w.file.Truncate(w.end)
	}
	return nil
}

func info(path string, o WriterOptions) *Record {
	var b strings.Builder
	fmt.Fprintf(&b, "software: %s\r\nformat: WARC File Format 1.1\r\n", o.Software)
	if o.Description != "" {
		fmt.Fprintf(&b, "description: %s\r\n", o.Description)
	}
	return seal(Header{
		{"WARC-Type", "warcinfo"},
		{"WARC-Record-ID", ""},
		{"WARC-Date", o.Now().UTC().Format(dateFormat)},
		{"WARC-Filename", filepath.Base(path)},
		{"Content-Type", "application/warc-fields"},
	}, []byte(b.String()))
}

// Torn returns how many bytes of a torn record Create cut off.
func (w *Writer) Torn() int64 { return w.torn }

// Now returns the time by the Writer's clock.
func (w *Writer) Now() time.Time { return w.now() }

// Write appends a record, made by NewResponse and its siblings or read from
// another WARC. After an error that is not ErrTooLarge or ErrNotWARC nothing can
// be written any more.
func (w *Writer) Write(rec *Record) error {
	if len(rec.Block) > MaxRecord {
		return fmt.Errorf("%w: %.200s", ErrTooLarge, rec.TargetURI())
	}
	for _, f := range rec.Header {
		if strings.ContainsAny(f.Name+f.Value, "\r\n") || f.Name == "" {
			return fmt.Errorf("%w: field %.40q has the value %.200q", ErrNotWARC, f.Name, f.Value)
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return w.err
	}
	w.buf.Reset()
	w.gz.Reset(&w.buf)
	if err := writeRecord(w.gz, rec); err != nil {
		return err
	}
	if err := w.gz.Close(); err != nil {
		return err
	}
	n, err := w.file.WriteAt(w.buf.Bytes(), w.end)
	if err != nil {
		w.err = fmt.Errorf("WARC cannot be written on: %w", err)
		return errors.Join(w.err, w.file.Truncate(w.end))
	}
	w.end += int64(n)
	return nil
}

func writeRecord(out io.Writer, rec *Record) error {
	var head bytes.Buffer
	head.WriteString("WARC/1.1\r\n")
	for _, f := range rec.Header {
		fmt.Fprintf(&head, "%s: %s\r\n", f.Name, f.Value)
	}
	head.WriteString("\r\n")
	for _, part := range [][]byte{head.Bytes(), rec.Block, []byte("\r\n\r\n")} {
		if _, err := out.Write(part); err != nil {
			return err
		}
	}
	return nil
}

// Close writes the file through to the disk and closes it.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.err = errors.New("WARC is closed")
	}
	return errors.Join(w.file.Sync(), w.file.Close())
}
