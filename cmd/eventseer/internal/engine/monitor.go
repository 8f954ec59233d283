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
	"github.com/eventseer/eventseer/crawler/monitor"
	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/features/tagtree/template"
	"github.com/eventseer/eventseer/internal/bolt"
	"github.com/eventseer/eventseer/webgraph"
)

// OpenMonitor opens the monitor's state in a data directory, or makes it unless it must
// exist.
func OpenMonitor(a *app.App, dir string, mustExist bool) (*monitor.DB, error) {
	o := monitor.Options{MustExist: mustExist, Software: UserAgent(), Now: a.Now, Warn: func(err error) { a.Logger().Warn("monitor", "err", err) }}
	return Open(a, dir, a.Open.Monitor, func() (*monitor.DB, error) { return monitor.Open(dir, o) })
}

// KnownMonitor opens the monitor's state of the data directory, which must exist.
func KnownMonitor(a *app.App) (*monitor.DB, error) {
	dir, err := app.DataDir(a)
	if err != nil {
		return nil, err
	}
	m, err := OpenMonitor(a, dir, true)
	switch {
	case errors.Is(err, bolt.ErrMissing):
		err = fmt.Errorf("%w; `eventseer crawl` and `eventseer monitor add` make it", err)
	case errors.Is(err, bolt.ErrLocked):
		err = fmt.Errorf("%w. While a crawl or the monitor runs, `eventseer crawl status` and `eventseer crawl why URL` ask it", err)
	}
	return m, err
}

// previous returns the version of a page that is kept, nil if there is none.
func (s State) previous(url string) (*webgraph.Page, error) {
	if s.Monitor == nil {
		return nil, nil
	}
	page, err := s.Monitor.Last(url)
	if errors.Is(err, monitor.ErrNoVersion) {
		return nil, nil
	}
	return page, err
}

// MonitorPlan is what a monitor's run needs besides that of a crawl.
type MonitorPlan struct {
	Plan     monitor.Plan
	Links    monitor.Discoverer
	Most     int
	Topic    Topic                  // of the calls that are looked for
	Stay     func() bool            // goes on with what becomes due; nil: one pass
	Patience time.Duration          // how long a pass waits for hosts that rest; 0: as long as it takes
	Woken    func() <-chan struct{} // closed when stay may have changed; nil: it does not
	Ours     func(url string) bool  // which sources are visited here; nil: all
	seen     []Visited
}

// DefaultMonitorPlan visits all that is due once, by the first policy and the first way
// to pick links.
func DefaultMonitorPlan() (*MonitorPlan, error) {
	links, err := DiscovererOf(DiscovererNames()[0])
	return &MonitorPlan{Plan: monitor.Plan{Policy: monitor.Policies()[0]}, Links: links}, err
}

// A Visited source is a line of the result of a pass.
type Visited struct {
	URL   string         `json:"url"`
	Kind  monitor.Kind   `json:"kind"`
	At    time.Time      `json:"at"`
	Fate  string         `json:"fate"`
	Why   string         `json:"why,omitempty"` // there was no page
	Alarm *monitor.Alarm `json:"alarm,omitempty"`
}

// discoverersOf lists the ways to pick new links, the one that is used first. chance is
// that of the link classifier.
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

// DiscovererOf returns the way of that name, with the shipped link model.
func DiscovererOf(name string) (monitor.Discoverer, error) {
	model, err := NewLinkModel("shipped")
	if err != nil {
		return nil, err
	}
	for _, d := range discoverersOf(model.Links) {
		if d.Name() == name {
			return d, nil
		}
	}
	return nil, app.Usagef("--links %q is none of %s", name, strings.Join(DiscovererNames(), ", "))
}

// What a page is worth a visit, by the state of the event that it tells of.
const (
	worthOpen    = 1.0 // papers can be handed in
	worthUnknown = 0.5 // the date is unknown
	worthAhead   = 0.3 // too late for papers, the event is to come
	worthPast    = 0.05
)

// maxMoments bounds the deadlines of one page.
const maxMoments = 32

// A storeYield tells the monitor what changes of pages are worth: those that open calls
// were read from, around their deadlines, most. It implements monitor.Yield.
type storeYield map[string]pageYield

type pageYield struct {
	Worth   float64
	Moments []time.Time
}

type eventLister interface {
	Events(ctx context.Context) iter.Seq2[eventseer.Event, error]
}

// NewStoreYield reads the store as it is at a time. Records that cannot be read are
// passed over: `eventseer check` tells of them.
func NewStoreYield(ctx context.Context, st eventLister, now time.Time) (storeYield, error) {
	yields := storeYield{}
	for e, err := range st.Events(ctx) {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			continue
		}
		y := YieldOf(e, now)
		for _, url := range slices.Concat([]string{e.URL}, e.Pages, e.Related) {
			if old, ok := yields[url]; ok && old.Worth > y.Worth {
				continue // a page of several events
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

func YieldOf(e eventseer.Event, now time.Time) (y pageYield) {
	var open, past bool
	for _, d := range e.Deadlines {
		moment := d.Moment()
		if moment.IsZero() || !d.Kind.Submits() {
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
