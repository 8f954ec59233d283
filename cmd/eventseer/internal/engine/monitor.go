package engine

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/judges"
	"github.com/eventseer/eventseer/crawler/monitor"
	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/features/tagtree/template"
	"github.com/eventseer/eventseer/internal/bolt"
	"github.com/eventseer/eventseer/webgraph"
)

// OpenMonitor opens the monitor's state in a data directory, or creates it unless it must exist.
func OpenMonitor(a *app.App, dir string, mustExist bool) (*monitor.DB, error) {
	o := monitor.Options{MustExist: mustExist, Software: UserAgent(), Now: a.Now, Warn: func(err error) { a.Logger().Warn("monitor", "err", err) }}
	return Open(a, dir, a.Open.Monitor, func() (*monitor.DB, error) { return monitor.Open(dir, o) })
}

// OpenExistingMonitor opens the monitor's state of the data directory, which must exist.
func OpenExistingMonitor(a *app.App) (*monitor.DB, error) {
	dir, err := app.DataDir(a)
	if err != nil {
		return nil, err
	}
	m, err := OpenMonitor(a, dir, true)
	switch {
	case errors.Is(err, bolt.ErrMissing):
		err = fmt.Errorf("%w; `eventseer crawl` and `eventseer monitor add` create it", err)
	case errors.Is(err, bolt.ErrLocked):
		err = fmt.Errorf("%w. While a crawl or the monitor runs, use `eventseer crawl status` and `eventseer crawl why URL`, which query it", err)
	}
	return m, err
}

// previousVersion returns the stored version of a page, nil if there is none.
func (s State) previousVersion(url string) (*webgraph.Page, error) {
	if s.Monitor == nil {
		return nil, nil
	}
	page, err := s.Monitor.LastVersion(url)
	if errors.Is(err, monitor.ErrNoVersion) {
		return nil, nil
	}
	return page, err
}

// MonitorPlan holds the parts of a monitor's run beyond those of a crawl.
type MonitorPlan struct {
	Plan     monitor.Plan
	Links    monitor.Discoverer
	Most     int
	Topic    Topic                  // topic of the wanted calls
	Stay     func() bool            // continues until it returns false; nil: one pass
	Patience time.Duration          // maximum wait for resting hosts in a pass; 0: no limit
	Woken    func() <-chan struct{} // closed when the result of Stay may have changed; nil: never
	Ours     func(url string) bool  // sources visited by this process; nil: all
	seen     []Visited
}

// DefaultMonitorPlan returns a plan that visits all due sources once, with the first policy and the first
// discoverer.
func DefaultMonitorPlan(a *app.App, models string) (*MonitorPlan, error) {
	links, err := DiscovererOf(a, models, DiscovererNames()[0])
	return &MonitorPlan{Plan: monitor.Plan{Policy: monitor.Policies()[0]}, Links: links}, err
}

// A Visited source is a line of the result of a pass.
type Visited struct {
	URL   string         `json:"url"`
	Kind  monitor.Kind   `json:"kind"`
	At    time.Time      `json:"at"`
	Fate  string         `json:"fate"`
	Why   string         `json:"why,omitempty"` // no page came
	Alarm *monitor.Alarm `json:"alarm,omitempty"`
}

// discoverersOf returns the ways to select new links, the one in use first. chance is the
// prediction of the link classifier.
func discoverersOf(chance monitor.Chance) []monitor.Discoverer {
	return []monitor.Discoverer{
		monitor.Weighed{Chance: chance},
		monitor.Semantic{},
		monitor.Semantic{Pattern: template.URLPattern},
		monitor.Likely{Chance: chance},
		monitor.AllNew{},
	}
}

func DiscovererNames() (names []string) {
	for _, d := range discoverersOf(nil) {
		names = append(names, d.Name())
	}
	return names
}

// DiscovererOf returns the discoverer with a name, using the link model of a kind of models.
func DiscovererOf(a *app.App, models, name string) (monitor.Discoverer, error) {
	set, err := judges.Open(a, models)
	if err != nil {
		return nil, err
	}
	model, err := set.Links()
	if err != nil {
		return nil, err
	}
	for _, d := range discoverersOf(model.LinkProbabilities) {
		if d.Name() == name {
			return d, nil
		}
	}
	return nil, app.Usagef("--links %q is not one of %s", name, strings.Join(DiscovererNames(), ", "))
}

// The value of a visit to a page, by the state of its event.
const (
	worthOpen    = 1.0 // papers can be submitted
	worthUnknown = 0.5 // the date is unknown
	worthAhead   = 0.3 // too late for papers, before the event
	worthPast    = 0.05
)

// maxMoments bounds the deadlines of one page.
const maxMoments = 32

// A storeYield returns the value of changed pages for the monitor: highest for pages of open calls
// near their deadlines. It implements monitor.Yield.
type storeYield map[string]pageYield

type pageYield struct {
	Worth   float64
	Moments []time.Time
}

type eventLister interface {
	Events(ctx context.Context) iter.Seq2[eventseer.Event, error]
}

// NewStoreYield reads the store at a time. Damaged records are skipped: `eventseer check` reports
// them.
func NewStoreYield(ctx context.Context, st eventLister, now time.Time) (storeYield, error) {
	yields := storeYield{}
	for e, err := range st.Events(ctx) {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			continue
		}
		y := PageYieldOf(e, now)
		for _, url := range slices.Concat([]string{e.URL}, e.Pages, e.Related) {
			if old, ok := yields[url]; ok && old.Worth > y.Worth {
				continue // a page with several events
			}
			yields[url] = y
		}
	}
	return yields, nil
}

// Yield implements monitor.Yield.
func (y storeYield) Yield(url string) (worth float64, moments []time.Time, ok bool) {
	p, ok := y[url]
	return p.Worth, p.Moments, ok
}

func PageYieldOf(e eventseer.Event, now time.Time) (y pageYield) {
	var open, past bool
	for _, d := range e.Deadlines {
		moment := d.Moment()
		if moment.IsZero() || !d.Kind.IsSubmission() {
			continue
		}
		if moment.Before(now) {
			past = true
		} else {
			open = true
		}
		if len(y.Moments) < maxMoments {
			y.Moments = append(y.Moments, moment)
		}
	}
	today := eventseer.Date(now.UTC().Format(time.DateOnly))
	last := max(e.EventStart, e.EventEnd)
	switch {
	case open:
		y.Worth = worthOpen
	case last >= today:
		y.Worth = worthAhead
	case last != "" || past:
		y.Worth = worthPast
	default:
		y.Worth = worthUnknown
	}
	return y
}
