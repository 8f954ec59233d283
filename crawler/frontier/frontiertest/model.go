package frontiertest

import (
	"sort"

	"eventseer/crawler"
)

// model is the simplest frontier without delays that keeps the contract; the
// compliance suite holds others against it.
type model struct {
	links    map[string]*link
	seq      int
	maxTries int
	progress crawler.Progress
	hosts    map[string]bool
	notes    map[string]string
}

type link struct {
	crawler.Candidate
	seq         int
	proposed    float64
	state       string // waiting, leased, over
	interrupted bool
	tries       int
	via         string // who claimed it
	claims      string
}

func newModel() *model {
	return &model{links: map[string]*link{}, maxTries: 3, hosts: map[string]bool{}, notes: map[string]string{}}
}

func (m *model) push(c crawler.Candidate) {
	c.Score = crawler.ClampScore(c.Score)
	l := m.links[c.URL]
	if l == nil {
		m.links[c.URL] = &link{Candidate: c, seq: m.seq, proposed: c.Score, state: "waiting"}
		m.seq++
	} else if l.state == "waiting" && !l.interrupted && c.Score > l.Score {
		if l.Score = c.Score; c.Score > l.proposed {
			l.Candidate, l.proposed = c, c.Score
		}
	}
}

func (m *model) rescore(url string, score float64) {
	if l := m.links[url]; l != nil && l.state == "waiting" && !l.interrupted {
		l.Score = crawler.ClampScore(score)
	}
}

func (m *model) drop(url string) {
	if l := m.links[url]; l != nil && l.state == "waiting" && !l.interrupted {
		l.state = "dropped"
	}
}

// count returns how many links are in a state.
func (m *model) count(state string) (n int) {
	for _, l := range m.links {
		if l.state == state {
			n++
		}
	}
	return n
}

// next leases the best link, nil if none waits.
func (m *model) next() *link {
	var waiting []*link
	for _, l := range m.links {
		if l.state == "waiting" {
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
	l, h := m.links[url], m.links[holder]
	switch {
	case l == nil:
		l = &link{Candidate: h.Candidate, seq: m.seq}
		l.URL = url
		m.links[url] = l
		m.seq++
	case l.state == "waiting" || l.state == "dropped":
		seq := l.seq
		*l = link{Candidate: h.Candidate, seq: seq}
		l.URL = url
	case l.state == "claimed":
		return l.via == holder
	default:
		return l.state == "unanswered"
	}
	m.unclaim(h, url)
	l.state, l.via, h.claims = "claimed", holder, url
	return true
}

func (m *model) unclaim(h *link, keep string) {
	if l := m.links[h.claims]; l != nil && h.claims != keep && l.state == "claimed" && l.via == h.URL {
		l.state, l.via = "waiting", ""
	}
}

func (m *model) done(url string, o crawler.Outcome) {
	l := m.links[url]
	m.progress.Spent += o.Cost
	for _, n := range o.Notes {
		if m.notes[n.Key] = string(n.Value); len(n.Value) == 0 {
			delete(m.notes, n.Key)
		}
	}
	l.tries++
	if o.Fate == crawler.TryLater && l.tries < m.maxTries {
		m.unclaim(l, "")
		l.state, l.claims, l.seq = "waiting", "", m.seq
		m.seq++
		return
	}
	m.progress.Ended++
	m.progress.Clips += len(o.Clips)
	if o.Fate != crawler.Fetched {
		m.unclaim(l, "")
		l.state = "unanswered"
		return
	}
	final := o.FinalURL
	m.unclaim(l, final)
	l.state = "over"
	if final == "" || final == url {
		m.hosts[hostOf(url)] = true
		return
	}
	m.hosts[hostOf(final)] = true
	f := m.links[final]
	switch {
	case f == nil:
		m.links[final] = &link{Candidate: crawler.Candidate{URL: final}, seq: m.seq, state: "over"}
		m.seq++
	case f.state == "waiting" && !f.interrupted || f.state == "claimed" && f.via == url:
		f.state = "over"
	}
}

// crash is what a kill -9 and a new start do.
func (m *model) crash() {
	for _, l := range m.links {
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
