package crawler

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"eventseer/webgraph"
)

// fetch brings the page, which is nil when none came, or none was asked for.
func (s *step) fetch(ctx context.Context) (*webgraph.Page, error) {
	start, l, o := s.o.Now(), s.a.Lease, &s.a.Outcome
	if why := s.refusal(l.URL, l.How); why != "" {
		*o = Outcome{Fate: Refused, Reason: why, At: start, Unasked: true}
		return nil, nil
	}
	page, err := s.o.Fetcher.Fetch(ctx, Request{
		URL: l.URL, ETag: l.ETag, LastModified: l.LastModified,
		Turn: s.turn,
	})
	if err != nil {
		*o = failure(err)
		o.At = start
	} else {
		*o = answer(page, start)
		if s.o.Free != nil && s.o.Free(page) {
			o.Cost = 0
		}
	}
	o.Took = s.o.Now().Sub(start)
	if p, ok := s.o.Fetcher.(Pacer); ok {
		o.Pause = p.CrawlDelay(l.URL)
	}
	if err != nil {
		return nil, nil
	}
	final, err := webgraph.Canonical(page.URL)
	if err == nil && final != l.URL {
		o.FinalURL = final
	}
	if to := page.LeadsTo(); to != "" {
		s.move(to)
		return page, nil
	}
	if why := s.refusal(o.FinalURL, l.How); o.FinalURL != "" && why != "" {
		o.Fate, o.Reason = Refused, "redirected to "+o.FinalURL+": "+why
		return nil, nil
	}
	if o.FinalURL == "" || o.Fate != Fetched {
		return page, nil
	}
	mine, err := s.o.Frontier.Claim(ctx, l, final)
	if err == nil && !mine {
		s.duplicate = true
		o.Cost, o.Reason = 0, "duplicate of "+final
	}
	return page, err
}

// turn reports whether a host may be asked on the way to the page. Another than
// the page's own must be one that a link may lead to.
func (s *step) turn(h webgraph.Host) bool {
	l := s.a.Lease
	if h != webgraph.HostOf(l.URL) && s.refusal("https://"+string(h)+"/", l.How) != "" {
		return false
	}
	return s.o.Frontier.Turn(l, h)
}

// move makes the target of a redirect a link of its own: its host decides when
// it is asked.
func (s *step) move(to string) {
	s.moved = true
	o, l := &s.a.Outcome, s.a.Lease
	next := l.Candidate
	next.URL, next.Hops = to, l.Hops+len(o.Redirects)
	o.Redirects = o.Redirects[:len(o.Redirects)-1]
	switch {
	case next.Hops > MaxHops:
		o.Fate, o.Reason = Gone, fmt.Sprintf("more than %d redirects, the last to %s", MaxHops, to)
	case s.refusal(to, l.How) != "":
		o.Fate, o.Reason = Refused, "redirects to "+to+": "+s.refusal(to, l.How)
	default:
		o.Reason, o.Leads = "redirects to "+to, to
		s.changes.Push = append(s.changes.Push, next)
	}
}

// failure is the outcome of a fetch that brought no page.
func failure(err error) Outcome {
	o := Outcome{Fate: TryLater, Reason: reasonOf("fetch", err)}
	var fe *FetchError
	if errors.As(err, &fe) {
		o.Fate, o.NotBefore, o.Status, o.Reason = fe.Fate, fe.After, fe.Status, reasonOf(string(fe.Fate), fe.Err)
		o.HostFailed, o.Unasked = fe.HostFailed, fe.Unasked
	}
	if costs(o.Status) {
		o.Cost = 1
	}
	return o
}

// answer is the outcome of a page that came.
func answer(p *webgraph.Page, now time.Time) Outcome {
	o := Outcome{
		Fate: Fetched, Status: p.Status, Redirects: p.Redirects,
		Bytes: len(p.Body), Digest: p.Digest(), At: p.FetchedAt, Addr: p.Addr,
		ETag: p.Header.Get("Etag"), LastModified: p.Header.Get("Last-Modified"),
	}
	if o.At.IsZero() {
		o.At = now
	}
	if p.Status != http.StatusOK {
		o.Reason = "status " + strconv.Itoa(p.Status)
	}
	if p.Status == http.StatusNotModified {
		o.Fate = Unchanged
	}
	if costs(p.Status) {
		o.Cost = 1
	}
	return o
}

// costs reports whether an answer of this status is a page of budget, as is each
// whose links are followed.
func costs(status int) bool {
	return status >= 200 && status <= 299 || status == http.StatusNotFound || status == http.StatusGone || status >= 500 && status <= 599
}
