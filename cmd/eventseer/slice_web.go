package main

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/cmd/eventseer/internal/engine"
	"eventseer/crawler"
	"eventseer/crawler/fetch"
	"eventseer/crawler/slicer"
	"eventseer/eventseer/ui/tools"
	"eventseer/features/dictionary"
	"eventseer/webgraph"
)

// A webSlicer slices for visitors of the web UI.
type webSlicer struct {
	fetcher  crawler.Fetcher
	synonyms *dictionary.Dictionary
	now      func() time.Time
}

var _ tools.Slicer = webSlicer{}

// Limits on what one visitor makes us read. A tree may take fifty times the bytes
// of its page, and all trees of a search are kept until it ends.
const (
	maxVisitorBody  = 2 << 20 // bytes of a page; what is longer is cut
	maxVisitorBytes = 8 << 20 // of all pages of a search
)

// newWebSlicer returns what /slice asks, nil where no contact is set. It asks hosts
// as table lets it. Whatever the configuration says, it asks no private address:
// visitors choose what it fetches.
func newWebSlicer(a *app.App, table fetch.HostTable) (tools.Slicer, error) {
	if a.Config.Contact == "" {
		return nil, nil
	}
	o, err := visitorFetch(a)
	if err != nil {
		return nil, err
	}
	fetcher, err := fetch.New(o)
	if err != nil {
		return nil, err
	}
	synonyms, err := openSynonyms(a, []string{ownSynonyms})
	return webSlicer{fetch.NewPaced(fetcher, table), synonyms, a.Now}, err
}

// visitorFetch are the options of whatever fetches for visitors.
func visitorFetch(a *app.App) (fetch.Options, error) {
	blocks, err := a.Blocklist()
	return fetch.Options{
		Wrap: blocks.Guard(onlyWebPorts), UserAgent: engine.UserAgent(), Contact: a.Config.Contact, StrictRobots: engine.StrictRobots(a),
		MaxBody: maxVisitorBody, Now: a.Now, Log: a.Logger(),
	}, err
}

// Slice searches from the page a visitor names, within the default time, the
// first fetch included.
func (s webSlicer) Slice(ctx context.Context, q tools.SliceQuery, show func(tools.SlicedPage) error) (tools.SliceEnd, error) {
	began := s.now()
	synonyms := s.synonyms
	if !q.Synonyms {
		synonyms = nil
	}
	query, err := newSliceQuery(q.Text, synonyms)
	if err != nil {
		return tools.SliceEnd{}, &tools.SliceError{Status: http.StatusBadRequest, Text: "The query cannot be read: " + err.Error() + "."}
	}
	start, err := s.start(ctx, q.URL)
	if err != nil {
		return tools.SliceEnd{}, err
	}
	left := slicer.DefaultTime - s.now().Sub(began)
	pages := slicedPages{highlight: q.Highlight, query: query}
	sum, err := slicer.Run(ctx, start, slicer.Options{
		Query: query, Precision: q.Precision, Fetcher: s.fetcher,
		MaxPages: q.Pages, MaxBytes: maxVisitorBytes, MaxTime: max(left, time.Millisecond), Now: s.now,
	}, func(r *slicer.Result) error {
		if p, shown := pages.page(r); shown {
			return show(p)
		}
		return nil
	})
	if err != nil && sum.Pages == 0 {
		err = &tools.SliceError{Status: http.StatusUnprocessableEntity, Text: "The page holds no text that can be read."}
	}
	return sliceEnd(sum), err
}

// start fetches the first page. Why it is not to be had is said in words that
// tell nothing of our network.
func (s webSlicer) start(ctx context.Context, address string) (*webgraph.Page, error) {
	ctx, cancel := context.WithTimeout(ctx, slicer.DefaultTime)
	defer cancel()
	page, err := fetchStart(ctx, s.fetcher, address)
	var fe *crawler.FetchError
	switch {
	case err == nil:
		return page, nil
	case errors.Is(err, fetch.ErrPrivateAddress):
		return nil, &tools.SliceError{Status: http.StatusForbidden, Text: "Only public addresses are fetched."}
	case errors.As(err, &fe) && fe.Fate == crawler.Refused:
		return nil, &tools.SliceError{Status: http.StatusForbidden, Text: "This page may not be fetched: its site's robots.txt or owner says no, its port is none of a web server, or it is of a type nobody here reads."}
	case errors.Is(err, context.DeadlineExceeded):
		return nil, &tools.SliceError{Status: http.StatusBadGateway, Text: "The site did not answer in time."}
	case page != nil:
		return nil, &tools.SliceError{Status: http.StatusBadGateway, Text: "The site says there is no such page, or that it must not be seen."}
	}
	return nil, &tools.SliceError{Status: http.StatusBadGateway, Text: "The site was not found, or gave no answer."}
}

// A webPorts transport asks only the ports that web servers use, also where a page
// or a robots.txt redirects to: visitors shall not knock at other services through
// us.
type webPorts struct{ next http.RoundTripper }

func onlyWebPorts(next http.RoundTripper) http.RoundTripper { return webPorts{next} }

var errPort = errors.New("only ports 80, 443 and those from 8000 on are asked for visitors")

// RoundTrip implements http.RoundTripper.
func (w webPorts) RoundTrip(r *http.Request) (*http.Response, error) {
	if !isWebPort(r.URL) {
		return nil, &crawler.FetchError{URL: r.URL.String(), Fate: crawler.Refused, Err: errPort}
	}
	return w.next.RoundTrip(r)
}

func isWebPort(u *url.URL) bool {
	if u.Port() == "" {
		return true
	}
	port, err := strconv.Atoi(u.Port())
	return err == nil && (port == 80 || port == 443 || port >= 8000 && port < 1<<16)
}
