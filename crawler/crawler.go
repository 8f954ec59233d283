// Package crawler runs topical crawls. It holds the contracts between its
// parts (frontier, fetcher, strategy, backlinks, sink) and the one loop that
// joins them; it knows no classifier and no event.
//
//	Frontier.Next
//	    → fetchPage  Fetcher.Fetch, Frontier.Claim
//	    → readPage   tagtree.Parse, Frontier.Twin
//	    → judge      Strategy.Visit, Backlinker.Backlinks, Sink.StorePage
//	    → commit     LinkStore.Add, Observer.ObservePages, Frontier.Done
//
// What a page changes in the frontier is committed in the one transaction of
// Done (doc/decisions/011).
package crawler

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/webgraph"
)

// ErrDrained is returned by Frontier.Next when no link waits and none is leased.
var ErrDrained = errors.New("frontier is drained")

// ErrStrategyGone is wrapped by the error of a Strategy that can judge no further page. It ends the
// crawl; other errors of a Strategy are recorded with the page, and the crawl continues.
var ErrStrategyGone = errors.New("the strategy is gone")

// How says by which way a URL came into the frontier.
type How string

// The ways into the frontier.
const (
	Seed    How = "seed"
	Forward How = "forward" // a link on a visited page
	Back    How = "back"    // a page that links to a visited page
	Monitor How = "monitor" // due for another visit
)

// A Candidate is a URL proposed for fetching.
type Candidate struct {
	URL    string  // canonical
	Score  float64 // link score; higher is fetched sooner; at most MaxScore, of a monitor MaxDueScore
	Parent string  // page that holds the link, or the page whose backlink it is; "" for seeds
	Anchor string  // anchor text that led here, at most webgraph.MaxAnchor runes
	Depth  int     // steps from a seed
	How    How
	Why    string // how the strategy came to Score, for people; at most MaxWhy bytes
	// Hops are the redirects that led here and were leases of their own.
	Hops int
	// Due is the time before which it is not to be fetched; zero means now.
	Due time.Time
	// Again makes a seed be fetched again that was answered before this time, or that failed, after
	// a back-off that doubles up to a day. Zero never does.
	Again time.Time
}

// MaxWhy is the most bytes kept of a Candidate's Why.
const MaxWhy = 160

// MaxHops is the most redirects on the way to one page.
const MaxHops = 10

// MaxScore is the highest link score of a crawl; seeds carry it.
const MaxScore = 1e6

// MaxDueScore is the highest score of what a monitor visits and finds. Above MaxScore
// it comes before all of a crawl.
const MaxDueScore = 2 * MaxScore

// ClampScore brings a score into the range that a crawl's have, from -MaxScore to
// MaxScore: NaN becomes 0.
func ClampScore(score float64) float64 { return min(ClampDueScore(score), MaxScore) }

// ClampDueScore brings a score into the range that a Frontier keeps, from -MaxScore to
// MaxDueScore: NaN becomes 0.
func ClampDueScore(score float64) float64 {
	if math.IsNaN(score) {
		return 0
	}
	return max(-MaxScore, min(score, MaxDueScore))
}

// clamp brings the score of a link on the page of a lease into its range. Only pages that a monitor
// visits lead to pages that a monitor visits.
func (l *Lease) clamp(score float64) float64 {
	if l.Score > MaxScore {
		return ClampDueScore(score)
	}
	return ClampScore(score)
}

// A Lease is a candidate handed out to be fetched.
type Lease struct {
	Candidate
	Owner  string
	Expiry time.Time
	Tries  int // earlier tries that ended in TryLater
	// The rest is of the copy that is kept, empty if there is none.
	ETag, LastModified string
	Digest             webgraph.Digest
}

// A Fate is what becomes of a leased URL.
type Fate string

// The fates of a URL. TryLater and Deferred put it back.
const (
	Fetched   Fate = "fetched"   // an answer came, of any final status
	Unchanged Fate = "unchanged" // 304, or the same bytes as last time
	Gone      Fate = "gone"      // no such host, no HTTP, too many tries
	TryLater  Fate = "try_later" // 429, 503, timeout, refused connection: again at Outcome.NotBefore
	Refused   Fate = "refused"   // robots, scope, private address, unsupported type
	// Deferred: the host's turn was used for another request, such as its robots.txt, and the page
	// waits for the next turn. No try is counted.
	Deferred Fate = "deferred"
)

// Answered reports whether a page came, or the one that is kept still holds.
func (f Fate) Answered() bool { return f == Fetched || f == Unchanged }

// An Outcome says what came of a lease.
type Outcome struct {
	Fate      Fate
	Status    int                 // HTTP status, 0 without an answer
	FinalURL  string              // after redirects; "" if the same
	Redirects []webgraph.Redirect // every hop is remembered as seen
	Bytes     int
	Cost      float64       // pages of budget spent, backlink calls included
	At        time.Time     // of the answer, of the recorded one in a replay; else of the failure
	Took      time.Duration // of the fetch
	Digest    webgraph.Digest
	Clips     []string  // ids of the clips the sink kept of this page
	NotBefore time.Time // for TryLater; zero means the frontier's own back-off
	Reason    string    // for people: why refused, gone or later
	// HostFailed means that the host and not the page is at fault: no such name, no connection,
	// 429, 503, a robots.txt that cannot be had.
	HostFailed bool
	// Leads is where a redirect leads that is a link of its own; see Page.LeadsTo.
	Leads string
	// Unasked means that the lease ended without a request to its host, which need not rest for it.
	Unasked bool
	// Pause is the delay between two requests that the host sets, 0 if none.
	Pause time.Duration
	// Addr is the IP address that answered; "" if unknown.
	Addr string
	// ETag and LastModified are the answer's validators (RFC 9110 §8.8).
	ETag, LastModified string
	// Text names the visible text, equal for equal texts; 0 if there is none.
	Text uint64
	// Skipped are the links that were not followed, a line a reason.
	Skipped []string
	// Notes are what the strategy wants to remember; see Rememberer.
	Notes []Note
}

// Changes are what a page does to the links that wait: pushes first, then
// rescores, then drops.
type Changes struct {
	Push    []Candidate // as by Frontier.Push
	Rescore []Candidate // sets scores, also lower ones; what does not wait is left alone
	Drop    []string    // waiting links to forget; they count as seen and come back as ended ones do
}

// An End is the end of a lease. Without a lease (its URL is "") it makes its
// changes and keeps its outcome's notes only.
type End struct {
	Lease   Lease
	Outcome Outcome
	Changes Changes
}

// A Note is one thing a strategy remembers, committed together with the page
// that taught it. A later note with the same key replaces the earlier; an
// empty value deletes it. A key has 1 to 30,000 bytes. Keys that begin with
// "crawler/" are the crawler's own and are not handed to a strategy.
type Note struct {
	Key   string
	Value []byte
}

// A Frontier holds what is to be fetched. It is safe for concurrent use.
// Whatever a method has returned nil for survives kill -9.
type Frontier interface {
	// Push adds links. It is idempotent by URL. A waiting link keeps its higher score, with parent,
	// anchor, depth and how of the highest ever proposed. A link fetched or leased before is
	// unchanged, unless How is Monitor, or Again requires it: then it waits again, with the
	// validators of the stored copy.
	Push(ctx context.Context, cs []Candidate) error
	// Next leases the best link among the hosts whose time has come, and waits
	// for a host to become due if need be. After a crash the interrupted leases
	// come first. It returns ErrDrained at the end, or ctx's error.
	Next(ctx context.Context) (Lease, error)
	// MayAsk reports whether a host may be requested now for something besides the page of l. If so
	// it counts that as a request: the host rests after it. It does not wait. It must also be
	// called for l's first request to its own host. If that comes later and the two hosts share a
	// pause, the other has the turn of l's.
	MayAsk(l Lease, host webgraph.Host) bool
	// Claim means that the answer to l came from another address, url. It reports whether the
	// answer is l's to keep: false if url was fetched before or is leased. A claimed url no longer
	// waits; Done ends it together with l. Repeated calls for the same lease return the same
	// result. A claim is forgotten in a crash, with the lease.
	Claim(ctx context.Context, l Lease, url string) (bool, error)
	// Twin returns the URL of the first page of a host whose Outcome.Text was text,
	// "" if there is none. It sees what Done has committed.
	FirstWithText(ctx context.Context, host webgraph.Host, text uint64) (string, error)
	// Done ends leases in one transaction, in order, with everything an End holds.
	Done(ctx context.Context, ends ...End) error
	// Progress returns the counts committed so far.
	Progress(ctx context.Context) (Progress, error)
	// Notes calls f for every note kept, in key order.
	Notes(ctx context.Context, f func(Note) error) error
}

// Progress counts what a frontier has committed.
type Progress struct {
	Ended   int     // leases ended by Done with any fate but TryLater and Deferred
	Spent   float64 // pages of budget
	Waiting int     // links not yet leased
	Leased  int
	Hosts   int // hosts ever fetched from
	Clips   int // clip ids kept
}

// A Request is for one page.
type Request struct {
	URL string // canonical
	// ETag and LastModified are of the copy that is kept, for a conditional GET; empty if there is
	// none.
	ETag, LastModified string
	// Turn reports whether a host may be requested now; it is called before every HTTP request.
	// Examples are the request for the page after its robots.txt, and that for a redirect's target.
	// The first to the host of URL, unless another was let before, may be made whatever it says.
	// Nil allows all at once.
	Turn func(webgraph.Host) bool
}

// A Fetcher brings one page. It is safe for concurrent use.
//
// A page of any HTTP status is not an error, except 429 and 503, which mean another try, and a
// response with a body of a type that is not read. If Turn lets no redirect be followed, the page
// is the redirect; see Page.LeadsTo. Every error is a *FetchError.
type Fetcher interface {
	Fetch(ctx context.Context, r Request) (*webgraph.Page, error)
}

// A Pacer is a Fetcher that knows the crawl delay that robots.txt sets for a URL's site. It is 0 if
// there is none or if the file is not known. It makes no request.
type Pacer interface {
	CrawlDelay(url string) time.Duration
}

// A Lister is a Fetcher that knows the sitemaps in the robots.txt of a URL's site, if it has read
// that file. It makes no request.
type Lister interface {
	Sitemaps(url string) []string
}

// Wrapped is a Fetcher that another is built on. It is a Pacer and a Lister if the Fetcher is.
type Wrapped struct{ Fetcher }

// CrawlDelay implements Pacer.
func (w Wrapped) CrawlDelay(url string) time.Duration {
	if p, ok := w.Fetcher.(Pacer); ok {
		return p.CrawlDelay(url)
	}
	return 0
}

// Sitemaps implements Lister.
func (w Wrapped) Sitemaps(url string) []string {
	if l, ok := w.Fetcher.(Lister); ok {
		return l.Sitemaps(url)
	}
	return nil
}

// ErrTooLate is the cause of a FetchError if the context ends before the next request to the host
// is allowed. No request was made.
var ErrTooLate = errors.New("the time is up before its host may be asked again")

// A FetchError says which URL brought no page, and whether another try may help.
type FetchError struct {
	URL        string
	Fate       Fate      // Gone, TryLater, Refused or Deferred
	Status     int       // of a response that is not a page: 429, 503, or an unread type; else 0
	After      time.Time // for TryLater, if the server named a time
	HostFailed bool      // see Outcome
	Unasked    bool      // see Outcome
	Err        error
}

func (e *FetchError) Error() string { return "fetch " + e.URL + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *FetchError) Unwrap() error { return e.Err }

// FetchCause returns an error of a fetch without the URL, which is said beside it.
func FetchCause(err error) error {
	var fe *FetchError
	if errors.As(err, &fe) {
		return fe.Err
	}
	return err
}

// MaxCalls is the most calls that one request for backlinks may take; the crawler reserves that
// much of its budget before it.
const MaxCalls = 2

// A Backlinker answers who links to a page. It is safe for concurrent use.
type Backlinker interface {
	// Backlinks returns links from other sites to url, to its directory or else its host, at most
	// limit of them and best first. calls is the number of calls to a service this took, at most
	// MaxCalls, 0 if answered from a cache. Fewer links with a nil error is a normal answer. A page
	// that repeats its request, because a crash came before its Done, gets the same calls again.
	Backlinks(ctx context.Context, url string, limit int) (links []webgraph.Link, calls int, err error)
}

// An Arrival is one link followed: how it was chosen and what came of it.
type Arrival struct {
	Lease   Lease
	Outcome Outcome
	Tree    *tagtree.Tree // nil when nothing readable was fetched
}

// URL returns the address that answered, else the requested one.
func (a Arrival) URL() string {
	if a.Outcome.FinalURL != "" {
		return a.Outcome.FinalURL
	}
	return a.Lease.URL
}

// Paid reports whether the answer itself cost a page of budget.
func (a Arrival) Paid() bool { return costs(a.Outcome.Status) && a.Outcome.Cost > 0 }

// A Strategy says what a page is worth and which links to try next. A page it cannot judge is not
// an error: its Relevance is 0. Calls may come from many goroutines; with one worker they come in
// fetch order, so runs repeat exactly.
type Strategy interface {
	Visit(ctx context.Context, a Arrival) (Verdict, error)
}

// A Rememberer is a Strategy whose judgement depends on earlier arrivals. Recall is called once,
// before the first Visit, with the notes of all earlier verdicts, so that a resumed crawl continues
// as if uninterrupted.
type Rememberer interface {
	Strategy
	Recall(notes []Note) error
}

// A Verdict is a Strategy's judgement of an arrival.
type Verdict struct {
	Relevance float64 // chance that the page is a target, 0 to 1
	// TopicScore is the chance that the page is on the topic of the crawl. Where there is one,
	// Relevance is of targets of all topics: the page is one of this topic with Relevance ×
	// TopicScore. 0 if there is none.
	TopicScore float64
	Target     bool // the page passed the judge's threshold
	// Related means that the page is not a target but may be about one, and goes to the sink.
	Related  bool
	PageType string
	// Forward are links to add. The crawler sets Depth and How of each, and
	// Parent, if it is empty, to the page itself.
	Forward []Candidate
	Rescore []Candidate // waiting links whose worth changed
	Drop    []string    // waiting links to forget
	Back    int         // how many backlinks of this page to request
	// Backward is called with the backlinks that came and returns the sources
	// worth a visit, and what to remember of them beside Notes. Nil proposes
	// every source with a score of Relevance.
	Backward func([]webgraph.Link) ([]Candidate, []Note)
	Notes    []Note
}

// A Sink stores relevant pages. It uses leaf types only, so that package eventseer implements
// it without importing crawler. StorePage is idempotent by URL and digest and returns the ids
// of the clips it keeps of the page.
type Sink interface {
	StorePage(ctx context.Context, t *tagtree.Tree, relevance float64) (clips []string, err error)
	// TakeRelated is given pages of which Verdict.Related holds. What they say is kept
	// as part of the targets that they belong to, found before or after them.
	TakeRelated(ctx context.Context, t *tagtree.Tree, relevance float64) error
}

// An Observer receives what happened, in order, before the frontier commits it. One call is
// committed in one transaction: after a crash the last batch may come again, cut differently. Calls
// come one at a time. An error ends the run.
type Observer interface {
	ObservePages(batch []Told) error
}

// Told is one arrival and its result.
type Told struct {
	// N counts the ends of leases from 1, those of TryLater and Deferred included;
	// Committed gives the last N that a frontier has committed.
	N       int
	Arrival Arrival
	Verdict Verdict
	Asked   *Asked // nil if no backlinks were requested
}

// Asked is one request for backlinks.
type Asked struct {
	URL   string
	Found int
	Cost  float64
	Err   error
}

// A LinkStore keeps the reversed links of everything crawled. Add is idempotent.
type LinkStore interface {
	Add(ctx context.Context, links []webgraph.Link) error
}
