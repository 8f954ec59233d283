package main

import (
	"errors"
	"math"
	"slices"
	"strings"
)

func (c *config) validate() error {
	check := func(key, value string, allowed ...string) error {
		if !slices.Contains(allowed, value) {
			return usagef("--%s %q is none of %s", key, value, strings.Join(allowed, ", "))
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
		c.checkNumbers(), c.checkAdmin(),
	)
}

func (c *config) checkNumbers() error {
	if !(c.DelayFactor >= 0 && c.DelayFactor <= maxDelayFactor) {
		return usagef("--delay-factor %v is not from 0 to %v", c.DelayFactor, maxDelayFactor)
	}
	if !(c.BacklinkCost >= 0) || math.IsInf(c.BacklinkCost, 1) {
		return usagef("--backlink-cost %v is no number of pages", c.BacklinkCost)
	}
	if c.BacklinkTTL <= 0 {
		return usagef("--backlink-ttl must be above 0")
	}
	if c.MaxCrawlDelay == 0 {
		return usagef("--max-crawl-delay 0 would grant no site the pause it asks for")
	}
	if c.Workers < 1 || c.Workers > maxWorkers {
		return usagef("--workers %d is not from 1 to %d", c.Workers, maxWorkers)
	}
	if c.PerHost < 0 || c.PerDomain < 0 || c.PerDepth < 0 {
		return usagef("--per-host, --per-domain and --per-depth must not be negative")
	}
	return nil
}

const (
	// maxDelayFactor keeps slow hosts from being asked never again.
	maxDelayFactor = 1000
	// maxWorkers keeps connections and goroutines within what a machine has.
	maxWorkers = 10_000
)
