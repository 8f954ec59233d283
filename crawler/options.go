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
	DefaultMaxForward = 5000 // links accepted of one page
	MaxBack           = 1000 // backlinks accepted of one page
	MaxWindow         = 10000
	// DefaultOutage is the Outage of live crawls. With eight workers and half of all hosts
	// down, so many failures come in a row in 1 of 1,000 crawls.
	DefaultOutage = 24
)

// Options are the parts and the limits of a run.
type Options struct {
	Frontier Frontier
	Fetcher  Fetcher
	Strategy Strategy

	Backlinker Backlinker // nil: no backlinks are queried, the crawl goes forward only
	Sink       Sink       // of targets; nil: they are counted, not kept
	Observer   Observer   // nil: nothing is logged
	Links      LinkStore  // nil: reversed links are not kept

	// Budget is how many pages may be spent, earlier parts of a resumed run
	// included. One page is one answer of status 2xx, 404, 410 or 5xx;
	// redirects and robots are free. Zero means no limit.
	Budget float64
	// BacklinkCost is what one call to a backlink service costs, in pages.
	// Zero means that calls are free; a negative cost is an error.
	BacklinkCost float64
	// MaxTime ends the run after so long, the pages in hand finished. Zero
	// means no limit.
	MaxTime time.Duration
	// Workers is how many pages are in hand at once. Zero means 1; with 1 a run
	// is the same every time.
	Workers int
	// UntilFound ends the run after so many targets. Zero means no limit.
	UntilFound int
	// MinHarvest ends the run when the harvest rate falls below it.
	MinHarvest Harvest
	// MaxDepth is the most steps from a seed. Zero means no limit.
	MaxDepth int
	// MaxForward is the most links accepted of one page, the best by score.
	// Zero means DefaultMaxForward.
	MaxForward int
	// Scope says which links may be followed; the zero Scope admits the web.
	Scope Scope
	// Blocked says why a canonical URL is never asked for, "" if it may be. It is
	// asked about every link and again before a link is fetched, from many
	// goroutines, so what it knows may change. Nil blocks nothing.
	Blocked func(url string) string
	// NoTraps takes every page as it is. Otherwise links without end, texts that
	// came before under another URL of the host, and pages that only say that
	// there is no such page are no pages.
	NoTraps bool
	// IgnoreDirectives takes no notice of X-Robots-Tag and meta robots. Otherwise
	// a page with noindex is not given to the Sink and nofollow keeps its links
	// from being followed.
	IgnoreDirectives bool
	// Agent is the product token of directives for one crawler. "" means
	// DefaultAgent.
	Agent string
	// Rel is what becomes of links marked nofollow. "" means RelFollow.
	Rel Rel
	// Lists makes the feeds of pages worth a visit, and the sitemaps of their
	// sites if the Fetcher is a Lister, links of their own.
	Lists bool
	// UsualPages makes the usual addresses of calls and dates links of pages of events whose
	// menu is made by a script.
	UsualPages bool
	// Free reports answers that cost nothing, such as those of a frozen web for
	// pages it never held. Nil means that all answers of the statuses above cost.
	Free func(*webgraph.Page) bool
	// Parse reads a page; nil means tagtree.Parse. A laboratory, in which many crawls
	// see the same pages, keeps the trees.
	Parse func(*webgraph.Page) (*tagtree.Tree, error)
	// SeedAgain is after how long a seed that was answered is fetched again when Seed
	// names it; one that was not answered is tried again after a back-off. Zero never
	// fetches a seed again, as in replays.
	SeedAgain time.Duration
	// Outage ends a run, its links kept, when so many hosts of different domains in a
	// row could not be reached: then our own network is likely down. Zero never does.
	Outage int
	// Tally names the run, so that it counts and spends apart from others with the same
	// frontier. Parts of one run have one name; "" is a name too.
	Tally string
	// Now is the clock of outcomes and rates. Nil means time.Now.
	Now func() time.Time
}

// A Harvest is a harvest rate over the last Window pages. The zero value asks
// for nothing.
type Harvest struct {
	Rate   float64 // targets per page, 0 to 1
	Window int     // pages, at most MaxWindow; a run ends only after a full window
}

// A Crawler runs one crawl.
type Crawler struct {
	o     Options
	scope scope
	purse *purse
	tally *tally
	scale scale // of the pages that are read

	memory    *memory
	debts     debts
	committer *committer
	outage    outage
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
	return &Crawler{o: o, scope: o.Scope.compile(), purse: newPurse(o.Budget), tally: newTally(o), scale: newScale(), memory: newMemory(maxRuns), committer: newCommitter(o.Workers)}, nil
}

func (o Options) validate() error {
	switch {
	case o.Frontier == nil || o.Fetcher == nil || o.Strategy == nil:
		return errors.New("frontier, fetcher and strategy must be set")
	case !(o.Budget >= 0) || math.IsInf(o.Budget, 1):
		return fmt.Errorf("budget %v is no number of pages", o.Budget)
	case !(o.BacklinkCost >= 0) || math.IsInf(o.BacklinkCost, 1):
		return fmt.Errorf("backlink cost %v is no number of pages", o.BacklinkCost)
	case !(o.MinHarvest.Rate >= 0 && o.MinHarvest.Rate <= 1):
		return fmt.Errorf("harvest rate %v is not between 0 and 1", o.MinHarvest.Rate)
	case o.MinHarvest.Window < 0 || o.MinHarvest.Window > MaxWindow || o.MinHarvest.Rate > 0 && o.MinHarvest.Window == 0:
		return fmt.Errorf("harvest window %d is not between 1 and %d", o.MinHarvest.Window, MaxWindow)
	case o.Workers < 0 || o.UntilFound < 0 || o.MaxDepth < 0 || o.MaxForward < 0 || o.MaxTime < 0:
		return errors.New("workers, until-found, depth, forward links and time must not be negative")
	}
	return o.Rel.validate()
}
