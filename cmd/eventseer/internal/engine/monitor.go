package engine

import (
	"errors"
	"fmt"
	"time"

	"eventseer/cmd/eventseer/internal/admin"
	"eventseer/cmd/eventseer/internal/app"
	"eventseer/crawler/monitor"
	"eventseer/internal/bolt"
	"eventseer/webgraph"
)

// OpenMonitor opens or makes the monitor's state in a data directory.
func OpenMonitor(a *app.App, dir string) (*monitor.DB, error) {
	return OpenMonitorWith(a, dir, monitor.Options{Software: UserAgent(), Now: a.Now})
}

func OpenMonitorWith(a *app.App, dir string, o monitor.Options) (*monitor.DB, error) {
	if a.Session != nil && a.Session.Monitor != nil {
		return a.Session.Monitor, nil
	}
	if err := admin.RunsBeside(a, dir); err != nil {
		return nil, err
	}
	o.Warn = func(err error) { a.Logger().Warn("monitor", "err", err) }
	m, err := monitor.Open(dir, o)
	if err != nil {
		return nil, err
	}
	a.OnClose(m.Close)
	return m, nil
}

// KnownMonitor opens the monitor's state of the data directory, which must exist.
func KnownMonitor(a *app.App) (*monitor.DB, error) {
	dir, err := app.DataDir(a)
	if err != nil {
		return nil, err
	}
	m, err := OpenMonitorWith(a, dir, monitor.Options{MustExist: true, Software: UserAgent(), Now: a.Now})
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
	Plan  monitor.Plan
	Links monitor.Discoverer
	Most  int
	Stay  func() bool            // goes on with what becomes due; nil: one pass
	Woken func() <-chan struct{} // closed when stay may have changed; nil: it does not
	Ours  func(url string) bool  // which sources are visited here; nil: all
	Fates map[monitor.Fate]int
	seen  []Visited
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
