package main

import (
	"cmp"
	"time"

	"eventseer/crawler"
	"eventseer/crawler/fetch"
	"eventseer/crawler/frontier/hosts"
)

// sliceDelay is the least time between two pages of a host that asks for no other: a
// slice is made while somebody waits for it, in ten seconds, and most of its links
// lead to one host. While a crawl runs in the same service, its host delay holds.
const sliceDelay = 200 * time.Millisecond

// newHostTable returns the host table of fetches without a crawl; a delay of 0 means
// sliceDelay. Its time is that of the hosts, whatever the clock of the program.
func (a *app) newHostTable(delay time.Duration) *hosts.Table {
	return hosts.NewTable(hosts.Options{HostDelay: cmp.Or(delay, sliceDelay), MaxPause: time.Duration(a.config.MaxCrawlDelay)}, nil)
}

// newPaced fetches politely where no crawl runs.
func (a *app) newPaced(web fetch.PacingFetcher, delay time.Duration) crawler.Fetcher {
	return fetch.NewPaced(web, a.newHostTable(delay))
}
