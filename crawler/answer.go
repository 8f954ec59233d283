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

// fetchPage fetches the page of a lease. Its error is the frontier's; a failed
// fetch is recorded in the outcome.
func (c *Crawler) fetchPage(ctx context.Context, l Lease) (fetchedPage, error) {
	f := c.request(ctx, l)
	o := &f.arrival.Outcome
	if f.page == nil {
		f.visit = o.Fate != TryLater && o.Fate != Deferred
		return f, nil
	}
	final, err := webgraph.Canonical(f.page.URL)
	if err == nil && final != l.URL {
		o.FinalURL = final
	}
	if to := f.page.LeadsTo(); to != "" {
		return c.redirect(f, to), nil
	}
	f.visit = true
	if why := c.refusal(o.FinalURL, l.How); o.FinalURL != "" && why != "" {
		f.page, o.Fate, o.Reason = nil, Refused, "redirected to "+o.FinalURL+": "+why
		return f, nil
	}
	if o.FinalURL == "" || o.Fate != Fetched {
		return f, nil
	}
	mine, err := c.o.Frontier.Claim(ctx, l, final)
	if err == nil && !mine {
		f.visit = false
		o.Cost, o.Reason = 0, "duplicate of "+final
	}
	return f, err
}

// request asks the fetcher for the page of a lease, unless it is refused.
func (c *Crawler) request(ctx context.Context, l Lease) fetchedPage {
	start, f := c.o.Now(), fetchedPage{arrival: Arrival{Lease: l}}
	o := &f.arrival.Outcome
	if why := c.refusal(l.URL, l.How); why != "" {
		*o = Outcome{Fate: Refused, Reason: why, At: start, Unasked: true}
		return f
	}
	page, err := c.o.Fetcher.Fetch(ctx, Request{
		URL: l.URL, ETag: l.ETag, LastModified: l.LastModified,
		Turn: func(h webgraph.Host) bool { return c.mayAsk(l, h) },
	})
	if err != nil {
		*o = failure(err)
		o.At = start
	} else {
		f.page, *o = page, answer(page, start)
		if c.o.Free != nil && c.o.Free(page) {
			o.Cost = 0
		}
	}
	o.Took = c.o.Now().Sub(start)
	if p, ok := c.o.Fetcher.(Pacer); ok {
		o.Pause = p.CrawlDelay(l.URL)
	}
	return f
}

// mayAsk reports whether a host may be asked on the way to the page of a lease.
// Another than the page's own must be one that a link may lead to.
func (c *Crawler) mayAsk(l Lease, h webgraph.Host) bool {
	if h != webgraph.HostOf(l.URL) && c.refusal("https://"+string(h)+"/", l.How) != "" {
		return false
	}
	return c.o.Frontier.Turn(l, h)
}

// redirect makes the target of a redirect a link of its own: its host decides when
// it is asked.
func (c *Crawler) redirect(f fetchedPage, to string) fetchedPage {
	o, l := &f.arrival.Outcome, f.arrival.Lease
	next := l.Candidate
	next.URL, next.Hops = to, l.Hops+len(o.Redirects)
	o.Redirects = o.Redirects[:len(o.Redirects)-1]
	switch {
	case next.Hops > MaxHops:
		o.Fate, o.Reason = Gone, fmt.Sprintf("more than %d redirects, the last to %s", MaxHops, to)
	case c.refusal(to, l.How) != "":
		o.Fate, o.Reason = Refused, "redirects to "+to+": "+c.refusal(to, l.How)
	default:
		o.Reason, o.Leads = "redirects to "+to, to
		f.push = []Candidate{next}
	}
	return f
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
