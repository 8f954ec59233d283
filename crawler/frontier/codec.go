package frontier

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/internal/text"
	"github.com/eventseer/eventseer/webgraph"
)

// recordVersion is the first byte of a record. Version 1 had the URL in the key (see migrate.go),
// version 2 has buckets by state.
const recordVersion = 2

// Optional parts of a record.
const (
	hasProposed = 1 << iota // the proposed score differs from the score
	hasAnswer               // state from the last response
	hasWhy                  // explanation of the score
)

var ways = []crawler.Origin{crawler.Seed, crawler.Forward, crawler.Back, crawler.Monitor}

// appendRecord appends an encoded record. It has version, state, parts, URL; score and proposed
// score (8 bytes each); then numbers and times as varints and strings with their length before
// them, in the order below. The URL comes first because Open reads only that.
func appendRecord(b []byte, r *Record) []byte {
	var parts byte
	if r.Proposed != r.Score {
		parts |= hasProposed
	}
	if r.Fate != "" || !r.At.IsZero() || r.Via != "" || r.Reason != "" || r.ETag != "" || r.LastModified != "" || r.Digest != "" || r.Text != 0 || len(r.Clips) > 0 {
		parts |= hasAnswer
	}
	if r.Explained != "" {
		parts |= hasWhy
	}
	b = appendString(append(b, recordVersion, byte(r.State), parts), r.URL)
	b = binary.BigEndian.AppendUint64(b, math.Float64bits(r.Score))
	if parts&hasProposed != 0 {
		b = binary.BigEndian.AppendUint64(b, math.Float64bits(r.Proposed))
	}
	b = binary.AppendUvarint(b, r.Seq)
	for _, n := range [...]int{r.Depth, r.Hops, r.Tries, r.Crashes} {
		b = binary.AppendUvarint(b, uint64(n))
	}
	b = appendTime(b, r.Due)
	way := slices.Index(ways, r.How) + 1
	if b = append(b, byte(way)); way == 0 {
		b = appendString(b, string(r.How))
	}
	b = appendString(appendString(b, r.Parent), text.CutRunes(r.Anchor, webgraph.MaxAnchor))
	if parts&hasWhy != 0 {
		b = appendString(b, text.CutValid(r.Explained, crawler.MaxWhy))
	}
	if parts&hasAnswer != 0 {
		b = appendResponse(b, r)
	}
	return b
}

func appendResponse(b []byte, r *Record) []byte {
	b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(r.Status)), uint64(r.Bytes))
	b = binary.BigEndian.AppendUint64(appendTime(b, r.At), r.Text)
	for _, s := range [...]string{
		string(r.Fate), r.Via, r.FinalURL, string(r.Digest), text.CutValid(r.Reason, MaxReason), text.CutValid(r.ETag, MaxValidator), text.CutValid(r.LastModified, MaxValidator),
	} {
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
	if v := d.readByte(); v != recordVersion && d.err == nil {
		return r, fmt.Errorf("the record has version %d, this program reads %d", v, recordVersion)
	}
	r.State = State(d.readByte())
	parts := d.readByte()
	r.URL = d.readString()
	r.Score = math.Float64frombits(d.readUint64())
	if r.Proposed = r.Score; parts&hasProposed != 0 {
		r.Proposed = math.Float64frombits(d.readUint64())
	}
	r.Seq = d.readUvarint()
	for _, n := range [...]*int{&r.Depth, &r.Hops, &r.Tries, &r.Crashes} {
		*n = d.readInt()
	}
	r.Due = d.readTime()
	if way := int(d.readByte()); way == 0 {
		r.How = crawler.Origin(d.readString())
	} else if way <= len(ways) {
		r.How = ways[way-1]
	} else {
		d.err = errBroken
	}
	r.Parent, r.Anchor = d.readString(), d.readString()
	if parts&hasWhy != 0 {
		r.Explained = d.readString()
	}
	if parts&hasAnswer != 0 {
		d.readResponse(&r)
	}
	if d.err == nil && (parts > hasProposed|hasAnswer|hasWhy || !r.State.isStored() || r.Score != crawler.ClampDueScore(r.Score) || r.Proposed != crawler.ClampDueScore(r.Proposed) || len(d.b) > 0) {
		d.err = errBroken
	}
	return r, d.err
}

func (d *decoder) readResponse(r *Record) {
	r.Status, r.Bytes = d.readInt(), d.readInt()
	r.At, r.Text = d.readTime(), d.readUint64()
	r.Fate = crawler.Fate(d.readString())
	r.Via, r.FinalURL = d.readString(), d.readString()
	r.Digest = webgraph.Digest(d.readString())
	r.Reason, r.ETag, r.LastModified = d.readString(), d.readString(), d.readString()
	for n := d.readInt(); n > 0 && d.err == nil; n-- {
		r.Clips = append(r.Clips, d.readString())
	}
}

// peekURL returns the state and the URL of a record without reading the rest;
// the URL lives as long as b.
func peekURL(b []byte) (State, []byte, error) {
	d := decoder{b: b}
	v, state := d.readByte(), State(d.readByte())
	d.readByte()
	url := d.takeBytes(d.readUvarint())
	if d.err == nil && v != recordVersion {
		d.err = fmt.Errorf("the record has version %d, this program reads %d", v, recordVersion)
	}
	return state, url, d.err
}

// counts are totals that cannot be computed quickly from the buckets.
type counts struct {
	seq   uint64 // links as they came
	done  uint64 // records put into done
	away  uint64 // records put into the bucket away, numbered from 1
	urls  uint64 // ever seen
	ended uint64
	clips uint64
	hosts uint64 // hosts from which pages were fetched; not on disk
	spent float64
	// depth counts ended links by depth; the last element counts all deeper ones.
	depth [depths]uint64
}

const depths = 64

// countsVersion is the first byte of the counts. Version 2 is without away, version 3 with it.
const countsVersion = 3

func (c *counts) encode() []byte {
	b := []byte{countsVersion}
	for _, n := range []uint64{c.seq, c.done, c.urls, c.ended, c.clips, math.Float64bits(c.spent), c.away} {
		b = binary.BigEndian.AppendUint64(b, n)
	}
	for _, n := range c.depth {
		b = binary.AppendUvarint(b, n)
	}
	return b
}

func decodeCounts(b []byte) (c counts, err error) {
	if b == nil {
		return c, nil
	}
	d := decoder{b: b}
	version := d.readByte()
	if version < 2 || version > countsVersion {
		return c, fmt.Errorf("the counts have version %d, this program reads 2 to %d", version, countsVersion)
	}
	for _, n := range []*uint64{&c.seq, &c.done, &c.urls, &c.ended, &c.clips} {
		*n = d.readUint64()
	}
	c.spent = math.Float64frombits(d.readUint64())
	if version > 2 {
		c.away = d.readUint64()
	}
	for i := range c.depth {
		c.depth[i] = d.readUvarint()
	}
	return c, d.err
}

var errBroken = errors.New("record is broken")

// A decoder reads values from the front of its input; after an error it reads zeros.
type decoder struct {
	b   []byte
	err error
}

func (d *decoder) takeBytes(n uint64) []byte {
	if d.err != nil || n > uint64(len(d.b)) {
		d.err = errBroken
		return nil
	}
	v := d.b[:n]
	d.b = d.b[n:]
	return v
}

func (d *decoder) readByte() byte {
	if v := d.takeBytes(1); v != nil {
		return v[0]
	}
	return 0
}

func (d *decoder) readUint64() uint64 {
	if v := d.takeBytes(8); v != nil {
		return binary.BigEndian.Uint64(v)
	}
	return 0
}

func (d *decoder) readUvarint() uint64 {
	x, n := binary.Uvarint(d.b)
	if n <= 0 {
		d.err = errBroken
		return 0
	}
	d.b = d.b[n:]
	return x
}

func (d *decoder) readInt() int {
	x := d.readUvarint()
	if x > math.MaxInt32 {
		d.err = errBroken
		return 0
	}
	return int(x)
}

func (d *decoder) readString() string { return string(d.takeBytes(d.readUvarint())) }

// readTime reads Unix nanoseconds plus one; 0 is the zero time.
func (d *decoder) readTime() time.Time {
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
