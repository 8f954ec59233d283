package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/cmd/eventseer/internal/engine"
	"eventseer/crawler"
	"eventseer/crawler/fetch"
	"eventseer/crawler/replay"
	"eventseer/webgraph"
)

// sliceInput returns the first page, and the web that its links lead into: that
// of --replay, of a WARC, or the live one. Without a contact a page from a file
// is sliced alone: the fetcher is nil.
func sliceInput(ctx context.Context, a *app.App, input string, f sliceFlags) (*webgraph.Page, crawler.Fetcher, error) {
	file, url := splitWARC(input)
	var fetcher crawler.Fetcher
	switch {
	case file != "":
		if input = url; !isWebURL(url) {
			return nil, nil, app.Usagef("%s#%s: what follows # must be an http or https URL", file, url)
		}
		held, err := warcFetcher(a, file)
		if err != nil {
			return nil, nil, err
		}
		fetcher = held
	case len(f.replay) > 0:
		w, err := engine.OpenReplay(a, f.replay, nil)
		if err != nil {
			return nil, nil, err
		}
		fetcher = w.Fetcher
	default:
		live, err := engine.LiveFetcher(a, nil)
		switch {
		case err == nil:
			fetcher = engine.NewPaced(a, live, engine.SliceDelay)
		case isWebURL(input):
			return nil, nil, err
		default:
			a.Logf("links are not followed: %v", err)
		}
	}
	if isWebURL(input) {
		page, err := fetchStart(ctx, fetcher, input)
		return page, fetcher, err
	}
	page, err := onePage(ctx, a, input, f.url)
	return page, fetcher, err
}

// splitWARC parts WARC#URL; file is empty where input is something else.
func splitWARC(input string) (file, url string) {
	file, url, found := strings.Cut(input, "#")
	if ext, _ := engine.Extension(file); !found || ext != ".warc" {
		return "", ""
	}
	if _, err := os.Stat(file); err != nil {
		return "", ""
	}
	return file, url
}

// warcFetcher answers from one WARC. What is in hand may be read: where the WARC
// holds no robots.txt none is obeyed.
func warcFetcher(a *app.App, path string) (crawler.Fetcher, error) {
	frozen, err := replay.Open([]string{path}, replay.Options{})
	if err != nil {
		return nil, err
	}
	a.OnClose(frozen.Close)
	return fetch.New(fetch.Options{
		Transport: robotsOptional{frozen}, UserAgent: engine.UserAgent(), Now: a.Now, Log: a.Logger(), AnsweredAt: replay.AnsweredAt,
	})
}

// robotsOptional says that there is no robots.txt where a frozen web has none.
type robotsOptional struct{ http.RoundTripper }

func (t robotsOptional) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := t.RoundTripper.RoundTrip(r)
	var miss *replay.MissError
	if r.URL.Path == "/robots.txt" && errors.As(err, &miss) {
		return &http.Response{
			StatusCode: http.StatusNotFound, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
			Header: http.Header{}, Body: http.NoBody, Request: r,
		}, nil
	}
	return resp, err
}

func isWebURL(s string) bool {
	return strings.HasPrefix(s, "http://") || strings.HasPrefix(s, "https://")
}

// fetchStart brings the page a search begins with.
func fetchStart(ctx context.Context, fetcher crawler.Fetcher, url string) (*webgraph.Page, error) {
	page, err := fetcher.Fetch(ctx, crawler.Request{URL: url})
	if err == nil && page.Status != http.StatusOK {
		err = fmt.Errorf("%s answered with status %d", page.URL, page.Status)
	}
	return page, err
}

// onePage reads the only page of an INPUT that is no URL.
func onePage(ctx context.Context, a *app.App, input, url string) (first *webgraph.Page, err error) {
	for page, err := range engine.PagesOfInput(ctx, a, input, url) {
		switch {
		case err != nil:
			return nil, err
		case first != nil:
			return nil, app.Usagef("%s holds several pages: name one, as in FILE.warc.gz#URL", input)
		}
		first = page
	}
	if first == nil {
		return nil, fmt.Errorf("%s holds no page", input)
	}
	if url != "" {
		named := *first
		named.URL, named.Requested = url, url
		first = &named
	}
	return first, nil
}
