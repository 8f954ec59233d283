package exchange

import (
	"bufio"
	"cmp"
	"fmt"
	"iter"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/series"
)

// A ccfSheet groups editions by series, as the layout requires, so it holds everything in memory.
// Kinds of dates that the layout does not support, topics and private data are left out.
type ccfSheet struct {
	w      *bufio.Writer
	series map[string][]eventseer.Event
}

func openCCFDDL(w *bufio.Writer, _ eventseer.Publication, _ url.Values) (sheet, error) {
	return &ccfSheet{w, map[string][]eventseer.Event{}}, nil
}

func (s *ccfSheet) writeEntry(en eventseer.Entry) error {
	if !en.Gone {
		s.addEdition(en.Event)
	}
	return nil
}

// addEdition adds an edition if it has a year and a name, which the layout requires.
func (s *ccfSheet) addEdition(e eventseer.Event) {
	if id := series.Of(e); id != "" && e.Year > 0 && e.Year <= 9999 {
		s.series[id] = append(s.series[id], e)
	}
}

func (s *ccfSheet) groupedConferences() (all []Conference) {
	for _, id := range slices.Sorted(maps.Keys(s.series)) {
		all = append(all, conferenceOf(s.series[id]))
	}
	return all
}

func (s *ccfSheet) close() error {
	b, err := WriteCCFDDL(s.groupedConferences())
	if err != nil {
		return err
	}
	_, err = s.w.Write(b)
	return err
}

// Conferences groups events by series, in the order of the series' ids; events without a name or
// year are left out.
func Conferences(events iter.Seq[eventseer.Event]) []Conference {
	s := ccfSheet{series: map[string][]eventseer.Event{}}
	for e := range events {
		s.addEdition(e)
	}
	return s.groupedConferences()
}

// WithSeries adds the data on the series: its DBLP key, and the newest rank of each system.
func (c Conference) WithSeries(s eventseer.Series) Conference {
	c.DBLP = strings.TrimPrefix(singleLine(s.DBLP, maxShort), "conf/")
	years := map[string]int{}
	for _, r := range s.Ranks {
		if system := singleLine(r.System, 20); c.Rank[system] == "" || r.Year > years[system] {
			if c.Rank == nil {
				c.Rank = map[string]string{}
			}
			c.Rank[system], years[system] = singleLine(r.Value, 10), r.Year
		}
	}
	return c
}

// conferenceOf writes the editions of a series in the layout of ccfddl.
func conferenceOf(editions []eventseer.Event) Conference {
	slices.SortStableFunc(editions, func(a, b eventseer.Event) int {
		return a.Year*1e6 - b.Year*1e6 + strings.Compare(string(a.ID), string(b.ID))
	})
	newest := editions[len(editions)-1]
	title := singleLine(newest.Title, maxName)
	c := Conference{Title: cmp.Or(bareName(newest), title), Description: title}
	for _, e := range editions {
		c.Confs = append(c.Confs, editionOf(e))
	}
	return c
}

// bareName returns the acronym without the year at its end: "ICX" of "ICX'27".
func bareName(e eventseer.Event) string {
	s := singleLine(e.Acronym, 40)
	year := fmt.Sprintf("%04d", e.Year)
	for _, end := range []string{year, "'" + year[2:], "’" + year[2:]} {
		s = strings.TrimRight(strings.TrimSuffix(s, end), " -_")
	}
	return s
}

func editionOf(e eventseer.Event) Edition {
	out := Edition{Year: e.Year, ID: editionSlug(e), Link: webURL(e.Page()), Date: writeDays(e.EventStart, e.EventEnd), Place: placeOf(e.Location)}
	zone := zoneOfEdition(e)
	out.Timezone = writeZone(zone, e)
	var rounds []*Round
	begin := func(d eventseer.Deadline) *Round {
		rounds = append(rounds, &Round{Deadline: "TBD", Comment: deadlineComment(d)})
		return rounds[len(rounds)-1]
	}
	byNumber := map[string]*Round{}
	for _, d := range e.Deadlines {
		if !inTimeline(d) || d.Moment().IsZero() || !hasFourDigitYear(d.Moment()) {
			continue
		}
		key := fmt.Sprintf("%s\x00%d", d.Track, d.Round)
		if byNumber[key] == nil {
			byNumber[key] = begin(d)
		}
		r, text := byNumber[key], d.Moment().In(zone).Format(time.DateTime)
		switch {
		case d.Kind == eventseer.Abstract && r.Abstract == "":
			r.Abstract = text
		case d.Kind == eventseer.Submission:
			if r.Deadline != "TBD" { // a second abstract deadline starts its own round
				r = begin(d)
			}
			r.Deadline = text
		}
	}
	for _, r := range rounds[:min(len(rounds), maxTimeline)] {
		out.Timeline = append(out.Timeline, *r)
	}
	slices.SortStableFunc(out.Timeline, func(a, b Round) int { return strings.Compare(a.Deadline, b.Deadline) })
	out.Timeline = joinAbstracts(out.Timeline)
	if len(out.Timeline) == 0 {
		out.Timeline = []Round{{Deadline: "TBD"}}
	}
	return out
}

// joinAbstracts puts an abstract deadline without a round before the first paper deadline without
// one.
func joinAbstracts(rounds []Round) (out []Round) {
	var lone []Round
	for _, r := range rounds {
		if r.Deadline == "TBD" && r.Abstract != "" {
			lone = append(lone, r)
		} else {
			out = append(out, r)
		}
	}
	for _, l := range lone {
		i := slices.IndexFunc(out, func(r Round) bool { return r.Abstract == "" && r.Deadline >= l.Abstract && r.Deadline != "TBD" })
		if i < 0 {
			out = append(out, l)
		} else {
			out[i].Abstract = l.Abstract
		}
	}
	return out
}

// placeOf returns a place as printed if that parses to the same place, otherwise its parts.
func placeOf(v *eventseer.Venue) string {
	if v == nil {
		return "TBD"
	}
	text := singleLine(v.Text, maxShort)
	if again := readPlace(text); again != nil && again.City == v.City && again.CountryCode == v.CountryCode {
		return text
	}
	if p := placeLine(v); p != "" {
		return p
	}
	return "TBD"
}

// deadlineComment returns the track, and for an imported deadline its comment in the file.
func deadlineComment(d eventseer.Deadline) string {
	if d.Track == "" && d.Source.Rule == eventseer.ImportRule {
		return singleLine(d.Text, maxShort)
	}
	return singleLine(d.Track, maxShort)
}

// inTimeline reports whether the layout has room for a kind of deadline.
func inTimeline(d eventseer.Deadline) bool {
	return d.Kind == eventseer.Submission || d.Kind == eventseer.Abstract
}

// zoneOfEdition returns the zone of the first such deadline that has one, because the layout has
// one zone for all. Otherwise it is anywhere on Earth, like in Deadline.Moment.
func zoneOfEdition(e eventseer.Event) *time.Location {
	for _, d := range e.Deadlines {
		if zone := eventseer.Zone(d.TZ); inTimeline(d) && !d.Instant.IsZero() && zone != nil {
			return zone
		}
	}
	return eventseer.AoE
}

// writeZone returns the name of the zone of an edition in the layout: "AoE", "UTC-8". A zone with
// summer time is written by name.
func writeZone(zone *time.Location, e eventseer.Event) string {
	for _, d := range e.Deadlines {
		if again, printed := readZone(d.TZPrinted); d.Source.Rule == eventseer.ImportRule && again != "" && eventseer.Zone(again).String() == zone.String() {
			return printed
		}
	}
	name := zone.String()
	switch {
	case name == "AoE":
		return name
	case name == "UTC":
		return "UTC+0"
	case !strings.HasPrefix(name, "UTC") && !strings.HasPrefix(name, "GMT") && !strings.ContainsAny(name[:1], "+-−"):
		return singleLine(name, 40)
	}
	_, seconds := time.Unix(0, 0).In(zone).Zone()
	sign, minutes := '+', seconds/60
	if minutes < 0 {
		sign, minutes = '-', -minutes
	}
	if minutes%60 != 0 {
		return fmt.Sprintf("UTC%c%d:%02d", sign, minutes/60, minutes%60)
	}
	return fmt.Sprintf("UTC%c%d", sign, minutes/60)
}
