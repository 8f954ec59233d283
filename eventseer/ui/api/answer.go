// Package api defines the responses of the JSON API and other data for programs: their fields,
// their paging, and the description of the API.
package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/change"
	"github.com/eventseer/eventseer/eventseer/ui/views"
)

// APILimit is the maximum number of records in one response.
const APILimit = 100

// An EventsAnswer is one page of events found.
type EventsAnswer struct {
	Total  int               `json:"total"`
	From   int               `json:"from"`
	Events []eventseer.Event `json:"events"`
	// Facets are the facets of all results, if requested.
	Facets []eventseer.Facet `json:"facets,omitempty"`
	// Instead is a similarly spelt query with results, if this one has none.
	Instead string `json:"instead,omitempty"`
	// Passages are the passages of the events with query words in a text, if requested.
	Passages []Passage `json:"passages,omitempty"`
}

// A Passage is the passage of an event's page that contains the words of a query.
type Passage struct {
	Event eventseer.EventID `json:"event"`
	Page  string            `json:"page,omitempty"` // URL of the page, "" if unknown
	// Pieces are the passage in order. Marked ones are the words found, in the form of the page.
	Pieces []views.Piece `json:"pieces"`
}

// A PartialAnswer is an EventsAnswer with selected fields of its records.
type PartialAnswer struct {
	EventsAnswer
	Events []map[string]json.RawMessage `json:"events"`
}

// eventFields are the names of the fields of a record.
var eventFields = sync.OnceValue(func() (names []string) {
	for f := range reflect.TypeFor[eventseer.Event]().Fields() {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "-" {
			names = append(names, name)
		}
	}
	return names
})

// WithFields returns the answer with selected fields of each record, besides id and url. An unknown
// field is an error.
func (a EventsAnswer) WithFields(names []string) (PartialAnswer, error) {
	p := PartialAnswer{EventsAnswer: a, Events: []map[string]json.RawMessage{}}
	for i, name := range names {
		names[i] = strings.TrimSpace(name)
		if !slices.Contains(eventFields(), names[i]) {
			return p, fmt.Errorf("fields: records have no field %.40q; they have %s", names[i], strings.Join(eventFields(), ", "))
		}
	}
	for _, e := range a.Events {
		text, err := json.Marshal(e)
		if err != nil {
			return p, fmt.Errorf("record %s: %w", e.ID, err)
		}
		var record map[string]json.RawMessage
		if err := json.Unmarshal(text, &record); err != nil {
			return p, fmt.Errorf("record %s: %w", e.ID, err)
		}
		maps.DeleteFunc(record, func(name string, _ json.RawMessage) bool {
			return name != "id" && name != "url" && !slices.Contains(names, name)
		})
		p.Events = append(p.Events, record)
	}
	return p, nil
}

// An EventAnswer is all data on one event.
type EventAnswer struct {
	Event eventseer.Event `json:"event"`
	// Series is the data on the event's series, nil if the series is unknown.
	Series  *eventseer.KnownSeries `json:"known_series,omitempty"`
	History []eventseer.Change     `json:"history"`
}

// An APIProblem is the response to a failed request (RFC 9457).
type APIProblem struct {
	Type     string `json:"type"`
	Title    string `json:"title"`
	Status   int    `json:"status"`
	Detail   string `json:"detail"`
	Position *int   `json:"position,omitempty"` // position in the query, in runes from 0
}

// A Paged answer has links to neighbouring pages. Each is the changed parameters of the URL, or
// nil. Modified, if not zero, is the time of its last change.
type Paged struct {
	Answer     any
	Prev, Next url.Values
	Modified   time.Time
}

func EncodeJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetIndent("", "  ")
	err := enc.Encode(v)
	return b.Bytes(), err
}

// A DiffAnswer is the difference between two versions of an event's page.
type DiffAnswer struct {
	Event     eventseer.EventID       `json:"event"`
	Page      string                  `json:"page"`
	Versions  []time.Time             `json:"versions"`
	From      *time.Time              `json:"from"` // null if there are fewer than two versions
	To        *time.Time              `json:"to"`
	Changes   []eventseer.ChangeKind  `json:"changes"`
	Deadlines []change.DeadlineMove   `json:"deadlines"`
	Fields    []eventseer.FieldChange `json:"fields"`
	Text      *views.DiffShown        `json:"text,omitempty"`
}

// A ChangeClass is which changes are listed.
type ChangeClass string

const AllChanges ChangeClass = "all"

const NewChanges ChangeClass = "new"

const MovedChanges ChangeClass = "moved"

// A ChangesAnswer is one page of changes.
type ChangesAnswer struct {
	Changes []eventseer.Change `json:"changes"`
	// Last is the number of the store's last change, for the parameter "after" of the next request.
	Last uint64 `json:"last,omitempty"`
}

const MaxSeq = 1<<53 - 1

func LastOf(changes []eventseer.Change) (last time.Time) {
	for _, c := range changes {
		if c.At.After(last) {
			last = c.At
		}
	}
	return last
}

// A SeriesAnswer is all data on a series.
type SeriesAnswer struct {
	Series   eventseer.Series `json:"series"`
	Editions []EditionAnswer  `json:"editions"` // newest first
}

// An EditionAnswer is an edition in short.
type EditionAnswer struct {
	ID         eventseer.EventID    `json:"id"`
	URL        string               `json:"url"` // of the record
	Title      string               `json:"title,omitempty"`
	Acronym    string               `json:"acronym,omitempty"`
	Year       int                  `json:"year,omitempty"`
	EventStart eventseer.Date       `json:"event_start,omitempty"`
	EventEnd   eventseer.Date       `json:"event_end,omitempty"`
	Location   *eventseer.Venue     `json:"location,omitempty"`
	Deadlines  []eventseer.Deadline `json:"deadlines"`
}

// A StatusAnswer describes the size and age of the data.
type StatusAnswer struct {
	Events   int       `json:"events"`
	Open     int       `json:"open"`
	Crawled  time.Time `json:"crawled,omitzero"` // when a page was last fetched
	Revision uint64    `json:"revision,omitempty"`
	Version  string    `json:"version,omitempty"`
	Limits   Limits    `json:"limits"`
}

// Limits are the limits of the API.
type Limits struct {
	RequestsASecond int `json:"requests_a_second"`
	RequestsAtOnce  int `json:"requests_at_once"`
	Records         int `json:"records"` // of one JSON answer
	Entries         int `json:"entries"` // of one calendar or file
}

const SuggestPath = "/suggest"

const MaxPrefix = 100 // runes

const MaxSuggestions = 20

// A SuggestAnswer is a list of completions for typed text.
type SuggestAnswer struct {
	Query       string             `json:"query"`
	Suggestions []views.Suggestion `json:"suggestions"`
}

// FeedJSON returns a list's feed for programs. It contains nothing about the reader.
func FeedJSON(list eventseer.List, items []eventseer.Item) ([]byte, error) {
	public := make([]eventseer.Item, 0, len(items))
	for _, i := range items {
		i.List, i.Useful = "", 0
		public = append(public, i)
	}
	body, err := json.MarshalIndent(struct {
		Name  string           `json:"name"`
		Query string           `json:"query"`
		Items []eventseer.Item `json:"items"`
	}{list.Name, list.Query, public}, "", "  ")
	return append(body, '\n'), err
}
