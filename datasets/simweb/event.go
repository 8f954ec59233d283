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

func (e *event) placeName() string {
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

// How many sites of each make there are.
const (
	fullSites    = 6  // eight pages and more
	smallSites   = 6  // home, call, committee and a little
	singleSites  = 5  // the home page is the call
	stubSites    = 2  // the call is yet to come
	hiddenEvents = 12 // of the events with sites
)

// conferences opens the sites of events.
func (p *plan) conferences() {
	for i := range fullSites {
		p.fullSite(i)
	}
	for i := range smallSites {
		p.smallSite(i)
	}
	for i := range singleSites {
		e := p.newEvent(eventKind(i % 2))
		s := p.eventSite(e)
		e.home = s.add("/", e.title, "Home", Conference, e.page(singlePage)).call(e)
		e.call = e.home
		p.submitted(e)
		if i%2 == 0 {
			s.add("/venue.html", "Venue - "+e.short(), "Venue", Conference, e.page(venuePage))
		}
	}
	for range stubSites {
		e := p.newEvent(conference)
		s := p.eventSite(e)
		e.home = s.add("/", e.short(), "Home", Conference, e.page(stubPage)).miss("stub")
	}
}

// eventSite opens a host named after the event.
func (p *plan) eventSite(e *event) *site {
	name := strings.ToLower(e.acronym)
	base := pick(p.r, []string{
		fmt.Sprintf("%s%d", name, e.year), fmt.Sprintf("www.%s", name), fmt.Sprintf("%s%02d", name, e.year%100), name + "-conf",
		fmt.Sprintf("%d.%s", e.year, name),
	})
	s := p.site(base, e.short())
	if s.style == nineties && p.r.IntN(2) == 0 {
		s.style = modern
	}
	return s
}

// submitted gives the event a place to hand papers in.
func (p *plan) submitted(e *event) { e.submit = "http://" + p.submit.host + "/" + slug(e.id) }

// file spells a page's path in the manner of the site.
func (s *site) file(manner int, word string) string {
	switch manner {
	case 0:
		return "/" + word + "/"
	case 1:
		return "/" + word + ".php"
	case 2:
		return "/index.php?page=" + word
	case 3:
		return "/" + strings.ReplaceAll(upperFirst(word), "-", "_") + ".htm"
	default:
		return "/" + word + ".html"
	}
}

// fullSite lays out a conference with all its pages.
func (p *plan) fullSite(i int) {
	e := p.newEvent(conference)
	p.submitted(e)
	s := p.eventSite(e)
	m := p.r.IntN(6)
	tail := " - " + e.short()
	e.home = s.add("/", e.title, "Home", Conference, e.page(homePage))
	e.call = s.add(s.file(m, pick(p.r, []string{"cfp", "call-for-papers", "call", "papers"})), "Call for Papers"+tail, "Call for Papers", CFP, e.page(callPage)).call(e)
	s.moved["/callforpapers"] = e.call.url()
	track := []struct{ kind, title, menu, rule string }{
		{"workshop_proposal", "Call for Workshop Proposals", "Workshops", "call.track.workshops"},
		{"tutorial_proposal", "Call for Tutorials", "Tutorials", "call.track.tutorials"},
		{"poster", "Call for Posters and Demonstrations", "Posters", "call.track.posters"},
	}[i%3]
	if i < 4 {
		days := -30
		if track.kind == "poster" {
			days = 60
		}
		e.addTrack(track.kind, track.menu, days)
		s.add(s.file(m, slug(track.menu)), track.title+tail, track.menu, CFP, trackPage(e, track.kind, track.rule)).call(e)
	}
	s.add(s.file(m, "dates"), "Important Dates"+tail, "Important Dates", Conference, e.page(datesPage)).miss("dates")
	s.add(s.file(m, "committee"), "Committees"+tail, "Committees", Conference, e.page(committeePage))
	if i%2 == 0 {
		s.add(s.file(m, "programme"), "Programme"+tail, "Programme", Conference, e.page(programmePage)).miss("programme")
	} else {
		s.add(s.file(m, "participation"), "Call for Participation"+tail, "Participation", Conference, e.page(participatePage)).miss("participation")
	}
	s.add(s.file(m, "venue"), "Venue and Travel"+tail, "Venue", Conference, e.page(venuePage))
	s.add(s.file(m, "registration"), "Registration"+tail, "Registration", Conference, e.page(registrationPage)).miss("registration")
	s.add(s.file(m, "authors"), "Author Kit"+tail, "Author Kit", Conference, e.page(kitPage)).miss("author kit")
	if i%2 == 1 {
		p.colocated(e, s, m)
	}
	if i%3 == 0 {
		e.past = s.add(fmt.Sprintf("/%d/", e.year-1), fmt.Sprintf("%s %d", e.acronym, e.year-1), "", Conference, pastPage(e)).miss("past edition")
		s.robots = "User-agent: *\nDisallow: /internal/\n"
	}
}

// colocated adds a workshop with a call of its own to a conference's site.
func (p *plan) colocated(host *event, s *site, manner int) {
	w := p.newEvent(workshop)
	w.city, w.country, w.start, w.end, w.year = host.city, host.country, host.start, host.start, host.year
	w.id = fmt.Sprintf("%s-%d", strings.ToLower(w.acronym), w.year)
	for i := range w.deadlines {
		left := len(w.deadlines) - i
		w.deadlines[i].date, w.deadlines[i].was = w.start.AddDate(0, 0, -7-21*left), time.Time{}
	}
	p.submitted(w)
	w.home = s.add(s.file(manner, slug(w.acronym)), w.short()+" at "+host.short(), w.acronym, CFP, w.page(callPage)).call(w)
	w.call = w.home
}

// smallSite lays out a conference of a few pages.
func (p *plan) smallSite(i int) {
	e := p.newEvent(eventKind(i % 2))
	p.submitted(e)
	s := p.eventSite(e)
	m := p.r.IntN(6)
	tail := " - " + e.short()
	if i < 2 {
		e.home = s.add("/", e.title, "Home", Conference, e.page(singlePage)).call(e)
	} else {
		e.home = s.add("/", e.title, "Home", Conference, e.page(homePage))
	}
	if i == 3 || i == 4 {
		e.call = s.add("/cfp.txt", "Call for Papers", "Call for Papers (text)", CFP, e.page(plainCall)).call(e)
		e.call.plain = true
	} else {
		e.call = s.add(s.file(m, "cfp"), "Call for Papers"+tail, "CFP", CFP, e.page(callPage)).call(e)
	}
	s.add(s.file(m, "organization"), "Organization"+tail, "Organization", Conference, e.page(committeePage))
	if i%2 == 0 {
		s.add(s.file(m, "program"), "Program"+tail, "Program", Conference, e.page(programmePage)).miss("programme")
	} else {
		s.add(s.file(m, "registration"), "Registration"+tail, "Registration", Conference, e.page(registrationPage)).miss("registration")
	}
}

// submissionSystem opens the host that takes papers in; robots stay out.
func (p *plan) submissionSystem() {
	p.submit = p.site("submit", "Manuscript Desk")
	p.submit.robots = "User-agent: *\nDisallow: /\n"
	p.submit.add("/", "Manuscript Desk", "Start", Other, loginPage)
}

// submissionLogins adds the login page of every event.
func (p *plan) submissionLogins() {
	for i, e := range p.events {
		if e.submit != "" && i%3 == 0 {
			_, path := splitURL(e.submit)
			p.submit.add(path, "Log in: "+e.short(), "", Other, loginPage)
		} else if e.submit != "" {
			_, path := splitURL(e.submit)
			p.submit.moved[path] = "http://" + p.submit.host + "/"
		}
	}
}
