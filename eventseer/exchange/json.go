package exchange

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/eventseer/eventseer/eventseer"
)

type jsonItem struct {
	ID        string   `json:"id"`
	URL       string   `json:"url,omitempty"`
	External  string   `json:"external_url,omitempty"`
	Title     string   `json:"title"`
	HTML      string   `json:"content_html"`
	Published string   `json:"date_published"`
	Modified  string   `json:"date_modified"`
	Tags      []string `json:"tags,omitempty"`
}

type jsonFeedHead struct {
	Version string       `json:"version"`
	Title   string       `json:"title"`
	Home    string       `json:"home_page_url,omitempty"`
	Feed    string       `json:"feed_url,omitempty"`
	Authors []jsonAuthor `json:"authors"`
}

type jsonAuthor struct {
	Name string `json:"name"`
}

// A jsonSheet writes the members of an array, each by calling value, which returns nil to leave an
// entry out.
type jsonSheet struct {
	w       *bufio.Writer
	value   func(eventseer.Entry) any
	marshal func(any) ([]byte, error)
	n       int
	foot    func(n int) string
}

func (s *jsonSheet) writeEntry(en eventseer.Entry) error {
	v := s.value(en)
	if v == nil {
		return nil
	}
	b, err := s.marshal(v)
	if err != nil {
		return err
	}
	if s.n > 0 {
		s.w.WriteByte(',')
	}
	s.n++
	s.w.WriteByte('\n')
	_, err = s.w.Write(b)
	return err
}

func (s *jsonSheet) close() error {
	_, err := s.w.WriteString(s.foot(s.n))
	return err
}

// marshalUnescaped writes a value on one line with < > & as they are.
func marshalUnescaped(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

func openJSONFeed(w *bufio.Writer, p eventseer.Publication, _ url.Values) (sheet, error) {
	head, err := marshalUnescaped(jsonFeedHead{
		"https://jsonfeed.org/version/1.1", titleOf(p), webURL(p.Home), webURL(p.Self), []jsonAuthor{{"EventSeer"}},
	})
	if err != nil {
		return nil, err
	}
	w.Write(head[:len(head)-1]) // the items come before the closing brace
	w.WriteString(`,"items":[`)
	host := hostOf(p.Base, p.Self, p.Home)
	return &jsonSheet{w: w, marshal: marshalUnescaped, foot: func(int) string { return "\n]}\n" }, value: func(en eventseer.Entry) any {
		it := itemOf(en, p, host)
		return jsonItem{
			ID: it.id, URL: it.link, External: it.related, Title: it.title, HTML: it.html,
			Published: it.updated.Format(time.RFC3339), Modified: it.updated.Format(time.RFC3339), Tags: it.categories,
		}
	}}, nil
}

// WithoutPeople returns an event without its people and without fields that the operator named, which
// publications never contain. The operator has them in the output of the command line.
func WithoutPeople(e eventseer.Event) eventseer.Event {
	e.Committee, e.Other = nil, nil
	e.Sources = maps.Clone(e.Sources)
	maps.DeleteFunc(e.Sources, func(field string, _ eventseer.Provenance) bool { return !eventseer.IsPublicField(field) })
	e.Trail = slices.DeleteFunc(slices.Clone(e.Trail), func(v eventseer.Evidence) bool { return !eventseer.IsPublicField(v.Field) })
	return e
}

// openJSON writes {"total":…,"events":[…]}, with the records of extract and find, without people.
func openJSON(w *bufio.Writer, _ eventseer.Publication, _ url.Values) (sheet, error) {
	w.WriteString(`{"events":[`)
	return &jsonSheet{
		w: w, marshal: marshalUnescaped, value: func(en eventseer.Entry) any { return WithoutPeople(en.Event).WithCalls() },
		foot: func(n int) string { return fmt.Sprintf("\n],\"total\":%d}\n", n) },
	}, nil
}

type lineSheet struct{ w *bufio.Writer }

func openJSONLines(w *bufio.Writer, _ eventseer.Publication, _ url.Values) (sheet, error) {
	return lineSheet{w}, nil
}

func (s lineSheet) writeEntry(en eventseer.Entry) error {
	b, err := marshalUnescaped(WithoutPeople(en.Event).WithCalls())
	if err != nil {
		return err
	}
	s.w.Write(b)
	return s.w.WriteByte('\n')
}

func (s lineSheet) close() error { return nil }

// deadlineList writes all deadlines of an event in one cell.
func deadlineList(e eventseer.Event) string {
	var parts []string
	for _, d := range e.Deadlines {
		part := describeDeadline(d) + " " + singleLine(d.String(), 40)
		if !d.Instant.IsZero() {
			part += " (" + d.Instant.UTC().Format("2006-01-02T15:04:05Z") + ")"
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "; ")
}
