package engine

import (
	"cmp"
	"fmt"
	"time"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/crawler"
	"eventseer/crawler/fetch"
	"eventseer/crawler/frontier/hosts"
	"eventseer/crawler/render"
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

// rendered puts the renderer around a fetcher if the configuration asks for it.
// pause is left between two files of a page's host.
func rendered(a *app.App, f *fetch.Fetcher, pause time.Duration) (crawler.Fetcher, error) {
	if a.Config.Render == "off" {
		return f, nil
	}
	r, err := render.New(render.Options{
		Fetcher: f, Loader: f, NoSandbox: a.Config.Render == "unsandboxed", Pause: pause, Log: a.Logger(),
	})
	if err != nil {
		return nil, fmt.Errorf("--render: %w", err)
	}
	a.OnClose(r.Close)
	return r, nil
}
