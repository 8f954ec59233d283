package lab

import (
	"container/heap"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/frontier/hosts"
	"github.com/eventseer/eventseer/webgraph"
)

// A Clock simulates the time of a crawl in a frozen web. It repeats the requests of a finished crawl
// with the schedule of hosts that a live crawl has: several workers, a delay between requests to one
// host, and each page only after the one that led to it. Of the pages that may be requested, the one
// that the crawl fetched first comes first.
//
// The crawl itself ran without time, so a strategy does not choose other pages while a host rests: it
// has the order of its own choice, as far as hosts allow. Visits without cost, such as pages that the
// frozen web does not hold, take no time.
type Clock struct {
	Workers   int
	Delay     time.Duration // between requests to one host, as in frontier.Options.HostDelay
	Latency   time.Duration // median time until a response begins; that of a host is a quarter to four times as long
	Bandwidth float64       // bytes per second of one response
}

// DefaultClock returns a clock with the delay and the workers of a live crawl. Latency and bandwidth are
// assumptions: they matter little beside the delay, see doc/lab.md.
func DefaultClock() Clock {
	return Clock{Workers: 8, Delay: 5 * time.Second, Latency: 500 * time.Millisecond, Bandwidth: 1e6}
}

// Limits of a Clock.
const (
	maxClockWorkers = 1000
	maxClockDelay   = time.Hour
)

// ParseClock reads a clock such as "workers=8,delay=5s,latency=500ms,bandwidth=1e6". Settings that are
// not named are those of DefaultClock, as all are for "".
func ParseClock(s string) (Clock, error) {
	c := DefaultClock()
	if s == "" {
		return c, nil
	}
	seen := map[string]bool{}
	for part := range strings.SplitSeq(s, ",") {
		name, value, _ := strings.Cut(part, "=")
		var err error
		switch name {
		case "workers":
			c.Workers, err = strconv.Atoi(value)
		case "delay":
			c.Delay, err = time.ParseDuration(value)
		case "latency":
			c.Latency, err = time.ParseDuration(value)
		case "bandwidth":
			c.Bandwidth, err = strconv.ParseFloat(value, 64)
		default:
			return c, fmt.Errorf("clock %q: %q is not one of workers, delay, latency, bandwidth", s, name)
		}
		if err != nil || seen[name] {
			return c, fmt.Errorf("clock %q: %s=%s is not a valid setting, or is given twice", s, name, value)
		}
		seen[name] = true
	}
	switch {
	case c.Workers < 1 || c.Workers > maxClockWorkers:
		return c, fmt.Errorf("clock %q: workers must be from 1 to %d", s, maxClockWorkers)
	case c.Delay < 0 || c.Delay > maxClockDelay || c.Latency < 0 || c.Latency > maxClockDelay:
		return c, fmt.Errorf("clock %q: delay and latency must be from 0s to %s", s, maxClockDelay)
	case !(c.Bandwidth >= 1) || math.IsInf(c.Bandwidth, 1):
		return c, fmt.Errorf("clock %q: bandwidth must be at least 1 byte per second", s)
	}
	return c, nil
}

// String formats the clock as ParseClock reads it.
func (c Clock) String() string {
	return fmt.Sprintf("workers=%d,delay=%s,latency=%s,bandwidth=%s", c.Workers, c.Delay, c.Latency, strconv.FormatFloat(c.Bandwidth, 'g', -1, 64))
}

// maxTimed bounds the visits of a crawl whose time is simulated.
const maxTimed = 1_000_000

// backlinkHost is the host of all requests for backlinks.
const backlinkHost = "backlinks.service"

// requestDuration returns how long a request takes.
func (c Clock) requestDuration(host webgraph.Host, bytes int) time.Duration {
	h := fnv.New64a()
	h.Write([]byte(host))
	place := float64(h.Sum64()>>11) / (1 << 53) // of the host among all, 0 to 1
	latency := float64(c.Latency) * math.Pow(4, 2*place-1)
	return time.Duration(latency + float64(bytes)/c.Bandwidth*float64(time.Second))
}

// endTimes returns for each visit when it ends, after the begin of the crawl.
func (c Clock) endTimes(visits []Visit) ([]time.Duration, error) {
	if len(visits) > maxTimed {
		return nil, fmt.Errorf("a crawl has more than %d visits: limit the pages measured with --budget", maxTimed)
	}
	p := newPlayback(c, visits)
	for i := range visits {
		if p.needs[i] < 0 {
			p.queueForHost(i)
		}
	}
	for p.done < len(visits) {
		if !p.beginNextRequest() {
			return nil, errors.New("the simulated clock stands still because a host never becomes free")
		}
	}
	return p.ended, nil
}

// A playback repeats the requests of a crawl.
type playback struct {
	Clock
	visits  []Visit
	needs   []int   // index of the visit that must have ended, -1 for none
	follow  [][]int // for each visit, the later visits that cannot begin before it has ended
	ended   []time.Duration
	done    int
	hosts   *hosts.Schedule
	waiting map[hosts.ID]*visitHeap
	now     time.Time
	running requestHeap
}

func newPlayback(c Clock, visits []Visit) *playback {
	p := &playback{
		Clock: c, visits: visits, needs: make([]int, len(visits)), follow: make([][]int, len(visits)), ended: make([]time.Duration, len(visits)),
		hosts:   hosts.NewSchedule(hosts.Options{HostDelay: c.Delay, DelayFactor: 1, Workers: c.Workers}),
		waiting: map[hosts.ID]*visitHeap{}, now: clockStart,
	}
	pages, calls := map[string]int{}, map[string]int{}
	for i, v := range visits {
		from, ok := pages[v.Parent]
		switch {
		case v.Call:
			from, ok = pages[v.URL]
		case v.How == string(crawler.Back):
			from, ok = calls[v.Parent]
		}
		if !ok {
			from = -1
		}
		p.needs[i] = from
		if from >= 0 {
			p.follow[from] = append(p.follow[from], i)
		}
		if v.Call {
			calls[v.URL] = i
		} else if _, ok := pages[v.URL]; !ok {
			pages[v.URL] = i
		}
	}
	return p
}

// clockStart is when simulated crawls begin. Times are relative to it; the schedule needs a time that
// is not zero.
var clockStart = time.Unix(1, 0)

// queueForHost lets a visit wait for its host. A visit without cost ends at once, with those that need it.
func (p *playback) queueForHost(i int) {
	free := []int{i}
	for len(free) > 0 {
		i, free = free[len(free)-1], free[:len(free)-1]
		v := p.visits[i]
		if v.Cost == 0 && !v.Call {
			free = append(free, p.recordEnd(i)...)
			continue
		}
		id := p.hostOf(v)
		heap.Push(p.waiting[id], i)
		p.setNextVisit(id)
	}
}

// recordEnd records the end of a visit and returns those that need it.
func (p *playback) recordEnd(i int) []int {
	p.ended[i] = p.now.Sub(clockStart)
	p.done++
	return p.follow[i]
}

func hostNameOf(v Visit) webgraph.Host {
	if v.Call {
		return backlinkHost
	}
	return webgraph.HostOf(v.URL)
}

func (p *playback) hostOf(v Visit) hosts.ID {
	name := hostNameOf(v)
	id, ok := p.hosts.Find(name)
	if !ok {
		id = p.hosts.Add(name, p.now)
		p.waiting[id] = &visitHeap{}
	}
	return id
}

// setNextVisit tells the schedule which visit of a host comes next.
func (p *playback) setNextVisit(id hosts.ID) {
	w := *p.waiting[id]
	if len(w) == 0 {
		p.hosts.SetBestLink(id, hosts.LinkKey{}, false)
		return
	}
	p.hosts.SetBestLink(id, hosts.LinkKey{Rank: uint64(w[0]) + 1, Seq: uint64(w[0])}, true)
}

// beginNextRequest begins a request if one may begin, otherwise goes on to the next moment at which something
// changes. It returns false if there is none.
func (p *playback) beginNextRequest() bool {
	if len(p.running) < p.Workers {
		if id, ok := p.hosts.BestHost(p.now); ok {
			i := heap.Pop(p.waiting[id]).(int)
			p.hosts.BeginLease(id, p.now)
			p.setNextVisit(id)
			took := p.requestDuration(hostNameOf(p.visits[i]), p.visits[i].Bytes)
			heap.Push(&p.running, activeRequest{p.now.Add(took), i, id, took})
			return true
		}
	}
	var next time.Time
	if len(p.running) < p.Workers {
		next, _ = p.hosts.NextDue()
	}
	if len(p.running) == 0 || !next.IsZero() && next.Before(p.running[0].end) {
		if next.IsZero() || !next.After(p.now) {
			return false
		}
		p.now = next
		return true
	}
	r := heap.Pop(&p.running).(activeRequest)
	p.now = r.end
	p.hosts.EndLease(r.host, r.host, crawler.Outcome{Fate: crawler.Fetched, Status: http.StatusOK, At: p.now, Took: r.took}, p.now)
	p.setNextVisit(r.host)
	for _, i := range p.recordEnd(r.visit) {
		p.queueForHost(i)
	}
	return true
}

// visitHeap is a heap of visits by their place in the crawl.
type visitHeap []int

func (o visitHeap) Len() int           { return len(o) }
func (o visitHeap) Less(i, j int) bool { return o[i] < o[j] }
func (o visitHeap) Swap(i, j int)      { o[i], o[j] = o[j], o[i] }

// Push is of heap.Interface.
func (o *visitHeap) Push(x any) { *o = append(*o, x.(int)) }

// Pop is of heap.Interface.
func (o *visitHeap) Pop() any {
	last := (*o)[len(*o)-1]
	*o = (*o)[:len(*o)-1]
	return last
}

// An activeRequest is under way.
type activeRequest struct {
	end   time.Time
	visit int
	host  hosts.ID
	took  time.Duration
}

// requestHeap is a heap of requests by their end.
type requestHeap []activeRequest

func (r requestHeap) Len() int { return len(r) }
func (r requestHeap) Less(i, j int) bool {
	return r[i].end.Before(r[j].end) || r[i].end.Equal(r[j].end) && r[i].visit < r[j].visit
}
func (r requestHeap) Swap(i, j int) { r[i], r[j] = r[j], r[i] }

// Push is of heap.Interface.
func (r *requestHeap) Push(x any) { *r = append(*r, x.(activeRequest)) }

// Pop is of heap.Interface.
func (r *requestHeap) Pop() any {
	last := (*r)[len(*r)-1]
	*r = (*r)[:len(*r)-1]
	return last
}
