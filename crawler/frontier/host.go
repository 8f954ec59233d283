package frontier

import (
	"encoding/binary"
	"fmt"
	"math"
	"time"

	"github.com/eventseer/eventseer/crawler/frontier/hosts"
	"github.com/eventseer/eventseer/internal/text"
	"github.com/eventseer/eventseer/webgraph"
)

// hostVersion is the first byte of a host record. 1: first layout.
const hostVersion = 1

// encodeHost appends the record of h to b: version, dead, then strings with
// their length before them, times and numbers as varints, in this order.
func encodeHost(b []byte, h hosts.Host) []byte {
	dead := byte(0)
	if h.Dead {
		dead = 1
	}
	b = append(b, hostVersion, dead)
	b = appendString(b, text.CutValid(string(h.Name), hosts.MaxHostName))
	b = appendString(b, text.CutValid(h.Reason, hosts.MaxHostReason))
	b = appendString(b, text.CutValid(h.Addr, hosts.MaxAddr))
	for _, t := range []time.Time{h.Due, h.Asked, h.FirstFailure, h.LastFailure} {
		b = appendTime(b, t)
	}
	for _, n := range []int64{int64(h.Fetched), h.Bytes, int64(h.Failures), int64(h.CrawlDelay), int64(h.Latency)} {
		b = binary.AppendUvarint(b, uint64(max(n, 0)))
	}
	return b
}

// decodeHost decodes a host record.
func decodeHost(b []byte) (h hosts.Host, err error) {
	d := decoder{b: b}
	if v := d.readByte(); v != hostVersion && d.err == nil {
		return h, fmt.Errorf("the host record has version %d, this program reads %d", v, hostVersion)
	}
	h.Dead = d.readByte() == 1
	h.Name = webgraph.Host(d.readString())
	h.Reason, h.Addr = d.readString(), d.readString()
	for _, t := range []*time.Time{&h.Due, &h.Asked, &h.FirstFailure, &h.LastFailure} {
		*t = d.readTime()
	}
	h.Fetched = d.readInt()
	h.Bytes = d.readInt63()
	h.Failures = d.readInt()
	h.CrawlDelay, h.Latency = time.Duration(d.readInt63()), time.Duration(d.readInt63())
	if d.err == nil && (len(d.b) > 0 || len(h.Name) > hosts.MaxHostName || len(h.Reason) > hosts.MaxHostReason || len(h.Addr) > hosts.MaxAddr) {
		d.err = errBroken
	}
	return h, d.err
}

func (d *decoder) readInt63() int64 {
	x := d.readUvarint()
	if x > math.MaxInt64 {
		d.err = errBroken
		return 0
	}
	return int64(x)
}
