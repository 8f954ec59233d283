package main

import (
	"context"
	"net/http"
	"strings"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/cmd/eventseer/internal/engine"
	"eventseer/features/tagtree"
	"eventseer/internal/warc"
	"eventseer/webgraph"
)

// A frameReader parses pages with what their frames show: frames of pages in
// WARC files as these hold them, of live pages if they are of the same host.
type frameReader struct {
	app     *app.App
	paths   []string // WARC files among the inputs
	indexes []*warc.Index
	opened  bool
}

func newFrameReader(a *app.App, inputs []string) *frameReader {
	r := &frameReader{app: a}
	for _, input := range inputs {
		if ext, _ := engine.Extension(input); ext == ".warc" && !strings.Contains(input, "://") {
			r.paths = append(r.paths, input)
		}
	}
	return r
}

// parse reads a page. A frame that is not to be had stays a link.
func (r *frameReader) parse(ctx context.Context, p *webgraph.Page) (*tagtree.Tree, error) {
	return tagtree.ParseWithFrames(p, func(url string) *webgraph.Page {
		if frame := r.archived(url); frame != nil {
			return frame
		}
		if r.app.Live == nil || webgraph.HostOf(url) != webgraph.HostOf(p.URL) {
			return nil
		}
		frame, err := engine.FetchPage(ctx, r.app, url)
		if err != nil {
			return nil
		}
		return frame
	})
}

// archived returns the page of a URL in one of the WARC files, nil if none has
// it. The files are indexed when the first frame is met.
func (r *frameReader) archived(url string) *webgraph.Page {
	if !r.opened {
		r.opened = true
		for _, path := range r.paths {
			if x, err := warc.OpenIndex(path); err == nil { // what is wrong with the file its pages tell
				r.indexes = append(r.indexes, x)
				r.app.OnClose(x.Close)
			}
		}
	}
	for _, x := range r.indexes {
		rec, err := x.FindCanonical(url)
		if err != nil {
			continue
		}
		if page, err := rec.Page(); err == nil && page.Status == http.StatusOK {
			return page
		}
	}
	return nil
}
