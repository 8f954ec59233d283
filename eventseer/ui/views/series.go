package views

import (
	"cmp"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/eventseer/eventseer/eventseer"
)

const MaxEditions = 60

const maxRates = 30 // years of the chart

// An EditionRow is one edition.
type EditionRow struct {
	CallRow
	Year      string
	Days      string
	Place     string
	Submit    *DeadlineShown // the last deadline of papers
	Published string
}

func SeriesHref(id string) string { return "/s/" + url.PathEscape(id) }

// SeriesName returns the name of a series: the operator's, otherwise that of its newest edition.
func SeriesName(series eventseer.Series, editions []eventseer.Event) (name, short string) {
	name, short = series.Name, series.Acronym
	for _, e := range editions {
		name, short = cmp.Or(name, e.Title), cmp.Or(short, e.Acronym)
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

// A SeriesFact is a property of a series with its value.
type SeriesFact struct{ What, Value string }

// maxFact is the maximum number of runes of a fact that are shown.
const maxFact = 300

// SeriesFacts returns the other names of a series, its fields, its usual months, and the lists that these
// come from.
func SeriesFacts(series eventseer.Series) (facts []SeriesFact) {
	var months []string
	for _, m := range series.Months {
		if m >= 1 && m <= 12 {
			months = append(months, time.Month(m).String())
		}
	}
	for _, f := range []SeriesFact{
		{"Also", strings.Join(slices.Concat(series.Acronyms, series.Names), "; ")}, {"Fields", strings.Join(series.Fields, ", ")},
		{"Usually in", strings.Join(months, ", ")}, {"According to", strings.Join(series.Sources, "; ")},
	} {
		if f.Value != "" {
			facts = append(facts, SeriesFact{f.What, Clip(f.Value, maxFact)})
		}
	}
	return facts
}

var dblpKey = regexp.MustCompile(`^[a-z]{2,20}(/[A-Za-z0-9-]{1,40}){1,3}$`)

var wikidataID = regexp.MustCompile(`^Q[0-9]{1,12}$`)

// SeriesIDs returns the pages of other sites that are about a series.
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

// LastSubmission returns the last deadline for papers of an edition, that of the main track if the page
// distinguishes tracks.
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

// A RankChip has the ranks of a series by one ranking system, newest round first.
type RankChip struct {
	System, Value string // "CORE", "A*"
	Year          string
	Source        Link
	Href          string // the search for it
}

// systemNames are the names of ranking systems whose names are not simply their keys in capitals.
var systemNames = map[string]string{"thcpl": "TH-CPL", "era": "ERA", "qualis": "Qualis"}

// RankChips returns the ranks of a series: the newest round of each ranking system, or all rounds.
func RankChips(ranks []eventseer.Rank, all bool) []RankChip {
	sorted := slices.Clone(FirstN(ranks, 100))
	slices.SortStableFunc(sorted, func(a, b eventseer.Rank) int { return cmp.Or(strings.Compare(a.System, b.System), b.Year-a.Year) })
	var chips []RankChip
	for i, r := range sorted {
		if !all && i > 0 && sorted[i-1].System == r.System || r.Value == "" {
			continue
		}
		term := fmt.Sprintf("rank:%s=%s", r.System, r.Value)
		chips = append(chips, RankChip{
			cmp.Or(systemNames[r.System], Clip(strings.ToUpper(r.System), 20)), Clip(r.Value, 20), YearText(r.Year), rankSource(r.Source),
			SearchHref(term, false),
		})
	}
	return chips
}

// rankSource returns a link to the source of a rank: a page, or only the name of a file.
func rankSource(source string) Link {
	if WebLink(source) != "" {
		return SourceLink(source)
	}
	return Link{Text: Clip(source[strings.LastIndexByte(source, '/')+1:], 80)}
}
