package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/crawler/backlink"
	"eventseer/crawler/fetch"
	"eventseer/crawler/frontier"
	"eventseer/crawler/monitor"
	"eventseer/crawler/rundir"
	"eventseer/internal/bolt"
)

// An inspector looks at the state of a crawl, running or not. It is safe for
// concurrent use.
type inspector struct {
	data, run string // folders
	running   bool
	frontier  *frontier.Frontier
	links     *backlink.LinkDB
	blocked   func(url string) string // the crawl's
	robots    func(url string) string // what the robots.txt at hand says; nil where none is at hand
	// watched says when the monitor visits a source and why; nil where there are none.
	watched func(ctx context.Context, url string) (string, error)
	now     func() time.Time
}

// inspect asks the process that has the state of a crawl open at path, or else
// opens the state and asks f; either answer is read into v.
func inspect(ctx context.Context, a *app.App, run, path string, v any, f func(*inspector) (any, error)) error {
	dir, err := stateDir(a, run)
	if err != nil {
		return err
	}
	err = askAdmin(ctx, dir, path, v)
	if !errors.Is(err, errSilent) {
		return err
	}
	i, err := openInspector(a, dir, run, nil)
	if err != nil {
		return err
	}
	answer, err := f(i)
	if err != nil {
		return err
	}
	text, err := json.Marshal(answer) // as it would have come through the socket
	if err != nil {
		return err
	}
	return json.Unmarshal(text, v)
}

// stateDir is the data directory, or that of a run's own state.
func stateDir(a *app.App, run string) (string, error) {
	if run == "" {
		return dataDir(a)
	}
	dir := filepath.Join(run, "state")
	if _, err := os.Stat(dir); err != nil {
		return "", fmt.Errorf("%w: %s keeps no state; that of a live crawl is in the data directory", app.ErrNoData, run)
	}
	return dir, nil
}

// lastPage is the last page that the crawl of run has written down, nil if there
// is none.
func lastPage(run string) (*rundir.Page, error) {
	if run == "" {
		return nil, nil
	}
	line, err := lastLine(filepath.Join(run, rundir.PagesFile))
	if err != nil || line == nil {
		return nil, err
	}
	p := new(rundir.Page)
	if json.Unmarshal(line, p) != nil {
		return nil, nil // a killed crawl may end in half a line
	}
	return p, nil
}

// maxLine bounds the last line of pages.jsonl.
const maxLine = 256 << 10

// lastLine returns the last whole line of a file, nil if there is none within
// maxLine bytes of its end.
func lastLine(path string) ([]byte, error) {
	tail, err := tailOf(path, maxLine)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	end := bytes.LastIndexByte(tail, '\n')
	if end < 0 {
		return nil, nil
	}
	return tail[bytes.LastIndexByte(tail[:end], '\n')+1 : end], nil
}

// newestRun returns the folder of the latest crawl in a data directory, "" if
// there is none. The folders are named after their times.
func newestRun(dir string) string {
	entries, err := os.ReadDir(filepath.Join(dir, "runs"))
	if err != nil || len(entries) == 0 {
		return ""
	}
	return filepath.Join(dir, "runs", entries[len(entries)-1].Name()) // ReadDir sorts
}

// openInspector opens the state of a crawl that does not run, but for what a service has
// open. run is "" for that of the data directory.
func openInspector(a *app.App, dir, run string, open *state) (*inspector, error) {
	o := politeness(a, run != "")
	o.MustExist, o.Now = true, a.Now
	f, err := frontier.Open(filepath.Join(dir, frontierFile), o)
	switch {
	case errors.Is(err, bolt.ErrLocked):
		return nil, fmt.Errorf("nobody answers at %s: %w", filepath.Join(dir, app.AdminSocket), err)
	case errors.Is(err, bolt.ErrMissing):
		return nil, fmt.Errorf("%w; eventseer crawl makes it", err)
	case err != nil:
		return nil, err
	}
	a.OnClose(f.Close)
	blocks, err := a.Blocklist()
	if err != nil {
		return nil, err
	}
	i := &inspector{data: dir, run: run, frontier: f, blocked: blocks.Blocked, now: a.Now}
	if run == "" {
		i.run = newestRun(dir)
		if open != nil {
			i.watched = sourceStory(a, *open, monitor.Plan{})
		} else if err := tellSources(a, i); err != nil {
			return nil, err
		}
	}
	if i.links, err = backlink.OpenLinkDB(filepath.Join(dir, linksFile), backlink.Options{}); err != nil {
		return nil, err
	}
	a.OnClose(i.links.Close)
	return i, nil
}

// status says how the crawl stands, with its longest queues.
func (i *inspector) status(top int) (crawlStatus, error) {
	s := crawlStatus{Data: i.data, Running: i.running, At: i.now().UTC()}
	f, err := i.frontier.Status(top)
	if err != nil {
		return s, err
	}
	s.Spent, s.NextDue = f.Spent, timeOrNil(f.NextDue)
	l := f.Links
	s.Links = map[string]int{
		"waiting": l.Waiting, "due": l.Due, "leased": l.Leased, "fetched": l.Fetched, "unchanged": l.Unchanged, "gone": l.Gone,
		"refused": l.Refused, "dropped": l.Dropped, "alias": l.Alias,
	}
	s.Hosts = map[string]int{
		"known": f.Hosts.Known, "ready": f.Hosts.Ready, "resting": f.Hosts.Resting, "busy": f.Hosts.Busy, "dead": f.Hosts.Dead, "spent": f.Hosts.Spent,
	}
	for _, h := range f.Top {
		host := hostStatusOf(h.Host)
		host.State, host.Waiting, host.Why = string(h.State), h.Waiting, h.Why
		s.Top = append(s.Top, host)
	}
	standings, err := i.links.Standings()
	if err != nil {
		return s, err
	}
	for _, st := range standings {
		s.Providers = append(s.Providers, providerStatus{st, st.Trust()})
	}
	s.Last, err = lastPage(i.run)
	return s, err
}

// hostStatusOf turns what the frontier says of a host into a record.
func hostStatusOf(h frontier.Host) hostStatus {
	return hostStatus{
		Host: string(h.Name), Fetched: h.Fetched, Due: timeOrNil(h.Due), Failures: h.Failures, Reason: h.Reason,
		CrawlDelay: h.CrawlDelay.Seconds(), Latency: h.Latency.Seconds(), Addr: h.Addr,
	}
}

// robotsOf returns what the robots.txt files at hand say of a URL.
func robotsOf(f *fetch.Fetcher) func(url string) string {
	return func(url string) string {
		allowed, reason := f.Known(url)
		switch {
		case reason == "":
			return ""
		case allowed:
			return "allowed by " + reason
		}
		return disallowedBy + reason
	}
}

const disallowedBy = "disallowed by "
