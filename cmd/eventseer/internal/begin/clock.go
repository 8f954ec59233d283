package begin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/engine"
	"github.com/eventseer/eventseer/crawler/fetch"
	"github.com/eventseer/eventseer/webgraph"
)

// clockSlack is the allowed difference from another clock. longSilence is a time during which a
// data directory in use is rarely left unused.
const (
	clockSlack  = 12 * time.Hour
	longSilence = 300 * 24 * time.Hour
)

// setClock is the advice for a wrong clock.
const setClock = "EventSeer judges deadlines, visits and certificates by this clock; set it, and run `timedatectl set-ntp true` to keep it right"

// A clockMark is a time in the past.
type clockMark struct {
	at   time.Time
	what string
}

// examineClock compares the clock with the time of the build and the newest run of the data
// directory.
func examineClock(a *app.App) checkResult {
	marks := []clockMark{newestRun(a.Config.Data)}
	if at := buildTime(); !at.IsZero() {
		marks = append(marks, clockMark{at, "this program is of"})
	}
	return judgeClock(a.Now(), marks...)
}

// judgeClock reports whether a clock can be right. Marks without a time are ignored.
func judgeClock(now time.Time, marks ...clockMark) checkResult {
	shown := now.UTC().Format("2006-01-02 15:04 MST")
	for _, m := range marks {
		if m.at.Sub(now) > clockSlack {
			return checkResult{"clock", stateBad, fmt.Sprintf("the clock says %s, but %s %s: the clock is behind, or was ahead then; %s", shown, m.what, m.at.UTC().Format(time.DateOnly), setClock)}
		}
	}
	for _, m := range marks {
		if !m.at.IsZero() && now.Sub(m.at) > longSilence && m.what != "this program is of" {
			return checkResult{"clock", stateWarn, fmt.Sprintf("the clock says %s, and %s %s, long ago; if that is wrong, the clock is ahead; `eventseer doctor --network` compares it with other hosts", shown, m.what, m.at.UTC().Format(time.DateOnly))}
		}
	}
	return checkResult{"clock", stateGood, shown}
}

// buildTime returns the time of the revision that the program was built from, zero if unknown.
func buildTime() (at time.Time) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return at
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.time" {
			at, _ = time.Parse(time.RFC3339, s.Value) // zero of another form
		}
	}
	return at
}

// newestRun returns when the newest run in a data directory began, from its name. It is zero
// without a run.
func newestRun(dir string) (m clockMark) {
	entries, _ := os.ReadDir(filepath.Join(dir, "runs")) // on an error there are none
	for _, entry := range entries {
		if at, err := time.Parse(engine.RunTime, entry.Name()[:min(len(entry.Name()), len(engine.RunTime))]); err == nil && at.After(m.at) {
			m = clockMark{at, "the newest run in " + dir + " is of"}
		}
	}
	return m
}

// askedHosts is the number of hosts requested by doctor --network.
const askedHosts = 3

// examineNetwork requests robots.txt from the hosts of the first seeds, like the first requests of
// a crawl. It reports whether they can be reached, and the time of their clocks.
func examineNetwork(ctx context.Context, a *app.App) []checkResult {
	given, err := ServiceSeeds(a, true)
	if err != nil || len(given) == 0 {
		return []checkResult{{"network", stateWarn, "there are no seeds whose hosts could be queried"}}
	}
	client, err := fetch.NewClient(fetch.Options{UserAgent: engine.UserAgent(), Contact: a.Config.Contact, AllowPrivate: a.Config.AllowPrivate})
	if err != nil {
		return []checkResult{{"network", stateBad, err.Error()}}
	}
	var offsets []time.Duration
	var failed error
	asked, domains := 0, map[string]bool{}
	for _, seed := range given {
		u, err := url.Parse(seed)
		if domain := webgraph.RegisteredDomain(webgraph.HostOf(seed)); err != nil || domains[domain] || asked == askedHosts {
			continue
		} else {
			domains[domain] = true
		}
		asked++
		date, err := hostTime(ctx, client, u.Scheme+"://"+u.Host+"/robots.txt")
		if err != nil {
			failed = errors.Join(failed, err)
		} else {
			offsets = append(offsets, date.Sub(a.Now()))
		}
	}
	return judgeNetwork(a.Now(), asked, offsets, failed)
}

// hostTime returns the time of a host's clock.
func hostTime(ctx context.Context, client *http.Client, url string) (at time.Time, err error) {
	ctx, cancel := context.WithTimeout(ctx, fetch.DefaultTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return at, err
	}
	resp, err := client.Do(req)
	if err != nil {
		return at, err
	}
	_, err = io.Copy(io.Discard, io.LimitReader(resp.Body, 1<<20))
	if at, dateErr := http.ParseTime(resp.Header.Get("Date")); dateErr == nil {
		return at, errors.Join(err, resp.Body.Close())
	}
	return at, errors.Join(fmt.Errorf("%s: the response has no Date header", url), err, resp.Body.Close())
}

// judgeNetwork reports the results for some hosts: the differences of their clocks from this one,
// and the errors of the others.
func judgeNetwork(now time.Time, asked int, offsets []time.Duration, failed error) []checkResult {
	if len(offsets) == 0 {
		return []checkResult{{"network", stateBad, fmt.Sprintf("none of %d hosts of seeds can be reached: %s; check the connection, the resolver and the clock", asked, strings.ReplaceAll(failed.Error(), "\n", "; "))}}
	}
	found := []checkResult{{"network", stateGood, fmt.Sprintf("%d of %d hosts of seeds respond", len(offsets), asked)}}
	slices.Sort(offsets)
	if off := offsets[len(offsets)/2]; off.Abs() > clockSlack {
		said := now.Add(off).UTC().Format("2006-01-02 15:04 MST")
		found = append(found, checkResult{"clock", stateBad, fmt.Sprintf("the clock says %s, hosts say %s; %s", now.UTC().Format("2006-01-02 15:04 MST"), said, setClock)})
	}
	return found
}
