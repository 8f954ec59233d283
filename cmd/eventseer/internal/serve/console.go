package serve

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/admin"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/engine"
	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/internal/text"

	"github.com/prometheus/client_golang/prometheus"
)

// A Console shows the operator the state of a service's crawl, during and between turns. It is safe
// for concurrent use.
type Console struct {
	admin.Described // its metrics differ between turns
	App             *app.App
	Of              *Service
	crawls          bool // there are turns
	// gate is held while the frontier is opened, for a turn or for a request between turns.
	gate sync.Mutex

	looking sync.RWMutex     // guards at and figures; a turn ends when no reader uses it
	at      *admin.Inspector // of the present turn, nil between turns
	figures prometheus.Collector

	mu      sync.Mutex // guards below
	turn    string     // description of the present turn, "" between turns
	failed  error      // why the last turn ended early
	crawled time.Time
	pages   int // answered since the start
	seeds   int // of the newest turn
}

// ObservePages implements crawler.Observer.
func (c *Console) ObservePages(batch []crawler.StepRecord) error {
	for _, t := range batch {
		if engine.HasResponse(t.Arrival.Outcome) {
			c.mu.Lock()
			c.crawled = c.App.Now()
			c.pages++
			c.mu.Unlock()
		}
	}
	return nil
}

// setSeeds sets the number of the crawl's seeds.
func (c *Console) setSeeds(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seeds = n
}

// LastCrawled returns when a page was last fetched, zero if never.
func (c *Console) LastCrawled() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.crawled
}

// DescribeGrowth describes the progress of the crawl of an empty store, and gives advice if it cannot find
// anything.
func (c *Console) DescribeGrowth() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case !c.crawls:
		return "This service does not crawl. Its operator can start the crawl by setting a contact in the configuration: eventseer start asks for it."
	case c.seeds == 0 && c.pages == 0:
		return "The crawl has no starting points yet. The operator can add them: eventseer import starting."
	case c.pages == 0:
		return fmt.Sprintf("The crawl starts from %s and has not read a page yet.", text.Count(c.seeds, "starting point", "starting points"))
	}
	return fmt.Sprintf("%s read since the start, from %s.", text.Count(c.pages, "page was", "pages were"), text.Count(c.seeds, "starting point", "starting points"))
}

// Attach returns the console access to the state of a turn until it is detached.
func (c *Console) Attach(i *admin.Inspector, figures prometheus.Collector) (detach func()) {
	set := func(i *admin.Inspector, figures prometheus.Collector) {
		c.looking.Lock()
		defer c.looking.Unlock()
		c.at, c.figures = i, figures
	}
	set(i, figures)
	return func() { set(nil, nil) }
}

// beginTurn records the present turn; end records its result.
func (c *Console) beginTurn(turn string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.turn = turn
}

func (c *Console) endTurn(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.turn = ""; !errors.Is(err, context.Canceled) {
		c.failed = err
	}
}

// presentTurn returns the present turn and the last error, for the operator's page.
func (c *Console) presentTurn() (turn string, failed error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.turn, c.failed
}

// lastTurnError returns why the last turn ended early.
func (c *Console) lastTurnError() error {
	if _, err := c.presentTurn(); err != nil {
		return fmt.Errorf("the last turn of the crawl failed: %w", err)
	}
	return nil
}

func (c *Console) crawlStatus(ctx context.Context, top int) (admin.CrawlStatus, error) {
	return withInspector(ctx, c, func(i *admin.Inspector) (admin.CrawlStatus, error) { return i.Status(top) })
}

func (c *Console) urlStory(ctx context.Context, url string) (*admin.Story, error) {
	return withInspector(ctx, c, func(i *admin.Inspector) (*admin.Story, error) { return i.StoryOf(ctx, url) })
}

// withInspector calls a function with the state of the crawl.
func withInspector[T any](ctx context.Context, c *Console, ask func(*admin.Inspector) (T, error)) (answer T, err error) {
	if err := ctx.Err(); err != nil {
		return answer, err
	}
	i, release, err := c.openInspector()
	if err != nil {
		return answer, err
	}
	answer, err = ask(i)
	return answer, errors.Join(err, release())
}

// openInspector returns the state of the crawl: that of the present turn, or else opened for the
// caller, who must release it.
func (c *Console) openInspector() (i *admin.Inspector, release func() error, err error) {
	c.looking.RLock()
	if c.at != nil {
		return c.at, func() error { c.looking.RUnlock(); return nil }, nil
	}
	c.looking.RUnlock()
	c.gate.Lock()
	own := engine.ChildApp(c.App)
	release = func() error {
		defer c.gate.Unlock()
		return own.Close()
	}
	open := c.Of.crawlState()
	if i, err = engine.OpenInspector(own, c.App.Config.Data, "", &open); err != nil {
		return nil, nil, errors.Join(err, release())
	}
	i.Running = c.crawls
	return i, release, nil
}

// Collect implements prometheus.Collector.
func (c *Console) Collect(ch chan<- prometheus.Metric) {
	c.looking.RLock()
	defer c.looking.RUnlock()
	if c.figures != nil {
		c.figures.Collect(ch)
	}
}
