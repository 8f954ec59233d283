package main

import (
	"context"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"syscall"
)

// reloadable are the settings that a running process takes up at SIGHUP.
var reloadable = []string{"blocklist", "quiet", "verbose"}

// reloadOnHangup reads the configuration anew at every SIGHUP until the returned
// function is called. It takes up the blocklist and how much is logged; what
// else has changed is named and waits for the next start.
func (a *app) reloadOnHangup(ctx context.Context) (stop func()) {
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
				a.reload()
			}
		}
	})
	return func() {
		signal.Stop(hangups)
		cancel()
		done.Wait()
	}
}

// reload is what SIGHUP does. What cannot be read leaves all as it was.
func (a *app) reload() {
	next, _, err := a.readConfig(a.flags)
	rules := 0
	if err == nil && a.blocks != nil {
		rules, err = a.blocks.load(next.Blocklist)
	}
	if err != nil {
		a.logger().Error("nothing reloaded", "err", err)
		return
	}
	a.level.Set(logLevel(next))
	a.logf("reloaded: %d rules of the blocklist, log level %s%s", rules, a.level.Level(), waiting(a.config, next))
}

// waiting names the settings that differ and are not taken up by a running
// process.
func waiting(now, next config) string {
	was, is := now.values(), next.values()
	var keys []string
	for _, s := range settings {
		if was[s.key] != is[s.key] && !slices.Contains(reloadable, s.key) {
			keys = append(keys, s.key)
		}
	}
	if keys == nil {
		return ""
	}
	return "; changed too, but taken up at the next start only: " + strings.Join(keys, ", ")
}
