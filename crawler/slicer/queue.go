package slicer

import (
	"cmp"
	"slices"
)

// A queue is pendingLinks of algorithm 2: one entry for each URL, in the order
// they were found.
type queue struct {
	kp, kd  int // weights
	waiting []*Waiting
	byURL   map[string]*Waiting
}

// push adds w, or, where its URL waits already, keeps the nearer of the two
// links and the lower distances of both. A full queue takes no more.
func (q *queue) push(w Waiting) {
	w.D = w.Distance.Of(q.kp, q.kd)
	old := q.byURL[w.URL]
	if old == nil {
		if len(q.waiting) < maxWaiting {
			q.byURL[w.URL] = &w
			q.waiting = append(q.waiting, &w)
		}
		return
	}
	pages, domains := min(w.pages, old.pages), min(w.domains, old.domains)
	if w.D < old.D {
		*old = w
	}
	old.pages, old.domains = pages, domains
}

// pop is getMostRelevantLink: it takes out the nearest entry, of equals the one
// whose URL was found first. It returns nil if none waits.
func (q *queue) pop() *Waiting {
	if len(q.waiting) == 0 {
		return nil
	}
	best := 0
	for i, w := range q.waiting {
		if w.D < q.waiting[best].D {
			best = i
		}
	}
	w := q.waiting[best]
	q.waiting = slices.Delete(q.waiting, best, best+1)
	delete(q.byURL, w.URL)
	return w
}

// rest returns what waits still, the nearest first.
func (q *queue) rest() []Waiting {
	rest := make([]Waiting, len(q.waiting))
	for i, w := range q.waiting {
		rest[i] = *w
	}
	slices.SortStableFunc(rest, func(a, b Waiting) int { return cmp.Compare(a.D, b.D) })
	return rest
}
