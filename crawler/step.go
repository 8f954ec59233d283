package crawler

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/eventseer/eventseer/webgraph"
)

// processPage processes one leased page in four stages: fetchPage → readPage → judge → commit. Each stage
// returns the input of the next. Everything before Frontier.Done may be repeated after a crash, so
// every call in it is idempotent.
func (c *Crawler) processPage(ctx context.Context, l Lease) error {
	held, cost := &reservation{budget: c.budget, pages: 1}, 0.0
	defer func() { held.release(cost) }()
	c.committer.countInProgress()
	if d, ok := c.pendingQueries.removePending(l.URL); ok && c.o.Backlinker != nil {
		paid := c.runPendingBacklinks(ctx, l, d, held) // the page is not fetched again
		cost = paid.arrival.Outcome.Cost
		return c.commitPage(ctx, paid)
	}
	f, err := c.fetchPage(ctx, l)
	cost = f.arrival.Outcome.Cost
	if err != nil {
		return err
	}
	if !f.visit {
		return c.commitPage(ctx, f.unjudgedResult())
	}
	p, err := c.readPage(ctx, f)
	defer func() { c.memoryLimiter.release(p.memory) }()
	if err != nil {
		return err
	}
	r, err := c.judgePage(ctx, p, held)
	if err != nil {
		return err
	}
	cost = r.arrival.Outcome.Cost
	return c.commitPage(ctx, r)
}

// A fetchedPage is the result of fetchPage.
type fetchedPage struct {
	arrival Arrival        // without a tree
	page    *webgraph.Page // nil if no response was received, or none that may be read
	push    []Candidate    // target of a redirect that becomes a separate link
	// visit is false if the page is not passed to the strategy. Then it is a duplicate, a redirect
	// to follow later, or must be tried again.
	visit bool
}

// unjudgedResult returns the data to commit for a page that is not judged.
func (f fetchedPage) unjudgedResult() *pageResult {
	return &pageResult{arrival: f.arrival, changes: Changes{Push: f.push}}
}

// A readablePage is the result of readPage.
type readablePage struct {
	arrival    Arrival // its tree is nil if there is nothing to read
	memory     int64   // memory cost that step acquired and releases
	directives webgraph.Directives
	text       *pageText // nil if the page is not compared with others
}

// A pageText is the text by which pages are compared.
type pageText struct {
	fingerprints textFingerprints
	missing      bool // the page says that it does not exist
}

// A pageResult is the result of judge: the data to commit and what the crawl learns from the page.
type pageResult struct {
	arrival Arrival
	verdict Verdict
	changes Changes
	query   *BacklinkQuery
	failed  bool // strategy or sink returned an error
	text    *pageText
	listed  []run // lists to count for their hosts
}

// readPage parses the page, if there is one, and compares its text with other pages. Its error is
// that of the context or the frontier. An unreadable page is recorded in the outcome.
func (c *Crawler) readPage(ctx context.Context, f fetchedPage) (p readablePage, err error) {
	p.arrival = f.arrival
	o := &p.arrival.Outcome
	if f.page == nil || o.Fate != Fetched || o.Status < 200 || o.Status > 299 {
		return p, nil
	}
	if p.memory, err = c.memoryLimiter.acquire(ctx, f.page); err != nil {
		p.memory = 0
		return p, err
	}
	tree, err := c.o.Parse(f.page)
	if err != nil {
		o.Reason = reasonOf("unreadable", err)
		return p, nil
	}
	p.arrival.Tree = tree
	if p.arrival, p.text, err = c.compareText(ctx, p.arrival); err != nil {
		return p, err
	}
	p.directives = c.robotsDirectives(p.arrival.Tree)
	return p, nil
}

// judgePage calls the strategy, selects the links to follow, queries backlinks and passes a target to
// the sink. Errors are recorded in the outcome. Its own error is an ErrStrategyGone, after which
// the page counts as not fetched.
func (c *Crawler) judgePage(ctx context.Context, p readablePage, held *reservation) (*pageResult, error) {
	a := p.arrival
	v, err := c.callStrategy(ctx, a)
	switch {
	case errors.Is(err, ErrStrategyGone):
		return nil, err
	case err != nil:
		a.Outcome.Reason = reasonOf("strategy", err)
	}
	links := &linkSelection{Crawler: c, page: a, directives: p.directives}
	v = links.listVerdict(v)
	links.push(links.permittedLinks(v.Forward), Forward)
	links.addCanonical()
	links.addLists(v)
	links.addUsualAddresses(v)
	back := c.queryBacklinks(ctx, a, v, held)
	links.push(back.sources, Back)

	kept := c.storePage(ctx, p, v)
	o := &a.Outcome
	o.Cost += back.cost()
	o.Notes = append(slices.Clone(v.Notes), back.notes...)
	o.Clips, o.Skipped = kept.clips, links.skips.lines()
	if kept.reason != "" {
		o.Reason = kept.reason
	}
	return &pageResult{
		arrival: a, verdict: v, query: back.query, failed: err != nil || kept.failed, text: p.text, listed: links.listed,
		changes: Changes{Push: links.pushed, Rescore: bestLinks(v.Rescore, c.o.MaxForward), Drop: v.Drop[:min(len(v.Drop), c.o.MaxForward)]},
	}, nil
}

// callStrategy calls the strategy.
func (c *Crawler) callStrategy(ctx context.Context, a Arrival) (Verdict, error) {
	v, err := c.o.Strategy.Visit(ctx, a)
	if err != nil {
		return Verdict{}, err
	}
	v.Relevance, v.TopicScore = clampProbability(v.Relevance), clampProbability(v.TopicScore)
	return v, nil
}

// clampProbability limits a number to the range 0 to 1. NaN becomes 0, because records of the run cannot
// contain it.
func clampProbability(x float64) float64 {
	if math.IsNaN(x) {
		return 0
	}
	return max(0, min(x, 1))
}

// A storedPage is the result of passing a page to the sink.
type storedPage struct {
	clips  []string
	reason string // for the outcome; "" does not change it
	failed bool
}

// storePage passes a target or a related page to the sink, unless its directives forbid showing it.
// A target is counted all the same.
func (c *Crawler) storePage(ctx context.Context, p readablePage, v Verdict) (s storedPage) {
	tree := p.arrival.Tree
	if !v.Target && !v.Related || tree == nil {
		return s
	}
	if p.directives.IsUnavailable(p.arrival.Outcome.At) {
		if v.Target {
			s.reason = cmp.Or(p.arrival.Outcome.Reason, "noindex: the page asks not to be shown in search engines")
		}
		return s
	}
	if c.o.Sink == nil {
		return s
	}
	var err error
	if v.Target {
		s.clips, err = c.o.Sink.StorePage(ctx, tree, v.Relevance)
	} else {
		err = c.o.Sink.StoreRelated(ctx, tree, v.Relevance)
	}
	if err != nil {
		s.failed, s.reason = true, reasonOf("sink", err)
	}
	return s
}

// fetchPage fetches the page of a lease. Its error is one of the frontier; a failed fetch is
// recorded in the outcome.
func (c *Crawler) fetchPage(ctx context.Context, l Lease) (fetchedPage, error) {
	f := c.requestPage(ctx, l)
	o := &f.arrival.Outcome
	if f.page == nil {
		f.visit = o.Fate != TryLater && o.Fate != Deferred
		return f, nil
	}
	final, err := webgraph.Canonical(f.page.URL)
	if err == nil && final != l.URL && webgraph.IsMailAddress(final) { // mail addresses are not stored
		f.page, o.Redirects, o.Fate, o.Reason = nil, nil, Refused, "redirects to a mail address"
		return f, nil
	}
	if err == nil && final != l.URL {
		o.FinalURL = final
	}
	if to := f.page.RedirectTarget(); to != "" {
		return c.redirectToLink(f, to), nil
	}
	f.visit = true
	if why := c.refusalReason(o.FinalURL, l.How); o.FinalURL != "" && why != "" {
		f.page, o.Fate, o.Reason = nil, Refused, "redirected to "+o.FinalURL+": "+why
		return f, nil
	}
	if o.FinalURL == "" || o.Fate != Fetched {
		return f, nil
	}
	mine, err := c.o.Frontier.RecordAddress(ctx, l, final)
	if err == nil && !mine {
		f.visit = false
		o.Cost, o.Reason = 0, "duplicate of "+final
	}
	return f, err
}

// requestPage fetches the page of a lease, unless it may not be fetched.
func (c *Crawler) requestPage(ctx context.Context, l Lease) fetchedPage {
	start, f := c.o.Now(), fetchedPage{arrival: Arrival{Lease: l}}
	o := &f.arrival.Outcome
	if why := c.refusalReason(l.URL, l.How); why != "" {
		*o = Outcome{Fate: Refused, Reason: why, At: start, Unasked: true}
		return f
	}
	page, err := c.o.Fetcher.Fetch(ctx, Request{
		URL: l.URL, ETag: l.ETag, LastModified: l.LastModified,
		Turn: func(h webgraph.Host) bool { return c.mayRequest(l, h) },
	})
	if err != nil {
		*o = failedOutcome(err)
		o.At = start
		c.outage.recordFailure(c.o.Outage, l.URL, o)
	} else {
		c.outage.recordResponse()
		f.page, *o = page, receivedOutcome(page, start)
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

// mayRequest reports whether a host may be requested for the page of a lease. A host other than the
// page's own must be within the scope.
func (c *Crawler) mayRequest(l Lease, h webgraph.Host) bool {
	if h != webgraph.HostOf(l.URL) && c.refusalReason("https://"+string(h)+"/", l.How) != "" {
		return false
	}
	return c.o.Frontier.MayRequest(l, h)
}

// redirectToLink makes the target of a redirect a separate link, which is fetched when its host allows.
func (c *Crawler) redirectToLink(f fetchedPage, to string) fetchedPage {
	o, l := &f.arrival.Outcome, f.arrival.Lease
	next := l.Candidate
	next.URL, next.Hops = to, l.Hops+len(o.Redirects)
	o.Redirects = o.Redirects[:len(o.Redirects)-1]
	switch {
	case webgraph.IsMailAddress(to):
		o.Fate, o.Reason = Refused, "redirects to a mail address"
	case next.Hops > MaxHops:
		o.Fate, o.Reason = Gone, fmt.Sprintf("more than %d redirects, the last to %s", MaxHops, to)
	case c.refusalReason(to, l.How) != "":
		o.Fate, o.Reason = Refused, "redirects to "+to+": "+c.refusalReason(to, l.How)
	default:
		o.Reason, o.Leads = "redirects to "+to, to
		f.push = []Candidate{next}
	}
	return f
}

// failedOutcome returns the outcome of a failed fetch.
func failedOutcome(err error) Outcome {
	o := Outcome{Fate: TryLater, Reason: reasonOf("fetch", err)}
	var fe *FetchError
	if errors.As(err, &fe) {
		o.Fate, o.NotBefore, o.Status, o.Reason = fe.Fate, fe.After, fe.Status, reasonOf(string(fe.Fate), fe.Err)
		o.HostFailed, o.Unasked = fe.HostFailed, fe.Unasked
	}
	if countsAgainstBudget(o.Status) {
		o.Cost = 1
	}
	return o
}

// receivedOutcome returns the outcome of a received page.
func receivedOutcome(p *webgraph.Page, now time.Time) Outcome {
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
	if countsAgainstBudget(p.Status) {
		o.Cost = 1
	}
	return o
}

// countsAgainstBudget reports whether a response of this status counts against the budget. It does if its links
// are followed.
func countsAgainstBudget(status int) bool {
	return status >= 200 && status <= 299 || status == http.StatusNotFound || status == http.StatusGone || status >= 500 && status <= 599
}
