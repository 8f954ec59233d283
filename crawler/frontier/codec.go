package frontier

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"eventseer/crawler"
	"eventseer/webgraph"
)

// A State says where a URL stands.
type State uint8

// The states of a URL.
const (
	Waiting State = 1 + iota // in the queue
	Leased                   // handed out
	Ended                    // its lease ended for good
	Dropped                  // forgotten by the strategy
	Claimed                  // answered a lease of another URL, which is still in hand
	Alias                    // seen on the way of another URL's lease
)

// String returns the state's name.
func (s State) String() string {
	names := [...]string{"unknown", "waiting", "leased", "ended", "dropped", "claimed", "alias"}
	if int(s) >= len(names) {
		return names[0]
	}
	return names[s]
}

// A Record is all that is known of one URL.
type Record struct {
	State State
	// Interrupted says that a crash ended its lease: it waits before all others.
	Interrupted bool
	Seq         uint64 // order of arrival
	Score       float64
	Proposed    float64 // highest score pushed, before any Rescore
	Depth       int
	How         crawler.How
	Parent      string
	Anchor      string
	Tries       int // tries so far
	// Owner and Expiry are set while it is leased.
	Owner  string
	Expiry time.Time
	// Via is the URL whose lease led here, of a claimed URL or an alias.
	Via string
	// The rest is what the last answer told.
	Fate     crawler.Fate
	Status   int
	FinalURL string
	Bytes    int
	Digest   webgraph.Digest
	Clips    []string
	Reason   string
	At       time.Time
}

// open reports whether Push, Rescore and Drop may change the record.
func (r Record) open() bool { return r.State == Waiting && !r.Interrupted }

// end writes an outcome into the record.
func (r *Record) end(o crawler.Outcome) {
	r.State, r.Fate, r.Status, r.FinalURL = Ended, o.Fate, o.Status, o.FinalURL
	r.Bytes, r.Digest, r.Reason, r.At = o.Bytes, o.Digest, o.Reason, o.At
	r.Clips = o.Clips[:min(len(o.Clips), MaxClips)]
}

// recordVersion is the first byte of a record. 1: first layout.
const recordVersion = 1

// A record is: version, state, interrupted, score and proposed (8 bytes each),
// then numbers and times as varints and strings with their length before them,
// in the order of encode.
func (r Record) encode() []byte {
	interrupted := byte(0)
	if r.Interrupted {
		interrupted = 1
	}
	b := append(make([]byte, 0, 128), recordVersion, byte(r.State), interrupted)
	b = binary.BigEndian.AppendUint64(b, math.Float64bits(r.Score))
	b = binary.BigEndian.AppendUint64(b, math.Float64bits(r.Proposed))
	for _, n := range []uint64{r.Seq, uint64(r.Depth), uint64(r.Tries), uint64(r.Status), uint64(r.Bytes)} {
		b = binary.AppendUvarint(b, n)
	}
	b = appendTime(appendTime(b, r.Expiry), r.At)
	for _, s := range []string{string(r.How), r.Parent, cutRunes(r.Anchor, webgraph.MaxAnchor), r.Owner, r.Via, string(r.Fate), r.FinalURL, string(r.Digest), cut(r.Reason, MaxReason)} {
		b = appendString(b, s)
	}
	b = binary.AppendUvarint(b, uint64(len(r.Clips)))
	for _, id := range r.Clips {
		b = appendString(b, id)
	}
	return b
}

func decodeRecord(b []byte) (r Record, err error) {
	d := decoder{b: b}
	if v := d.byte(); v != recordVersion && d.err == nil {
		return r, fmt.Errorf("record version %d, this program reads %d", v, recordVersion)
	}
	r.State = State(d.byte())
	r.Interrupted = d.byte() == 1
	r.Score, r.Proposed = math.Float64frombits(d.uint64()), math.Float64frombits(d.uint64())
	r.Seq = d.uvarint()
	for _, n := range []*int{&r.Depth, &r.Tries, &r.Status, &r.Bytes} {
		*n = d.int()
	}
	r.Expiry, r.At = d.time(), d.time()
	r.How = crawler.How(d.string())
	r.Parent, r.Anchor, r.Owner, r.Via = d.string(), d.string(), d.string(), d.string()
	r.Fate = crawler.Fate(d.string())
	r.FinalURL = d.string()
	r.Digest = webgraph.Digest(d.string())
	r.Reason = d.string()
	for n := d.int(); n > 0 && d.err == nil; n-- {
		r.Clips = append(r.Clips, d.string())
	}
	if d.err == nil && (r.State < Waiting || r.State > Alias || r.Score != crawler.ClampScore(r.Score) || r.Proposed != crawler.ClampScore(r.Proposed) || len(d.b) > 0) {
		d.err = errBroken
	}
	return r, d.err
}

// counts are the sums over all records that would be slow to find again.
type counts struct {
	seq, ended, waiting, leased, hosts, clips uint64

	spent float64
}

func (c counts) encode() []byte {
	b := []byte{1}
	for _, n := range []uint64{c.seq, c.ended, c.waiting, c.leased, c.hosts, c.clips, math.Float64bits(c.spent)} {
		b = append(b, be64(n)...)
	}
	return b
}

func decodeCounts(b []byte) (c counts, err error) {
	if b == nil {
		return c, nil
	}
	d := decoder{b: b}
	if v := d.byte(); v != 1 {
		return c, fmt.Errorf("counts of version %d, this program reads 1", v)
	}
	for _, n := range []*uint64{&c.seq, &c.ended, &c.waiting, &c.leased, &c.hosts, &c.clips} {
		*n = d.uint64()
	}
	c.spent = math.Float64frombits(d.uint64())
	return c, d.err
}

var errBroken = errors.New("record is broken")

// A decoder reads a value from its front; after the first error it reads zeros.
type decoder struct {
	b   []byte
	err error
}

func (d *decoder) take(n uint64) []byte {
	if d.err != nil || n > uint64(len(d.b)) {
		d.err = errBroken
		return nil
	}
	v := d.b[:n]
	d.b = d.b[n:]
	return v
}

func (d *decoder) byte() byte {
	if v := d.take(1); v != nil {
		return v[0]
	}
	return 0
}

func (d *decoder) uint64() uint64 {
	if v := d.take(8); v != nil {
		return binary.BigEndian.Uint64(v)
	}
	return 0
}

func (d *decoder) uvarint() uint64 {
	x, n := binary.Uvarint(d.b)
	if n <= 0 {
		d.err = errBroken
		return 0
	}
	d.b = d.b[n:]
	return x
}

func (d *decoder) int() int {
	x := d.uvarint()
	if x > math.MaxInt32 {
		d.err = errBroken
		return 0
	}
	return int(x)
}

func (d *decoder) string() string { return string(d.take(d.uvarint())) }

// time reads Unix nanoseconds plus one; 0 is the zero time.
func (d *decoder) time() time.Time {
	x, n := binary.Varint(d.b)
	if n <= 0 {
		d.err = errBroken
		return time.Time{}
	}
	d.b = d.b[n:]
	if x == 0 {
		return time.Time{}
	}
	return time.Unix(0, x-1).UTC()
}

func appendTime(b []byte, t time.Time) []byte {
	if t.IsZero() {
		return append(b, 0)
	}
	return binary.AppendVarint(b, t.UnixNano()+1)
}

func appendString(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// cut bounds s to n bytes, at a rune.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "")
}

// cutRunes bounds s to n runes.
func cutRunes(s string, n int) string {
	for i := range s {
		if n--; n < 0 {
			return s[:i]
		}
	}
	return s
}
