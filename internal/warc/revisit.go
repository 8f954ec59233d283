package warc

import (
	"fmt"
	"strings"
	"time"
)

// An Original is the record that holds a body which came again.
type Original struct {
	URI  string
	Date time.Time
}

// Bounds on the memory of bodies, which costs some 200 bytes an entry.
const (
	maxSeen = 1 << 16 // bodies remembered; the oldest is forgotten first
	minSeen = 256     // bytes of a body below which a revisit saves nothing
)

// seen remembers where the latest bodies of a recording stand. The zero value
// is empty.
type seen struct {
	originals map[string]Original // by payload digest
	order     []string            // ring of the digests, from next on
	next      int
}

// digestToRemember returns the payload digest of a whole answer that is worth a
// revisit, else "".
func digestToRemember(rec *Record) string {
	if rec.Type() != "response" || rec.Header.Get("WARC-Truncated") != "" || len(payload(rec.Block, "response")) < minSeen {
		return ""
	}
	return rec.Header.Get("WARC-Payload-Digest")
}

func (s *seen) add(rec *Record) {
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

// IsDuplicate reports whether the record is a revisit whose body is that of an
// earlier record with the same WARC-Payload-Digest, whatever version of the
// standard its profile is of.
func (r *Record) IsDuplicate() bool {
	return r.Type() == "revisit" && strings.HasSuffix(r.Header.Get("WARC-Profile"), "/revisit/identical-payload-digest") &&
		r.Header.Get("WARC-Payload-Digest") != ""
}

// Restore returns the response that a duplicate stands for: its own header with
// the body of original, and all of original where the duplicate kept no header.
func (r *Record) Restore(original *Record) (*Record, error) {
	digest := r.Header.Get("WARC-Payload-Digest")
	if !r.IsDuplicate() || original.Type() != "response" || original.Header.Get("WARC-Payload-Digest") != digest {
		return nil, fmt.Errorf("%w: %.200s is no duplicate of %.200s", ErrNoPage, r.TargetURI(), original.TargetURI())
	}
	block := original.Block
	if len(r.Block) > 0 {
		head := r.Block[:len(r.Block)-len(payload(r.Block, "response"))]
		block = append(head[:len(head):len(head)], payload(original.Block, "response")...)
	}
	at, uri := r.Header.Get("WARC-Date"), r.Header.Get("WARC-Target-URI")
	restored := seal(Header{
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
