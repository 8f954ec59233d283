package app

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"reflect"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/eventseer/eventseer/crawler/fetch/blocklist"
)

// reloadable are the settings that every running process applies when it reloads.
var reloadable = []string{"blocklist", "quiet", "verbose"}

// turnKeys are the settings that each run of a service reads again.
var turnKeys = []string{
	"seeds", "sources", "strategy", "crawl-per-day", "workers", "backlink-cost", "per-host", "per-domain", "per-depth",
	"host-delay", "delay-factor", "max-crawl-delay", "directives", "rel", "lists",
}

// NeedsRestart reports whether a changed setting applies only after a restart of a service.
func NeedsRestart(key string) bool {
	return !slices.Contains(reloadable, key) && !slices.Contains(turnKeys, key)
}

// A reloadState is the state of reloading the configuration. It is safe for concurrent use.
type reloadState struct {
	mu     sync.Mutex
	turns  bool          // the process works in turns of crawls and visits
	config *Config       // nil before the first
	again  chan struct{} // has one value after a reload that no caller has waited for
}

// EnableTurnSettings makes a reload apply the settings of turns. It must be called before the process can
// receive a reload.
func (a *App) EnableTurnSettings() { a.reloads.turns, a.reloads.again = true, make(chan struct{}, 1) }

// WaitUntilReload waits until ctx ends, some time has passed, or the configuration is reloaded.
// EnableTurnSettings must have been called.
func (a *App) WaitUntilReload(ctx context.Context, pause time.Duration) {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	case <-a.reloads.again:
	}
}

// TurnConfig returns the configuration for a new turn: that of the start with the turn settings of
// the last reload.
func (a *App) TurnConfig() Config {
	a.reloads.mu.Lock()
	defer a.reloads.mu.Unlock()
	c := a.Config
	if next := a.reloads.config; next != nil {
		from, to := reflect.ValueOf(next).Elem(), reflect.ValueOf(&c).Elem()
		for i := range to.NumField() {
			if slices.Contains(turnKeys, to.Type().Field(i).Tag.Get("koanf")) {
				to.Field(i).Set(from.Field(i))
			}
		}
	}
	return c
}

// ReloadOnHangup reloads the configuration at every SIGHUP until the returned function is called,
// see Reload.
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
				_, _ = a.Reload() // it is logged
			}
		}
	})
	return func() {
		signal.Stop(hangups)
		cancel()
		done.Wait()
	}
}

// Reload applies a changed configuration, at SIGHUP and `config reload`. The blocklist and the log
// level apply at once, the settings of turns at the next turn of a service. Other changes are
// reported and wait for the next start. After an error nothing is changed. The result is the text
// to log. It is safe for concurrent use.
func (a *App) Reload() (said string, err error) {
	a.reloads.mu.Lock()
	defer a.reloads.mu.Unlock()
	next, _, err := a.readConfig(a.Flags)
	rules := 0
	if err == nil && a.Blocks != nil {
		rules, err = a.Blocks.Load(next.Blocklist)
	}
	if err != nil {
		a.Logger().Error("nothing reloaded", "err", err)
		return "", fmt.Errorf("nothing reloaded: %w", err)
	}
	if next.Format == "" {
		next.Format = a.Config.Format // the default of the command
	}
	a.Level.Set(LogLevel(next))
	before := a.Config
	if a.reloads.config != nil {
		before = *a.reloads.config
	}
	said = fmt.Sprintf("reloaded the blocklist (%d rules) and the log level %s", rules, a.Level.Level())
	waiting := changedKeys(a.Config, next, func(key string) bool {
		return NeedsRestart(key) || !a.reloads.turns && !slices.Contains(reloadable, key)
	})
	if a.reloads.turns {
		if turn := changedKeys(before, next, func(key string) bool { return slices.Contains(turnKeys, key) }); turn != "" {
			said += "; changed from the next turn of the crawl on: " + turn
		}
		a.reloads.config = &next
		select {
		case a.reloads.again <- struct{}{}:
		default: // the last reload is still pending, and a turn will read both
		}
	}
	if waiting != "" {
		said += "; changed too, but needs a restart: " + waiting
	}
	a.Logf("%s", said)
	return said, nil
}

// changedKeys returns the keys of settings that differ, among those for which counts returns true.
func changedKeys(was, is Config, counts func(key string) bool) string {
	before, after := was.Values(), is.Values()
	var keys []string
	for _, s := range Settings {
		if counts(s.Key) && !reflect.DeepEqual(before[s.Key], after[s.Key]) {
			keys = append(keys, s.Key)
		}
	}
	return strings.Join(keys, ", ")
}

// Blocklist returns the blocklist of the configuration, shared by all parts of a command.
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
