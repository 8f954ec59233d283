package views

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/field"
	"github.com/eventseer/eventseer/eventseer/query"
)

// PublicEvent removes the people, and the passage they were read from: pages about people are
// disabled by default.
func PublicEvent(e eventseer.Event) eventseer.Event {
	e.Committee, e.Other = nil, nil
	e.Sources = maps.Clone(e.Sources)
	maps.DeleteFunc(e.Sources, func(field string, _ eventseer.Provenance) bool { return !eventseer.IsPublicField(field) })
	e.Trail = slices.DeleteFunc(slices.Clone(e.Trail), func(v eventseer.Evidence) bool { return !eventseer.IsPublicField(v.Field) })
	return e
}

// PublicFields leaves out changes that name people.
func PublicFields(fields []eventseer.FieldChange) []eventseer.FieldChange {
	return slices.DeleteFunc(slices.Clone(fields), func(f eventseer.FieldChange) bool {
		return !eventseer.IsPublicField(f.Field)
	})
}

const MaxDeadlines = 40

const MaxTopics = 60

const MaxPages = 20

const maxHistory = 30

const maxTrail = 30

const MaxValue = 200 // maximum runes of a value or snippet

// A TimeStamp is a moment as people and machines read it.
type TimeStamp struct{ Machine, Text, Ago string }

func NewTimeStamp(t, now time.Time) TimeStamp {
	if t.IsZero() {
		return TimeStamp{}
	}
	ago, far := "just now", now.Sub(t).Abs()
	for _, unit := range []struct {
		length time.Duration
		name   string
	}{{time.Minute, "minutes"}, {time.Hour, "hours"}, {24 * time.Hour, "days"}} {
		if far < 2*unit.length {
			break
		}
		ago = fmt.Sprintf("%d %s ago", far/unit.length, unit.name)
		if t.After(now) {
			ago = fmt.Sprintf("in %d %s", far/unit.length, unit.name)
		}
	}
	return TimeStamp{t.UTC().Format(time.RFC3339), t.UTC().Format("2 Jan 2006 15:04 UTC"), ago}
}

// AboutEvent returns an event in one sentence.
func AboutEvent(e eventseer.Event, next *DeadlineShown) string {
	text := strings.Join(NonEmpty(NameOf(e).Full(), DaysText(e.EventStart, e.EventEnd), VenueLine(e.Location)), ", ") + "."
	if next != nil {
		text += " " + strings.TrimSpace(next.What+" until "+next.Date+" "+next.Clock) + "."
	}
	return Clip(text, 300)
}

// OfficialPage returns the page to link: the first with an http or https URL, otherwise the first.
func OfficialPage(e eventseer.Event) string {
	for _, url := range append([]string{e.Page(), e.URL}, e.Pages...) {
		if WebLink(url) != "" {
			return url
		}
	}
	return e.URL
}

// MapSlice returns the results of f for each element of a list.
func MapSlice[T, U any](list []T, f func(T) U) (made []U) {
	for _, v := range list {
		made = append(made, f(v))
	}
	return made
}

func FirstN[T any](list []T, n int) []T { return list[:min(len(list), n)] }

// HiddenText describes how much data the page omits.
func HiddenText(e eventseer.Event, history []eventseer.Change) string {
	var more []string
	for _, part := range []struct {
		n    int
		what string
	}{
		{len(e.Deadlines) - MaxDeadlines, "dates"}, {len(e.Topics) - MaxTopics, "topics"},
		{len(e.Pages) - MaxPages, "pages"}, {len(history) - maxHistory, "changes"},
		{len(e.Trail) - maxTrail, "other values"},
	} {
		if part.n > 0 {
			more = append(more, fmt.Sprintf("%d more %s", part.n, part.what))
		}
	}
	return strings.Join(more, ", ")
}

// FieldLinks returns links to the calls of an event's fields of research. Unknown ids are left out.
func FieldLinks(e eventseer.Event) (links []Link) {
	for _, id := range FirstN(e.Fields, field.MaxFields) {
		if name := field.Names([]string{id}); name != "" {
			links = append(links, Link{Text: name, Href: SearchHref(query.TermText("field", id), false)})
		}
	}
	return links
}

// TopicLink returns a link to the calls of a topic.
func TopicLink(topic string) Link {
	text := CutToRunes(topic, 80)
	term := cmp.Or(query.TermText("topic", text), query.TermText("topic", strings.ReplaceAll(text, `"`, " ")))
	if term == "" {
		return Link{Text: Clip(topic, 80)}
	}
	return Link{Text: Clip(topic, 80), Href: SearchHref(term, false)}
}

// CutToRunes is Clip without the ellipsis.
func CutToRunes(s string, n int) string { return strings.TrimSuffix(Clip(s, n), "…") }

const maxCommittee = 200

const maxMoves = 8 // of a deadline

// A PersonRow is a person named on the call.
type PersonRow struct{ Name, Role, From string }

func PersonRows(e eventseer.Event) []PersonRow {
	var rows []PersonRow
	for _, p := range FirstN(e.Committee, maxCommittee) {
		from := strings.Join(NonEmpty(p.Affiliation, p.Country), ", ")
		rows = append(rows, PersonRow{Clip(p.Name, 80), Clip(strings.ReplaceAll(p.Role, "_", " "), 60), Clip(from, 120)})
	}
	return rows
}

// EventLink names an event, with its year.
func EventLink(e eventseer.Event) Link {
	name := NameOf(e)
	text := name.Short
	if text == "" {
		text = Clip(name.Title, 80)
		if e.Year > 0 && !strings.Contains(text, strconv.Itoa(e.Year)) {
			text += fmt.Sprintf(" (%d)", e.Year)
		}
	}
	return Link{Text: text, Href: EventHref(e.ID)}
}

// movesOf lists the former values of a deadline, oldest first, from the changes that led to it.
func movesOf(history []eventseer.Change, d eventseer.Deadline) []string {
	var moves []string
	name, want := d.Field(), string(d.Date)
	for _, c := range slices.Backward(history) {
		for _, f := range c.Fields {
			if f.Field == name && dayOf(f.New) == want && dayOf(f.Old) != want && f.Old != "" && len(moves) < maxMoves {
				moves = append(moves, fmt.Sprintf("%s, until %s", Clip(f.Old, 40), c.At.UTC().Format("2 Jan 2006")))
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

// SystemOf returns the system that papers are handed in with.
func SystemOf(e eventseer.Event) string {
	return cmp.Or(systems[e.SubmissionSystem], Clip(e.SubmissionSystem, 40))
}

const newFor = 7 * 24 * time.Hour // how long an event counts as new

const maxChips = 3 // topics shown with a call

const maxChip = 36 // runes of each

const MaxRanks = 3 // shown with a call

// A CallRow is one event in a list.
type CallRow struct {
	Name
	ID      eventseer.EventID
	Href    string
	Starred bool
	Why     []string // reasons why it fits a text, none for a search
	Heading []Piece  // the title with marks
	Acronym []Piece
	Meta    []string       // kind, days, place, fields of research
	Next    *DeadlineShown // nil without a future deadline
	Last    *DeadlineShown // of a closed call
	Others  []string       // open calls other than that of Next, see OtherOpenCalls
	Badges  []Badge
	Ranks   []RankChip
	Topics  [][]Piece
	Passage []Piece // with the query words
	// PassageOf is a link to the page of the passage, zero for a clip.
	PassageOf Link
	// Expected is the estimate of the next edition of a closed call, nil if there is none; Series
	// is the page with more details.
	Expected *estimateRow
	Series   string
}

// RepeatsTitle reports whether the passage shows no more query words than the title: the title has
// them all, or is in the passage.
func (r CallRow) RepeatsTitle() bool {
	if slices.ContainsFunc(r.Heading, func(p Piece) bool { return p.Mark }) {
		return true
	}
	var passage strings.Builder
	for _, p := range r.Passage {
		passage.WriteString(p.Text)
	}
	title := foldText(r.Title)
	return title != "" && strings.Contains(foldText(passage.String()), title)
}

// FormatNames describe the use of each format.
var FormatNames = map[string]string{
	"ics": "Subscribe in a calendar", "atom": "Atom feed", "rss": "RSS feed", "csv": "Table (CSV)",
}

func MediaType(contentType string) string {
	kind, _, _ := strings.Cut(contentType, ";")
	return kind
}

func NewCallRow(e eventseer.Event, now time.Time, zone *time.Location) CallRow {
	row := CallRow{
		Name: NameOf(e), ID: e.ID, Href: EventHref(e.ID),
		Meta: NonEmpty(KindNames[e.Kind], DaysText(e.EventStart, e.EventEnd), VenueLine(e.Location), field.Names(FirstN(e.Fields, field.MaxFields))),
	}
	row.Heading, row.Acronym = UnmarkedPieces(row.Title), UnmarkedPieces(row.Short)
	row.Topics = MapSlice(FirstN(e.Topics, maxChips), func(t string) []Piece { return UnmarkedPieces(Clip(t, maxChip)) })
	if row.Next = NextWhen(e, now, zone); row.Next == nil {
		row.Last = lastSubmissionShown(e, now)
	}
	row.Others = OtherOpenCalls(e, now, zone)
	return row
}

// NextWhen returns the next deadline of an event for readers in a zone, nil without one.
func NextWhen(e eventseer.Event, now time.Time, zone *time.Location) *DeadlineShown {
	d, open := eventseer.NextDeadline(e, now)
	if !open {
		return nil
	}
	w := NewWhenIn(d, now, zone)
	return &w
}

// lastSubmissionShown returns the last submission deadline of a closed call, or nil.
func lastSubmissionShown(e eventseer.Event, now time.Time) *DeadlineShown {
	var last eventseer.Deadline
	for _, d := range e.Deadlines {
		if d.Kind.IsSubmission() && d.Moment().After(last.Moment()) {
			last = d
		}
	}
	if last.Moment().IsZero() {
		return nil
	}
	w := newWhen(last, now)
	return &w
}
