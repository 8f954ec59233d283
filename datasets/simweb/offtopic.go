package simweb

import (
	"fmt"
	"slices"
)

// offKinds are the kinds of off-topic sites, each the prefix of its rules.
var offKinds = []string{"shop", "cook", "travel", "sport", "news", "forum", "music", "house", "health", "village"}

const (
	sitesPerKind = 2
	pagesPerSite = 10 // and one front page; some have one less
)

// offTopic opens the sites that have nothing to do with research.
func (p *plan) offTopic() {
	for n := range sitesPerKind {
		for i, kind := range offKinds {
			name := p.words.expand(p.r, nil, "{"+kind+".name}")
			s := p.site(slug(name), name)
			p.off = append(p.off, s.add("/", name, "Home", Other, offHome(kind)))
			for _, title := range p.titles(kind, pagesPerSite-p.r.IntN(2)) {
				pg := s.add("/"+slug(title)+pick(p.r, []string{".html", ".html", "/", ".php"}), title, title, Other, offPage(kind))
				p.off = append(p.off, pg)
			}
			switch {
			case kind == "news":
				s.add("/tenders.html", "Public notices: call for tenders", "Public notices", Other, deadlinePage("Call for Tenders", "tender.s", 4)).miss("call for tenders")
			case kind == "shop" || kind == "village" && n == 0:
				s.add("/competition.html", "Call for entries", "Competition", Other, deadlinePage("Competition", "contest.s", 3)).miss("call for entries")
			case kind == "forum" && n == 0:
				s.robots = "User-agent: *\nDisallow: /members/\nDisallow: /login\n"
				p.off = append(p.off, s.add("/members/list.html", "Members", "", Other, offPage(kind)))
			}
			p.oddities(s, kind, n, i)
		}
	}
}

// titles returns n titles of a kind, different ones where there are that many.
func (p *plan) titles(kind string, n int) []string {
	var out []string
	for tries := 0; len(out) < n; tries++ {
		title := p.words.expand(p.r, nil, "{"+kind+".title}")
		if tries > 20*n || !slices.Contains(out, title) {
			out = append(out, title)
		}
	}
	return out
}

// oddities gives some hosts the manners of the real web: an endless calendar,
// a 200 for whatever is missing, pages that moved.
func (p *plan) oddities(s *site, kind string, n, i int) {
	if kind == "village" && n == 0 {
		s.calendar = true
	}
	if kind == "house" && n == 0 {
		s.soft404 = true
	}
	if i%3 == 0 {
		s.moved["/home"] = s.order[0].url()
		s.moved["/old"] = "http://" + s.host + "/home"
	}
}

// offHome writes a front page.
func offHome(kind string) func(*doc) {
	return func(d *doc) {
		d.h(1, d.site.name)
		d.p(d.sayAll(kind+".s", 3))
		d.h(2, pick(d.r, []string{"News", "This week", "Welcome", "At a glance"}))
		d.list([]string{esc(d.say(kind + ".item")), esc(d.say(kind + ".item")), esc(d.say(kind + ".item"))})
		d.p(d.sayAll(kind+".s", 2))
		if d.site.moved["/old"] != "" {
			d.pm(d.link("http://"+d.site.host+"/old", "Our old front page"))
		}
		if d.site.calendar {
			d.pm(d.link(fmt.Sprintf("http://%s/calendar?month=%s", d.site.host, d.plan.now.Format("2006-01")), "Calendar of events"))
		}
		if d.site.soft404 || d.r.IntN(4) == 0 {
			path := fmt.Sprintf("/archive/%d.html", 1990+d.r.IntN(30))
			if d.site.soft404 {
				d.pm(d.link("http://"+d.site.host+path, "Archive"))
			} else {
				d.pm(d.dead(path, "Archive"))
			}
		}
	}
}

// offPage writes any other page.
func offPage(kind string) func(*doc) {
	return func(d *doc) {
		d.h(1, d.title)
		d.p(d.sayAll(kind+".s", 2+d.r.IntN(3)))
		d.p(d.sayAll(kind+".s", 2))
		if d.r.IntN(3) > 0 {
			var items []string
			for range 3 + d.r.IntN(5) {
				items = append(items, esc(d.say(kind+".item")))
			}
			d.list(items)
		}
		d.p(d.sayAll(kind+".s", 2+d.r.IntN(3)))
	}
}

// deadlinePage writes a call that is not for papers, with a day on it.
func deadlinePage(title, rule string, n int) func(*doc) {
	return func(d *doc) {
		d.slots["deadline"] = d.dates.day(d.plan.now.AddDate(0, 0, 10+d.r.IntN(40)))
		d.h(1, title)
		d.p(d.sayAll(rule, n))
		d.p(d.say("news.s"))
	}
}

// loginPage is what a stranger sees of the submission system.
func loginPage(d *doc) {
	d.h(1, d.title)
	d.p(d.sayAll("login.s", 2))
	d.raw("<form action=\"/login\" method=\"post\"><input name=\"user\"> <input name=\"password\" type=\"password\"> <input type=\"submit\" value=\"Log in\"></form>")
}
