package views

import (
	"net/url"
	"regexp"
	"strings"

	"eventseer/eventseer"
)

const MaxEditions = 60

const maxRates = 30 // years of the chart

// An EditionRow is one edition.
type EditionRow struct {
	CallRow
	Year      string
	Days      string
	Place     string
	Submit    *When // the last deadline of papers
	Published string
}

func SeriesHref(id string) string { return "/s/" + url.PathEscape(id) }

// SeriesName is how a series is called: as the operator says, else as its newest edition.
func SeriesName(series eventseer.Series, editions []eventseer.Event) (name, short string) {
	name, short = series.Name, series.Acronym
	for _, e := range editions {
		if name == "" {
			name = e.Title
		}
		if short == "" {
			short = e.Acronym
		}
	}
	name, short = Clip(name, 300), Clip(short, 40)
	if name == "" && short == "" {
		name = Clip(series.ID, 100)
	}
	if strings.EqualFold(name, short) {
		name = ""
	}
	return name, short
}

var dblpKey = regexp.MustCompile(`^[a-z]{2,20}(/[A-Za-z0-9-]{1,40}){1,3}$`)

var wikidataID = regexp.MustCompile(`^Q[0-9]{1,12}$`)

// SeriesIDs are the pages of other sites that are about a series.
func SeriesIDs(series eventseer.Series) []Link {
	var ids []Link
	if dblpKey.MatchString(series.DBLP) {
		ids = append(ids, Link{Text: "DBLP", Href: "https://dblp.org/db/" + series.DBLP + "/"})
	}
	if wikidataID.MatchString(series.Wikidata) {
		ids = append(ids, Link{Text: "Wikidata", Href: "https://www.wikidata.org/wiki/" + series.Wikidata})
	}
	return ids
}

// LastSubmission is the deadline that papers of an edition were last due at, of the main
// track where that is told apart.
func LastSubmission(e eventseer.Event) (last eventseer.Deadline, ok bool) {
	for _, d := range e.Deadlines {
		if d.Kind != eventseer.Submission || d.Moment().IsZero() {
			continue
		}
		if !ok || last.Track != "" && d.Track == "" || (last.Track == "") == (d.Track == "") && d.Moment().After(last.Moment()) {
			last, ok = d, true
		}
	}
	return last, ok
}
