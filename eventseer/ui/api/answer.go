// Package api holds the answers of the JSON API and the other data for programs. It has their
// fields, their paging, and the description of the API.
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

// APILimit bounds the records of one answer.
const APILimit = 100

// An EventsAnswer is one page of events found.
type EventsAnswer struct {
	Total  int               `json:"total"`
	From   int               `json:"from"`
	Events []eventseer.Event `json:"events"`
	// Facets are those of all that was found, if asked for.
	Facets []eventseer.Facet `json:"facets,omitempty"`
	// Instead is a query spelt alike that finds something, where this finds nothing.
	Instead string `json:"instead,omitempty"`
}

// A PartialAnswer is an EventsAnswer whose records have some fields only.
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

// WithFields returns the answer with some fields of each record, its id and its url. A name that no
// record has is an error.
func (a EventsAnswer) WithFields(names []string) (PartialAnswer, error) {
	p := PartialAnswer{EventsAnswer: a, Events: []map[string]json.RawMessage{}}
	for i, name := range names {
		names[i] = strings.TrimSpace(name)
		if !slices.Contains(eventFields(), names[i]) {
			return p, fmt.Errorf("fields: records have no %.40q; they have %s", names[i], strings.Join(eventFields(), ", "))
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

// An EventAnswer is all that is known of one event.
type EventAnswer struct {
	Event eventseer.Event `json:"event"`
	// Series is what is known of the event's series, nil for one that is not known.
	Series  *eventseer.KnownSeries `json:"known_series,omitempty"`
	History []eventseer.Change     `json:"history"`
}

// An APIProblem is the answer to a request that failed (RFC 9457).
type APIProblem struct {
	Type     string `json:"type"`
	Title    string `json:"title"`
	Status   int    `json:"status"`
	Detail   string `json:"detail"`
	Position *int   `json:"position,omitempty"` // in the query, in runes from 0
}

// A Paged answer has neighbours, each the changed parameters of the request's URL, or nil.
// Modified, if not zero, is the time of its last change.
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

// A DiffAnswer is what changed between two versions of a page of an event.
type DiffAnswer struct {
	Event     eventseer.EventID       `json:"event"`
	Page      string                  `json:"page"`
	Versions  []time.Time             `json:"versions"`
	From      *time.Time              `json:"from"` // null if there are not two versions
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
	// Last is the number of the store's last change: what to ask for after.
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

// A SeriesAnswer is what is known of a series.
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

// A StatusAnswer says how much there is and how fresh it is.
type StatusAnswer struct {
	Events   int       `json:"events"`
	Open     int       `json:"open"`
	Crawled  time.Time `json:"crawled,omitzero"` // when a page was last fetched
	Revision uint64    `json:"revision,omitempty"`
	Version  string    `json:"version,omitempty"`
	Limits   Limits    `json:"limits"`
}

// Limits are those of the API, for programs.
type Limits struct {
	RequestsASecond int `json:"requests_a_second"`
	RequestsAtOnce  int `json:"requests_at_once"`
	Records         int `json:"records"` // of one JSON answer
	Entries         int `json:"entries"` // of one calendar or file
}

const SuggestPath = "/suggest"

const MaxPrefix = 100 // runes

const MaxSuggestions = 20

// A SuggestAnswer is what a text that is being typed may become.
type SuggestAnswer struct {
	Query       string             `json:"query"`
	Suggestions []views.Suggestion `json:"suggestions"`
}

// FeedJSON returns a list's feed for programs. It says nothing of the reader.
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
