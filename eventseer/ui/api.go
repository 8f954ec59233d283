package ui

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/change"
	"github.com/eventseer/eventseer/eventseer/query"
	"github.com/eventseer/eventseer/eventseer/series"
	"github.com/eventseer/eventseer/eventseer/ui/api"
	"github.com/eventseer/eventseer/eventseer/ui/internal/web"
	"github.com/eventseer/eventseer/eventseer/ui/views"
)

// jsonHandler serves the result of f as JSON, rendered to a buffer first.
func (s *server) jsonHandler(f func(*http.Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		answer, err := f(r)
		if err != nil {
			s.writeProblem(w, s.problemOf(r, err))
			return
		}
		page, ok := answer.(api.Paged)
		if !ok {
			page.Answer = answer
		}
		body, err := api.EncodeJSON(page.Answer)
		if err != nil {
			s.Log.Error("encode answer", "path", r.URL.Path, "cause", err)
			s.writeProblem(w, api.APIProblem{Status: http.StatusInternalServerError, Detail: "The response could not be written."})
			return
		}
		h := w.Header()
		h.Set("Content-Type", "application/json; charset=utf-8")
		h.Set("Access-Control-Allow-Origin", "*")
		h.Set("Access-Control-Expose-Headers", "ETag, Link, Retry-After")
		for _, n := range []struct {
			rel     string
			changed url.Values
		}{{"prev", page.Prev}, {"next", page.Next}} {
			if n.changed != nil {
				h.Add("Link", "<"+web.URLWith(r, n.changed)+`>; rel="`+n.rel+`"`)
			}
		}
		web.Send(w, r, body, "", page.Modified)
	}
}

// problemOf returns the answer for an error.
func (s *server) problemOf(r *http.Request, err error) api.APIProblem {
	p := api.APIProblem{}
	p.Status, p.Detail = s.StatusOf(r, err)
	var input *eventseer.InputError
	if errors.As(err, &input) {
		p.Status, p.Detail = http.StatusBadRequest, views.Clip(input.Error(), views.MaxValue)
	}
	var bad web.BadQuery
	if errors.As(err, &bad) {
		at := bad.QueryPos()
		p.Position = &at
	}
	return p
}

func (s *server) writeProblem(w http.ResponseWriter, p api.APIProblem) {
	p.Type, p.Title = "about:blank", http.StatusText(p.Status)
	body, err := api.EncodeJSON(p)
	if err != nil {
		s.Log.Error("encode a problem", "cause", err)
	}
	w.Header().Set("Content-Type", "application/problem+json")
	w.Header().Set("Access-Control-Allow-Origin", "*")
	web.Write(w, p.Status, body)
}

// queryOf returns the query of the parameters q, all and sort of a request.
func (s *server) queryOf(r *http.Request) (eventseer.Query, error) {
	text := r.FormValue("q")
	if len(text) > 4*views.MaxShownQuery {
		return eventseer.Query{}, web.BadRequest("q is longer than %d bytes", query.MaxText)
	}
	q := s.searchQuery(strings.TrimSpace(text), r.FormValue("all") != "")
	order, err := requestedOrder(r)
	q.Order = order
	return q, err
}

// maxRecords is the maximum offset in a list through the API, equal to that of the index.
const maxRecords = 1_000_000

// eventsJSON answers q, all, sort, fields, facets, passages, from and limit.
func (s *server) eventsJSON(r *http.Request) (any, error) {
	q, err := s.queryOf(r)
	if err != nil {
		return nil, err
	}
	if q.From, err = web.ReadNumber(r, "from", 0, 0, maxRecords); err != nil {
		return nil, err
	}
	if q.Limit, err = web.ReadNumber(r, "limit", perPage, 1, api.APILimit); err != nil {
		return nil, err
	}
	q.Facets, q.Passages = r.FormValue("facets") != "", r.FormValue("passages") != ""
	found, err := s.Index.Find(r.Context(), q)
	if err != nil {
		return nil, err
	}
	answer, err := s.newEventsAnswer(r, found.Hits)
	if err != nil {
		return nil, err
	}
	answer.Total, answer.From, answer.Facets, answer.Instead = found.Total, q.From, found.Facets, found.Instead
	page := api.Paged{Answer: answer}
	if names := r.FormValue("fields"); names != "" {
		if page.Answer, err = answer.WithFields(strings.Split(names, ",")); err != nil {
			return nil, web.BadRequest("%w", err)
		}
	}
	if q.From > 0 {
		page.Prev = web.PageParameter("from", max(0, q.From-q.Limit))
	}
	if next := q.From + q.Limit; next < found.Total && next <= maxRecords {
		page.Next = web.PageParameter("from", next)
	}
	return page, nil
}

// newEventsAnswer reads the events found, and their passages if the hits have places.
func (s *server) newEventsAnswer(r *http.Request, hits []eventseer.Hit) (api.EventsAnswer, error) {
	answer := api.EventsAnswer{Total: len(hits), Events: []eventseer.Event{}}
	events, err := s.readEvents(r, hits)
	places := placesByEvent(hits)
	for _, e := range events {
		if pieces, page := s.foundPassage(r.Context(), e, places[e.ID]); len(pieces) > 0 {
			answer.Passages = append(answer.Passages, api.Passage{Event: e.ID, Page: page, Pieces: pieces})
		}
		answer.Events = append(answer.Events, views.PublicEvent(e).WithCalls())
	}
	return answer, err
}

// jsonFile serves ID.json with the record of an id.
func (s *server) jsonFile(record func(r *http.Request, id string) (any, error)) http.HandlerFunc {
	return s.jsonHandler(func(r *http.Request) (any, error) {
		id, ok := strings.CutSuffix(r.PathValue("file"), ".json")
		if !ok {
			return nil, web.ErrNoPage
		}
		return record(r, id)
	})
}

func (s *server) eventRecord(r *http.Request, id string) (any, error) {
	e, err := s.Store.Event(r.Context(), eventseer.EventID(id))
	if err != nil {
		return nil, err
	}
	history, err := s.Store.History(r.Context(), e.ID)
	if err != nil {
		s.Log.Warn("a part of the history of an event cannot be read", "id", id, "cause", err)
	}
	for i := range history {
		history[i].Fields = views.PublicFields(history[i].Fields)
	}
	modified := api.LastOf(append(history, eventseer.Change{At: e.LastSeen}))
	return api.Paged{Answer: api.EventAnswer{Event: views.PublicEvent(e).WithCalls(), Series: s.knownSeries(r.Context(), e), History: append([]eventseer.Change{}, history...)}, Modified: modified}, nil
}

// diffJSON serves a diff for the parameters page, old, new and view of /e/ID/history.
func (s *server) diffJSON(r *http.Request) (any, error) {
	e, err := s.Store.Event(r.Context(), eventseer.EventID(r.PathValue("id")))
	if err != nil {
		return nil, err
	}
	c, err := s.chooseVersions(r, e)
	if err != nil {
		return nil, err
	}
	answer := api.DiffAnswer{
		Event: e.ID, Page: c.page, Versions: append([]time.Time{}, c.seen...),
		Changes: []eventseer.ChangeKind{}, Deadlines: []change.DeadlineMove{}, Fields: []eventseer.FieldChange{},
	}
	if !c.isPair() {
		return answer, nil
	}
	d, err := s.compareVersions(r.Context(), c)
	if err != nil {
		return nil, err
	}
	answer.From, answer.To, answer.Text = &c.old, &c.new, views.NewDiffShown(d, c.view)
	answer.Changes, answer.Deadlines = append(answer.Changes, d.Change.Kinds...), append(answer.Deadlines, d.Change.Deadlines...)
	answer.Fields = append(answer.Fields, views.PublicFields(d.Change.Fields)...)
	return answer, nil
}

func (s *server) statusJSON(r *http.Request) (any, error) { return s.status(r.Context()) }

// status returns the size and age of the data.
func (s *server) status(ctx context.Context) (api.StatusAnswer, error) {
	answer := api.StatusAnswer{
		Version: s.Version, Revision: s.currentEpoch().Revision,
		Limits: api.Limits{RequestsASecond: web.RequestsASecond, RequestsAtOnce: web.RequestsAtOnce, Records: api.APILimit, Entries: maxEntries},
	}
	for _, count := range []struct {
		n *int
		q eventseer.Query
	}{
		{&answer.Events, eventseer.Query{Limit: 1}}, {&answer.Open, eventseer.Query{Limit: 1, OpenAt: s.Now()}},
	} {
		found, err := s.Index.Find(ctx, count.q)
		if err != nil {
			return answer, err
		}
		*count.n = found.Total
	}
	if s.Crawled != nil {
		answer.Crawled = s.Crawled().UTC()
	}
	return answer, nil
}

// knownSeries returns the data on the series of an event, nil if it is unknown.
func (s *server) knownSeries(ctx context.Context, e eventseer.Event) *eventseer.KnownSeries {
	id := series.IDOf(e)
	if s.Series == nil || id == "" {
		return nil
	}
	known := s.readSeries(ctx, id)
	return series.Shipped().KnownSeriesOf(e, known, query.LatestRanks(known.Ranks))
}

func (s *server) seriesRecord(r *http.Request, id string) (any, error) {
	if s.Series == nil {
		return nil, web.ErrNoPage
	}
	series, err := s.Series.Series(r.Context(), id)
	if err != nil {
		return nil, err
	}
	answer := api.SeriesAnswer{Series: series, Editions: []api.EditionAnswer{}}
	for _, e := range views.FirstN(s.readEditions(r.Context(), id), eventseer.MaxEditions) {
		answer.Editions = append(answer.Editions, api.EditionAnswer{
			ID: e.ID, URL: "/api/v1/events/" + strings.TrimPrefix(views.EventHref(e.ID), "/e/") + ".json", Title: e.Title, Acronym: e.Acronym, Year: e.Year,
			EventStart: e.EventStart, EventEnd: e.EventEnd, Location: e.Location, Deadlines: append([]eventseer.Deadline{}, e.Deadlines...),
		})
	}
	return answer, nil
}

// openAPI serves the description of the API to programs.
func (s *server) openAPI(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Access-Control-Allow-Origin", "*")
	web.Send(w, r, api.OpenAPIDocument, "", time.Time{})
}

// An apiPage describes the API to people, from the same document.
type apiPage struct {
	views.Frame
	Base       string
	Paths      []api.APIPath
	Formats    []api.APIFormat
	Lists      []views.Link
	PerSecond  int
	AtOnce     int
	MaxEntries int
	MaxFeed    int
}

func (s *server) apiText(r *http.Request) (web.View, error) {
	paths, err := api.ReadAPIPaths()
	if err != nil {
		return web.View{}, err
	}
	p := apiPage{
		Frame: s.NewFrame("API", "api"), Base: strings.TrimSuffix(s.siteBase(r), "/"), Paths: paths,
		PerSecond: web.RequestsASecond, AtOnce: web.RequestsAtOnce, MaxEntries: maxEntries, MaxFeed: maxFeedEntries,
		Lists: []views.Link{
			{Text: "/search", Href: "any search, with the parameters of its URL, such as q"}, {Text: "/closing", Href: "open calls that close within a number of days, by default 7"},
			{Text: "/new", Href: "calls found, the newest first"}, {Text: "/changes", Href: "changes, the newest first"},
			{Text: "/e/ID", Href: "one call"}, {Text: "/s/ID", Href: "the editions of a series"},
		},
	}
	p.JSON = "/api/v1/openapi.json"
	for _, f := range s.Formats {
		if f.Ending != recordsEnding {
			p.Formats = append(p.Formats, api.APIFormat{Ending: f.Ending, Text: f.Describe, Example: "/search" + f.Ending})
		}
	}
	p.Formats = append(p.Formats, api.APIFormat{Ending: recordsEnding, Text: "the records as in this API", Example: "/search" + recordsEnding})
	return web.View{Name: "api", Data: p}, nil
}

// suggestJSON answers q and limit.
func (s *server) suggestJSON(r *http.Request) (any, error) {
	q := r.FormValue("q")
	if utf8.RuneCountInString(q) > api.MaxPrefix {
		return nil, web.BadRequest("q is longer than %d characters", api.MaxPrefix)
	}
	limit, err := web.ReadNumber(r, "limit", 10, 1, api.MaxSuggestions)
	if err != nil {
		return nil, err
	}
	found, err := s.catalog.Suggest(r.Context(), q, limit)
	if fields := views.SuggestFields(q); len(fields) > 0 { // after the first names
		found = slices.Insert(found, min(len(found), limit/2), fields...)
	}
	return api.SuggestAnswer{Query: q, Suggestions: found[:min(len(found), limit)]}, err
}

// suggestBrowser serves the suggestions for q in the format for browsers' address bars.
func (s *server) suggestBrowser(r *http.Request) (any, error) {
	answer, err := s.suggestJSON(r)
	if err != nil {
		return nil, err
	}
	a := answer.(api.SuggestAnswer)
	texts, titles, urls := []string{}, []string{}, []string{}
	for _, v := range a.Suggestions {
		texts, titles, urls = append(texts, v.Text), append(titles, v.Title), append(urls, s.canonicalURL(r, v.URL))
	}
	return []any{a.Query, texts, titles, urls}, nil
}
