package search

import (
	"strconv"
	"time"

	"eventseer/eventseer"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/custom"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/keyword"
	"github.com/blevesearch/bleve/v2/analysis/char/asciifolding"
	"github.com/blevesearch/bleve/v2/analysis/lang/en"
	"github.com/blevesearch/bleve/v2/analysis/token/lowercase"
	"github.com/blevesearch/bleve/v2/analysis/token/porter"
	"github.com/blevesearch/bleve/v2/analysis/tokenizer/unicode"
	"github.com/blevesearch/bleve/v2/mapping"
)

// schemaVersion is kept in the index; an index of another version is rebuilt.
//
//	1  title, acronym, topic, city, place, country, kind, year, deadline
const schemaVersion = "1"

// The analyzers: english is bleve's "en" with accents folded, names keeps every
// word as it is but for case and accents.
const (
	english = "english"
	names   = "names"
)

// document is what the index knows of an event. Nothing is stored in the index
// but the id; events live in the store.
type document struct {
	Title    string      `json:"title"`
	Acronym  string      `json:"acronym"`
	Topic    []string    `json:"topic"`
	City     string      `json:"city"`
	Country  []string    `json:"country"` // name and code
	Place    []string    `json:"place"`
	Kind     string      `json:"kind"`
	Year     int         `json:"year"`
	Deadline []time.Time `json:"deadline"`
}

func newMapping() (mapping.IndexMapping, error) {
	m := bleve.NewIndexMapping()
	for name, filters := range map[string][]string{
		english: {en.PossessiveName, lowercase.Name, en.StopName, porter.Name},
		names:   {lowercase.Name},
	} {
		err := m.AddCustomAnalyzer(name, map[string]any{
			"type": custom.Name, "char_filters": []string{asciifolding.Name},
			"tokenizer": unicode.Name, "token_filters": filters,
		})
		if err != nil {
			return nil, err
		}
	}
	doc := bleve.NewDocumentStaticMapping()
	for field, analyzer := range map[string]string{
		"title": english, "topic": english, "acronym": names,
		"city": names, "place": names, "country": names, "kind": keyword.Name,
	} {
		f := bleve.NewTextFieldMapping()
		f.Analyzer, f.Store, f.IncludeInAll, f.DocValues = analyzer, false, false, false
		doc.AddFieldMappingsAt(field, f)
	}
	year := bleve.NewNumericFieldMapping()
	year.Store, year.IncludeInAll = false, false
	doc.AddFieldMappingsAt("year", year)
	deadline := bleve.NewDateTimeFieldMapping()
	deadline.Store, deadline.IncludeInAll = false, false
	doc.AddFieldMappingsAt("deadline", deadline)
	m.DefaultMapping = doc
	m.DefaultAnalyzer = english
	return m, nil
}

func newDocument(e eventseer.Event) document {
	d := document{
		Title: e.Title, Acronym: e.Acronym, Topic: e.Topics, Kind: string(e.Kind), Year: e.Year,
		Deadline: deadlines(e),
	}
	if v := e.Location; v != nil {
		d.City = v.City
		d.Country = []string{v.Country, v.CountryCode}
		d.Place = []string{v.City, v.Region, v.Country, v.Text}
		if v.Online {
			d.Place = append(d.Place, "online")
		}
	}
	return d
}

// deadlines are the moments NextDeadline counts, in order of time.
func deadlines(e eventseer.Event) (moments []time.Time) {
	for after := earliest; len(moments) < len(e.Deadlines); {
		d, ok := eventseer.NextDeadline(e, after)
		moment := d.Moment()
		if !ok || moment.After(latest) {
			break
		}
		moments = append(moments, moment)
		after = moment.Add(time.Nanosecond)
	}
	return moments
}

// The times bleve can index are those of 64 bits of nanoseconds.
var (
	earliest = time.Date(1700, 1, 1, 0, 0, 0, 0, time.UTC)
	latest   = time.Date(2250, 1, 1, 0, 0, 0, 0, time.UTC)
)

// indexable brings t within earliest and latest.
func indexable(t time.Time) time.Time {
	switch {
	case t.Before(earliest):
		return earliest
	case t.After(latest):
		return latest
	}
	return t
}

// isYear tells whether a word of a query may mean a year.
func isYear(word string) (float64, bool) {
	n, err := strconv.Atoi(word)
	return float64(n), err == nil && len(word) == 4 && n >= 1000
}
