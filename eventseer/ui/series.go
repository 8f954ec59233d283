package ui

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"eventseer/eventseer"
)

// Limits of the page of a series.
const (
	maxEditions = 60
	maxRates    = 30 // years of the chart
)

// A seriesPage is an event over its editions.
type seriesPage struct {
	frame
	Name     string
	Short    string
	Home     link
	Ids      []link     // at other sites
	Chips    []rankChip // the newest of each system
	Ranks    []rankChip
	Editions []editionRow
	More     int
	Estimate *estimateShown
	Spread   string // over which days of the year the deadlines lie, "" of too few
	Rates    *ratesShown
}

// An editionRow is one edition.
type editionRow struct {
	callRow
	Year      string
	Days      string
	Place     string
	Submit    *when // the last deadline of papers
	Published string
}

func seriesHref(id string) string { return "/s/" + url.PathEscape(id) }

func (s *server) series(r *http.Request) (view, error) {
	if s.Series == nil {
		return view{}, errNoPage
	}
	id := r.PathValue("series")
	series, err := s.Series.Series(r.Context(), id)
	if err != nil {
		return view{}, err
	}
	editions, err := s.Series.Editions(r.Context(), id)
	if err != nil && (len(editions) == 0 || r.Context().Err() != nil) {
		return view{}, err
	}
	if err != nil {
		s.Log.Warn("an edition of a series cannot be read", "series", id, "cause", err)
	}
	if len(editions) == 0 && series.Name == "" && series.Acronym == "" {
		return view{}, fmt.Errorf("%w: series without editions", errors.Join(eventseer.ErrNotFound, errNoPage))
	}
	return view{name: "series", data: s.newSeriesPage(r, series, editions)}, nil
}

func (s *server) newSeriesPage(r *http.Request, series eventseer.Series, editions []eventseer.Event) seriesPage {
	now, zone := s.Now(), readerZone(r)
	name, short := seriesName(series, editions)
	p := seriesPage{
		frame: s.frameOf(r, clip(strings.Join(nonEmpty(short, name), " – "), 100), ""),
		Name:  name, Short: short, Home: sourceLink(series.Homepage), Ids: seriesIDs(series), Chips: rankChips(series.Ranks, false), Ranks: rankChips(series.Ranks, true),
		Rates: newRatesShown(series.Rates), More: max(0, len(editions)-maxEditions),
	}
	p.Meta.Canonical = s.canonical(r, seriesHref(series.ID))
	p.Meta.About = "All editions of " + p.Title + ": deadlines, places, ranks and acceptance rates."
	for _, e := range head(editions, maxEditions) {
		row := editionRow{callRow: newCallRow(e, now, zone), Year: yearText(e.Year), Days: days(e.EventStart, e.EventEnd), Place: place(e.Location)}
		row.Badges = recordBadges(e, now)
		if d, ok := lastSubmission(e); ok {
			w := newWhenIn(d, now, zone)
			row.Submit = &w
		}
		p.Editions = append(p.Editions, row)
	}
	p.Estimate, p.Spread = estimateOf(editions, now), spreadOf(editions)
	return p
}

// seriesName is how a series is called: as the operator says, else as its newest edition.
func seriesName(series eventseer.Series, editions []eventseer.Event) (name, short string) {
	name, short = series.Name, series.Acronym
	for _, e := range editions {
		if name == "" {
			name = e.Title
		}
		if short == "" {
			short = e.Acronym
		}
	}
	name, short = clip(name, 300), clip(short, 40)
	if name == "" && short == "" {
		name = clip(series.ID, 100)
	}
	if strings.EqualFold(name, short) {
		name = ""
	}
	return name, short
}

// Keys of series at other sites.
var (
	dblpKey    = regexp.MustCompile(`^[a-z]{2,20}(/[A-Za-z0-9-]{1,40}){1,3}$`)
	wikidataID = regexp.MustCompile(`^Q[0-9]{1,12}$`)
)

// seriesIDs are the pages of other sites that are about a series.
func seriesIDs(series eventseer.Series) []link {
	var ids []link
	if dblpKey.MatchString(series.DBLP) {
		ids = append(ids, link{"DBLP", "https://dblp.org/db/" + series.DBLP + "/"})
	}
	if wikidataID.MatchString(series.Wikidata) {
		ids = append(ids, link{"Wikidata", "https://www.wikidata.org/wiki/" + series.Wikidata})
	}
	return ids
}

// lastSubmission is the deadline that papers of an edition were last due at, of the main
// track where that is told apart.
func lastSubmission(e eventseer.Event) (last eventseer.Deadline, ok bool) {
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
