package simweb

import (
	"context"
	"math/bits"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// A Meter serves a large web and measures how it is asked: who comes too soon, where
// robots may not go, and which pages again. It keeps a bit a page, some 100 bytes a
// host, and the redirects that were not followed. It is safe for concurrent use.
type Meter struct {
	web *Large
	o   MeterOptions

	mu    sync.Mutex // guards below
	hosts map[int]*asked
	seen  bitset
	led   map[int]int // redirects to a page that were answered and not yet followed
	count MeterCounts
	some  []Violation
}

// MeterOptions say what is polite.
type MeterOptions struct {
	// Delay is the pause that a host wants between the end of an answer and the next
	// request, and one request at a time. Zero wants neither. A Crawl-delay is wanted
	// besides, once the host's robots.txt was read.
	Delay time.Duration
	// Slack is how much shorter a measured pause may be. Zero means a millisecond.
	Slack time.Duration
	// Now is the clock. Nil means time.Now.
	Now func() time.Time
}

// MeterCounts count requests.
type MeterCounts struct {
	Requests   int           `json:"requests"`
	Robots     int           `json:"robots"`     // of robots.txt
	Fetched    int           `json:"fetched"`    // different pages answered with 200
	Duplicates int           `json:"duplicates"` // answers with 200 besides the first of each page
	Followed   int           `json:"followed"`   // the same, but a redirect had just led there
	Targets    int           `json:"targets"`    // different calls among the pages
	Failed     int           `json:"failed"`     // answers 503
	Other      int           `json:"other"`      // redirects and pages that are not there
	Violations int           `json:"violations"`
	Bytes      int64         `json:"bytes"` // of bodies
	First      time.Time     `json:"first"`
	Last       time.Time     `json:"last"`
	Shortest   time.Duration `json:"shortest_pause"` // nanoseconds; of all pauses, 0 without one
}

// A Violation is a request that was not polite.
type Violation struct {
	Host  string        `json:"host"`
	URL   string        `json:"url"`
	What  string        `json:"what"`
	Pause time.Duration `json:"pause"` // nanoseconds since the last answer
}

// maxViolations is how many violations are kept.
const maxViolations = 20

// asked is what is remembered of a host.
type asked struct {
	busy  int32
	robot bool // its robots.txt was read
	end   time.Time
}

// NewMeter returns a meter of a web.
func NewMeter(w *Large, o MeterOptions) *Meter {
	if o.Slack == 0 {
		o.Slack = time.Millisecond
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Meter{web: w, o: o, hosts: map[int]*asked{}, led: map[int]int{}, seen: newBitset(w.o.Pages)}
}

// ServeHTTP serves the web.
func (m *Meter) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	host, path := requestedHost(r), r.URL.RequestURI()
	h, n, status, ok := m.web.parse(host, path)
	if !ok {
		m.web.ServeHTTP(rw, r)
		return
	}
	m.begin(h, host, path)
	out := &countingWriter{ResponseWriter: rw}
	m.web.ServeHTTP(out, r)
	m.end(h, n, status, path, out)
}

// begin looks whether a request may come now.
func (m *Meter) begin(h largeHost, host, path string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.o.Now()
	m.count.Requests++
	if m.count.First.IsZero() {
		m.count.First = now
	}
	a := m.hosts[h.n]
	if a == nil {
		a = &asked{}
		m.hosts[h.n] = a
	}
	pause := now.Sub(a.end)
	if !a.end.IsZero() && a.busy == 0 && (m.count.Shortest == 0 || pause < m.count.Shortest) {
		m.count.Shortest = pause
	}
	wanted := m.o.Delay
	if delay := h.crawlDelay(); a.robot && delay > wanted {
		wanted = delay
	}
	switch {
	case wanted > 0 && a.busy > 0:
		m.violated(Violation{host, path, "asked while another request is under way", 0})
	case wanted > 0 && !a.end.IsZero() && pause < wanted-m.o.Slack:
		m.violated(Violation{host, path, "asked too soon: it wants " + wanted.String(), pause})
	case strings.HasPrefix(path, "/internal/") && h.fenced():
		m.violated(Violation{host, path, "asked for what robots.txt disallows", pause})
	}
	a.busy++
}

func (m *Meter) violated(v Violation) {
	m.count.Violations++
	if len(m.some) < maxViolations {
		m.some = append(m.some, v)
	}
}

// end counts an answer.
func (m *Meter) end(h largeHost, n, status int, path string, out *countingWriter) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.o.Now()
	a := m.hosts[h.n]
	a.busy--
	a.end, m.count.Last = now, now
	m.count.Bytes += out.bytes
	switch {
	case path == "/robots.txt":
		a.robot = true
		m.count.Robots++
	case out.status == http.StatusServiceUnavailable:
		m.count.Failed++
	case status == http.StatusMovedPermanently && out.status == status:
		m.led[n]++
		m.count.Other++
	case status != http.StatusOK || out.status != http.StatusOK:
		m.count.Other++
	case m.seen.has(n) && m.led[n] > 0:
		m.count.Followed++
	case m.seen.has(n):
		m.count.Duplicates++
	default:
		m.seen.add(n)
		m.count.Fetched++
		if m.web.placeOfPage(n).kind == CFP {
			m.count.Targets++
		}
	}
	if status == http.StatusOK && m.led[n] > 0 {
		if m.led[n]--; m.led[n] == 0 {
			delete(m.led, n)
		}
	}
}

// Counts returns what was counted until now.
func (m *Meter) Counts() MeterCounts {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.count
}

// A countingWriter notes the status and the size of an answer.
type countingWriter struct {
	http.ResponseWriter
	status int
	bytes  int64
}

func (w *countingWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

func (w *countingWriter) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	n, err := w.ResponseWriter.Write(b)
	w.bytes += int64(n)
	return n, err
}

// A bitset is a set of page numbers.
type bitset []uint64

func newBitset(n int) bitset { return make(bitset, (n+63)/64) }

func (s bitset) has(n int) bool { return s[n/64]>>(n%64)&1 == 1 }

func (s bitset) add(n int) { s[n/64] |= 1 << (n % 64) }

func (s bitset) len() (n int) {
	for _, word := range s {
		n += bits.OnesCount64(word)
	}
	return n
}

// A MeterReport says what was asked of a web, and what could have been found there.
type MeterReport struct {
	MeterCounts
	Hosts    int         `json:"hosts"` // asked
	Examples []Violation `json:"examples,omitempty"`
	// Complete says that the rest was counted.
	Complete       bool     `json:"complete"`
	Reachable      int      `json:"reachable,omitempty"`       // pages; see Large.Reachable
	Missing        int      `json:"missing,omitempty"`         // reachable pages that were not fetched
	TargetsMissing int      `json:"targets_missing,omitempty"` // of them calls
	MissingSome    []string `json:"missing_some,omitempty"`    // the first of them
	Beyond         int      `json:"beyond,omitempty"`          // pages fetched that are not reachable
}

// maxMissing is how many missing pages are named.
const maxMissing = 20

// Report says what was counted until now.
func (m *Meter) Report() MeterReport {
	m.mu.Lock()
	defer m.mu.Unlock()
	return MeterReport{MeterCounts: m.count, Hosts: len(m.hosts), Examples: slices.Clone(m.some)}
}

// Compare is Report with what could be reached from URLs: it takes a few microseconds
// a page of the web.
func (m *Meter) Compare(ctx context.Context, from []string) (MeterReport, error) {
	r := m.Report()
	m.mu.Lock()
	seen := slices.Clone(m.seen)
	m.mu.Unlock()
	found := 0
	err := m.web.Reachable(ctx, from, func(url string) bool {
		r.Reachable++
		p, ok := m.web.placeOf(url)
		if ok && seen.has(p.n) {
			found++
			return true
		}
		r.Missing++
		if ok && p.kind == CFP {
			r.TargetsMissing++
		}
		if len(r.MissingSome) < maxMissing {
			r.MissingSome = append(r.MissingSome, url)
		}
		return true
	})
	r.Beyond = seen.len() - found
	r.Complete = err == nil
	return r, err
}

// Fetched calls each with the URL of every page answered with 200, in the order of their numbers.
// It stops at the first error of each and returns it.
func (m *Meter) Fetched(each func(url string) error) error {
	m.mu.Lock()
	seen := slices.Clone(m.seen)
	m.mu.Unlock()
	for n := range m.web.o.Pages {
		if !seen.has(n) {
			continue
		}
		if err := each(m.web.url(m.web.placeOfPage(n))); err != nil {
			return err
		}
	}
	return nil
}
