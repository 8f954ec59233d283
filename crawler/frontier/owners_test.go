package frontier

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/webgraph"

	"pgregory.net/rapid"
)

const (
	ownedHosts = 4
	nobodyOwns = -1
)

// owners are two frontiers that share four hosts, the messages on their way, and what
// must be true of them.
type owners struct {
	t     *rapid.T
	path  [2]string
	f     [2]*Frontier
	now   time.Time
	hosts [ownedHosts]owned
	hand  [2][]crawler.Lease
	last  bool // nothing new comes

	pushed, dropped map[string]bool
	fetched         map[string]int
	asked           map[webgraph.Host]time.Time // when its last lease ended
}

type owned struct {
	owner    int
	state    []byte // left by the last owner
	forget   [2]bool
	messages []crawler.Candidate
	lost     bool
}

const ownersDelay = time.Second

func hostNumber(h webgraph.Host) int { return int(h[1] - '0') }

func (w *owners) of(p int) func(webgraph.Host) bool {
	return func(h webgraph.Host) bool { return hostNumber(h) == p }
}

func (w *owners) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *owners) open(i int) {
	f, err := Open(w.path[i], Options{HostDelay: ownersDelay, NoSync: true, Now: func() time.Time { return w.now }, LeaseTime: 1000 * time.Hour, Backoff: time.Second})
	w.must(err)
	w.f[i] = f
	w.own(i)
}

// own tells a frontier which partitions it owns now.
func (w *owners) own(i int) {
	var mine [ownedHosts]bool
	for p := range w.hosts {
		mine[p] = w.hosts[p].owner == i
	}
	w.f[i].SetOwned(func(h webgraph.Host) bool { return mine[hostNumber(h)] })
}

func (w *owners) check(i int) {
	w.t.Helper()
	for _, err := range w.f[i].Check() {
		w.t.Fatalf("frontier %d: %v", i, err)
	}
}

// reopen ends a process, in order or not, and starts another.
func (w *owners) reopen(i int, kill bool) {
	w.check(i)
	f := w.f[i]
	if kill {
		f.mu.Lock()
		f.stopTimer()
		f.err = errClosed
		f.mu.Unlock()
		w.must(f.db.Close())
	} else {
		w.must(f.Close())
	}
	w.hand[i] = nil
	w.open(i)
}

func (w *owners) draw(n int) int { return rapid.IntRange(0, n-1).Draw(w.t, "n") }

func (w *owners) url() string {
	return fmt.Sprintf("https://h%d.org/%d", w.draw(ownedHosts), w.draw(6))
}

// link is a link to be pushed.
func (w *owners) link() crawler.Candidate {
	c := crawler.Candidate{URL: w.url(), Score: float64(w.draw(5))}
	w.pushed[c.URL] = true
	return c
}

// leaseLink leases a link of an owned host that is at rest and not leased.
func (w *owners) leaseLink(i int) {
	w.now = w.now.Add(time.Duration(w.draw(3)) * ownersDelay)
	l, p, err := w.f[i].tryLease()
	if p.sweep {
		w.must(w.f[i].commit(nil, (*txn).sweepDueAndExpired))
	}
	if errors.Is(err, crawler.ErrDrained) || err == nil && l.URL == "" {
		return
	}
	w.must(err)
	host := hostOf(l.URL)
	if w.hosts[hostNumber(host)].owner != i {
		w.t.Fatalf("%d was handed %s", i, l.URL)
	}
	for j, hand := range w.hand {
		for _, other := range hand {
			if hostOf(other.URL) == host {
				w.t.Fatalf("%d and %d ask %s at once", i, j, host)
			}
		}
	}
	if asked := w.asked[host]; w.now.Sub(asked) < ownersDelay {
		w.t.Fatalf("%d asks %s after %v", i, host, w.now.Sub(asked))
	}
	w.hand[i] = append(w.hand[i], l)
}

func (w *owners) finish(i int) {
	if len(w.hand[i]) == 0 {
		return
	}
	l := w.hand[i][0]
	w.hand[i] = w.hand[i][1:]
	end := crawler.End{Lease: l, Outcome: crawler.Outcome{Fate: crawler.Fetched, Status: 200, Cost: 1, At: w.now, Text: uint64(w.draw(3)), Clips: []string{l.URL}}}
	switch n := w.draw(8); {
	case w.last:
		w.fetched[l.URL]++
	case n == 0:
		end.Outcome = crawler.Outcome{Fate: crawler.Deferred}
	case n == 1:
		end.Outcome = crawler.Outcome{Fate: crawler.TryLater, NotBefore: w.now.Add(time.Second)}
	default:
		w.fetched[l.URL]++
		if w.draw(4) == 0 {
			end.Outcome.FinalURL = w.url()
			end.Outcome.Redirects = []webgraph.Redirect{{From: l.URL, To: w.url()}, {From: w.url(), To: end.Outcome.FinalURL}}
			w.redirected(i, &end)
		}
	}
	for range w.draw(3) {
		if w.last {
			break
		}
		end.Changes.Push = append(end.Changes.Push, w.link())
	}
	if !w.last && w.draw(6) == 0 {
		url := w.url()
		w.dropped[url] = true
		end.Changes.Drop = []string{url}
	}
	w.asked[hostOf(l.URL)] = w.now
	w.must(w.f[i].Done(w.t.Context(), end))
}

// redirected follows a redirect like the crawl: only if the address belongs to it, and its host may be
// requested. Every address on the way may become an alias.
func (w *owners) redirected(i int, end *crawler.End) {
	o := &end.Outcome
	mine, err := w.f[i].RecordAddress(w.t.Context(), end.Lease, o.FinalURL)
	w.must(err)
	if !mine || !w.f[i].isOwned(hostOf(o.FinalURL)) {
		o.FinalURL, o.Redirects = "", nil
		return
	}
	for _, url := range []string{o.FinalURL, o.Redirects[0].To, o.Redirects[1].From} {
		if w.f[i].isOwned(hostOf(url)) {
			w.dropped[url] = true // known as a redirect step: need not be fetched by itself
		}
	}
}

// publish sends the contents of an outbox, and may stop before this is recorded.
func (w *owners) publish(i int, forget bool) {
	out, err := w.f[i].Outbox(w.t.Context(), 0, 1+w.draw(5))
	w.must(err)
	var numbers []uint64
	for _, o := range out {
		p := &w.hosts[hostNumber(hostOf(o.Candidate.URL))]
		p.messages = append(p.messages, o.Candidate)
		numbers = append(numbers, o.Number)
	}
	if !forget {
		w.must(w.f[i].RemoveSent(w.t.Context(), numbers...))
	}
}

func (w *owners) deliver(p int) {
	h := &w.hosts[p]
	if h.owner == nobodyOwns || len(h.messages) == 0 {
		return
	}
	w.must(w.f[h.owner].Push(w.t.Context(), h.messages[:1]))
	if w.draw(5) > 0 {
		h.messages = h.messages[1:]
	}
}

// giveAway is the owner's part of a hand-over, and adopt that of the next owner.
func (w *owners) giveAway(p int) {
	h := &w.hosts[p]
	a := h.owner
	if a == nobodyOwns {
		return
	}
	h.owner = nobodyOwns
	w.own(a)
	for w.f[a].CountOutstanding(w.of(p)) > 0 {
		w.finish(a)
	}
	var b bytes.Buffer
	w.must(w.f[a].Export(w.t.Context(), w.of(p), &b))
	h.state, h.forget[a] = b.Bytes(), true
	if w.draw(2) == 0 {
		w.forget(a, p)
	}
}

func (w *owners) forget(i, p int) {
	if w.hosts[p].forget[i] {
		w.must(w.f[i].MarkSent(w.t.Context(), w.of(p)))
		w.hosts[p].forget[i] = w.draw(3) == 0 // it may be repeated
	}
}

func (w *owners) adopt(p, b int) {
	h := &w.hosts[p]
	if h.owner != nobodyOwns {
		return
	}
	for h.forget[b] {
		w.forget(b, p)
	}
	if h.state != nil {
		if w.draw(3) == 0 { // it ends in between
			_ = w.f[b].Import(w.t.Context(), bytes.NewReader(h.state[:w.draw(len(h.state))]))
			w.reopen(b, true)
		}
		w.must(w.f[b].Import(w.t.Context(), bytes.NewReader(h.state)))
	}
	h.owner, h.state = b, nil
	w.own(b)
}

// lose is the loss of an owner that returns when another one has its partitions.
func (w *owners) lose(p int) {
	h := &w.hosts[p]
	if h.owner == nobodyOwns {
		return
	}
	a := h.owner
	h.owner, h.lost = nobodyOwns, true
	w.reopen(a, true)
	w.must(w.f[a].MoveToOutbox(w.t.Context(), w.of(p)))
	h.forget = [2]bool{}
	for i := range w.f {
		_, err := w.f[i].Resend(w.t.Context(), w.of(p))
		w.must(err)
	}
	h.owner = 1 - a
	w.own(1 - a)
	w.now = w.now.Add(ownersDelay)
}

func (w *owners) step() {
	i, p := w.draw(2), w.draw(ownedHosts)
	switch w.draw(16) {
	case 0, 1, 2:
		w.must(w.f[i].Push(w.t.Context(), []crawler.Candidate{w.link(), w.link()}))
	case 3, 4, 5:
		w.leaseLink(i)
	case 6, 7, 8:
		w.finish(i)
	case 9, 10:
		w.publish(i, w.draw(4) == 0)
	case 11, 12:
		w.deliver(p)
	case 13:
		w.giveAway(p)
	case 14:
		w.adopt(p, i)
	case 15:
		switch w.draw(4) {
		case 0:
			w.lose(p)
		case 1:
			w.forget(i, p)
		default:
			w.reopen(i, w.draw(2) == 0)
		}
	}
}

// drain lets all that waits anywhere be fetched.
func (w *owners) drain() {
	for p := range w.hosts {
		for i := range w.f {
			for w.hosts[p].forget[i] {
				w.forget(i, p)
			}
		}
		w.adopt(p, p%2)
	}
	w.last = true
	for idle := 0; idle < 8; idle++ {
		for i := range w.f {
			if len(w.hand[i]) > 0 || w.f[i].OutboxLen() > 0 {
				idle = 0
			}
			w.finish(i)
			w.publish(i, false)
			w.leaseLink(i)
		}
		for p := range w.hosts {
			if w.deliver(p); len(w.hosts[p].messages) > 0 {
				idle = 0
			}
		}
		w.now = w.now.Add(ownersDelay)
	}
}

// However two frontiers push, fetch, send, hand over, end and lose their partitions, no link is lost. No link
// is fetched twice unless the state of its host was lost, and no host is fetched by both at once, or within
// its delay.
func TestOwners(t *testing.T) {
	dir, n := t.TempDir(), 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		w := &owners{
			t: rt, now: time.Unix(1795000000, 0), pushed: map[string]bool{}, dropped: map[string]bool{},
			fetched: map[string]int{}, asked: map[webgraph.Host]time.Time{},
		}
		for p := range w.hosts {
			w.hosts[p].owner = p % 2
		}
		for i := range w.f {
			w.path[i] = filepath.Join(dir, fmt.Sprintf("%d-%d.db", n, i))
			w.open(i)
			defer os.Remove(w.path[i])
			defer func() { _ = w.f[i].Close() }()
		}
		for range 20 + w.draw(60) {
			w.step()
		}
		w.drain()
		w.settled()
	})
}

func (w *owners) settled() {
	for i, f := range w.f {
		w.check(i)
		if p, err := f.Progress(w.t.Context()); err != nil || p.Waiting+p.Leased > 0 || f.OutboxLen() > 0 {
			w.t.Fatalf("frontier %d at the end: %+v, %d to be sent, %v", i, p, f.OutboxLen(), err)
		}
	}
	for url := range w.pushed {
		h := w.hosts[hostNumber(hostOf(url))]
		if w.fetched[url] > 1 && !h.lost {
			w.t.Fatalf("%s was fetched %d times", url, w.fetched[url])
		}
		rec, _, err := w.f[h.owner].Lookup(url)
		if err != nil || rec.State != Ended && !w.dropped[url] {
			w.t.Fatalf("%s is %v in the end: %+v, %v", url, rec.State, rec, err)
		}
	}
}
