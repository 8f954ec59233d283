package simweb

import (
	"fmt"
	"strings"
	"time"
)

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
		e.home = s.add("/", e.title, "Home", Conference, singlePage(e)).call(e)
		e.call = e.home
		p.submitted(e)
		if i%2 == 0 {
			s.add("/venue.html", "Venue - "+e.short(), "Venue", Conference, venuePage(e))
		}
	}
	for range stubSites {
		e := p.newEvent(conference)
		s := p.eventSite(e)
		e.home = s.add("/", e.short(), "Home", Conference, stubPage(e)).miss("stub")
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
	e.home = s.add("/", e.title, "Home", Conference, homePage(e))
	e.call = s.add(s.file(m, pick(p.r, []string{"cfp", "call-for-papers", "call", "papers"})), "Call for Papers"+tail, "Call for Papers", CFP, callPage(e)).call(e)
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
	s.add(s.file(m, "dates"), "Important Dates"+tail, "Important Dates", Conference, datesPage(e)).miss("dates")
	s.add(s.file(m, "committee"), "Committees"+tail, "Committees", Conference, committeePage(e))
	if i%2 == 0 {
		s.add(s.file(m, "programme"), "Programme"+tail, "Programme", Conference, programmePage(e)).miss("programme")
	} else {
		s.add(s.file(m, "participation"), "Call for Participation"+tail, "Participation", Conference, participatePage(e)).miss("participation")
	}
	s.add(s.file(m, "venue"), "Venue and Travel"+tail, "Venue", Conference, venuePage(e))
	s.add(s.file(m, "registration"), "Registration"+tail, "Registration", Conference, registrationPage(e)).miss("registration")
	s.add(s.file(m, "authors"), "Author Kit"+tail, "Author Kit", Conference, kitPage(e)).miss("author kit")
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
	w.home = s.add(s.file(manner, slug(w.acronym)), w.short()+" at "+host.short(), w.acronym, CFP, callPage(w)).call(w)
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
		e.home = s.add("/", e.title, "Home", Conference, singlePage(e)).call(e)
	} else {
		e.home = s.add("/", e.title, "Home", Conference, homePage(e))
	}
	if i == 3 || i == 4 {
		e.call = s.add("/cfp.txt", "Call for Papers", "Call for Papers (text)", CFP, func(d *doc) {
			d.aboutEvent(e)
			d.plainCall(e)
		}).call(e)
		e.call.plain = true
	} else {
		e.call = s.add(s.file(m, "cfp"), "Call for Papers"+tail, "CFP", CFP, callPage(e)).call(e)
	}
	s.add(s.file(m, "organization"), "Organization"+tail, "Organization", Conference, committeePage(e))
	if i%2 == 0 {
		s.add(s.file(m, "program"), "Program"+tail, "Program", Conference, programmePage(e)).miss("programme")
	} else {
		s.add(s.file(m, "registration"), "Registration"+tail, "Registration", Conference, registrationPage(e)).miss("registration")
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
