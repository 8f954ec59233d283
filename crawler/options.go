package crawler

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/webgraph"
)

// Defaults and limits of Options.
const (
	DefaultMaxForward = 5000 // links accepted from one page
	MaxBack           = 1000 // backlinks accepted for one page
	MaxWindow         = 10000
	// DefaultOutage is the Outage of live crawls. With eight workers and half of all hosts down,
	// this many failures in a row happen in 1 of 1,000 crawls.
	DefaultOutage = 24
)

// Options are the parts and the limits of a run.
type Options struct {
	Frontier Frontier
	Fetcher  Fetcher
	Strategy Strategy

	Backlinker Backlinker // nil: no backlinks are queried, the crawl only goes forward
	Sink       Sink       // stores targets; nil: they are only counted
	Observer   Observer   // nil: nothing is logged
	Links      LinkStore  // nil: reversed links are not stored

	// Budget is the maximum number of pages, including earlier parts of a resumed run. A page is
	// one response of status 2xx, 404, 410 or 5xx; redirects and robots.txt are free. Zero means no
	// limit.
	Budget float64
	// BacklinkCost is the cost of one call to a backlink service, in pages. Zero means that calls
	// are free; a negative cost is an error.
	BacklinkCost float64
	// MaxTime ends the run after this time; pages in progress are finished. Zero means no limit.
	MaxTime time.Duration
	// Workers is the number of pages processed at once. Zero means 1; with 1 a run is reproducible.
	Workers int
	// UntilFound ends the run after this number of targets. Zero means no limit.
	UntilFound int
	// MinHarvest ends the run when the harvest rate falls below it.
	MinHarvest Harvest
	// MaxDepth is the maximum number of links from a seed. Zero means no limit.
	MaxDepth int
	// MaxForward is the maximum number of links accepted from one page, the best by score. Zero
	// means DefaultMaxForward.
	MaxForward int
	// Scope restricts the links to follow; the zero Scope allows all.
	Scope Scope
	// Blocked returns why a canonical URL must not be fetched, "" if it may. It is called for every
	// link and again before a link is fetched, from many goroutines, so its result may change. Nil
	// blocks nothing.
	Blocked func(url string) string
	// NoTraps disables the detection of traps. Otherwise endless links, texts already seen under
	// another URL of the host, and pages that say they do not exist are dropped.
	NoTraps bool
	// IgnoreDirectives disables X-Robots-Tag and meta robots. Otherwise a page with noindex is not
	// given to the Sink and nofollow keeps its links from being followed.
	IgnoreDirectives bool
	// Agent is the product token for directives that address one crawler. "" means DefaultAgent.
	Agent string
	// Rel is the treatment of links marked nofollow. "" means RelFollow.
	Rel Rel
	// Lists adds the feeds of relevant pages, and the sitemaps of their sites if the Fetcher is a
	// Lister, as links.
	Lists bool
	// UsualPages adds the usual addresses of calls and dates as links, for event pages whose menu
	// is made by a script.
	UsualPages bool
	// Free reports responses that cost nothing, such as those for pages that a frozen web does not
	// contain. Nil means that all responses of the statuses above cost a page.
	Free func(*webgraph.Page) bool
	// Parse reads a page; nil means tagtree.Parse. Package lab caches the trees, because many
	// crawls read the same pages.
	Parse func(*webgraph.Page) (*tagtree.Tree, error)
	// SeedAgain is the time after which Seed makes an answered seed be fetched again. A failed one
	// is tried again after a back-off. Zero never fetches a seed again, as in replays.
	SeedAgain time.Duration
	// Outage ends a run, with its links stored, if this number of hosts of different domains in a
	// row could not be reached. Our own network is likely down then. Zero never does.
	Outage int
	// Tally names the run. Runs with different names have separate counts and budgets in the same
	// frontier. Parts of one run have the same name; "" is a name too.
	Tally string
	// Now is the clock for outcomes and rates. Nil means time.Now.
	Now func() time.Time
}

// A Harvest is a harvest rate over the last Window pages. The zero value sets no limit.
type Harvest struct {
	Rate   float64 // targets per page, 0 to 1
	Window int     // pages, at most MaxWindow; a run ends only after a full window
}

// A Crawler runs one crawl.
type Crawler struct {
	o             Options
	scope         compiledScope
	budget        *pageBudget
	tally         *sharedCounts
	memoryLimiter memoryLimiter // limits the memory of the pages in progress

	memory         *memory
	pendingQueries pendingQueries
	committer      *committer
	outage         outage
}

// New returns a Crawler, or an error that names the option that is wrong.
func New(o Options) (*Crawler, error) {
	if err := o.validate(); err != nil {
		return nil, fmt.Errorf("crawler: %w", err)
	}
	if o.Workers == 0 {
		o.Workers = 1
	}
	if o.MaxForward == 0 {
		o.MaxForward = DefaultMaxForward
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Parse == nil {
		o.Parse = tagtree.Parse
	}
	if o.Agent == "" {
		o.Agent = DefaultAgent
	}
	return &Crawler{o: o, scope: o.Scope.compile(), budget: newPageBudget(o.Budget), tally: newSharedCounts(o), memoryLimiter: newMemoryLimiter(), memory: newMemory(maxRuns), committer: newCommitter(o.Workers)}, nil
}

func (o Options) validate() error {
	switch {
	case o.Frontier == nil || o.Fetcher == nil || o.Strategy == nil:
		return errors.New("frontier, fetcher and strategy must be set")
	case !(o.Budget >= 0) || math.IsInf(o.Budget, 1):
		return fmt.Errorf("the budget %v is not a number of pages", o.Budget)
	case !(o.BacklinkCost >= 0) || math.IsInf(o.BacklinkCost, 1):
		return fmt.Errorf("the backlink cost %v is not a number of pages", o.BacklinkCost)
	case !(o.MinHarvest.Rate >= 0 && o.MinHarvest.Rate <= 1):
		return fmt.Errorf("harvest rate %v is not between 0 and 1", o.MinHarvest.Rate)
	case o.MinHarvest.Window < 0 || o.MinHarvest.Window > MaxWindow || o.MinHarvest.Rate > 0 && o.MinHarvest.Window == 0:
		return fmt.Errorf("harvest window %d is not between 1 and %d", o.MinHarvest.Window, MaxWindow)
	case o.Workers < 0 || o.UntilFound < 0 || o.MaxDepth < 0 || o.MaxForward < 0 || o.MaxTime < 0:
		return errors.New("workers, until-found, depth, forward links and time must not be negative")
	}
	return o.Rel.validate()
}
