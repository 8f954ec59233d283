// Package app holds what every command finds: streams, clock, configuration,
// log, output and progress, and what is to be closed when the command ends.
package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"eventseer/crawler"
	"eventseer/crawler/fetch/blocklist"
	"eventseer/eventseer/mailbox"
	"eventseer/internal/text"

	"github.com/spf13/pflag"
)

// App is the environment of one command. Nothing of it is global, so commands
// can run side by side in one process. It is not safe for concurrent changes.
type App struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Getenv         func(string) string
	Now            func() time.Time

	Config      Config
	Origins     map[string]string // config key → where its value comes from
	MakesConfig bool              // the config file may be missing: the command writes it
	Flags       *pflag.FlagSet    // of the command that runs
	Command     string            // that command, "clip add"
	Session     *Session          // not nil if the command runs inside a serving process for another process
	Level       *slog.LevelVar    // of the log; nil before configure
	Blocks      *blocklist.List   // what is never asked for; nil before it is needed
	Closers     []func() error    // run in reverse order when the command ends
	Live        crawler.Fetcher   // of INPUT arguments that are URLs; nil before the first
	Mails       mailbox.Reader    // of INPUT arguments that hold mails
}

// OnClose has f run when the command has ended, last first.
func (a *App) OnClose(f func() error) { a.Closers = append(a.Closers, f) }

// Close runs what OnClose was given, last first, and joins the errors.
func (a *App) Close() error {
	var errs []error
	for i := len(a.Closers) - 1; i >= 0; i-- {
		errs = append(errs, a.Closers[i]())
	}
	a.Closers = nil
	return errors.Join(errs...)
}

// Logf writes one line of talk to stderr, unless --quiet.
func (a *App) Logf(format string, args ...any) {
	line := text.Printable(fmt.Sprintf(format, args...))
	switch {
	case a.logLevelInForce().Level() == Silent:
	case a.Config.LogFormat == "json":
		a.Logger().Log(context.Background(), talk, line)
	default:
		fmt.Fprintln(a.Stderr, line)
	}
}
