package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/admin"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/crawler/backlink"
	"github.com/eventseer/eventseer/crawler/fetch"
	"github.com/eventseer/eventseer/crawler/frontier"
	"github.com/eventseer/eventseer/crawler/monitor"
	"github.com/eventseer/eventseer/internal/bolt"
)

// QueryInspector queries the process that has the state of a crawl open at path, or else opens the state
// and calls f. The result is decoded into v.
func QueryInspector(ctx context.Context, a *app.App, run, path string, v any, f func(*admin.Inspector) (any, error)) error {
	dir, err := stateDir(a, run)
	if err != nil {
		return err
	}
	err = admin.AskAdmin(ctx, dir, path, v)
	if !errors.Is(err, admin.ErrSilent) {
		return err
	}
	i, err := OpenInspector(a, dir, run, nil)
	if err != nil {
		return err
	}
	answer, err := f(i)
	if err != nil {
		return err
	}
	text, err := json.Marshal(answer) // in the form of a response from the socket
	if err != nil {
		return err
	}
	return json.Unmarshal(text, v)
}

// stateDir returns the data directory, or that of a run's own state.
func stateDir(a *app.App, run string) (string, error) {
	if run == "" {
		return app.DataDir(a)
	}
	dir := filepath.Join(run, "state")
	if _, err := os.Stat(dir); err != nil {
		return "", fmt.Errorf("%w: %s holds no state; that of a live crawl is in the data directory", app.ErrNoData, run)
	}
	return dir, nil
}

// newestRun returns the folder of the latest crawl in a data directory, "" if there is none.
// Folders are named by time.
func newestRun(dir string) string {
	entries, err := os.ReadDir(filepath.Join(dir, "runs"))
	if err != nil || len(entries) == 0 {
		return ""
	}
	return filepath.Join(dir, "runs", entries[len(entries)-1].Name()) // ReadDir sorts
}

// OpenInspector opens the state of a crawl that is not running, except what a service has open. run
// is "" for that of the data directory.
func OpenInspector(a *app.App, dir, run string, open *State) (*admin.Inspector, error) {
	o := politenessOptions(a, run != "")
	o.MustExist, o.Now = true, a.Now
	f, err := frontier.Open(filepath.Join(dir, app.FrontierFile), o)
	switch {
	case errors.Is(err, bolt.ErrLocked):
		return nil, fmt.Errorf("no process responds at %s: %w", filepath.Join(dir, app.AdminSocket), err)
	case errors.Is(err, bolt.ErrMissing):
		return nil, fmt.Errorf("%w; eventseer crawl creates it", err)
	case err != nil:
		return nil, err
	}
	a.OnClose(f.Close)
	blocks, err := a.Blocklist()
	if err != nil {
		return nil, err
	}
	i := &admin.Inspector{Data: dir, Run: run, Frontier: f, Blocked: blocks.BlockedReason, Now: a.Now}
	if run == "" {
		i.Run = newestRun(dir)
		if open != nil {
			i.Watched = sourceExplainer(a, *open, monitor.Plan{})
		} else if err := addSourceFunctions(a, i); err != nil {
			return nil, err
		}
	}
	if i.Links, err = backlink.OpenLinkDB(filepath.Join(dir, app.LinksFile), backlink.Options{}); err != nil {
		return nil, err
	}
	a.OnClose(i.Links.Close)
	return i, nil
}

// RobotsOf returns the verdict of the cached robots.txt files on a URL.
func RobotsOf(f *fetch.Fetcher) func(url string) string {
	return func(url string) string {
		allowed, reason := f.KnownVerdict(url)
		switch {
		case reason == "":
			return ""
		case allowed:
			return "allowed by " + reason
		}
		return admin.DisallowedBy + reason
	}
}
