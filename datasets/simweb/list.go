package simweb

import (
	"fmt"
	"strings"
)

// lists opens the hosts that collect calls; the last of them has no backlinks.
func (p *plan) lists() {
	for i, host := range []struct{ base, name string }{
		{"conference-calendar", "The Conference Calendar"},
		{"deadlines", "Deadlines at a Glance"},
		{"meetings", "Meetings and Calls"},
	} {
		s := p.site(host.base, host.name)
		sections := []string{"/", "/informatics.html", "/sciences.html"}[:3-i%2]
		for n, path := range sections {
			title := []string{host.name, "Calls in Informatics", "Calls in the Sciences"}[n]
			pg := s.add(path, title, title, CFPList, listPage(p.fields[(7*i+n)%len(p.fields)]))
			if i == 2 {
				p.sources.unlistedLists = append(p.sources.unlistedLists, pg)
			} else {
				p.sources.lists = append(p.sources.lists, pg)
			}
		}
		if i == 0 {
			s.robots = "# Nothing to see there\nUser-agent: *\nDisallow: /search\nDisallow: /cgi-bin/\n"
		}
	}
}

// listPage writes events with places and deadlines: those of the plan, some
// that only a mail announces, and some that lead nowhere.
func listPage(f field) func(*doc) {
	return func(d *doc) {
		d.about(f)
		d.slots["field"] = pick(d.r, []string{"science", "informatics and its neighbours", d.slots["field"]})
		d.h(1, d.title)
		d.p(d.sayAll("list.intro", 2))
		var rows [][4]string
		for _, e := range d.mentions {
			row := [4]string{d.mention(e), esc(e.placeName()), esc(d.dates.span(e.start, e.end)), ""}
			if e.kind == issue {
				row[1], row[2] = "journal", ""
			}
			if sub, ok := e.deadline("submission"); ok && e.call != nil {
				row[3] = d.dates.day(sub.date)
			}
			rows = append(rows, row)
		}
		for range 3 + d.r.IntN(4) {
			rows = append(rows, d.foreignRow())
		}
		d.r.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		d.eventRows(rows)
	}
}

// foreignRow is an event whose site is gone or was never linked.
func (d *doc) foreignRow() [4]string {
	f := pick(d.r, d.plan.fields)
	title := pick(d.r, []string{"Open Conference on ", "Winter Symposium on ", "Satellite Workshop on "}) + f.name
	start := d.plan.now.AddDate(0, 0, 60+d.r.IntN(200))
	short := fmt.Sprintf("%s %d", initials(title), start.Year())
	city := pick(d.r, d.plan.cities)
	row := [4]string{esc(title + " (" + short + ")"), esc(city[0] + ", " + city[1]), esc(d.dates.span(start, start.AddDate(0, 0, 3))), d.dates.day(start.AddDate(0, 0, -100))}
	if d.r.IntN(3) == 0 {
		url := fmt.Sprintf("http://%s.example/", slug(short)+"-archive")
		d.plan.dead[url] = true
		row[0] = d.link(url, short)
	}
	return row
}

// eventShapes are ways to list events: what stands before the rows, a row of name,
// place, days and deadline, how a deadline is written there, and what stands after.
var eventShapes = [...]struct{ before, row, deadline, after string }{
	{"<table border=\"1\">\n<tr><th>Event</th><th>Place</th><th>Date</th><th>Deadline</th></tr>\n",
		"<tr><td>%s</td><td>%s</td><td>%s</td><td>%s</td></tr>", "%s", "</table>\n"},
	{"<ul>\n", "<li>%s, %s, %s%s</li>", " (deadline: %s)", "</ul>\n"},
	{"<dl>\n", "<dt>%s</dt><dd>%s, %s%s</dd>", "<br>Submission: %s", "</dl>\n"},
	{"", "<div class=\"event\"><h3>%s</h3><p>%s &middot; %s</p>%s</div>", "<p class=\"deadline\">Deadline %s</p>", ""},
}

// eventRows writes the rows in one of the shapes.
func (d *doc) eventRows(rows [][4]string) {
	shape := eventShapes[d.r.IntN(len(eventShapes))]
	d.b.WriteString(shape.before)
	for _, r := range rows {
		due := ""
		if r[3] != "" {
			due = fmt.Sprintf(shape.deadline, r[3])
		}
		d.raw(shape.row, r[0], r[1], r[2], due)
	}
	d.b.WriteString(shape.after)
}

// How many messages of each sort the archive holds.
const (
	mailOnlyCalls = 6 // calls that only a message announces
	mailCalls     = 6 // messages on events that have sites
	mailJobs      = 4
	mailReleases  = 2
	mailQuestions = 2
	mailAttend    = 2
)

// mailArchive opens the archive of a mailing list: two indexes and messages.
func (p *plan) mailArchive() {
	s := p.site("lists.announce", "Announce: the mailing list archive")
	s.style = nineties
	index := []*page{
		s.add("/", "Announce archive, this month", "This month", Other, mailIndex(0)),
		s.add("/previous/", "Announce archive, last month", "Last month", Other, mailIndex(1)),
	}
	s.moved["/index.html"] = index[0].url()
	p.sources.archive = index[0]
	add := func(subject string, write func(*doc)) *page {
		n := len(s.order)
		return s.add(fmt.Sprintf("/msg%05d.html", 400+7*n), subject, "", MailAnnouncement, write)
	}
	for i := range mailOnlyCalls {
		e := p.newEvent(eventKind(i % 2))
		p.submitted(e)
		e.home = add(pick(p.r, []string{"CFP: ", "Call for Papers: ", "Second CfP: "})+e.short(), e.page(mailCall)).call(e)
		e.call = e.home
	}
	// Which events these messages announce is settled with the other mentions.
	for range mailCalls {
		p.sources.mails = append(p.sources.mails, add("", nil))
	}
	f := func() field { return pick(p.r, p.fields) }
	for range mailJobs {
		place := university(pick(p.r, p.unis))
		add("PhD position at the "+place, mailText(f(), "mail.phd", 4)).miss("job advert")
	}
	for range mailReleases {
		add("[ANN] new release", mailText(f(), "mail.release", 3))
	}
	for range mailQuestions {
		add("Question: looking for references", mailText(f(), "mail.question", 3))
	}
	for range mailAttend {
		e := p.events[p.r.IntN(fullSites)]
		add("Call for Participation: "+e.short(), e.page(func(d *doc, _ *event) {
			d.message(wrapText(d.sayAll("conf.participate", 5) + " " + d.sayAll("conf.registration", 2)))
		})).miss("participation")
	}
}

// message writes a mail's head and text; addresses of the web become links.
func (d *doc) message(text string) {
	from := d.plan.person(d.r)
	sent := d.plan.now.AddDate(0, 0, -2-d.r.IntN(50))
	user := strings.ToLower(from.name[:1])
	d.raw("<h2>%s</h2>\n<pre>\nFrom: %s &lt;%s@%s&gt;\nDate: %s\nSubject: %s\n", esc(d.title), esc(from.name), user, d.site.host,
		sent.Format("Mon, 2 Jan 2006 15:04:05 -0700"), esc(d.title))
	for line := range strings.Lines(text) {
		i := strings.Index(line, "http://")
		if i < 0 {
			d.b.WriteString(esc(line))
			continue
		}
		url := strings.TrimSpace(line[i:])
		d.b.WriteString(esc(line[:i]) + d.link(url, url) + "\n")
	}
	d.raw("\n-- \n%s\n%s\n</pre>", esc(from.name), esc(from.place))
	d.pm(d.to(d.plan.sources.archive, "Index of this month"))
}

// mailCall announces an event: the call as text.
func mailCall(d *doc, e *event) {
	body := &doc{page: d.page, plan: d.plan, r: d.r, slots: d.slots, used: d.used, items: d.items, dates: d.dates, text: true}
	body.raw("%s\n", d.say("mail.open"))
	plainCall(body, e)
	d.message(body.b.String())
}

func mailText(f field, rule string, n int) func(*doc) {
	return func(d *doc) {
		d.about(f)
		d.message(wrapText(d.sayAll(rule, n)) + "\n")
	}
}

// mailIndex lists the messages of the archive, every second one per month.
func mailIndex(month int) func(*doc) {
	return func(d *doc) {
		d.h(1, d.title)
		var items []string
		for i, m := range d.site.order {
			if m.truth.Type == MailAnnouncement && i%2 == month {
				items = append(items, d.to(m, m.title))
			}
		}
		d.raw("<UL>\n<LI>%s\n</UL>", strings.Join(items, "\n<LI>"))
	}
}
