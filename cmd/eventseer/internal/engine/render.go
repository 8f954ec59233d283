package engine

import (
	"fmt"
	"time"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/crawler"
	"eventseer/crawler/fetch"
	"eventseer/crawler/render"
)

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
