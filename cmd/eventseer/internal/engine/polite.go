package engine

import (
	"cmp"
	"time"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/crawler"
	"eventseer/crawler/fetch"
	"eventseer/crawler/frontier/hosts"
)

// SliceDelay is the least time between two pages of a host that asks for no other: a
// slice is made while somebody waits for it, in ten seconds, and most of its links
// lead to one host. While a crawl runs in the same service, its host delay holds.
const SliceDelay = 200 * time.Millisecond

// NewHostTable returns the host table of fetches without a crawl; a delay of 0 means
// SliceDelay. Its time is that of the hosts, whatever the clock of the program.
func NewHostTable(a *app.App, delay time.Duration) *hosts.Table {
	return hosts.NewTable(hosts.Options{HostDelay: cmp.Or(delay, SliceDelay), MaxPause: time.Duration(a.Config.MaxCrawlDelay)}, nil)
}

// NewPaced fetches politely where no crawl runs.
func NewPaced(a *app.App, web fetch.PacingFetcher, delay time.Duration) crawler.Fetcher {
	return fetch.NewPaced(web, NewHostTable(a, delay))
}
