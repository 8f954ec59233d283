package simweb

import (
	"fmt"
	"strings"
)

// How many hosts and pages of people there are.
const (
	institutions    = 4
	hostedWorkshops = 3 // calls on an institution's own pages
	campusHomes     = 16
	ownHomes        = 6
	unlistedHomes   = 8 // homepages that no page links
)

// institutions opens the departments.
func (p *plan) institutions() {
	for i := range institutions {
		f, place := p.fields[(i*5)%len(p.fields)], p.unis[i]
		name := "Department of " + f.department() + ", " + university(place)
		abbreviation := map[string]string{"Computer Science": "cs", "Mathematics": "math", "Physics": "phys", "Chemistry": "chem"}[f.department()]
		if abbreviation == "" {
			abbreviation = "soc"
		}
		s := p.site("www."+abbreviation+"."+slug(place), name)
		home := s.add("/", name, "Home", InstitutionTopic, institutionHome(f))
		p.sources.campus = append(p.sources.campus, home)
		p.sources.institutions = append(p.sources.institutions,
			s.add("/events.html", "Events", "Events", InstitutionTopic, institutionEvents(f)),
			s.add("/research/"+slug(f.name)+".html", f.name+" Group", f.name, InstitutionTopic, institutionGroup(f)))
		if i < hostedWorkshops {
			p.hosted(s)
		}
		s.add("/jobs.html", "Open Positions", "Jobs", Other, textPage("Open Positions", f, "inst.job", 4)).miss("job advert")
		if i%2 == 0 {
			s.add("/school.html", "Summer School: Call for Applications", "Summer school", Other,
				textPage("Summer School: Call for Applications", f, "inst.school", 3)).miss("call for applications")
		}
		s.moved["/index.html"] = home.url()
		s.latin1(i)
	}
}

// latin1 makes one of the institutions write in ISO 8859-1.
func (s *site) latin1(i int) {
	if i != 1 {
		return
	}
	s.style, s.name = tables, strings.Replace(s.name, "University of", "Université de", 1)
	for _, pg := range s.order {
		pg.latin1 = true
	}
}

// hosted puts a workshop's call on the pages of the department that runs it.
func (p *plan) hosted(s *site) {
	e := p.newEvent(workshop)
	p.submitted(e)
	e.home = s.add("/events/"+slug(e.short())+"/", e.short(), e.short(), CFP, callPage(e)).call(e)
	e.call = e.home
	p.sources.hosted = append(p.sources.hosted, e)
}

// textPage writes sentences of one rule below a heading.
func textPage(title string, f field, rule string, n int) func(*doc) {
	return func(d *doc) {
		d.about(f)
		d.h(1, title)
		d.p(d.sayAll(rule, (n+1)/2))
		d.p(d.sayAll(rule, n/2))
	}
}

func institutionHome(f field) func(*doc) {
	return func(d *doc) {
		d.about(f)
		d.slots["uni"] = strings.SplitN(d.site.name, ", ", 2)[1]
		d.h(1, d.site.name)
		d.p(d.sayAll("inst.about", 3))
		d.h(2, "People")
		var people []string
		for _, h := range d.plan.sources.homes {
			if h.site == d.site && h.section != "" && h.menu == "Home" && !d.plan.sources.unlisted[h] {
				people = append(people, d.link(pick(d.r, []string{h.url(), h.url(), strings.TrimSuffix(h.url(), "/")}), h.title))
			}
		}
		d.list(append(people, esc(d.plan.person(d.r).name), esc(d.plan.person(d.r).name+" (secretary)")))
	}
}

func institutionEvents(f field) func(*doc) {
	return func(d *doc) {
		d.about(f)
		d.h(1, pick(d.r, []string{"Events", "Conferences organised by our members", "Events and colloquia"}))
		items := []string{}
		for _, e := range d.mentions {
			items = append(items, d.mention(e)+esc(d.whereWhen(e)))
		}
		for range 3 + d.r.IntN(3) {
			d.retopic(f)
			who := d.plan.person(d.r)
			day := d.plan.now.AddDate(0, 0, d.r.IntN(60)-20)
			items = append(items, esc(d.dates.day(day)+": colloquium, "+who.name+" ("+who.place+"), "+titleCase(d.say("conf.talk"))))
		}
		d.list(items)
		d.p(d.say("inst.about"))
	}
}

func institutionGroup(f field) func(*doc) {
	return func(d *doc) {
		d.about(f)
		d.h(1, d.title)
		d.p(d.sayAll("inst.group", 4))
		d.h(3, "Members")
		var members []string
		for _, m := range d.plan.people(d.r, 4+d.r.IntN(5)) {
			members = append(members, esc(m.name))
		}
		d.list(members)
		for _, e := range d.mentions {
			d.pm("We help to organise " + d.mention(e) + ".")
		}
	}
}

// homepages adds the pages of people, on the institutions' hosts and their own.
func (p *plan) homepages() {
	p.sources.unlisted, p.sources.owner = map[*page]bool{}, map[*page]person{}
	for i, who := range p.people(p.r, campusHomes+ownHomes) {
		f := pick(p.r, p.fields)
		names := strings.Fields(strings.ToLower(who.name))
		var s *site
		section := ""
		if i < campusHomes {
			s = p.sources.campus[i%institutions].site
			section = "/~" + names[1] + "/"
			s.moved[strings.TrimSuffix(section, "/")] = "http://" + s.host + section
		} else {
			s = p.site(strings.Join(names, pick(p.r, []string{"-", "", "."})), who.name)
		}
		base := "/" + strings.TrimPrefix(section, "/")
		home := s.add(base, who.name, "Home", Homepage, personPage(who, f))
		home.section = section
		p.sources.homes = append(p.sources.homes, home)
		p.sources.owner[home] = who
		if i*unlistedHomes/(campusHomes+ownHomes) != (i+1)*unlistedHomes/(campusHomes+ownHomes) {
			p.sources.unlisted[home] = true
		}
		if i%3 == 0 {
			pubs := s.add(base+"publications.html", who.name+": Publications", "Publications", Homepage, publicationsPage(who, f))
			pubs.section = section
		}
	}
}

func personPage(who person, f field) func(*doc) {
	return func(d *doc) {
		d.about(f)
		d.h(1, who.name)
		d.p(d.sayAll("home.bio", 4))
		if d.r.IntN(2) == 0 {
			d.h(2, "Teaching")
			d.list([]string{esc(d.say("home.teach")), esc(d.say("home.teach")), esc(d.say("home.teach"))})
		}
		d.h(2, "Selected Publications")
		d.papers(who, f, 3+d.r.IntN(4))
		if len(d.mentions) > 0 {
			d.h(2, d.say("home.serviceHead"))
			var items []string
			for _, e := range d.mentions {
				items = append(items, esc(d.say("home.service"))+": "+d.mention(e))
			}
			d.list(items)
		}
	}
}

// papers writes n invented papers.
func (d *doc) papers(who person, f field, n int) {
	var papers []string
	for range n {
		d.retopic(f)
		papers = append(papers, esc(fmt.Sprintf("%s, %s: %s. %d", who.name, d.plan.person(d.r).name, titleCase(d.say("home.paper")), d.plan.now.Year()-d.r.IntN(9))))
	}
	d.list(papers)
}

func publicationsPage(who person, f field) func(*doc) {
	return func(d *doc) {
		d.about(f)
		d.h(1, "Publications of "+who.name)
		d.papers(who, f, 10+d.r.IntN(8))
	}
}
