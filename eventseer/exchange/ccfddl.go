package exchange

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/series"

	"go.yaml.in/yaml/v3"
)

// CCFDDLNotice is the notice that the licence of the conference list of ccfddl (MIT) requires with
// its data.
const CCFDDLNotice = "Conference data in the layout of ccf-deadlines, https://github.com/ccfddl/ccf-deadlines: Copyright (c) ccfddl, MIT licence"

// Bounds on a file in the layout of ccfddl.
const (
	MaxCCFDDL      = 4 << 20 // bytes
	maxConferences = 5000
	maxEditions    = 500 // of a conference
	maxTimeline    = 50  // of an edition
)

// A Conference is a series in the layout of ccfddl.
type Conference struct {
	Title       string            `yaml:"title"`
	Description string            `yaml:"description"`
	Sub         string            `yaml:"sub,omitempty"` // field of research, "AI"
	Rank        map[string]string `yaml:"rank,omitempty"`
	DBLP        string            `yaml:"dblp,omitempty"`
	Confs       []Edition         `yaml:"confs"`
}

// An Edition is one of a Conference.
type Edition struct {
	Year     int     `yaml:"year"`
	ID       string  `yaml:"id"`
	Link     string  `yaml:"link"`
	Timeline []Round `yaml:"timeline"`
	Timezone string  `yaml:"timezone"` // time zone of the timeline: "AoE", "UTC-8"
	Date     string  `yaml:"date"`     // "June 1-4, 2027"
	Place    string  `yaml:"place"`
}

// A Round is one deadline of an edition: local times, "2027-01-15 23:59:59".
type Round struct {
	Abstract string `yaml:"abstract_deadline,omitempty"`
	Deadline string `yaml:"deadline"`
	Comment  string `yaml:"comment,omitempty"`
}

// ReadCCFDDL reads a file of conferences. It is a list of series with their editions, or, in an
// older layout still in use, of editions alone. Conferences and editions that cannot be read are
// left out, each with an error.
func ReadCCFDDL(text []byte) ([]Conference, []error) {
	if len(text) > MaxCCFDDL {
		return nil, []error{fmt.Errorf("the file is longer than %d bytes", MaxCCFDDL)}
	}
	var rows []yaml.Node
	if err := yaml.Unmarshal(text, &rows); err != nil {
		return nil, []error{fmt.Errorf("the file is not a list of conferences in YAML: %s", singleLine(err.Error(), maxText))}
	}
	r := ccfReader{
		at: map[string]int{}, conferences: newFieldCensus(conferenceLevel), editions: newFieldCensus(editionLevel),
		deadlines: newFieldCensus(deadlineLevel), entries: newFieldCensus(flatLevel),
	}
	for i, row := range rows[:min(len(rows), maxConferences)] {
		f, err := fieldsOf(row)
		if err == nil {
			err = r.readConference(f, row.Line)
		}
		if err != nil {
			r.errs = append(r.errs, fmt.Errorf("line %d: entry %d: %s", row.Line, i+1, singleLine(err.Error(), maxText)))
		}
	}
	var changed []error // first, because renamed members explain the other errors
	for _, census := range []*fieldCensus{r.conferences, r.entries, r.editions, r.deadlines} {
		changed = append(changed, census.renameErrors()...)
	}
	r.errs = append(changed, r.errs...)
	if n := len(rows) - maxConferences; n > 0 {
		r.errs = append(r.errs, fmt.Errorf("%d entries beyond the first %d are left out", n, maxConferences))
	}
	return r.all, r.errs
}

// A ccfReader collects conferences.
type ccfReader struct {
	all  []Conference
	at   map[string]int // index of a title in all
	errs []error
	// The members of the mappings, by level; entries are those of the flat layout.
	conferences, editions, deadlines, entries *fieldCensus
}

// readConference reads an entry that begins at line n.
func (r *ccfReader) readConference(row fields, n int) error {
	c := Conference{
		Title: row.textOf("title", "name"), Description: row.textOf("description", "full_name"), Sub: row.textOf("sub"), DBLP: row.textOf("dblp"),
		Rank: row.readRanks(),
	}
	at := strings.TrimSpace(fmt.Sprintf("line %d: %s", n, singleLine(c.Title, 40)))
	editions := row.listOf("confs")
	isFlat := !row.hasMember("confs") && !r.conferences.mayBeRenamed(row, "confs")
	if isFlat {
		editions = []fields{row} // the flat layout: one edition per entry
		r.entries.countMembers(row, at)
	} else {
		r.conferences.countMembers(row, at)
	}
	if c.Title == "" && c.Description == "" {
		return errors.New("it has no title")
	}
	for _, e := range editions[:min(len(editions), maxEditions)] {
		edition, err := readEdition(e)
		at := at
		if !isFlat {
			at = fmt.Sprintf("%s: edition %s", at, singleLine(edition.ID, 40))
			r.editions.countMembers(e, at)
		}
		for _, t := range e.listOf("timeline") {
			r.deadlines.countMembers(t, at)
		}
		if err != nil {
			r.errs = append(r.errs, fmt.Errorf("line %d: %s: %w", n, singleLine(c.Title, 40), err))
			continue
		}
		c.Confs = append(c.Confs, edition)
	}
	if n, known := r.at[c.Title]; known && c.Title != "" {
		old := &r.all[n]
		old.Confs = append(old.Confs, c.Confs...)
		if len(old.Rank) == 0 {
			old.Rank = c.Rank
		}
		return nil
	}
	r.at[c.Title] = len(r.all)
	r.all = append(r.all, c)
	return nil
}

func readEdition(row fields) (Edition, error) {
	e := Edition{ID: row.textOf("id"), Link: row.textOf("link"), Timezone: row.textOf("timezone"), Date: row.textOf("date"), Place: row.textOf("place")}
	year, err := strconv.Atoi(row.textOf("year"))
	if err != nil || year < 1950 || year > 2200 {
		return e, fmt.Errorf("edition %s: %q is not a year", singleLine(e.ID, 40), singleLine(row.textOf("year"), 20))
	}
	e.Year = year
	rounds := row.listOf("timeline")
	if len(rounds) == 0 {
		rounds = []fields{row}
	}
	for _, t := range rounds[:min(len(rounds), maxTimeline)] {
		round := Round{Abstract: t.textOf("abstract_deadline", "abstract deadline"), Deadline: t.textOf("deadline"), Comment: t.textOf("comment")}
		if round != (Round{}) {
			e.Timeline = append(e.Timeline, round)
		}
	}
	return e, nil
}

// fields are the members of a mapping in YAML.
type fields map[string]any

func fieldsOf(n yaml.Node) (fields, error) {
	var m map[string]any // untyped, so that nested mappings have the same type
	err := n.Decode(&m)
	return m, err
}

// textOf returns the first among some members that is a text, a number or a time.
func (f fields) textOf(names ...string) string {
	for _, n := range names {
		switch v := f[n].(type) {
		case nil:
		case time.Time:
			if v.Equal(v.Truncate(24 * time.Hour)) {
				return v.Format(time.DateOnly)
			}
			return v.Format(time.DateTime)
		case string:
			if v = singleLine(v, maxText); v != "" {
				return v
			}
		case int, int64, uint64, float64:
			return fmt.Sprint(v)
		case []any: // several fields of research
			if len(v) > 0 {
				return singleLine(fmt.Sprint(v[0]), maxShort)
			}
		}
	}
	return ""
}

func (f fields) listOf(name string) (rows []fields) {
	items, _ := f[name].([]any)
	for _, item := range items {
		if m, ok := item.(map[string]any); ok {
			rows = append(rows, m)
		}
	}
	return rows
}

// readRanks reads the ranks by system; a single one is CCF's, as in the first layout.
func (f fields) readRanks() map[string]string {
	out := map[string]string{}
	switch v := f["rank"].(type) {
	case string:
		out["ccf"] = singleLine(v, 10)
	case map[string]any:
		for _, system := range slices.Sorted(maps.Keys(v)) {
			name := strings.ReplaceAll(slugOf(system), "-", "")
			if value := fields(v).textOf(system); name != "" && value != "" && len(out) < 20 {
				out[name] = singleLine(value, 10)
			}
		}
	}
	for system, value := range out {
		if value == "" || value == "N" { // not ranked
			delete(out, system)
		}
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// WriteCCFDDL writes conferences in the layout of ccfddl.
func WriteCCFDDL(all []Conference) ([]byte, error) {
	if len(all) == 0 {
		return []byte("[]\n"), nil
	}
	return yaml.Marshal(all)
}

// Series returns the file's data on the series, besides its editions. source names the file.
func (c Conference) Series(source string) eventseer.Series {
	s := eventseer.Series{Name: c.Description, Acronym: c.Title}
	if c.Title == c.Description {
		s.Acronym = ""
	}
	s.ID = series.Of(eventseer.Event{Acronym: s.Acronym, Title: c.Description})
	if c.DBLP != "" {
		s.DBLP = "conf/" + strings.TrimPrefix(c.DBLP, "conf/")
	}
	for _, system := range slices.Sorted(maps.Keys(c.Rank)) {
		s.Ranks = append(s.Ranks, eventseer.Rank{System: system, Value: c.Rank[system], Source: source})
	}
	return s
}

// ReadRates reads a file of acceptance rates in the layout of ccfddl; nothing from a file in
// another layout. source names the file for rates without a source.
func ReadRates(text []byte, source string) (all []eventseer.Series, errs []error) {
	var rows []yaml.Node
	if len(text) > MaxCCFDDL || yaml.Unmarshal(text, &rows) != nil {
		return nil, nil
	}
	for _, row := range rows[:min(len(rows), maxConferences)] {
		f, err := fieldsOf(row)
		if err != nil {
			continue // not of this layout
		}
		rates := f.listOf("accept_rates")
		s := eventseer.Series{Acronym: f.textOf("title")}
		if len(rates) == 0 || s.Acronym == "" {
			continue
		}
		if s.ID, err = seriesOfAcronym(s.Acronym); err != nil {
			errs = append(errs, err)
			continue
		}
		for _, r := range rates[:min(len(rates), maxEditions)] {
			rate, err := readRate(r, source)
			if err != nil {
				errs = append(errs, fmt.Errorf("%s: %w", singleLine(s.Acronym, 40), err))
				continue
			}
			s.Rates = append(s.Rates, rate)
		}
		all = append(all, s)
	}
	return all, errs
}

// seriesOfAcronym returns the series of an acronym, the only name that the list has.
func seriesOfAcronym(acronym string) (string, error) {
	switch ids := series.Shipped().Named(acronym); len(ids) {
	case 0:
		return series.Of(eventseer.Event{Acronym: acronym}), nil
	case 1:
		return ids[0], nil
	default:
		return "", fmt.Errorf("%s: several series have this acronym: %s", singleLine(acronym, 40), strings.Join(ids, ", "))
	}
}

func readRate(row fields, source string) (r eventseer.Rate, err error) {
	year, err := strconv.Atoi(row.textOf("year"))
	if err != nil || year < 1950 || year > 2200 {
		return r, fmt.Errorf("%q is no year", singleLine(row.textOf("year"), 20))
	}
	r = eventseer.Rate{Year: year, Source: cmp.Or(row.textOf("source"), source)}
	r.Submitted, _ = strconv.Atoi(row.textOf("submitted")) // absent of many
	r.Accepted, _ = strconv.Atoi(row.textOf("accepted"))
	r.Rate, _ = strconv.ParseFloat(row.textOf("rate"), 64)
	if r.Rate > 1 && r.Rate <= 100 { // in per cent
		r.Rate /= 100
	}
	if r.Rate == 0 && r.Submitted > 0 {
		r.Rate = float64(r.Accepted) / float64(r.Submitted)
	}
	if !(r.Rate > 0 && r.Rate <= 1) || r.Submitted < 0 || r.Accepted < 0 || r.Submitted > 0 && r.Accepted > r.Submitted {
		return r, fmt.Errorf("the rate of %d is impossible: %d of %d, %g", year, r.Accepted, r.Submitted, r.Rate)
	}
	return r, nil
}
