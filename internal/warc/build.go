package warc

import (
	"bytes"
	"crypto/sha1"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Profiles of revisit records (WARC 1.1 §6.7.2 and §6.7.3).
const (
	profileDuplicate   = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
	profileNotModified = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"
)

// NewResponse returns the record of an HTTP response. The block is its status line, header and body.
func NewResponse(uri string, at time.Time, block []byte) *Record {
	return newRecord("response", uri, at, "application/http;msgtype=response", block)
}

// NewRevisit returns the record of a 304 response, which says that an earlier response is still valid
// (WARC 1.1 §6.7.3).
func NewRevisit(uri string, at time.Time, block []byte) *Record {
	rec := newRecord("revisit", uri, at, "application/http;msgtype=response", block)
	rec.Header.Set("WARC-Profile", profileNotModified)
	return rec
}

// NewDuplicate returns the record of a response whose body is already stored in the record original. It
// converts the record of NewResponse to a revisit record with the response's header, the body's digest
// and a reference to the original (WARC 1.1 §6.7.2).
func NewDuplicate(response *Record, original Original) *Record {
	block := response.Block
	head := block[:len(block)-len(payloadOf(block, "response"))]
	return withDigests(Header{
		{"WARC-Type", "revisit"},
		{"WARC-Record-ID", ""},
		{"WARC-Date", response.Header.Get("WARC-Date")},
		{"WARC-Target-URI", response.Header.Get("WARC-Target-URI")},
		{"WARC-Profile", profileDuplicate},
		{"WARC-Refers-To-Target-URI", original.URI},
		{"WARC-Refers-To-Date", original.Date.UTC().Format(dateFormat)},
		{"WARC-Payload-Digest", response.Header.Get("WARC-Payload-Digest")},
		{"Content-Type", response.Header.Get("Content-Type")},
	}, head)
}

// NewRequest returns the record of an HTTP request.
func NewRequest(uri string, at time.Time, block []byte) *Record {
	return newRecord("request", uri, at, "application/http;msgtype=request", block)
}

// NewResource returns the record of a body without HTTP headers.
func NewResource(uri string, at time.Time, contentType string, block []byte) *Record {
	return newRecord("resource", uri, at, contentType, block)
}

// NewMetadata returns a record of metadata about the record of uri, as fields such as fetchTimeMs
// and via (WARC 1.1 §6.6). Line ends in values become spaces.
func NewMetadata(uri string, at time.Time, fields []Field) *Record {
	return newRecord("metadata", uri, at, "application/warc-fields", fieldLines(fields))
}

func fieldLines(fields []Field) []byte {
	var b bytes.Buffer
	for _, f := range fields {
		fmt.Fprintf(&b, "%s: %s\r\n", f.Name, oneLine.Replace(f.Value))
	}
	return b.Bytes()
}

var oneLine = strings.NewReplacer("\r", " ", "\n", " ")

// MarkConcurrent marks r and other as parts of the same exchange (WARC-Concurrent-To).
func (r *Record) MarkConcurrent(other *Record) {
	r.Header = append(r.Header, Field{"WARC-Concurrent-To", other.Header.Get("WARC-Record-ID")})
}

func newRecord(kind, uri string, at time.Time, contentType string, block []byte) *Record {
	h := Header{
		{"WARC-Type", kind},
		{"WARC-Record-ID", ""},
		{"WARC-Date", at.UTC().Format(dateFormat)},
		{"WARC-Target-URI", uri},
		{"Content-Type", contentType},
	}
	if kind == "response" || kind == "resource" || kind == "request" {
		h.Set("WARC-Payload-Digest", digestOf(payloadOf(block, kind)))
	}
	return withDigests(h, block)
}

// dateFormat is the layout of WARC-Date, as version 1.1 allows it.
const dateFormat = "2006-01-02T15:04:05.000000Z"

// withDigests adds the header fields that depend on the header and the block.
func withDigests(h Header, block []byte) *Record {
	h.Set("WARC-Block-Digest", digestOf(block))
	h.Set("Content-Length", strconv.Itoa(len(block)))
	h.Set("WARC-Record-ID", recordID(h))
	return &Record{Header: h, Block: block}
}

// recordID computes a record's ID from its header like a version 5 UUID (RFC 9562 §5.5). The header has
// type, date, URI and digests, so the same response at the same time has the same ID.
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

// An Original is the place of the record that holds a repeated body.
type Original struct {
	URI  string
	Date time.Time
}

// Bounds on the memory for bodies, about 200 bytes per entry.
const (
	maxSeen = 1 << 16 // number of bodies remembered; the oldest is dropped first
	minSeen = 256     // size of a body in bytes below which a revisit record saves nothing
)

// A bodyPlaces remembers the places of the latest bodies of a recording. The zero value is empty.
type bodyPlaces struct {
	originals map[string]Original // by payload digest
	order     []string            // ring buffer of the digests; the oldest is at next
	next      int
}

// digestToRemember returns the payload digest of a complete response that is large enough for a revisit
// record, else "".
func digestToRemember(rec *Record) string {
	if rec.Type() != "response" || rec.Header.Get("WARC-Truncated") != "" || len(payloadOf(rec.Block, "response")) < minSeen {
		return ""
	}
	return rec.Header.Get("WARC-Payload-Digest")
}

func (s *bodyPlaces) addBody(rec *Record) {
	digest := digestToRemember(rec)
	if _, known := s.originals[digest]; known || digest == "" {
		return
	}
	if s.originals == nil {
		s.originals = make(map[string]Original)
	}
	if len(s.order) < maxSeen {
		s.order = append(s.order, digest)
	} else {
		delete(s.originals, s.order[s.next])
		s.order[s.next] = digest
		s.next = (s.next + 1) % maxSeen
	}
	s.originals[digest] = Original{rec.TargetURI(), rec.Date()}
}

// IsDuplicate reports whether the record is a revisit whose body is that of an earlier record with the
// same WARC-Payload-Digest. Profiles of all versions of the standard are recognized.
func (r *Record) IsDuplicate() bool {
	return r.Type() == "revisit" && strings.HasSuffix(r.Header.Get("WARC-Profile"), "/revisit/identical-payload-digest") &&
		r.Header.Get("WARC-Payload-Digest") != ""
}

// Restore returns the response that a duplicate stands for: its own header with the body of original. If
// the duplicate has no header, it returns original with the duplicate's URI and date.
func (r *Record) Restore(original *Record) (*Record, error) {
	digest := r.Header.Get("WARC-Payload-Digest")
	if !r.IsDuplicate() || original.Type() != "response" || original.Header.Get("WARC-Payload-Digest") != digest {
		return nil, fmt.Errorf("%w: %.200s is not a duplicate of %.200s", ErrNoPage, r.TargetURI(), original.TargetURI())
	}
	block := original.Block
	if len(r.Block) > 0 {
		head := r.Block[:len(r.Block)-len(payloadOf(r.Block, "response"))]
		block = append(head[:len(head):len(head)], payloadOf(original.Block, "response")...)
	}
	at, uri := r.Header.Get("WARC-Date"), r.Header.Get("WARC-Target-URI")
	restored := withDigests(Header{
		{"WARC-Type", "response"}, {"WARC-Record-ID", ""}, {"WARC-Date", at}, {"WARC-Target-URI", uri},
		{"Content-Type", "application/http;msgtype=response"}, {"WARC-Payload-Digest", digest},
	}, block)
	for _, name := range []string{"WARC-Truncated", "WARC-IP-Address"} {
		from := original
		if name == "WARC-IP-Address" {
			from = r
		}
		if value := from.Header.Get(name); value != "" {
			restored.Header.Set(name, value)
		}
	}
	restored.Position = r.Position
	return restored, nil
}
