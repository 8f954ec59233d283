package ui

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"eventseer/eventseer"
)

// apiLimit bounds the events of one answer.
const apiLimit = 100

// An eventsAnswer is one page of events found.
type eventsAnswer struct {
	Total  int               `json:"total"`
	From   int               `json:"from"`
	Events []eventseer.Event `json:"events"`
}

// An eventAnswer is all that is known of one event.
type eventAnswer struct {
	Event   eventseer.Event    `json:"event"`
	History []eventseer.Change `json:"history"`
}

// A problem is the answer to a request that failed.
type problem struct {
	Error    string `json:"error"`
	Position *int   `json:"position,omitempty"` // in the query, in runes from 0
}

// api serves what f answers as JSON, rendered to a buffer first.
func (s *server) api(f func(*http.Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		answer, err := f(r)
		status := 0
		if err != nil {
			p := problem{}
			status, p.Error = s.statusOf(r, err)
			var bad badQuery
			if errors.As(err, &bad) {
				at := bad.QueryPos()
				p.Position = &at
			}
			answer = p
		}
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetIndent("", "  ")
		if err := enc.Encode(answer); err != nil {
			s.Log.Error("encode answer", "path", r.URL.Path, "cause", err)
			status = http.StatusInternalServerError
		}
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.Header().Set("Access-Control-Allow-Origin", "*")
		write(w, status, b.Bytes())
	}
}

// eventsJSON answers q, all, from and limit.
func (s *server) eventsJSON(r *http.Request) (any, error) {
	q := s.query(r.FormValue("q"), r.FormValue("all") != "")
	var err error
	if q.From, err = number(r, "from", 0, 0, maxPage*perPage); err != nil {
		return nil, err
	}
	if q.Limit, err = number(r, "limit", perPage, 1, apiLimit); err != nil {
		return nil, err
	}
	found, err := s.Index.Find(r.Context(), q)
	if err != nil {
		return nil, err
	}
	events, err := s.events(r, found.Hits)
	if err != nil {
		return nil, err
	}
	answer := eventsAnswer{Total: found.Total, From: q.From, Events: []eventseer.Event{}}
	for _, e := range events {
		answer.Events = append(answer.Events, publicEvent(e))
	}
	return answer, nil
}

// number reads a whole number of the request's form.
func number(r *http.Request, name string, def, low, high int) (int, error) {
	text := r.FormValue(name)
	if text == "" {
		return def, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < low || n > high {
		return 0, badRequest("%s is a number from %d to %d", name, low, high)
	}
	return n, nil
}

// eventJSON answers ID.json.
func (s *server) eventJSON(r *http.Request) (any, error) {
	id, ok := strings.CutSuffix(r.PathValue("file"), ".json")
	if !ok {
		return nil, errNoPage
	}
	e, err := s.Store.Event(r.Context(), eventseer.EventID(id))
	if err != nil {
		return nil, err
	}
	history, err := s.Store.History(r.Context(), e.ID)
	if err != nil {
		s.Log.Warn("a part of an event's history cannot be read", "id", id, "cause", err)
	}
	for i := range history {
		history[i].Fields = publicFields(history[i].Fields)
	}
	return eventAnswer{publicEvent(e), history}, nil
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
	Text      *diffShown               `json:"text,omitempty"`
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
	answer.From, answer.To, answer.Text = &c.old, &c.new, newDiffShown(d, c.view)
	answer.Changes, answer.Deadlines = append(answer.Changes, d.Change.Kinds...), append(answer.Deadlines, d.Change.Deadlines...)
	answer.Fields = append(answer.Fields, publicFields(d.Change.Fields)...)
	return answer, nil
}

// publicEvent leaves out the people, and the passage they were read at: pages about
// them are off by default.
func publicEvent(e eventseer.Event) eventseer.Event {
	e.Committee = nil
	e.Sources = maps.Clone(e.Sources)
	maps.DeleteFunc(e.Sources, func(field string, _ eventseer.Provenance) bool { return !publicField(field) })
	e.Trail = slices.DeleteFunc(slices.Clone(e.Trail), func(v eventseer.Evidence) bool { return !publicField(v.Field) })
	return e
}

// publicField reports whether what a field holds names no people.
func publicField(field string) bool { return !strings.HasPrefix(field, "committee") }

// publicFields leaves out changes that name people.
func publicFields(fields []eventseer.FieldChange) []eventseer.FieldChange {
	return slices.DeleteFunc(slices.Clone(fields), func(f eventseer.FieldChange) bool {
		return !publicField(f.Field)
	})
}
