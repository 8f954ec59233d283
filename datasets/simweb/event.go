package simweb

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// An eventKind is what sort of thing is called for.
type eventKind int

const (
	conference eventKind = iota
	workshop
	issue // a special issue of a journal
)

// An event is one edition, known to all pages that speak of it.
type event struct {
	id, title, acronym string
	kind               eventKind
	field              field
	year, edition      int
	start, end         time.Time // zero for issues
	city, country      string
	uni                string
	deadlines          []deadline
	tz                 string
	chairs, committee  []person
	pages              int
	home, call         *page // where mentions lead; call may be nil
	past               *page // the edition before, or nil
	submit             string
	// hidden events are linked only by pages that nothing links: a crawler
	// comes upon them by going back, never forward.
	hidden bool
}

// A deadline is one dated line of an event.
type deadline struct {
	kind, track string
	date        time.Time
	was         time.Time // the day before it was extended, or zero
}

// short is what people call the event. Issues of journals have no acronym that
// anybody prints.
func (e *event) short() string {
	if e.kind == issue {
		return e.title
	}
	return fmt.Sprintf("%s %d", e.acronym, e.year)
}

func (e *event) place() string {
	if e.city == e.country {
		return e.city
	}
	return e.city + ", " + e.country
}

func (e *event) mail() string { return strings.ToLower(e.acronym) + "@" + e.home.site.host }

// deadline returns the event's first line of a kind.
func (e *event) deadline(kind string) (deadline, bool) {
	for _, d := range e.deadlines {
		if d.kind == kind {
			return d, true
		}
	}
	return deadline{}, false
}

// newEvent invents an event of the next field.
func (p *plan) newEvent(kind eventKind) *event {
	r := p.r
	e := &event{kind: kind, field: p.fields[len(p.events)%len(p.fields)], edition: 1 + r.IntN(32), pages: 6 + 2*r.IntN(6)}
	city := pick(r, p.cities)
	e.city, e.country, e.uni = city[0], city[1], university(pick(r, p.unis))
	e.schedule(r, p.now, len(p.events))
	e.name(r)
	for p.acronyms[e.acronym] {
		e.acronym += string(rune('A' + r.IntN(26)))
	}
	p.acronyms[e.acronym] = true
	e.id = fmt.Sprintf("%s-%d", strings.ToLower(e.acronym), e.year)
	e.chairs = p.people(r, 2+r.IntN(3))
	e.committee = p.people(r, 12+r.IntN(16))
	e.tz = pick(r, []string{"", "", "", "AoE", "AoE", "AoE", "AoE", "UTC", "CET", "PST"})
	p.events = append(p.events, e)
	return e
}

// schedule sets the days of an event: of five calls one is over.
func (e *event) schedule(r *rand.Rand, now time.Time, nth int) {
	ahead := 12 + r.IntN(150)
	if nth%5 == 3 {
		ahead = -5 - r.IntN(40)
	}
	due := now.AddDate(0, 0, ahead)
	sub := deadline{kind: "submission", date: due}
	if r.IntN(10) < 3 {
		sub.was = due.AddDate(0, 0, -7*(1+r.IntN(2)))
	}
	if e.kind != issue && r.IntN(2) == 0 {
		abstract := deadline{kind: "abstract", date: due.AddDate(0, 0, -7)}
		if !sub.was.IsZero() {
			abstract.was = sub.was.AddDate(0, 0, -7)
		}
		e.deadlines = append(e.deadlines, abstract)
	}
	notify := due.AddDate(0, 0, 42+r.IntN(35))
	final := notify.AddDate(0, 0, 14+r.IntN(21))
	e.deadlines = append(e.deadlines, sub, deadline{kind: "notification", date: notify}, deadline{kind: "camera_ready", date: final})
	e.year = due.Year()
	if e.kind == issue {
		return
	}
	start := final.AddDate(0, 0, 30+r.IntN(45))
	for start.Weekday() != time.Weekday(1+r.IntN(4)) {
		start = start.AddDate(0, 0, 1)
	}
	days := 2 + r.IntN(3)
	if e.kind == workshop {
		days = r.IntN(3)
	}
	e.start, e.end, e.year = start, start.AddDate(0, 0, days), start.Year()
	if e.kind == conference && r.IntN(2) == 0 {
		e.deadlines = append(e.deadlines, deadline{kind: "registration", date: start.AddDate(0, 0, -21-r.IntN(10))})
	}
}

// addTrack adds a deadline of a track before or after that of the papers.
func (e *event) addTrack(kind, track string, days int) {
	sub, _ := e.deadline("submission")
	e.deadlines = append(e.deadlines, deadline{kind: kind, track: track, date: sub.date.AddDate(0, 0, days)})
}

// name gives the event title and acronym.
func (e *event) name(r *rand.Rand) {
	f := e.field.name
	var stem string
	switch e.kind {
	case workshop:
		topic := titleCase(pick(r, e.field.topics))
		stem = pick(r, []string{"Workshop on " + topic, "International Workshop on " + topic, "Workshop on Trends in " + f, "Workshop on Open Problems in " + f})
	case issue:
		stem = titleCase(pick(r, e.field.topics))
		e.title = "Special Issue on " + stem
		e.acronym = "SI" + initials(stem)
		return
	default:
		// None of these is the name of a well-known event of some field.
		stem = pick(r, []string{"International Conference on Principles and Practice of " + f, "Northern Conference on " + f,
			"Atlantic Symposium on " + f, "International Conference on New Directions in " + f, "International Symposium on " + f + " and Society",
			"Continental Conference on " + f, "International Conference on Advances and Methods in " + f})
	}
	e.title = stem
	e.acronym = initials(stem)
	switch r.IntN(4) {
	case 0:
		if e.edition <= len(ordinalWords) {
			e.title = ordinalWords[e.edition-1] + " " + stem
			return
		}
		fallthrough
	case 1, 2:
		e.title = ordinal(e.edition) + " " + stem
	}
}

// initials makes an acronym of the words that count.
func initials(title string) string {
	var b strings.Builder
	for _, w := range strings.FieldsFunc(title, func(r rune) bool { return r == ' ' || r == '-' }) {
		if !smallWord(w) {
			b.WriteString(strings.ToUpper(w[:1]))
		}
	}
	return b.String()
}

func smallWord(w string) bool {
	return strings.Contains(" on of and in for the to from with at by ", " "+strings.ToLower(w)+" ")
}

// titleCase writes a topic as a title.
func titleCase(text string) string {
	words := strings.Fields(text)
	for i, w := range words {
		if i == 0 || !smallWord(w) {
			words[i] = upperFirst(w)
		}
	}
	return strings.Join(words, " ")
}

// truth is the event as the ground truth has it.
func (e *event) truth(pages []string) Event {
	t := Event{ID: e.id, Title: e.title, Year: e.year, Pages: pages}
	if e.kind != issue {
		t.Acronym = e.acronym
		t.Start, t.End = e.start.Format(time.DateOnly), e.end.Format(time.DateOnly)
		t.City, t.Country = e.city, e.country
	}
	for _, d := range e.deadlines {
		t.Deadlines = append(t.Deadlines, d.truth(e.tz, ""))
	}
	return t
}

func (d deadline) truth(tz, printed string) Deadline {
	t := Deadline{Kind: d.kind, Track: d.track, Date: d.date.Format(time.DateOnly), TZ: tz, Text: printed}
	if !d.was.IsZero() {
		t.ExtendedFrom = d.was.Format(time.DateOnly)
	}
	return t
}
