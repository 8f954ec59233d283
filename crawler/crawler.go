// Package crawler runs topical crawls. It holds the contracts between its parts (frontier, fetcher,
// strategy, backlinks, sink) and the loop that connects them; it depends on no classifier and on no
// event type.
//
//	Frontier.Next
//	    → fetchPage  Fetcher.Fetch, Frontier.Claim
//	    → readPage   tagtree.Parse, Frontier.Twin
//	    → judge      Strategy.Visit, Backlinker.Backlinks, Sink.StorePage
//	    → commit     LinkStore.Add, Observer.ObservePages, Frontier.Done
//
// What a page changes in the frontier is committed in the one transaction of Done
// (doc/decisions/011).
package crawler

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/webgraph"
)

// ErrDrained is returned by Frontier.Next when no link is waiting and none is leased.
var ErrDrained = errors.New("frontier is drained")

// ErrStrategyGone is wrapped by the error of a Strategy that can judge no further page. It ends the
// crawl; other errors of a Strategy are recorded with the page, and the crawl continues.
var ErrStrategyGone = errors.New("the strategy is gone")

// Origin is the way by which a URL entered the frontier.
type Origin string

// The ways into the frontier.
const (
	Seed    Origin = "seed"
	Forward Origin = "forward" // a link on a visited page
	Back    Origin = "back"    // a page that links to a visited page
	Monitor Origin = "monitor" // due for another visit
)

// A Candidate is a URL proposed for fetching.
type Candidate struct {
	URL    string  // canonical
	Score  float64 // link score; higher is fetched sooner; at most MaxScore, or MaxDueScore for links of a monitor
	Parent string  // page that contains the link, or the page whose backlink it is; "" for seeds
	Anchor string  // anchor text that led here, at most webgraph.MaxAnchor runes
	Depth  int     // steps from a seed
	How    Origin
	Why    string // explanation of Score for people; at most MaxWhy bytes
	// Hops is the number of redirects before this link that had leases of their own.
	Hops int
	// Due is the earliest time to fetch the link; zero means now.
	Due time.Time
	// Again makes a seed be fetched again if it was last answered before this time. A failed seed
	// is fetched again after a back-off that doubles up to a day. Zero disables both.
	Again time.Time
}

// MaxWhy is the maximum length of a Candidate's Why, in bytes.
const MaxWhy = 160

// MaxHops is the maximum number of redirects before one page.
const MaxHops = 10

// MaxScore is the highest link score in a crawl; seeds have it.
const MaxScore = 1e6

// MaxDueScore is the highest score of links that a monitor revisits or finds. It exceeds MaxScore,
// so they come before all links of a crawl.
const MaxDueScore = 2 * MaxScore

// ClampScore limits a score to the range of crawl links, -MaxScore to MaxScore. NaN becomes 0.
func ClampScore(score float64) float64 { return min(ClampDueScore(score), MaxScore) }

// ClampDueScore limits a score to the range of a Frontier, -MaxScore to MaxDueScore. NaN becomes 0.
func ClampDueScore(score float64) float64 {
	if math.IsNaN(score) {
		return 0
	}
	return max(-MaxScore, min(score, MaxDueScore))
}

// clampScore limits the score of a link found on the page of a lease. Only links from pages that a
// monitor visits may exceed MaxScore.
func (l *Lease) clampScore(score float64) float64 {
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
	Tries  int // earlier attempts that ended in TryLater
	// The validators of the stored copy, empty if there is none.
	ETag, LastModified string
	Digest             webgraph.Digest
}

// A Fate is the result of a lease.
type Fate string

// The results of a lease. TryLater and Deferred put the URL back into the queue.
const (
	Fetched   Fate = "fetched"   // a response of any final status
	Unchanged Fate = "unchanged" // 304, or the same bytes as before
	Gone      Fate = "gone"      // unknown host, not HTTP, or too many attempts
	TryLater  Fate = "try_later" // 429, 503, timeout or refused connection; tried again at Outcome.NotBefore
	Refused   Fate = "refused"   // forbidden by robots.txt, scope, private address or unsupported type
	// Deferred means that the request allowed to the host was used for another, such as its
	// robots.txt. The page waits for the next one. No attempt is counted.
	Deferred Fate = "deferred"
)

// HasResponse reports whether a page was received, or the stored copy is still current.
func (f Fate) HasResponse() bool { return f == Fetched || f == Unchanged }

// An Outcome describes how a lease ended.
type Outcome struct {
	Fate      Fate
	Status    int                 // HTTP status, 0 without a response
	FinalURL  string              // after redirects; "" if the same
	Redirects []webgraph.Redirect // each hop is stored as seen
	Bytes     int
	Cost      float64       // pages of the budget spent, including backlink calls
	At        time.Time     // time of the response, in a replay of the recorded one; otherwise of the failure
	Took      time.Duration // of the fetch
	Digest    webgraph.Digest
	Clips     []string  // ids of the clips that the sink stored for this page
	NotBefore time.Time // for TryLater; zero selects the frontier's own back-off
	Reason    string    // for people: why the URL was refused, is gone or must wait
	// HostFailed means that the host is at fault, not the page: unknown name, no connection, 429,
	// 503, or an unavailable robots.txt.
	HostFailed bool
	// Leads is the target of a redirect that becomes a separate link; see the comment of Page.
	Leads string
	// Unasked means that no request was made to the host, so no host delay follows.
	Unasked bool
	// Pause is the delay between two requests that the host requests, 0 if none.
	Pause time.Duration
	// Addr is the IP address of the server; "" if unknown.
	Addr string
	// ETag and LastModified are the validators of the response (RFC 9110 §8.8).
	ETag, LastModified string
	// Text is a hash of the visible text, equal for equal texts; 0 if there is none.
	Text uint64
	// Skipped describes the links that were not followed, one line for each reason.
	Skipped []string
	// Notes are the strategy's data to store; see Rememberer.
	Notes []Note
}

// Changes are a page's changes to waiting links: first pushes, then rescores, then drops.
type Changes struct {
	Push    []Candidate // as by Frontier.Push
	Rescore []Candidate // sets scores, even lower ones; seeds and links that are not waiting are unchanged
	Drop    []string    // waiting links to remove; they count as seen and return like fetched ones
}

// An End ends a lease. If the lease has no URL, only the changes and the notes of the outcome are
// applied.
type End struct {
	Lease   Lease
	Outcome Outcome
	Changes Changes
}

// A Note is one item of a strategy's memory, committed together with the page it comes from. A
// later note with the same key replaces the earlier one; an empty value deletes it. A key has 1 to
// 30,000 bytes. Keys beginning with "crawler/" are reserved for the crawler and not passed to a
// strategy.
type Note struct {
	Key   string
	Value []byte
}

// A Frontier stores the links to fetch. It is safe for concurrent use. Everything for which a
// method has returned nil survives kill -9.
type Frontier interface {
	// Push adds links. It is idempotent by URL. A waiting link keeps its higher score, and the
	// parent, anchor, depth and how that were proposed with it. A link fetched or leased before is
	// unchanged, unless How is Monitor or Again requires a new visit. Then it waits again, with the
	// validators of the stored copy.
	Push(ctx context.Context, cs []Candidate) error
	// Next leases the best link among the hosts that may be requested now. If there is none it
	// waits for the next host. After a crash the interrupted leases come first. It returns
	// ErrDrained at the end, or ctx's error.
	Next(ctx context.Context) (Lease, error)
	// MayRequest reports whether a host may be requested now for something other than the page of l. If
	// so, it counts as a request, and the host delay begins. It does not wait. It must also be
	// called before l's first request to its own host. If both hosts share a delay and l has not
	// made its request, the other host uses it.
	MayRequest(l Lease, host webgraph.Host) bool
	// RecordAddress records that the response for l came from another address, url. It reports whether l
	// may store the response: false if url was fetched before or is leased. A claimed url no longer
	// waits; Done ends it together with l. Repeated calls for the same lease return the same
	// result. A claim is lost in a crash, like the lease.
	RecordAddress(ctx context.Context, l Lease, url string) (bool, error)
	// FirstWithText returns the URL of the first page of a host with this Outcome.Text, "" if there
	// is none. It knows what Done has committed.
	FirstWithText(ctx context.Context, host webgraph.Host, text uint64) (string, error)
	// Done ends leases in order, with all their changes, in one transaction.
	Done(ctx context.Context, ends ...End) error
	// Progress returns the counts committed so far.
	Progress(ctx context.Context) (Progress, error)
	// Notes calls f for each stored note, in key order.
	Notes(ctx context.Context, f func(Note) error) error
}

// Progress counts what a frontier has committed.
type Progress struct {
	Ended   int     // leases ended by Done with a fate other than TryLater and Deferred
	Spent   float64 // pages of budget
	Waiting int     // links not yet leased
	Leased  int
	Hosts   int // hosts ever fetched from
	Clips   int // clip ids kept
}

// A Request is for one page.
type Request struct {
	URL string // canonical
	// ETag and LastModified are those of the stored copy, for a conditional GET; empty if there is
	// none.
	ETag, LastModified string
	// Turn reports whether a host may be requested now. It is called before every HTTP request,
	// such as the request for a page after its robots.txt or for the target of a redirect. The
	// first request to the host of URL is always allowed, unless another one was allowed before.
	// Nil allows all requests.
	Turn func(webgraph.Host) bool
}

// A Fetcher fetches one page. It is safe for concurrent use. A response of any HTTP status is a
// page, except 429 and 503, which mean another attempt, and unsupported content types. If Turn
// forbids following a redirect, the result is the redirect; see Page.LeadsTo. Every error is a
// *FetchError.
//
// A page of any HTTP status is not an error, except 429 and 503, which mean another try, and a
// response with a body of a type that is not read. If Turn lets no redirect be followed, the page
// is the redirect; see Page.LeadsTo. Every error is a *FetchError.
type Fetcher interface {
	Fetch(ctx context.Context, r Request) (*webgraph.Page, error)
}

// A Pacer is a Fetcher that knows the crawl delay in the robots.txt of a URL's site. It is 0 if
// there is none or if the file is not known. It makes no request.
type Pacer interface {
	CrawlDelay(url string) time.Duration
}

// A Lister is a Fetcher that knows the sitemaps in the robots.txt of a URL's site, if it has read
// that file. It makes no request.
type Lister interface {
	Sitemaps(url string) []string
}

// Wrapped is a Fetcher built on another. It implements Pacer and Lister with those of the other.
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

// ErrTooLate is the cause of a FetchError if the deadline comes before the host may be requested
// again. No request was made.
var ErrTooLate = errors.New("the time of the crawl ends before its host may be requested again")

// A FetchError describes why a URL could not be fetched and whether another attempt may help.
type FetchError struct {
	URL        string
	Fate       Fate      // Gone, TryLater, Refused or Deferred
	Status     int       // status of a response that is not a page: 429, 503, or an unsupported type; otherwise 0
	After      time.Time // for TryLater, the time that the server named
	HostFailed bool      // see Outcome
	Unasked    bool      // see Outcome
	Err        error
}

func (e *FetchError) Error() string { return "fetch " + e.URL + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *FetchError) Unwrap() error { return e.Err }

// FetchCause returns the error of a fetch without its URL, for messages that contain the URL
// already.
func FetchCause(err error) error {
	var fe *FetchError
	if errors.As(err, &fe) {
		return fe.Err
	}
	return err
}

// MaxCalls is the maximum number of calls for one backlink query. The crawler reserves that much of
// its budget before it.
const MaxCalls = 2

// A Backlinker finds the pages that link to a page. It is safe for concurrent use.
type Backlinker interface {
	// Backlinks returns links from other sites to url, to its directory or else its host: at most
	// limit of them, best first. calls is the number of service calls used, 0 for a cached result,
	// at most MaxCalls. Fewer links with a nil error is a normal result. If a crash prevented Done
	// and the query is repeated, calls is the same again.
	Backlinks(ctx context.Context, url string, limit int) (links []webgraph.Link, calls int, err error)
}

// An Arrival is one followed link: how it was chosen, and the result.
type Arrival struct {
	Lease   Lease
	Outcome Outcome
	Tree    *tagtree.Tree // nil if no readable page was fetched
}

// URL returns the address that responded, otherwise the requested one.
func (a Arrival) URL() string {
	if a.Outcome.FinalURL != "" {
		return a.Outcome.FinalURL
	}
	return a.Lease.URL
}

// CostsBudget reports whether the answer itself cost a page of budget.
func (a Arrival) CostsBudget() bool {
	return countsAgainstBudget(a.Outcome.Status) && a.Outcome.Cost > 0
}

// A Strategy judges pages and chooses the links to follow. A page that it cannot judge is not an
// error: its Relevance is 0. Methods may be called from many goroutines; with one worker they are
// called in fetch order, so runs are reproducible.
type Strategy interface {
	Visit(ctx context.Context, a Arrival) (Verdict, error)
}

// A Rememberer is a Strategy whose judgement depends on earlier arrivals. Recall is called once,
// before the first Visit, with the notes of all earlier verdicts, so that a resumed crawl continues
// as if uninterrupted.
type Rememberer interface {
	Strategy
	RestoreNotes(notes []Note) error
}

// A Verdict is a Strategy's judgement of an arrival.
type Verdict struct {
	Relevance float64 // probability that the page is a target, 0 to 1
	// TopicScore is the probability that the page is on the topic of the crawl, 0 if the crawl has
	// none. If there is one, Relevance is about targets of all topics, and the page is a target of
	// this topic with probability Relevance × TopicScore.
	TopicScore float64
	Target     bool // the page passed the judge's threshold
	// Related means that the page is not a target but may be about one, so it is passed to the
	// sink.
	Related  bool
	PageType string
	// Forward are links to add. The crawler sets Depth and How of each, and sets an empty Parent to
	// the page itself.
	Forward []Candidate
	Rescore []Candidate // waiting links with a new score; seeds keep theirs
	Drop    []string    // waiting links to forget
	Back    int         // how many backlinks of this page to request
	// Backward is called with the backlinks found. It returns the sources to visit and data to
	// store besides Notes. Nil selects every source with a score of Relevance.
	Backward func([]webgraph.Link) ([]Candidate, []Note)
	Notes    []Note
}

// A Sink stores relevant pages. It uses leaf types only, so that package eventseer implements it
// without importing crawler. StorePage is idempotent by URL and digest and returns the ids of the
// clips it stores for the page.
type Sink interface {
	StorePage(ctx context.Context, t *tagtree.Tree, relevance float64) (clips []string, err error)
	// StoreRelated is called for pages with Verdict.Related. Their contents are stored with the
	// targets to which they belong, whether found before or after them.
	StoreRelated(ctx context.Context, t *tagtree.Tree, relevance float64) error
}

// An Observer receives the steps of a crawl, in order, before the frontier commits it. One call is
// committed in one transaction: after a crash the last batch may be repeated, with other
// boundaries. Calls come one at a time. An error ends the run.
type Observer interface {
	ObservePages(batch []StepRecord) error
}

// StepRecord is one arrival and its result.
type StepRecord struct {
	// N counts the ends of leases from 1, including TryLater and Deferred. Committed returns the
	// last N that a frontier has committed.
	N       int
	Arrival Arrival
	Verdict Verdict
	Asked   *BacklinkQuery // nil if no backlinks were requested
}

// BacklinkQuery is one request for backlinks.
type BacklinkQuery struct {
	URL   string
	Found int
	Cost  float64
	Err   error
}

// A LinkStore stores the reversed links of all crawled pages. Add is idempotent.
type LinkStore interface {
	Add(ctx context.Context, links []webgraph.Link) error
}
