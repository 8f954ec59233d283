package frontier

import (
	"encoding/binary"
	"fmt"
	"math"
	"time"

	"eventseer/webgraph"
)

// A Host is what the frontier knows of one host.
type Host struct {
	Name  webgraph.Host
	Due   time.Time // not to be asked before; zero means at any time
	Asked time.Time // when its last request ended; zero if there was none
	// Fetched counts its answers, of any final status, and Bytes their bodies.
	Fetched int
	Bytes   int64
	// Failures counts the requests in a row that failed by its own fault. It and
	// what follows are zero while the host is well.
	Failures                  int
	FirstFailure, LastFailure time.Time // of this row
	Reason                    string    // of the last, for people
	Dead                      bool      // too many; it is asked once a day whether it lives
	// CrawlDelay is the pause that its robots.txt asks for, 0 if none.
	CrawlDelay time.Duration
	// Latency is how long its answers take, smoothed; 0 if there was none.
	Latency time.Duration
	Addr    string // IP address of its last answer; "" if unknown
}

// Bounds of what a host record keeps of what others say.
const (
	maxHostName   = 255
	maxHostReason = 120 // bytes
	maxAddr       = 64
)

// hostVersion is the first byte of a host record. 1: first layout.
const hostVersion = 1

// encodeHost appends the record of h to b: version, dead, then strings with
// their length before them, times and numbers as varints, in this order.
func encodeHost(b []byte, h Host) []byte {
	dead := byte(0)
	if h.Dead {
		dead = 1
	}
	b = append(b, hostVersion, dead)
	b = appendString(b, cut(string(h.Name), maxHostName))
	b = appendString(b, cut(h.Reason, maxHostReason))
	b = appendString(b, cut(h.Addr, maxAddr))
	for _, t := range []time.Time{h.Due, h.Asked, h.FirstFailure, h.LastFailure} {
		b = appendTime(b, t)
	}
	for _, n := range []int64{int64(h.Fetched), h.Bytes, int64(h.Failures), int64(h.CrawlDelay), int64(h.Latency)} {
		b = binary.AppendUvarint(b, uint64(max(n, 0)))
	}
	return b
}

// decodeHost reads a host record, or says why it cannot.
func decodeHost(b []byte) (h Host, err error) {
	d := decoder{b: b}
	if v := d.byte(); v != hostVersion && d.err == nil {
		return h, fmt.Errorf("host record version %d, this program reads %d", v, hostVersion)
	}
	h.Dead = d.byte() == 1
	h.Name = webgraph.Host(d.string())
	h.Reason, h.Addr = d.string(), d.string()
	for _, t := range []*time.Time{&h.Due, &h.Asked, &h.FirstFailure, &h.LastFailure} {
		*t = d.time()
	}
	h.Fetched = d.int()
	h.Bytes = d.int63()
	h.Failures = d.int()
	h.CrawlDelay, h.Latency = time.Duration(d.int63()), time.Duration(d.int63())
	if d.err == nil && (len(d.b) > 0 || len(h.Name) > maxHostName || len(h.Reason) > maxHostReason || len(h.Addr) > maxAddr) {
		d.err = errBroken
	}
	return h, d.err
}

func (d *decoder) int63() int64 {
	x := d.uvarint()
	if x > math.MaxInt64 {
		d.err = errBroken
		return 0
	}
	return int64(x)
}
