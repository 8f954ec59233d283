package app

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/eventseer/eventseer/crawler"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// Pauses between two displays of progress.
const (
	BarPause  = 200 * time.Millisecond
	LinePause = 5 * time.Second
	firstSign = 2 * time.Second // delay before a Meter shows anything
	logPause  = time.Minute
)

// StartProgress shows the progress of a crawl until the returned function is called: a bar on a terminal,
// otherwise lines of text or JSON.
func (a *App) StartProgress(ctx context.Context, budget float64, stats func() crawler.Stats, events func() int) (stop func()) {
	show, pause := a.progressDisplay(budget)
	if show == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	var done sync.WaitGroup
	done.Go(func() {
		tick := time.NewTicker(pause)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				show(progressSample{stats(), events(), false})
			}
		}
	})
	return func() {
		cancel()
		done.Wait()
		show(progressSample{stats(), events(), true})
	}
}

// A progressSample is the progress of a crawl at one moment.
type progressSample struct {
	crawler.Stats
	events int
	last   bool
}

// progressDisplay returns the function that shows progress; nil shows nothing.
func (a *App) progressDisplay(budget float64) (show func(progressSample), pause time.Duration) {
	mode := a.ProgressMode()
	if mode != "none" && a.Config.Progress == "auto" && a.Config.LogFormat == "json" {
		return a.logProgress, logPause
	}
	switch mode {
	case "bar":
		return showProgressBar(a.Stderr, budget), BarPause
	case "plain":
		return func(s progressSample) { fmt.Fprintln(a.Stderr, s) }, LinePause
	case "json":
		return func(s progressSample) { _ = WriteJSONLine(a.Stderr, s.logFields()) }, LinePause
	}
	return nil, 0
}

// ProgressMode returns --progress with auto resolved: none, plain, json or bar.
func (a *App) ProgressMode() string {
	switch {
	case a.Config.Quiet:
		return "none"
	case a.Config.Progress != "auto":
		return a.Config.Progress
	case a.Config.LogFormat == "json":
		return "plain"
	}
	if f, ok := a.Stderr.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return "bar"
	}
	return "plain"
}

func showProgressBar(w io.Writer, budget float64) func(progressSample) {
	pages := int64(budget)
	if pages == 0 {
		pages = -1 // a spinner
	}
	bar := progressbar.NewOptions64(pages, progressbar.OptionSetWriter(w), progressbar.OptionSetWidth(20),
		progressbar.OptionShowCount(), progressbar.OptionThrottle(BarPause), progressbar.OptionClearOnFinish())
	return func(s progressSample) {
		bar.Describe(s.String())
		_ = bar.Set64(int64(s.Spent)) // a progress bar that cannot be drawn is not an error
		if s.last {
			_ = bar.Finish()
			fmt.Fprintln(w, s)
		}
	}
}

// String returns the progress in one line.
func (s progressSample) String() string {
	return fmt.Sprintf("%d pages, %d calls (harvest %.0f %%), %d events, %d hosts, %d in queue",
		s.Pages, s.Targets, 100*s.HarvestRate(), s.events, s.Hosts, s.Waiting)
}

// logProgress writes the figures as a log line of any level.
func (a *App) logProgress(s progressSample) {
	if a.isQuiet() {
		return
	}
	a.LoggerAt(slog.LevelInfo).Info("crawl", "pages", s.Pages, "targets", s.Targets, "harvest_rate", s.HarvestRate(),
		"events", s.events, "hosts", s.Hosts, "waiting", s.Waiting, "leased", s.Leased, "failed", s.Failed, "spent", s.Spent,
		"pages_per_second", s.Rate, "end", s.Reason)
}

func (s progressSample) logFields() map[string]any {
	kind := "status"
	if s.last {
		kind = "summary"
	}
	return map[string]any{
		"message_type": kind, "pages": s.Pages, "targets": s.Targets, "harvest_rate": s.HarvestRate(),
		"events": s.events, "hosts": s.Hosts, "queue": s.Waiting, "spent": s.Spent,
	}
}

// Status reports progress: a line of JSON with --progress=json, otherwise a text.
func (a *App) Status(fields map[string]any, format string, args ...any) {
	if a.Config.Progress != "json" {
		a.Logf(format, args...)
		return
	}
	fields["message_type"] = "status"
	_ = WriteJSONLine(a.Stderr, fields) // a message that cannot be written is not an error
}
