package frontier_test

import (
	"sort"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/webgraph"
)

// model is the simplest frontier without delays that keeps the contract; the
// compliance suite holds others against it.
type model struct {
	links    map[string]*link
	seq      int
	maxTries int
	progress crawler.Progress
	hosts    map[webgraph.Host]bool
	notes    map[string]string
	claims   map[string]string // claimed URL → URL of the lease
	texts    map[page]string   // first page
}

// page is the argument of Twin.
type page struct {
	host webgraph.Host
	text uint64
}

type link struct {
	crawler.Candidate
	seq         int
	proposed    float64
	state       string // waiting, leased, ended, unanswered, dropped, alias
	interrupted bool
	tries       int
	claims      string
	final, etag string
	text        uint64
	clips       int
}

func newModel() *model {
	return &model{
		links: map[string]*link{}, maxTries: 3, hosts: map[webgraph.Host]bool{}, notes: map[string]string{},
		claims: map[string]string{}, texts: map[page]string{},
	}
}

func (m *model) change(ch crawler.Changes) {
	for _, c := range ch.Push {
		m.push(c)
	}
	for _, c := range ch.Rescore {
		if l := m.links[c.URL]; l != nil && l.open() && l.How != crawler.Seed {
			l.Score = crawler.ClampDueScore(c.Score)
		}
	}
	for _, url := range ch.Drop {
		if l := m.links[url]; l != nil && l.open() {
			l.state = "dropped"
		}
	}
}

func (l *link) open() bool { return l.state == "waiting" && !l.interrupted }

func (m *model) push(c crawler.Candidate) {
	c.Score = crawler.ClampDueScore(c.Score)
	l := m.links[c.URL]
	switch {
	case l == nil:
		m.links[c.URL] = &link{Candidate: c, seq: m.number(), proposed: c.Score, state: "waiting"}
	case l.open() && c.Score > l.Score:
		if l.Score = c.Score; c.Score > l.proposed {
			l.Candidate, l.proposed = c, c.Score
		}
	case c.How == crawler.Monitor && (l.state == "ended" || l.state == "unanswered" || l.state == "dropped" || l.state == "alias"):
		l.Candidate, l.proposed, l.state, l.seq, l.tries = c, c.Score, "waiting", m.number(), 0
	}
}

// number gives out the next number.
func (m *model) number() int {
	m.seq++
	return m.seq - 1
}

// count returns how many links are in a state; claimed ones do not wait.
func (m *model) count(state string) (n int) {
	for url, l := range m.links {
		if l.state == state && (state != "waiting" || m.claims[url] == "") {
			n++
		}
	}
	return n
}

// next leases the best link, nil if none waits.
func (m *model) next() *link {
	var waiting []*link
	for url, l := range m.links {
		if l.state == "waiting" && m.claims[url] == "" {
			waiting = append(waiting, l)
		}
	}
	if len(waiting) == 0 {
		return nil
	}
	sort.Slice(waiting, func(i, j int) bool {
		a, b := waiting[i], waiting[j]
		if a.interrupted != b.interrupted {
			return a.interrupted
		}
		if !a.interrupted && a.Score != b.Score {
			return a.Score > b.Score
		}
		return a.seq < b.seq
	})
	l := waiting[0]
	l.state, l.interrupted = "leased", false
	return l
}

func (m *model) claim(holder, url string) bool {
	if holder == url {
		return true
	}
	if by := m.claims[url]; by != "" {
		return by == holder
	}
	if l := m.links[url]; l != nil && l.state != "waiting" && l.state != "dropped" {
		return l.state == "unanswered"
	}
	h := m.links[holder]
	m.unclaim(h)
	m.claims[url], h.claims = holder, url
	return true
}

func (m *model) unclaim(h *link) {
	delete(m.claims, h.claims)
	h.claims = ""
}

func (m *model) done(url string, o crawler.Outcome) {
	l := m.links[url]
	m.progress.Spent += o.Cost
	for _, n := range o.Notes {
		if m.notes[n.Key] = string(n.Value); len(n.Value) == 0 {
			delete(m.notes, n.Key)
		}
	}
	if o.Fate == crawler.Deferred {
		m.unclaim(l)
		l.state = "waiting"
		return
	}
	l.tries++
	if o.Fate == crawler.TryLater && l.tries < m.maxTries {
		m.unclaim(l)
		l.state, l.seq = "waiting", m.number()
		return
	}
	m.progress.Ended++
	l.final = o.FinalURL
	if o.Fate != crawler.Fetched {
		m.unclaim(l)
		l.state = "unanswered"
		return
	}
	m.progress.Clips += len(o.Clips) - l.clips
	l.state, l.text, l.etag, l.clips = "ended", o.Text, o.ETag, len(o.Clips)
	m.hosts[webgraph.HostOf(l.answer())] = true
	m.alias(l)
	m.unclaim(l)
	if p := (page{webgraph.HostOf(l.answer()), l.text}); l.text != 0 && m.firstWithText(p) == "" {
		m.texts[p] = url
	}
}

// answer is the address that answered.
func (l *link) answer() string {
	if l.final != "" {
		return l.final
	}
	return l.URL
}

func (m *model) alias(l *link) {
	if l.final == "" || l.final == l.URL {
		return
	}
	f := m.links[l.final]
	claimed := l.claims == l.final
	switch {
	case f == nil:
		m.links[l.final] = &link{Candidate: crawler.Candidate{URL: l.final}, seq: m.number(), state: "alias"}
	case f.open(), claimed && (f.state == "waiting" || f.state == "dropped"):
		f.state, f.interrupted = "alias", false
	}
}

// firstWithText returns the first page with a text, if that is still its text.
func (m *model) firstWithText(p page) string {
	l := m.links[m.texts[p]]
	if l == nil || l.text != p.text || webgraph.HostOf(l.answer()) != p.host {
		return ""
	}
	return l.answer()
}

// reopen is what Close and Open do, or a crash and Open.
func (m *model) reopen() {
	m.claims = map[string]string{}
	for _, l := range m.links {
		l.claims = ""
		if l.state == "leased" {
			l.state, l.interrupted = "waiting", true
		}
	}
}

func (m *model) counts() crawler.Progress {
	p := m.progress
	p.Waiting, p.Leased, p.Hosts = m.count("waiting"), m.count("leased"), len(m.hosts)
	return p
}
