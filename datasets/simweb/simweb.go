// Package simweb makes a small web of its own: conference sites, lists of
// calls, a mail archive, homepages, institutions, weblogs, and more than as
// much that has nothing to do with them. All of it is invented, lives under
// reserved host names, is served over real HTTP on loopback, and comes with
// its ground truth. Links between sites follow the proportions of paper 002,
// so that going back from calls to the pages that link them pays.
//
// A web is a plan and pages. The plan says which hosts, events and people
// there are and who mentions whom; each page is then a pure function of the
// plan, the seed and the page's URL, and draws from random numbers of its own.
package simweb

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"iter"
	"math/rand/v2"
	"time"

	"github.com/eventseer/eventseer/webgraph"
)

// Options say which web to make.
type Options struct {
	// Seed chooses the web. All seeds give webs of the same make.
	Seed uint64
	// Now is the day around which the deadlines lie: most calls are open then,
	// some are past. Only its UTC day counts. Zero means 2027-01-11.
	Now time.Time
}

// A Web is a generated web. It is read-only and safe for concurrent use.
type Web struct {
	sites map[webgraph.Host]*site
	pages []*page // those with a body, in the order of the plan
	seeds []string
	truth Truth
}

// New makes the web of o. The same options give the same bytes.
func New(o Options) *Web {
	now := o.Now
	if now.IsZero() {
		now = defaultNow
	}
	p := newPlan(o.Seed, now.UTC().Truncate(24*time.Hour))
	p.build()
	w := &Web{sites: map[webgraph.Host]*site{}, seeds: p.seeds()}
	for _, s := range p.sites {
		w.sites[webgraph.Host(s.host)] = s
		w.pages = append(w.pages, s.order...)
	}
	for _, pg := range w.pages {
		pg.render(p)
	}
	w.truth = p.truth(w.pages)
	return w
}

// Seeds returns a few URLs of known calls to start a crawl from.
func (w *Web) Seeds() []string { return append([]string(nil), w.seeds...) }

// Truth returns what the pages really are. Callers must not change it.
func (w *Web) Truth() Truth { return w.truth }

// Links yields every link of the web's pages in order, as a crawl of all pages would find them.
// Target is where the link leads after redirects; Context and Path stay empty. Pages made per
// request (the endless calendar, answers for missing pages) are left out.
func (w *Web) Links() iter.Seq[webgraph.Link] {
	return func(yield func(webgraph.Link) bool) {
		for _, p := range w.pages {
			for _, l := range p.links {
				l.Target = w.resolve(l.Target)
				if !yield(l) {
					return
				}
			}
		}
	}
}

// resolve follows the web's own redirects.
func (w *Web) resolve(url string) string {
	for range maxRedirects {
		host, path := splitURL(url)
		s := w.sites[webgraph.Host(host)]
		if s == nil || s.moved[path] == "" {
			return url
		}
		url = s.moved[path]
	}
	return url
}

// maxRedirects is the longest chain of redirects in the web.
const maxRedirects = 3

// random returns the random numbers that belong to a name: the same seed and
// name always give the same numbers, whatever else was drawn before.
func random(seed uint64, name string) *rand.Rand {
	h := sha256.Sum256(fmt.Appendf(nil, "simweb %d %s", seed, name))
	return rand.New(rand.NewPCG(binary.BigEndian.Uint64(h[:8]), binary.BigEndian.Uint64(h[8:16])))
}

// pick returns one of list.
func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

// sample returns n different elements of list (all of them if n is larger) in
// random order.
func sample[T any](r *rand.Rand, list []T, n int) []T {
	order := r.Perm(len(list))
	out := make([]T, 0, min(n, len(list)))
	for _, i := range order[:min(n, len(list))] {
		out = append(out, list[i])
	}
	return out
}
