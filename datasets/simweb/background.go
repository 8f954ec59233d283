package simweb

import (
	"fmt"
	"slices"
	"strings"
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
		d.listNew(3, func() string { return esc(d.say(kind + ".item")) })
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
			d.listNew(3+d.r.IntN(5), func() string { return esc(d.say(kind + ".item")) })
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
		home := s.add("/", name, "Home", InstitutionTopic, f.page(institutionHome))
		p.sources.campus = append(p.sources.campus, home)
		p.sources.institutions = append(p.sources.institutions,
			s.add("/events.html", "Events", "Events", InstitutionTopic, f.page(institutionEvents)),
			s.add("/research/"+slug(f.name)+".html", f.name+" Group", f.name, InstitutionTopic, f.page(institutionGroup)))
		if i < hostedWorkshops {
			p.addHosted(s)
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

// addHosted puts a workshop's call on the pages of the department that runs it.
func (p *plan) addHosted(s *site) {
	e := p.newEvent(workshop)
	p.submitted(e)
	e.home = s.add("/events/"+slug(e.short())+"/", e.short(), e.short(), CFP, e.page(callPage)).call(e)
	e.call = e.home
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

func institutionHome(d *doc, f field) {
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

func institutionEvents(d *doc, f field) {
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

func institutionGroup(d *doc, f field) {
	d.h(1, d.title)
	d.p(d.sayAll("inst.group", 4))
	d.h(3, "Members")
	listOf(d, d.plan.people(d.r, 4+d.r.IntN(5)), func(m person) string { return esc(m.name) })
	for _, e := range d.mentions {
		d.pm("We help to organise " + d.mention(e) + ".")
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
			d.listNew(3, func() string { return esc(d.say("home.teach")) })
		}
		d.h(2, "Selected Publications")
		d.papers(who, f, 3+d.r.IntN(4))
		if len(d.mentions) > 0 {
			d.h(2, d.say("home.serviceHead"))
			listOf(d, d.mentions, func(e *event) string { return esc(d.say("home.service")) + ": " + d.mention(e) })
		}
	}
}

// papers writes n invented papers.
func (d *doc) papers(who person, f field, n int) {
	d.listNew(n, func() string {
		d.retopic(f)
		return esc(fmt.Sprintf("%s, %s: %s. %d", who.name, d.plan.person(d.r).name, titleCase(d.say("home.paper")), d.plan.now.Year()-d.r.IntN(9)))
	})
}

func publicationsPage(who person, f field) func(*doc) {
	return func(d *doc) {
		d.about(f)
		d.h(1, "Publications of "+who.name)
		d.papers(who, f, 10+d.r.IntN(8))
	}
}

// issuesPerJournal says how many special issues each journal calls for.
var issuesPerJournal = []int{2, 1}

// journals opens the hosts of journals with calls for special issues.
func (p *plan) journals() {
	for _, issues := range issuesPerJournal {
		f := p.fields[len(p.events)%len(p.fields)]
		name := "Journal of " + f.name + " Letters"
		s := p.site(pick(p.r, []string{"journal-" + slug(f.name), "www." + slug(f.name) + "-letters"}), name)
		home := s.add("/", name, "Home", Other, f.page(journalHome))
		for range issues {
			e := p.newEvent(issue)
			e.field = f
			p.submitted(e)
			e.home = s.add("/special-issues/"+slug(e.title)+".html", e.title, "Special issue: "+e.title, CFP, e.page(issuePage)).call(e)
			e.call = e.home
		}
		s.add("/authors.html", "Guide for Authors", "Guide for authors", Other, f.page(journalGuide)).miss("author kit")
		s.add("/board.html", "Editorial Board", "Editorial board", Other, f.page(journalBoard))
		s.moved["/index.html"] = home.url()
		p.off = append(p.off, home)
	}
}

func journalHome(d *doc, f field) {
	d.h(1, d.site.name)
	d.p("The " + d.site.name + " publishes original research in all parts of " + d.slots["field"] + ". It appears four times a year, in print and online.")
	d.h(2, "Current issue")
	d.listNew(5+d.r.IntN(4), func() string {
		d.retopic(f)
		return esc(titleCase(d.say("home.paper")) + ". " + d.plan.person(d.r).name)
	})
}

func journalGuide(d *doc, f field) {
	d.slots["short"] = d.site.name
	d.h(1, "Guide for Authors")
	d.p(d.sayAll("conf.kit", 5))
}

func journalBoard(d *doc, f field) {
	d.h(1, "Editorial Board")
	listOf(d, d.plan.people(d.r, 14), person.atPlace)
}

const (
	weblogs     = 4 // the last of them has no backlinks
	weblogPosts = 4
)

// weblogs opens the weblogs of researchers.
func (p *plan) weblogs() {
	for i := range weblogs {
		f := pick(p.r, p.fields)
		name := pick(p.r, []string{"Margin Notes", "Half a Theorem", "The Slow Compiler", "Bench and Blackboard", "Loose Ends", "Second Draft"})
		s := p.site(slug(name)+pick(p.r, []string{"-blog", "", ".weblog"}), name)
		home := s.add("/", name, "Home", Weblog, f.page(weblogHome))
		p.sources.blogHomes = append(p.sources.blogHomes, home)
		for n := range weblogPosts {
			day := p.now.AddDate(0, 0, -3-9*n-p.r.IntN(8))
			post := s.add(day.Format("/2006/01/")+pick(p.r, []string{"note", "entry", "post"})+fmt.Sprintf("-%02d.html", day.Day()), "", "", Weblog, weblogPost(f, dayMonthYear.day(day)))
			d := newDoc(p, post)
			d.about(f)
			post.title = titleCase(d.say("blog.title"))
			if i == weblogs-1 {
				p.sources.unlistedBlogs = append(p.sources.unlistedBlogs, post)
			} else {
				p.sources.blogs = append(p.sources.blogs, post)
			}
		}
	}
}

func weblogHome(d *doc, f field) {
	d.h(1, d.site.name)
	for _, post := range d.site.order[1:] {
		d.retopic(f)
		d.raw("<div class=\"post\"><h2>%s</h2>", d.to(post, post.title))
		d.p(d.say("blog.open") + " " + d.say("blog.mid"))
		d.raw("</div>")
	}
}

func weblogPost(f field, posted string) func(*doc) {
	return func(d *doc) {
		d.about(f)
		d.h(1, d.title)
		d.p("Posted on " + posted + " by " + d.slots["person"])
		d.p(d.say("blog.open") + " " + d.sayAll("blog.mid", 2))
		for _, e := range d.mentions {
			d.retopic(e.field)
			d.slots["LINK"] = "LINK"
			before, after, _ := strings.Cut(d.say("blog.event"), "LINK")
			d.pm(esc(before) + d.mention(e) + esc(after))
		}
		d.retopic(f)
		d.p(d.sayAll("blog.mid", 2))
		d.pm(pick(d.r, []string{"Tags: ", "Filed under: "}) + esc(d.slots["field"]) + ", misc. " + esc(fmt.Sprintf("%d comments", d.r.IntN(12))))
	}
}
