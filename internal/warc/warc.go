// Package warc reads and writes web archives (WARC 1.0 and 1.1, ISO 28500).
//
// A WARC is a sequence of records. Each has a header, like that of HTTP, and a block of Content-Length
// bytes. Compressed files have one gzip member per record, so that a record can be read without those
// before it:
//
//	member  = gzip(record)
//	record  = "WARC/1.1" CRLF *(name ":" value CRLF) CRLF block CRLF CRLF
//	block   = of a response: status line, header and body as the server sent them
//
// The package also reads plain files, files that are a single gzip member, and files with one zstd frame
// per record. Reading never ends at a damaged record: it is reported with its position, and reading
// continues at the next record that can be found.
package warc

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Bounds on the resources that a reader uses.
const (
	// MaxRecord is the largest size of a record's block, in bytes. Larger records are reported as bad and
	// skipped.
	MaxRecord = 64 << 20
	// MaxHeader is the largest size of a record's header and of an HTTP header, in bytes.
	MaxHeader = 64 << 10
	// MaxBad is the number of bad records after which reading a file stops.
	MaxBad = 1000
	// maxSkip is the largest number of bytes to decompress in one gzip member while searching for the end
	// of a record that is skipped.
	maxSkip = 1 << 30
)

// Errors of reading, to be tested with errors.Is.
var (
	ErrNotWARC   = errors.New("not a WARC record")
	ErrRotten    = errors.New("member cannot be inflated")
	ErrTooLarge  = fmt.Errorf("record is larger than %d MiB", MaxRecord>>20)
	ErrBadLength = errors.New("Content-Length does not lead to the next record")
	ErrNoPage    = errors.New("record holds no page")
	ErrNoRecords = errors.New("file holds no WARC records")
	ErrNotFound  = errors.New("no record of this URL")
)

// A BadRecord is a place in a file where no record could be read.
type BadRecord struct {
	File     string
	Position Position
	Err      error
}

func (b *BadRecord) Error() string {
	return fmt.Sprintf("%s: bad record at %v: %v", b.File, b.Position, b.Err)
}

// Unwrap returns the cause.
func (b *BadRecord) Unwrap() error { return b.Err }

// A Position is the position at which a record begins. Offset is in bytes into the file. In compressed
// files Skip is in bytes into the decompressed gzip member; it is 0 if each record is a member of its
// own.
type Position struct {
	Offset, Skip int64
}

func (p Position) String() string {
	if p.Skip == 0 {
		return fmt.Sprintf("byte %d", p.Offset)
	}
	return fmt.Sprintf("byte %d of the gzip member at byte %d", p.Skip, p.Offset)
}

// A Field is one line of a header.
type Field struct {
	Name, Value string
}

// A Header holds the fields of a record in their order.
type Header []Field

// Get returns the first value of a field, "" if there is none. The case of names is ignored.
func (h Header) Get(name string) string {
	for _, f := range h {
		if strings.EqualFold(f.Name, name) {
			return f.Value
		}
	}
	return ""
}

// Set replaces the first value of a field or appends the field.
func (h *Header) Set(name, value string) {
	for i, f := range *h {
		if strings.EqualFold(f.Name, name) {
			(*h)[i].Value = value
			return
		}
	}
	*h = append(*h, Field{name, value})
}

// A Record is one record of a WARC. Its block belongs to the caller that received it.
type Record struct {
	Header   Header
	Block    []byte
	Position Position // where it was read
}

// Type returns WARC-Type in lower case, such as "response" or "warcinfo".
func (r *Record) Type() string { return strings.ToLower(r.Header.Get("WARC-Type")) }

// TargetURI returns WARC-Target-URI byte for byte, without the angle brackets that some writers of WARC
// 1.0 put around it.
func (r *Record) TargetURI() string {
	uri := r.Header.Get("WARC-Target-URI")
	if strings.HasPrefix(uri, "<") && strings.HasSuffix(uri, ">") {
		return uri[1 : len(uri)-1]
	}
	return uri
}

// Date returns WARC-Date, the zero time if it is invalid.
func (r *Record) Date() time.Time {
	at, err := time.Parse(time.RFC3339Nano, r.Header.Get("WARC-Date"))
	if err != nil {
		return time.Time{}
	}
	return at.UTC()
}
