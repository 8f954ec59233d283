package ui

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"eventseer/eventseer"
	"eventseer/eventseer/query"
	"eventseer/eventseer/series"
)

// Limits of what is shown around an event.
const (
	maxAround    = 20 // workshops, other editions
	maxHeldWith  = 60 // events looked at for workshops
	maxClips     = 6
	maxClipText  = 300 // runes of a clip
	maxCommittee = 200
	maxMoves     = 8 // of a deadline
)

// around is what an event belongs to and what belongs to it.
type around struct {
	Series    link
	Ranks     []rankChip
	Rates     []rateRow // newest first, few
	Editions  []link
	Workshops []link
	Clips     []clipRow
	Expected  *estimateShown // of the next edition
}

// A clipRow is a passage of a page that mentions the event.
type clipRow struct {
	Title  string
	Text   string
	Source link
	Seen   stamp
}

// A personRow is somebody named on the call.
type personRow struct{ Name, Role, From string }

func personRows(e eventseer.Event) []personRow {
	var rows []personRow
	for _, p := range head(e.Committee, maxCommittee) {
		from := strings.Join(nonEmpty(p.Affiliation, p.Country), ", ")
		rows = append(rows, personRow{clip(p.Name, 80), clip(strings.ReplaceAll(p.Role, "_", " "), 60), clip(from, 120)})
	}
	return rows
}

// around reads what is known of an event's series, workshops and clips. What cannot be
// read is logged and left out.
func (s *server) around(r *http.Request, e eventseer.Event) (a around, err error) {
	ctx, now := r.Context(), s.Now()
	if id := series.Of(e); s.Series != nil && id != "" {
		series := s.readSeries(ctx, id)
		a.Series = link{clip(nonEmpty(series.Acronym, e.Acronym, series.Name, id)[0], 60), seriesHref(id)}
		a.Ranks = rankChips(series.Ranks, false)
		if rates := newRatesShown(series.Rates); rates != nil {
			a.Rates = head(rates.Rows, 5)
		}
		editions, err := s.Series.Editions(ctx, id)
		if err != nil && ctx.Err() == nil {
			s.Log.Warn("an edition of a series cannot be read", "series", id, "cause", err)
		}
		a.Expected = expected(editions, e, now)
		for _, other := range editions {
			if other.ID != e.ID && len(a.Editions) < maxAround {
				a.Editions = append(a.Editions, eventLink(other))
			}
		}
	}
	a.Workshops = s.heldWith(ctx, e)
	clips, err := s.Store.Clips(ctx, e.ID)
	if err != nil && ctx.Err() == nil {
		s.Log.Warn("the clips of an event cannot be read", "id", e.ID, "cause", err)
	}
	for _, c := range slices.Backward(clips) {
		if len(a.Clips) < maxClips {
			a.Clips = append(a.Clips, clipRow{clip(c.Title, 120), clip(eventseer.Redact(c.Summary), maxClipText), sourceLink(c.URL), newStamp(c.Seen, now)})
		}
	}
	return a, ctx.Err()
}

// eventLink names an event, with its year.
func eventLink(e eventseer.Event) link {
	name := nameOf(e)
	text := name.Short
	if text == "" {
		text = clip(name.Title, 80)
		if e.Year > 0 && !strings.Contains(text, strconv.Itoa(e.Year)) {
			text += fmt.Sprintf(" (%d)", e.Year)
		}
	}
	return link{text, eventHref(e.ID)}
}

// heldWith finds the events that name e as the one they are held with.
func (s *server) heldWith(ctx context.Context, e eventseer.Event) []link {
	word := e.Acronym
	if word == "" {
		word = e.Title
	}
	term := query.TermText("title", clipped(word, 100))
	if term == "" || e.Parent != "" {
		return nil // a workshop has no workshops
	}
	if e.Year > 0 {
		term = strings.TrimPrefix(term, "title:") + fmt.Sprintf(" year:%d", e.Year)
	}
	found, err := s.Index.Find(ctx, eventseer.Query{Text: term, Limit: maxHeldWith})
	if err != nil {
		var bad badQuery
		if !errors.As(err, &bad) && ctx.Err() == nil {
			s.Log.Warn("the workshops of an event cannot be looked for", "id", e.ID, "cause", err)
		}
		return nil
	}
	var links []link
	for _, h := range found.Hits {
		child, err := s.Store.Event(ctx, h.ID)
		if err == nil && child.ID != e.ID && names(child.Parent, e) && len(links) < maxAround {
			links = append(links, eventLink(child))
		}
	}
	return links
}

// yearIn is the year in the name of an event.
var yearIn = regexp.MustCompile(`\b(19|20)\d\d\b`)

// seriesNamed are the series that a name may stand for: "ICX 2027" is an acronym or a title.
func seriesNamed(name string) []string {
	short := strings.TrimSpace(yearIn.ReplaceAllString(name, ""))
	return slices.Compact(nonEmpty(series.Of(eventseer.Event{Acronym: short}), series.Of(eventseer.Event{Title: name})))
}

// names reports whether a text, such as the parent of a workshop, is the name of e.
func names(text string, e eventseer.Event) bool {
	if text == "" || len(text) > 300 {
		return false
	}
	if year := yearIn.FindString(text); year != "" && e.Year > 0 && year != strconv.Itoa(e.Year) {
		return false
	}
	return slices.Contains(seriesNamed(text), series.Of(e))
}

// parentLink leads to the event that e is held with, or to a search for it.
func (s *server) parentLink(ctx context.Context, e eventseer.Event) link {
	text := clip(e.Parent, maxValue)
	if text == "" || len(e.Parent) > 300 {
		return link{Text: text}
	}
	if s.Series != nil {
		for _, id := range seriesNamed(e.Parent) {
			editions, err := s.Series.Editions(ctx, id)
			if err != nil && ctx.Err() == nil {
				s.Log.Warn("an edition of a series cannot be read", "series", id, "cause", err)
			}
			for _, other := range editions {
				if other.ID != e.ID && names(e.Parent, other) && (e.Year == 0 || other.Year == 0 || other.Year == e.Year) {
					return link{text, eventHref(other.ID)}
				}
			}
		}
	}
	return link{Text: text}
}

// yourTime is a deadline in the reader's zone, "" where no zone of it is known.
func yourTime(d eventseer.Deadline, zone *time.Location) string {
	if d.Instant.IsZero() {
		return ""
	}
	return d.Instant.In(zone).Format("Mon 2 Jan 2006, 15:04")
}

// movesOf lists what a deadline was before, oldest first, as the changes that lead to it
// say.
func movesOf(history []eventseer.Change, d eventseer.Deadline) []string {
	name := "deadlines." + string(d.Kind)
	if d.Track != "" {
		name += "[" + d.Track + "]"
	}
	var moves []string
	want := string(d.Date)
	for _, c := range slices.Backward(history) {
		for _, f := range c.Fields {
			if f.Field == name && dayOf(f.New) == want && dayOf(f.Old) != want && f.Old != "" && len(moves) < maxMoves {
				moves = append(moves, fmt.Sprintf("%s, until %s", clip(f.Old, 40), c.At.UTC().Format("2 Jan 2006")))
				want = dayOf(f.Old)
				break
			}
		}
	}
	slices.Reverse(moves)
	return moves
}

// systems are the names of submission systems as they write themselves.
var systems = map[string]string{
	"easychair": "EasyChair", "openreview": "OpenReview", "cmt": "Microsoft CMT", "edas": "EDAS", "hotcrp": "HotCRP",
	"softconf": "Softconf", "conftool": "ConfTool", "precisionconference": "Precision Conference", "equinocs": "EquinOCS",
	"ocs": "Springer OCS", "manuscriptcentral": "ScholarOne", "scholarone": "ScholarOne", "jems": "JEMS", "papercall": "PaperCall",
	"editorialmanager": "Editorial Manager", "openconf": "OpenConf", "exordo": "Ex Ordo", "oxfordabstracts": "Oxford Abstracts",
}

// systemOf is the system that papers are handed in with.
func systemOf(e eventseer.Event) string {
	if name := systems[e.SubmissionSystem]; name != "" {
		return name
	}
	return clip(e.SubmissionSystem, 40)
}
