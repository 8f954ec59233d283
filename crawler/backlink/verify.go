package backlink

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/internal/bolt"
	"github.com/eventseer/eventseer/webgraph"
)

// A reportedLink is a reported link that is not verified yet, or the result of its verification. Its key
// is source 0x00 queried page.
type reportedLink struct {
	Provider string
	Scope    Scope
	Seen     Verification `json:",omitempty"`
}

// A Verification is whether a local fetch of a source found the link.
type Verification string

// The verifications. Unreachable sources are neither confirmed nor refuted.
const (
	Unverified  Verification = "" // not verified yet
	Verified    Verification = "yes"
	Refuted     Verification = "no"
	NotReadable Verification = "unreachable"
)

func decodeReportedLink(v []byte) (p reportedLink, err error) {
	err = json.Unmarshal(v, &p)
	if err == nil && int(p.Scope) >= len(ScopeNames) {
		err = errKept
	}
	return p, err
}

// storeReported stores the links to a page that a provider reported. Visits of the sources verify them
// later.
func (c *Chain) storeReported(target string, links []Backlink) error {
	if len(links) == 0 {
		return nil
	}
	now := c.o.Now()
	returned := map[string]int{}
	for _, l := range links {
		returned[l.Provider]++
	}
	return c.updateDB(func(tx *bolt.Tx) error {
		for _, l := range links {
			k := []byte(l.Source + "\x00" + target)
			if promises.get(tx, k, now) != nil {
				continue // the first provider to report it is recorded
			}
			v, err := json.Marshal(reportedLink{Provider: l.Provider, Scope: l.Scope})
			if err != nil {
				return err
			}
			if err := promises.put(tx, k, v, now, now.Add(c.o.TTL)); err != nil {
				return err
			}
		}
		for _, s := range c.sources {
			if n := returned[s.Name()]; n > 0 {
				s.updateStanding(func(st *Standing) { st.Returned += n })
				if err := s.saveStanding(tx); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

var _ crawler.Observer = (*Chain)(nil)

// ObservePages implements crawler.Observer: it verifies reported links when their source is read. A link
// is verified if it leads to the target, or to a page within the scope of the query. A missing source has
// no link. A repeated batch is not counted again.
func (c *Chain) ObservePages(batch []crawler.StepRecord) error {
	for _, t := range batch {
		verdict := linkVerifier(t.Arrival)
		if verdict == nil {
			continue
		}
		for _, url := range reportableURLs(t.Arrival) {
			if err := c.verifyReportedLinks(url, verdict); err != nil {
				return fmt.Errorf("verify backlinks: %w", err)
			}
		}
	}
	return nil
}

// reportableURLs returns the URLs under which a provider may have reported the page.
func reportableURLs(a crawler.Arrival) []string {
	if a.URL() == a.Lease.URL {
		return []string{a.Lease.URL}
	}
	return []string{a.Lease.URL, a.URL()}
}

// linkVerifier returns a function that reports whether the page links to a target, nil if the visit
// does not show it.
func linkVerifier(a crawler.Arrival) func(target string, s Scope) Verification {
	switch o := a.Outcome; {
	case a.Tree != nil:
		links := a.Tree.Links()
		return func(target string, s Scope) Verification { return LinksTo(links, target, s) }
	case o.Fate == crawler.Gone, o.Fate == crawler.Fetched && (o.Status == http.StatusNotFound || o.Status == http.StatusGone):
		return func(string, Scope) Verification { return Refuted }
	}
	return nil
}

// LinksTo reports whether one of the links of a page leads to target or to a page within scope s of
// it: Verified or Refuted.
func LinksTo(links []webgraph.Link, target string, s Scope) Verification {
	for _, l := range links {
		if s.Covers(target, l.Target) {
			return Verified
		}
	}
	return Refuted
}

// verifyReportedLinks decides which of the links that providers reported on a page, and that are still unverified,
// the page really has.
func (c *Chain) verifyReportedLinks(source string, verdict func(target string, s Scope) Verification) error {
	open := map[string]reportedLink{}
	err := c.viewDB(func(tx *bolt.Tx) error {
		now := c.o.Now()
		cursor, prefix := tx.Bucket(promises.bucket).Cursor(), []byte(source+"\x00")
		for k, _ := cursor.Seek(prefix); bytes.HasPrefix(k, prefix) && len(open) < crawler.MaxBack; k, _ = cursor.Next() {
			v := promises.get(tx, k, now)
			if v == nil {
				continue
			}
			p, err := decodeReportedLink(v)
			if err != nil {
				return err
			}
			if p.Seen == Unverified {
				open[string(k[len(prefix):])] = p
			}
		}
		return nil
	})
	if err != nil || len(open) == 0 {
		return err
	}
	for target, p := range open {
		p.Seen = verdict(target, p.Scope)
		open[target] = p
	}
	return c.storeVerdicts(source, open)
}

// storeVerdicts stores verdicts and counts them.
func (c *Chain) storeVerdicts(source string, decided map[string]reportedLink) error {
	now := c.o.Now()
	return c.updateDB(func(tx *bolt.Tx) error {
		for target, p := range decided {
			k := []byte(source + "\x00" + target)
			if was, err := decodeReportedLink(promises.get(tx, k, now)); err == nil && was == p {
				delete(decided, target) // counted before
				continue
			}
			v, err := json.Marshal(p)
			if err != nil {
				return err
			}
			if err := promises.put(tx, k, v, now, now.Add(c.o.TTL)); err != nil {
				return err
			}
		}
		for _, s := range c.sources {
			visited, verified := 0, 0
			for _, p := range decided {
				if p.Provider == s.Name() && p.Seen != NotReadable {
					visited++
					if p.Seen == Verified {
						verified++
					}
				}
			}
			if visited == 0 {
				continue
			}
			s.updateStanding(func(st *Standing) { st.Visited += visited; st.Verified += verified })
			if err := s.saveStanding(tx); err != nil {
				return err
			}
		}
		return nil
	})
}

// Verifications returns the verification of each link: whether a local fetch of its source found a
// link to target, in the scope of the answer.
func (c *Chain) Verifications(links []Backlink, target string) ([]Verification, error) {
	known := make([]Verification, len(links))
	if c.o.Links == nil {
		return known, nil
	}
	saw := map[Scope]map[string]bool{}
	for i, l := range links {
		if saw[l.Scope] == nil {
			sources, err := c.o.Links.foundSources(target, l.Scope)
			if err != nil {
				return nil, err
			}
			saw[l.Scope] = sources
		}
		if saw[l.Scope][l.Source] {
			known[i] = Verified
		}
	}
	err := c.viewDB(func(tx *bolt.Tx) error {
		for i, l := range links {
			v := promises.get(tx, []byte(l.Source+"\x00"+target), c.o.Now())
			if v == nil || known[i] == Verified {
				continue
			}
			p, err := decodeReportedLink(v)
			if err != nil {
				return err
			}
			known[i] = p.Seen
		}
		return nil
	})
	return known, err
}

// Verify records that the source of a reported link was fetched. links are those of the source, nil
// if it could not be read or, with gone, no longer exists.
func (c *Chain) Verify(l Backlink, target string, links []webgraph.Link, gone bool) (Verification, error) {
	p := reportedLink{Provider: l.Provider, Scope: l.Scope, Seen: NotReadable}
	switch {
	case links != nil:
		p.Seen = LinksTo(links, target, l.Scope)
	case gone:
		p.Seen = Refuted
	}
	return p.Seen, c.storeVerdicts(l.Source, map[string]reportedLink{target: p})
}
