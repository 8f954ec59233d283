package main

import (
	"fmt"
	"time"

	"eventseer/crawler"
	"eventseer/crawler/fetch"
	"eventseer/crawler/render"
)

// rendered puts the renderer around a fetcher if the configuration asks for it.
// pause is left between two files of a page's host.
func rendered(a *app, f *fetch.Fetcher, pause time.Duration) (crawler.Fetcher, error) {
	if a.config.Render == "off" {
		return f, nil
	}
	r, err := render.New(render.Options{
		Fetcher: f, Loader: f, NoSandbox: a.config.Render == "unsandboxed", Pause: pause, Log: a.logger(),
	})
	if err != nil {
		return nil, fmt.Errorf("--render: %w", err)
	}
	a.onClose(r.Close)
	return r, nil
}
