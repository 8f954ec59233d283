package app

import (
	"context"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/eventseer/eventseer/crawler/fetch/blocklist"
)

// reloadable are the settings that a running process takes up at SIGHUP.
var reloadable = []string{"blocklist", "quiet", "verbose"}

// ReloadOnHangup reads the configuration anew at every SIGHUP until the returned
// function is called. It takes up the blocklist and how much is logged; what
// else has changed is named and waits for the next start.
func (a *App) ReloadOnHangup(ctx context.Context) (stop func()) {
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	ctx, cancel := context.WithCancel(ctx)
	var done sync.WaitGroup
	done.Go(func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-hangups:
				a.Reload()
			}
		}
	})
	return func() {
		signal.Stop(hangups)
		cancel()
		done.Wait()
	}
}

// Reload is what SIGHUP does. What cannot be read leaves all as it was.
func (a *App) Reload() {
	next, _, err := a.readConfig(a.Flags)
	rules := 0
	if err == nil && a.Blocks != nil {
		rules, err = a.Blocks.Load(next.Blocklist)
	}
	if err != nil {
		a.Logger().Error("nothing reloaded", "err", err)
		return
	}
	if next.Format == "" {
		next.Format = a.Config.Format // the default of the command
	}
	a.Level.Set(LogLevel(next))
	a.Logf("reloaded: %d rules of the blocklist, log level %s%s", rules, a.Level.Level(), waiting(a.Config, next))
}

// waiting names the settings that differ and are not taken up by a running
// process.
func waiting(now, next Config) string {
	was, is := now.Values(), next.Values()
	var keys []string
	for _, s := range Settings {
		if was[s.Key] != is[s.Key] && !slices.Contains(reloadable, s.Key) {
			keys = append(keys, s.Key)
		}
	}
	if keys == nil {
		return ""
	}
	return "; changed too, but taken up at the next start only: " + strings.Join(keys, ", ")
}

// Blocklist is that of the configuration, one for all parts of a command.
func (a *App) Blocklist() (*blocklist.List, error) {
	if a.Blocks != nil {
		return a.Blocks, nil
	}
	b := new(blocklist.List)
	if _, err := b.Load(a.Config.Blocklist); err != nil {
		return nil, err
	}
	a.Blocks = b
	return b, nil
}
