// Package curate applies the corrections of editors to the records of events.
package curate

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/query"
	"github.com/eventseer/eventseer/eventseer/validate"
	"github.com/eventseer/eventseer/internal/text"
)

// ErrBad means that a correction is invalid: a value outside the vocabulary, or an invalid day.
var ErrBad = errors.New("cannot be corrected so")

func badErrorf(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrBad}, args...)...)
}

// Limits on the values of editors.
const (
	minYear = 1950
	maxYear = 2100
)

// A field reads and sets one field of a record. set is called with a value that is not "" and
// differs from that of get; its errors are an ErrBad.
type field struct {
	name  string
	get   func(eventseer.Event) string
	set   func(*eventseer.Event, string) error
	clear func(*eventseer.Event)
	mayBe []string // the vocabulary, nil for a field without one
}

var (
	kinds = fieldWords(eventseer.Conference, eventseer.Workshop, eventseer.Symposium, eventseer.SpecialIssue, eventseer.SummerSchool, eventseer.OtherKind)
	// states are the values of the field for the state of an event, which is empty if it takes
	// place.
	states        = fieldWords(eventseer.Cancelled, eventseer.Postponed)
	deadlineKinds = fieldWords(eventseer.Abstract, eventseer.Submission, eventseer.Notification, eventseer.CameraReady, eventseer.Registration, eventseer.Rebuttal,
		eventseer.WorkshopProposal, eventseer.TutorialProposal, eventseer.Poster, eventseer.Demo, eventseer.Doctoral, eventseer.OtherDeadline)
)

func fieldWords[T ~string](values ...T) (out []string) {
	for _, v := range values {
		out = append(out, string(v))
	}
	return out
}

// fields are the fields that can be corrected, except deadlines.
var fields = []field{
	textField("title", func(e *eventseer.Event) *string { return &e.Title }),
	textField("acronym", func(e *eventseer.Event) *string { return &e.Acronym }),
	wordField("kind", kinds, func(e *eventseer.Event) *eventseer.Kind { return &e.Kind }),
	{name: "year", get: func(e eventseer.Event) string { return printYear(e.Year) }, set: setYear, clear: func(e *eventseer.Event) { e.Year = 0 }},
	dayField("event_start", func(e *eventseer.Event) *eventseer.Date { return &e.EventStart }),
	dayField("event_end", func(e *eventseer.Event) *eventseer.Date { return &e.EventEnd }),
	{name: "location", get: func(e eventseer.Event) string { return e.Location.String() }, set: setLocation, clear: func(e *eventseer.Event) { e.Location = nil }},
	{name: "topics", get: func(e eventseer.Event) string { return strings.Join(e.Topics, "; ") }, set: setTopics, clear: func(e *eventseer.Event) { e.Topics = nil }},
	linkField("homepage", func(e *eventseer.Event) *string { return &e.Homepage }),
	linkField("submission_url", func(e *eventseer.Event) *string { return &e.SubmissionURL }),
	textField("publisher", func(e *eventseer.Event) *string { return &e.Publisher }),
	textField("parent", func(e *eventseer.Event) *string { return &e.Parent }),
	textField("series", func(e *eventseer.Event) *string { return &e.Series }),
	wordField("state", states, func(e *eventseer.Event) *eventseer.State { return &e.State }),
}

// Fields returns the names of the fields that can be corrected. That of a deadline is "deadlines."
// and its kind, with its track, if any, in brackets.
func Fields() (names []string) {
	for _, f := range fields {
		names = append(names, f.name)
	}
	for _, k := range deadlineKinds {
		names = append(names, deadlinePrefix+k)
	}
	return names
}

// FieldVocabulary returns the values that a field may have, nil if it has no vocabulary.
func FieldVocabulary(name string) []string {
	f, _ := fieldNamed(name)
	return f.mayBe
}

// FieldValue returns the printed value of a field, which Set accepts. Its error is an ErrBad for an
// unknown field name.
func FieldValue(e eventseer.Event, name string) (string, error) {
	f, err := fieldNamed(name)
	if err != nil {
		return "", err
	}
	return f.get(e), nil
}

// Set returns the event with another value of a field, "" for none. The value then counts as an
// editor's. Its error is an ErrBad that lists the possible values.
func Set(e eventseer.Event, name, value string) (eventseer.Event, error) {
	f, err := fieldNamed(name)
	if err != nil {
		return e, err
	}
	value = strings.TrimSpace(value)
	if !utf8.ValidString(value) || strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return e, badErrorf("%s: the value contains control characters or invalid UTF-8", name)
	}
	limit := eventseer.MaxCorrectionText
	if name == "topics" {
		limit *= 20
	}
	if utf8.RuneCountInString(value) > limit {
		return e, badErrorf("%s: the value is longer than %d characters", name, limit)
	}
	out := e
	switch {
	case value == f.get(e): // its details are unchanged
	case value == "":
		f.clear(&out)
	default:
		err = f.set(&out, value)
	}
	if err != nil {
		return e, err
	}
	sources := map[string]eventseer.Provenance{}
	for k, v := range e.Sources {
		sources[k] = v
	}
	sources[name] = eventseer.Provenance{Rule: eventseer.EditorRule, Confidence: 1}
	out.Sources = sources
	return out, nil
}

// SetChecked is Set for a new correction: it also rejects days that contradict each other.
func SetChecked(e eventseer.Event, name, value string) (eventseer.Event, error) {
	out, err := Set(e, name, value)
	if err != nil {
		return out, err
	}
	start, hasStart := out.EventStart.Time()
	end, hasEnd := out.EventEnd.Time()
	ofDays := slices.Contains([]string{"event_start", "event_end", "year"}, name)
	switch {
	case ofDays && hasStart && hasEnd && end.Before(start):
		return e, badErrorf("%s=%s: the event would end on %s, before it starts on %s; correct both in one edit", name, value, out.EventEnd, out.EventStart)
	case ofDays && hasStart && out.Year != 0 && start.Year() != out.Year && end.Year() != out.Year:
		return e, badErrorf("%s=%s: the year %d differs from the year of the days, %s to %s; correct both in one edit", name, value, out.Year, out.EventStart, out.EventEnd)
	}
	return validate.Event(out), nil
}

func fieldNamed(name string) (field, error) {
	if strings.HasPrefix(name, deadlinePrefix) {
		return deadlineField(name)
	}
	for _, f := range fields {
		if f.name == name {
			return f, nil
		}
	}
	return field{}, badErrorf("there is no field %.60q; the fields are %s", name, strings.Join(Fields(), ", "))
}

func textField(name string, at func(*eventseer.Event) *string) field {
	return field{
		name: name, get: func(e eventseer.Event) string { return *at(&e) },
		set:   func(e *eventseer.Event, value string) error { *at(e) = value; return nil },
		clear: func(e *eventseer.Event) { *at(e) = "" },
	}
}

func linkField(name string, at func(*eventseer.Event) *string) field {
	f := textField(name, at)
	f.set = func(e *eventseer.Event, value string) error {
		u, err := url.Parse(value)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			return badErrorf("%s=%s is not an address such as https://example.org/", name, value)
		}
		*at(e) = value
		return nil
	}
	return f
}

func wordField[T ~string](name string, mayBe []string, at func(*eventseer.Event) *T) field {
	return field{
		name: name, mayBe: mayBe, get: func(e eventseer.Event) string { return string(*at(&e)) },
		set: func(e *eventseer.Event, value string) error {
			if !slices.Contains(mayBe, value) {
				return badErrorf("%s=%s: it must be one of %s", name, value, strings.Join(mayBe, ", "))
			}
			*at(e) = T(value)
			return nil
		},
		clear: func(e *eventseer.Event) { *at(e) = "" },
	}
}

func dayField(name string, at func(*eventseer.Event) *eventseer.Date) field {
	return field{
		name: name, get: func(e eventseer.Event) string { return string(*at(&e)) },
		set: func(e *eventseer.Event, value string) (err error) {
			*at(e), err = parseDay(name, value)
			return err
		},
		clear: func(e *eventseer.Event) { *at(e) = "" },
	}
}

func parseDay(name, value string) (eventseer.Date, error) {
	t, ok := eventseer.Date(value).Time()
	if !ok {
		return "", badErrorf("%s=%s is not a day of the calendar; write it as 2027-01-31", name, value)
	}
	if t.Year() < minYear || t.Year() > maxYear {
		return "", badErrorf("%s=%s: the year must be %d to %d", name, value, minYear, maxYear)
	}
	return eventseer.Date(value), nil
}

func printYear(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

func setYear(e *eventseer.Event, value string) error {
	n, err := strconv.Atoi(value)
	if err != nil || n < minYear || n > maxYear {
		return badErrorf("year=%s: it must be %d to %d", value, minYear, maxYear)
	}
	e.Year = n
	return nil
}

func setTopics(e *eventseer.Event, value string) error {
	var topics []string
	for _, t := range strings.Split(value, ";") {
		if t = strings.TrimSpace(t); t != "" && !slices.Contains(topics, t) {
			topics = append(topics, t)
		}
	}
	if len(topics) > eventseer.MaxTopics {
		return badErrorf("topics: %d are given, but an event can have at most %d", len(topics), eventseer.MaxTopics)
	}
	e.Topics = topics
	return nil
}

// setLocation parses a place printed by Venue.String: "City, Region, Country (online)".
func setLocation(e *eventseer.Event, value string) error {
	v := eventseer.Venue{Text: value}
	rest := value
	if cut, ok := strings.CutSuffix(rest, "(online)"); ok {
		rest, v.Online = strings.TrimSpace(cut), true
	} else if cut, ok := strings.CutSuffix(rest, "(hybrid)"); ok {
		rest, v.Hybrid = strings.TrimSpace(cut), true
	}
	if strings.EqualFold(rest, "online") {
		rest, v.Online = "", true
	}
	v.Online = v.Online || v.Hybrid
	if rest != "" {
		parts := strings.Split(rest, ",")
		for i := range parts {
			parts[i] = strings.TrimSpace(parts[i])
		}
		v.Country = parts[len(parts)-1]
		if v.CountryCode = query.CountryCode(&eventseer.Venue{Country: v.Country}); v.CountryCode == "" {
			return badErrorf("location=%s: %q is not a country; write City, Country or City, Region, Country, or online", value, v.Country)
		}
		if len(parts) > 3 {
			return badErrorf("location=%s has %d parts; write City, Region, Country", value, len(parts))
		}
		if len(parts) > 1 {
			v.City = parts[0]
		}
		if len(parts) > 2 {
			v.Region = parts[1]
		}
	}
	e.Location = &v
	return nil
}

const deadlinePrefix = "deadlines."

var deadlineName = regexp.MustCompile(`^deadlines\.([a-z_]+)(?:\[([^\[\]]{1,100})\])?(?:@([1-9]\d?))?$`)

// deadlineField returns the field of a deadline: "deadlines.KIND", "deadlines.KIND[TRACK]"
// and either with "@ROUND". Without a round it is the first of its kind and track.
func deadlineField(name string) (field, error) {
	m := deadlineName.FindStringSubmatch(name)
	if m == nil || !slices.Contains(deadlineKinds, m[1]) {
		return field{}, badErrorf("there is no deadline %.60q; write deadlines.KIND or deadlines.KIND[TRACK] with a KIND of %s", name, strings.Join(deadlineKinds, ", "))
	}
	round, _ := strconv.Atoi(m[3]) // digits or none
	want := eventseer.Deadline{Kind: eventseer.DeadlineKind(m[1]), Track: m[2], Round: round}
	at := func(e eventseer.Event) int {
		return slices.IndexFunc(e.Deadlines, func(d eventseer.Deadline) bool {
			return d.Kind == want.Kind && text.FoldForComparison(d.Track) == text.FoldForComparison(want.Track) && (round == 0 || d.Round == round)
		})
	}
	f := field{name: name}
	f.get = func(e eventseer.Event) string {
		if i := at(e); i >= 0 {
			return e.Deadlines[i].String()
		}
		return ""
	}
	f.clear = func(e *eventseer.Event) {
		if i := at(*e); i >= 0 {
			e.Deadlines = slices.Delete(slices.Clone(e.Deadlines), i, i+1)
		}
	}
	f.set = func(e *eventseer.Event, value string) error {
		d, err := parseDeadline(name, value)
		if err != nil {
			return err
		}
		d.Kind, d.Track, d.Round = want.Kind, want.Track, want.Round
		e.Deadlines = slices.Clone(e.Deadlines)
		if i := at(*e); i >= 0 {
			d.Track, d.Round = e.Deadlines[i].Track, e.Deadlines[i].Round
			e.Deadlines[i] = d
			return nil
		}
		if len(e.Deadlines) >= eventseer.MaxDeadlines {
			return badErrorf("%s: the event has %d deadlines already", name, len(e.Deadlines))
		}
		e.Deadlines = append(e.Deadlines, d)
		return nil
	}
	return f, nil
}

// parseDeadline parses a day optionally followed by a zone: "2027-01-15 AoE".
func parseDeadline(name, value string) (d eventseer.Deadline, err error) {
	date, zone, _ := strings.Cut(value, " ")
	if d.Date, err = parseDay(name, date); err != nil {
		return d, err
	}
	d.Source = eventseer.Provenance{Rule: eventseer.EditorRule, Confidence: 1}
	if zone = strings.TrimSpace(zone); zone == "" {
		return d, nil
	}
	place := eventseer.Zone(zone)
	if place == nil {
		return d, badErrorf("%s=%s: %q is not a time zone; write AoE, an IANA name such as Europe/Oslo, or an offset such as +02:00", name, value, zone)
	}
	at, _ := d.Date.Time() // it was read above
	d.TZ, d.TZSource = zone, eventseer.TZPrinted
	d.Instant = time.Date(at.Year(), at.Month(), at.Day(), 23, 59, 59, 0, place).UTC()
	return d, nil
}
