package main

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/engine"
	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/fetch"
	"github.com/eventseer/eventseer/crawler/slicer"
	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/ui"
	"github.com/eventseer/eventseer/eventseer/ui/tools"
	"github.com/eventseer/eventseer/features/dictionary"
	"github.com/eventseer/eventseer/features/tagtree/sanitize"
	"github.com/eventseer/eventseer/features/tagtree/slice"
	"github.com/eventseer/eventseer/internal/text"
	"github.com/eventseer/eventseer/webgraph"
)

// A slicedPages converts results to the pages that package ui writes.
type slicedPages struct {
	highlight bool
	query     *slice.Query
	places    map[*slicer.Result]int // of those shown
}

// pageForUI converts a result for the UI, and reports whether it is shown: the first page always, the
// others if they match.
func (s *slicedPages) pageForUI(r *slicer.Result) (tools.SlicedPage, bool) {
	if r.How != slicer.Start && !r.Shown() {
		return tools.SlicedPage{}, false
	}
	if s.places == nil {
		s.places = map[*slicer.Result]int{}
	}
	parent := -1
	if r.Parent != nil {
		parent = s.places[r.Parent]
	}
	s.places[r] = len(s.places)
	p := tools.SlicedPage{
		URL: r.URL, Title: r.Tree.Title(), Parent: parent, Link: r.Link, Anchor: slicer.AnchorOf(r), How: string(r.How),
		Pages: r.Pages, Domains: r.Domains, Matches: r.Slice.CountKeys(), TimeLeft: r.TimeLeft,
		Write: func(w io.Writer, after func(io.Writer, int) error) error {
			o := sanitize.Options{Fragment: true, Mark: true, After: after}
			if s.highlight {
				return sanitize.WriteHighlighted(w, r.Tree, s.query, o)
			}
			return sanitize.Write(w, r.Slice, o)
		},
	}
	if !s.highlight {
		for _, l := range r.LeftOut() {
			p.LeftOut = append(p.LeftOut, tools.SliceLink{URL: l.Target, Anchor: l.Anchor})
		}
	}
	return p, true
}

// sliceEnd converts the summary of a search for the UI.
func sliceEnd(sum slicer.Summary) tools.SliceEnd {
	end := tools.SliceEnd{Reason: endReasons[sum.End], Pages: sum.Pages, Failed: sum.Failed, Took: sum.Took}
	for _, w := range sum.Left {
		end.Waiting = append(end.Waiting, tools.SliceLink{URL: w.URL, Anchor: w.Anchor})
	}
	return end
}

var endReasons = map[slicer.End]string{
	"":                 "The search was aborted.",
	slicer.Interrupted: "The search was aborted.",
	slicer.Exhausted:   "There are no more pages to read.",
	slicer.TimeUp:      "The time is up.",
	slicer.PagesUp:     "The maximum number of pages is read.",
	slicer.BytesUp:     "The pages became too large to continue.",
}

// reportSlicedPage reports a page as soon as it is read.
func reportSlicedPage(a *app.App, r *slicer.Result) {
	switch {
	case a.Config.Progress == "none":
	case r.Err != nil:
		a.Logf("%5.1f s left  %s: %v", r.TimeLeft.Seconds(), r.URL, crawler.FetchCause(r.Err))
	case a.Config.Progress == "json" && !a.Config.Quiet:
		_ = app.WriteJSONLine(a.Stderr, map[string]any{"message_type": "page", "url": r.URL, "distance": r.D, "keys": r.Slice.CountKeys(), "seconds_left": r.TimeLeft.Seconds()})
	default:
		a.Logf("%5.1f s left  D %-8d %s  %s", r.TimeLeft.Seconds(), r.D, text.Count(r.Slice.CountKeys(), "match", "matches"), r.URL)
	}
}

// reportSliceSummary reports how a search ended.
func reportSliceSummary(a *app.App, sum slicer.Summary, f sliceFlags) {
	if sum.BacklinkErr != nil {
		a.Logf("the backlinks of the page are not known: %v", sum.BacklinkErr)
	}
	if sum.Shown == 0 {
		hint := ""
		if len(f.synonyms) == 0 {
			hint = "; --synonyms own also searches for words of the same meaning"
		}
		a.Logf("nothing found: no fetched page mentions %s%s", f.query, hint)
	}
	a.Logf("%s %s read, %d with matches, %d not fetched, %s not followed, in %.1f s", endReasons[sum.End],
		text.Count(sum.Pages, "page", "pages"), sum.Shown, sum.Failed, text.Count(len(sum.Left), "relevant link", "relevant links"), sum.Took.Seconds())
}

// A webSlicer slices pages for visitors of the web UI.
type webSlicer struct {
	fetcher  crawler.Fetcher
	synonyms *dictionary.Dictionary
	now      func() time.Time
}

var _ tools.Slicer = webSlicer{}

// Limits on the pages read for one visitor. A tree may take fifty times the bytes of its page, and
// all trees of a search stay in memory until it ends.
const (
	maxVisitorBody  = 2 << 20 // bytes of a page; longer ones are cut
	maxVisitorBytes = 8 << 20 // of all pages of a search
)

// newWebSlicer returns the slicer of /slice, nil if no contact is set. It obeys the host delays of
// table. It never requests private addresses, because visitors choose what it fetches.
func newWebSlicer(a *app.App, table fetch.HostTable) (tools.Slicer, error) {
	if a.Config.Contact == "" {
		return nil, nil
	}
	o, err := visitorFetchOptions(a)
	if err != nil {
		return nil, err
	}
	fetcher, err := fetch.New(o)
	if err != nil {
		return nil, err
	}
	synonyms, err := openSynonyms(a, []string{app.OwnSynonyms})
	return webSlicer{fetch.NewPaced(fetcher, table), synonyms, a.Now}, err
}

// visitorFetchOptions returns the options of whatever fetches for visitors.
func visitorFetchOptions(a *app.App) (fetch.Options, error) {
	blocks, err := a.Blocklist()
	return fetch.Options{
		Wrap: blocks.GuardTransport(onlyWebPorts), UserAgent: engine.UserAgent(), Contact: a.Config.Contact, StrictRobots: engine.StrictRobots(a),
		MaxBody: maxVisitorBody, Now: a.Now, Log: a.Logger(),
	}, err
}

// Slice searches from the page named by a visitor, within the default time including the first
// fetch.
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
	start, err := s.fetchFirstPage(ctx, q.URL)
	if err != nil {
		return tools.SliceEnd{}, err
	}
	left := slicer.DefaultTime - s.now().Sub(began)
	pages := slicedPages{highlight: q.Highlight, query: query}
	sum, err := slicer.Run(ctx, start, slicer.Options{
		Query: query, Precision: q.Precision, Fetcher: s.fetcher,
		MaxPages: q.Pages, MaxBytes: maxVisitorBytes, MaxTime: max(left, time.Millisecond), Now: s.now,
	}, func(r *slicer.Result) error {
		if p, shown := pages.pageForUI(r); shown {
			return show(p)
		}
		return nil
	})
	if err != nil && sum.Pages == 0 {
		err = &tools.SliceError{Status: http.StatusUnprocessableEntity, Text: "The page has no text that can be read."}
	}
	return sliceEnd(sum), err
}

// fetchFirstPage fetches the first page. Its errors are described without revealing the network.
func (s webSlicer) fetchFirstPage(ctx context.Context, address string) (*webgraph.Page, error) {
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
		return nil, &tools.SliceError{Status: http.StatusForbidden, Text: "This page may not be fetched: its site's robots.txt or owner forbids it, its port is not one of a web server, or its type is not supported."}
	case errors.Is(err, context.DeadlineExceeded):
		return nil, &tools.SliceError{Status: http.StatusBadGateway, Text: "The site did not answer in time."}
	case page != nil:
		return nil, &tools.SliceError{Status: http.StatusBadGateway, Text: "The site says there is no such page, or that it must not be seen."}
	}
	return nil, &tools.SliceError{Status: http.StatusBadGateway, Text: "The site was not found, or did not respond."}
}

// A webPorts is a transport that only requests the ports of web servers, even after redirects. Visitors must
// not reach other services through it.
type webPorts struct{ next http.RoundTripper }

func onlyWebPorts(next http.RoundTripper) http.RoundTripper { return webPorts{next} }

var errPort = errors.New("only ports 80, 443 and those from 8000 on are requested for visitors")

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

// A submitter reads pages that visitors name, with the same restrictions as /slice.
type submitter struct {
	web    webSlicer
	reader pageReader
	desk   eventseer.NoteStore
}

var _ ui.Submitter = submitter{}

// Read implements ui.Submitter.
func (s submitter) Read(ctx context.Context, address string) (eventseer.Event, bool, error) {
	ctx, cancel := context.WithTimeout(ctx, slicer.DefaultTime)
	defer cancel()
	page, err := s.web.fetchFirstPage(ctx, address)
	var said *tools.SliceError
	if errors.As(err, &said) {
		return eventseer.Event{}, false, &eventseer.InputError{Field: "url", Msg: said.Text}
	}
	if err != nil {
		return eventseer.Event{}, false, err
	}
	x, ok, err := s.reader.extractPage(page, nil)
	if err != nil {
		return eventseer.Event{}, false, &eventseer.InputError{Field: "url", Msg: "The page has no text that can be read."}
	}
	return x.Event, ok, nil
}

// Queue implements ui.Submitter: the page is stored as a note for the next turn of the crawl, and
// survives restarts.
func (s submitter) Queue(ctx context.Context, address string) error {
	if u, err := url.Parse(address); err != nil || !isWebPort(u) { // the crawl itself may request any port
		return &eventseer.InputError{Field: "url", Msg: "Only pages at ports 80, 443 and those from 8000 on are visited."}
	}
	return s.desk.StoreNote(ctx, eventseer.Note{Kind: eventseer.Submitted, URL: address})
}
