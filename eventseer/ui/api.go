package ui

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"eventseer/eventseer"
	"eventseer/eventseer/ui/internal/web"
	"eventseer/eventseer/ui/views"
)

// apiLimit bounds the records of one answer.
const apiLimit = 100

// An eventsAnswer is one page of events found.
type eventsAnswer struct {
	Total  int               `json:"total"`
	From   int               `json:"from"`
	Events []eventseer.Event `json:"events"`
	// Facets are those of all that was found, if asked for.
	Facets []eventseer.Facet `json:"facets,omitempty"`
	// Instead is a query spelt alike that finds something, where this finds nothing.
	Instead string `json:"instead,omitempty"`
}

// An eventAnswer is all that is known of one event.
type eventAnswer struct {
	Event   eventseer.Event    `json:"event"`
	History []eventseer.Change `json:"history"`
}

// An apiProblem is the answer to a request that failed (RFC 9457).
type apiProblem struct {
	Type     string `json:"type"`
	Title    string `json:"title"`
	Status   int    `json:"status"`
	Detail   string `json:"detail"`
	Position *int   `json:"position,omitempty"` // in the query, in runes from 0
}

// A paged answer has neighbours, each the changed parameters of the request's URL, nil
// of none; Modified, if not zero, is when what it says last changed.
type paged struct {
	answer     any
	prev, next url.Values
	modified   time.Time
}

// api serves what f answers as JSON, rendered to a buffer first.
func (s *server) api(f func(*http.Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		answer, err := f(r)
		if err != nil {
			s.writeProblem(w, s.problemOf(r, err))
			return
		}
		page, ok := answer.(paged)
		if !ok {
			page.answer = answer
		}
		body, err := encodeJSON(page.answer)
		if err != nil {
			s.Log.Error("encode answer", "path", r.URL.Path, "cause", err)
			s.writeProblem(w, apiProblem{Status: http.StatusInternalServerError, Detail: "The answer could not be written."})
			return
		}
		h := w.Header()
		h.Set("Content-Type", "application/json; charset=utf-8")
		h.Set("Access-Control-Allow-Origin", "*")
		h.Set("Access-Control-Expose-Headers", "ETag, Link, Retry-After")
		for _, n := range []struct {
			rel     string
			changed url.Values
		}{{"prev", page.prev}, {"next", page.next}} {
			if n.changed != nil {
				h.Add("Link", "<"+web.Neighbour(r, n.changed)+`>; rel="`+n.rel+`"`)
			}
		}
		web.Send(w, r, body, "", page.modified)
	}
}

func encodeJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetIndent("", "  ")
	err := enc.Encode(v)
	return b.Bytes(), err
}

// problemOf says what an error means to whoever asked.
func (s *server) problemOf(r *http.Request, err error) apiProblem {
	p := apiProblem{}
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

func (s *server) writeProblem(w http.ResponseWriter, p apiProblem) {
	p.Type, p.Title = "about:blank", http.StatusText(p.Status)
	body, err := encodeJSON(p)
	if err != nil {
		s.Log.Error("encode a problem", "cause", err)
	}
	w.Header().Set("Content-Type", "application/problem+json")
	w.Header().Set("Access-Control-Allow-Origin", "*")
	web.Write(w, p.Status, body)
}

// askedQuery is what the parameters q and all of a request ask for.
func (s *server) askedQuery(r *http.Request) (eventseer.Query, error) {
	text := r.FormValue("q")
	if len(text) > 4*views.MaxShownQuery {
		return eventseer.Query{}, web.BadRequest("q is longer than %d bytes", eventseer.MaxQuery)
	}
	return s.query(strings.TrimSpace(text), r.FormValue("all") != ""), nil
}

// eventsJSON answers q, all, facets, from and limit.
func (s *server) eventsJSON(r *http.Request) (any, error) {
	q, err := s.askedQuery(r)
	if err != nil {
		return nil, err
	}
	if q.From, err = web.Number(r, "from", 0, 0, web.MaxPage*perPage); err != nil {
		return nil, err
	}
	if q.Limit, err = web.Number(r, "limit", perPage, 1, apiLimit); err != nil {
		return nil, err
	}
	q.Facets = r.FormValue("facets") != ""
	found, err := s.Index.Find(r.Context(), q)
	if err != nil {
		return nil, err
	}
	answer, err := s.newEventsAnswer(r, found.Hits)
	if err != nil {
		return nil, err
	}
	answer.Total, answer.From, answer.Facets, answer.Instead = found.Total, q.From, found.Facets, found.Instead
	page := paged{answer: answer}
	if q.From > 0 {
		page.prev = web.Shift("from", max(0, q.From-q.Limit))
	}
	if next := q.From + q.Limit; next < found.Total && next <= web.MaxPage*perPage {
		page.next = web.Shift("from", next)
	}
	return page, nil
}

// newEventsAnswer reads the events found.
func (s *server) newEventsAnswer(r *http.Request, hits []eventseer.Hit) (eventsAnswer, error) {
	answer := eventsAnswer{Total: len(hits), Events: []eventseer.Event{}}
	events, err := s.events(r, hits)
	for _, e := range events {
		answer.Events = append(answer.Events, views.PublicEvent(e))
	}
	return answer, err
}

// eventJSON answers ID.json.
func (s *server) eventJSON(r *http.Request) (any, error) {
	id, ok := strings.CutSuffix(r.PathValue("file"), ".json")
	if !ok {
		return nil, web.ErrNoPage
	}
	return s.eventRecord(r, id)
}

func (s *server) eventRecord(r *http.Request, id string) (any, error) {
	e, err := s.Store.Event(r.Context(), eventseer.EventID(id))
	if err != nil {
		return nil, err
	}
	history, err := s.Store.History(r.Context(), e.ID)
	if err != nil {
		s.Log.Warn("a part of an event's history cannot be read", "id", id, "cause", err)
	}
	modified := e.LastSeen
	for i := range history {
		history[i].Fields = views.PublicFields(history[i].Fields)
		if history[i].At.After(modified) {
			modified = history[i].At
		}
	}
	if history == nil {
		history = []eventseer.Change{}
	}
	return paged{answer: eventAnswer{views.PublicEvent(e), history}, modified: modified}, nil
}

// A diffAnswer is what changed between two versions of a page of an event.
type diffAnswer struct {
	Event     eventseer.EventID        `json:"event"`
	Page      string                   `json:"page"`
	Versions  []time.Time              `json:"versions"`
	From      *time.Time               `json:"from"` // null where there are not two versions
	To        *time.Time               `json:"to"`
	Changes   []eventseer.ChangeKind   `json:"changes"`
	Deadlines []eventseer.DeadlineMove `json:"deadlines"`
	Fields    []eventseer.FieldChange  `json:"fields"`
	Text      *views.DiffShown         `json:"text,omitempty"`
}

// diffJSON answers page, old, new and view, as /e/ID/history takes them.
func (s *server) diffJSON(r *http.Request) (any, error) {
	e, err := s.Store.Event(r.Context(), eventseer.EventID(r.PathValue("id")))
	if err != nil {
		return nil, err
	}
	c, err := s.chooseVersions(r, e)
	if err != nil {
		return nil, err
	}
	answer := diffAnswer{
		Event: e.ID, Page: c.page, Versions: append([]time.Time{}, c.seen...),
		Changes: []eventseer.ChangeKind{}, Deadlines: []eventseer.DeadlineMove{}, Fields: []eventseer.FieldChange{},
	}
	if !c.isPair() {
		return answer, nil
	}
	d, err := s.diff(r.Context(), c)
	if err != nil {
		return nil, err
	}
	answer.From, answer.To, answer.Text = &c.old, &c.new, views.NewDiffShown(d, c.view)
	answer.Changes, answer.Deadlines = append(answer.Changes, d.Change.Kinds...), append(answer.Deadlines, d.Change.Deadlines...)
	answer.Fields = append(answer.Fields, views.PublicFields(d.Change.Fields)...)
	return answer, nil
}
