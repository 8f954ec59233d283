package engine

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"eventseer/cmd/eventseer/internal/app"
)

// Child is an app whose closers are its own, for what ends before the command does.
func Child(a *app.App) *app.App {
	own := *a
	own.Closers = nil
	return &own
}

const CrawlTurn = 20 * time.Minute // of crawling, after which the monitor has its turn

const keepRecords = 30 * 24 * time.Hour

const CrawlSuffix = "-crawl" // of the folders of turns

const WatchSuffix = "-monitor"

// Rest waits for a time or the end of ctx.
func Rest(ctx context.Context, d time.Duration) {
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
		if at, err := time.Parse(runTime, name[:min(len(name), len(runTime))]); ok && err == nil {
			all = append(all, turnRecord{filepath.Join(folder, e.Name()), at})
		}
	}
	return all
}

// DropOldRecords removes the folders of turns of long ago, or a service of years would
// fill the disk with them.
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
