package simweb

// issuesPerJournal says how many special issues each journal calls for.
var issuesPerJournal = []int{2, 1}

// journals opens the hosts of journals with calls for special issues.
func (p *plan) journals() {
	for _, issues := range issuesPerJournal {
		f := p.fields[len(p.events)%len(p.fields)]
		name := "Journal of " + f.name + " Letters"
		s := p.site(pick(p.r, []string{"journal-" + slug(f.name), "www." + slug(f.name) + "-letters"}), name)
		home := s.add("/", name, "Home", Other, journalHome(f))
		for range issues {
			e := p.newEvent(issue)
			e.field = f
			p.submitted(e)
			e.home = s.add("/special-issues/"+slug(e.title)+".html", e.title, "Special issue: "+e.title, CFP, issuePage(e)).call(e)
			e.call = e.home
		}
		s.add("/authors.html", "Guide for Authors", "Guide for authors", Other, journalGuide(f)).miss("author kit")
		s.add("/board.html", "Editorial Board", "Editorial board", Other, journalBoard(f))
		s.moved["/index.html"] = home.url()
		p.off = append(p.off, home)
	}
}

func journalHome(f field) func(*doc) {
	return func(d *doc) {
		d.about(f)
		d.h(1, d.site.name)
		d.p("The " + d.site.name + " publishes original research in all parts of " + d.slots["field"] + ". It appears four times a year, in print and online.")
		d.h(2, "Current issue")
		var papers []string
		for range 5 + d.r.IntN(4) {
			d.retopic(f)
			papers = append(papers, esc(titleCase(d.say("home.paper"))+". "+d.plan.person(d.r).name))
		}
		d.list(papers)
	}
}

func journalGuide(f field) func(*doc) {
	return func(d *doc) {
		d.about(f)
		d.slots["short"] = d.site.name
		d.h(1, "Guide for Authors")
		d.p(d.sayAll("conf.kit", 5))
	}
}

func journalBoard(f field) func(*doc) {
	return func(d *doc) {
		d.about(f)
		d.h(1, "Editorial Board")
		var board []string
		for _, who := range d.plan.people(d.r, 14) {
			board = append(board, esc(who.name+", "+who.place))
		}
		d.list(board)
	}
}
