package engine

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/strategy"
	"github.com/eventseer/eventseer/crawler/strategy/external"
)

// CrawlOptions are the flags of `crawl`.
type CrawlOptions struct {
	Seeds      string
	Search     int
	Budget     float64
	Limit      app.Duration
	Replay     []string
	Record     string
	Sim        string
	Still      bool // the web is a generated one at a fixed time, so all crawls of it are equal
	Run        string
	Resume     bool
	Backlinks  string
	Models     string
	Topic      string
	UntilFound int
	MinHarvest string
	MaxDepth   int
	Targets    string
	Kinds      []string
	Accuracy   float64
	SeedURLs   []string
}

// StrategyList describes all strategies, a line each.
func StrategyList() string {
	var b strings.Builder
	for i, name := range strategy.Names() {
		fmt.Fprintf(&b, "  %-32s%s\n", name, strategy.Descriptions()[i])
	}
	fmt.Fprintf(&b, "  %-32s%s\n", external.Prefix+"PROGRAM", "as your own program decides (doc/strategy.md)")
	return b.String()
}

// Check returns an error for numbers that are not valid limits of a crawl.
func (f CrawlOptions) Check() (crawler.Harvest, error) {
	switch {
	case !(f.Budget >= 0) || math.IsInf(f.Budget, 1):
		return crawler.Harvest{}, app.Usagef("--budget %v is not a number of pages", f.Budget)
	case !(f.Accuracy >= 0 && f.Accuracy <= 1):
		return crawler.Harvest{}, app.Usagef("--min-accuracy %v is not between 0 and 1", f.Accuracy)
	}
	return parseHarvest(f.MinHarvest)
}

// RunDirs returns the folder of the run's record and the one of its state (doc/decisions/002). A
// replay has its own state, in DATA if only --data names a folder.
func RunDirs(a *app.App, f CrawlOptions, w *Web) (Folders, error) {
	own := w.Frozen && (f.Run != "" || a.Origins["data"] != "flag")
	if f.Run == "" {
		f.Run = UnusedRunFolder(a, "")
	}
	if f.Resume && w.Frozen {
		_, err := os.Stat(filepath.Join(f.Run, "state"))
		own = err == nil || filepath.Dir(filepath.Dir(f.Run)) != filepath.Clean(a.Config.Data)
	}
	if own {
		return Folders{f.Run, filepath.Join(f.Run, "state")}, nil
	}
	// A frontier file with 0 bytes is left by a crawl that could not begin, for example on a full disk.
	if info, err := os.Stat(filepath.Join(a.Config.Data, app.FrontierFile)); err == nil && info.Size() > 0 && w.Frozen && !f.Resume {
		return Folders{}, app.Usagef("%s contains another crawl, and a replay must have its own folder; name a new folder with --data, or one for this run with --run", a.Config.Data)
	}
	return Folders{f.Run, a.Config.Data}, nil
}

// RunTime is the layout of the time in the names of run folders.
const RunTime = "2006-01-02T150405Z"

// UnusedRunFolder returns an unused folder name for a run, from the time; a number distinguishes runs of
// one second.
func UnusedRunFolder(a *app.App, suffix string) string {
	first := filepath.Join(a.Config.Data, "runs", a.Now().UTC().Format(RunTime))
	run := first + suffix
	for n := 2; ; n++ {
		if _, err := os.Stat(run); err != nil {
			return run
		}
		run = fmt.Sprintf("%s-%d%s", first, n, suffix)
	}
}

// parseHarvest reads RATE/WINDOW.
func parseHarvest(s string) (crawler.Harvest, error) {
	if s == "" {
		return crawler.Harvest{}, nil
	}
	rate, window, _ := strings.Cut(s, "/")
	r, err1 := strconv.ParseFloat(rate, 64)
	w, err2 := strconv.Atoi(window)
	if err := errors.Join(err1, err2); err != nil {
		return crawler.Harvest{}, app.Usagef("--min-harvest %q is not RATE/WINDOW, such as 0.01/500", s)
	}
	return crawler.Harvest{Rate: r, Window: w}, nil
}

// DefaultMaxDepth ends endless calendars.
const DefaultMaxDepth = 200

// ChildApp returns an app with its own closers, for work that ends before the command.
func ChildApp(a *app.App) *app.App {
	own := *a
	own.Closers = nil
	return &own
}

const CrawlTurn = 20 * time.Minute // duration of a crawl before the monitor's visits

const keepRecords = 30 * 24 * time.Hour

const CrawlSuffix = "-crawl" // suffix of the folders of turns
const WatchSuffix = "-monitor"

// Wait waits for a time or the end of ctx.
func Wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// A turnRecord is the folder of a turn and when the turn began.
type turnRecord struct {
	Path string
	At   time.Time
}

// TurnRecords returns the folders of turns in a data directory, oldest first.
func TurnRecords(data, suffix string) (all []turnRecord) {
	folder := filepath.Join(data, "runs")
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), suffix)
		if at, err := time.Parse(RunTime, name[:min(len(name), len(RunTime))]); ok && err == nil {
			all = append(all, turnRecord{filepath.Join(folder, e.Name()), at})
		}
	}
	return all
}

// DropOldRecords removes the folders of old turns, so that they do not fill the disk.
func DropOldRecords(a *app.App, data string) {
	for _, suffix := range []string{CrawlSuffix, WatchSuffix} {
		for _, run := range TurnRecords(data, suffix) {
			if a.Now().Sub(run.At) < keepRecords {
				break
			}
			if err := os.RemoveAll(run.Path); err != nil {
				a.Logger().Warn("old record", "err", fmt.Errorf("remove %s: %w", run.Path, err))
			}
		}
	}
}
