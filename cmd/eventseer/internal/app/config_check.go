package app

import (
	"errors"
	"math"
	"net"
	"net/netip"
	"slices"
	"strings"
)

func (c *Config) validate() error {
	check := func(key, value string, allowed ...string) error {
		if !slices.Contains(allowed, value) {
			return Usagef("--%s %q is none of %s", key, value, strings.Join(allowed, ", "))
		}
		return nil
	}
	return errors.Join(
		check("progress", c.Progress, "auto", "plain", "json", "none"),
		check("log-format", c.LogFormat, "text", "json"),
		check("politeness", c.Politeness, "host", "domain", "address"),
		check("robots", c.Robots, "google", "strict"),
		check("directives", c.Directives, "obey", "ignore"),
		check("rel", c.Rel, "follow", "last", "skip"),
		check("lists", c.Lists, "on", "off"),
		check("render", c.Render, "off", "on", "unsandboxed"),
		c.checkNumbers(), c.CheckAdmin(),
	)
}

func (c *Config) checkNumbers() error {
	if !(c.DelayFactor >= 0 && c.DelayFactor <= maxDelayFactor) {
		return Usagef("--delay-factor %v is not from 0 to %v", c.DelayFactor, maxDelayFactor)
	}
	if !(c.BacklinkCost >= 0) || math.IsInf(c.BacklinkCost, 1) {
		return Usagef("--backlink-cost %v is no number of pages", c.BacklinkCost)
	}
	if c.BacklinkTTL <= 0 {
		return Usagef("--backlink-ttl must be above 0")
	}
	if c.MaxCrawlDelay == 0 {
		return Usagef("--max-crawl-delay 0 would grant no site the pause it asks for")
	}
	if c.Workers < 1 || c.Workers > maxWorkers {
		return Usagef("--workers %d is not from 1 to %d", c.Workers, maxWorkers)
	}
	if c.PerHost < 0 || c.PerDomain < 0 || c.PerDepth < 0 {
		return Usagef("--per-host, --per-domain and --per-depth must not be negative")
	}
	return nil
}

const (
	// maxDelayFactor keeps slow hosts from being asked never again.
	maxDelayFactor = 1000
	// maxWorkers keeps connections and goroutines within what a machine has.
	maxWorkers = 10_000
)

// CheckAdmin refuses an --admin that is none, or would show others what this
// process does.
func (c *Config) CheckAdmin() error {
	path, socket := strings.CutPrefix(c.Admin, "unix:")
	if c.Admin == "" || c.Admin == "off" || socket && path != "" {
		return nil
	}
	host, _, err := net.SplitHostPort(c.Admin)
	if err != nil || socket {
		return Usagef("--admin %q is neither HOST:PORT nor unix:PATH nor off", c.Admin)
	}
	if !c.AdminPublic && !IsLoopback(host) {
		return Usagef("--admin %s would show others what this process does; give a loopback address, or add --admin-public", c.Admin)
	}
	return nil
}

// IsLoopback says whether a server listening on host is reached from this
// machine only.
func IsLoopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && addr.IsLoopback()
}
