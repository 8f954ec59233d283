package simweb

import "fmt"

// lists opens the hosts that collect calls; the last of them nobody links.
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
			row := [4]string{d.mention(e), esc(e.place()), esc(d.dates.span(e.start, e.end)), ""}
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

// eventRows writes the rows in one of four shapes.
func (d *doc) eventRows(rows [][4]string) {
	switch d.r.IntN(4) {
	case 0:
		d.raw("<table border=\"1\">\n<tr><th>Event</th><th>Place</th><th>Date</th><th>Deadline</th></tr>")
		for _, r := range rows {
			d.raw("<tr><td>%s</td><td>%s</td><td>%s</td><td>%s</td></tr>", r[0], r[1], r[2], r[3])
		}
		d.raw("</table>")
	case 1:
		d.raw("<ul>")
		for _, r := range rows {
			d.raw("<li>%s, %s, %s%s</li>", r[0], r[1], r[2], prefixed(" (deadline: ", r[3], ")"))
		}
		d.raw("</ul>")
	case 2:
		d.raw("<dl>")
		for _, r := range rows {
			d.raw("<dt>%s</dt><dd>%s, %s%s</dd>", r[0], r[1], r[2], prefixed("<br>Submission: ", r[3], ""))
		}
		d.raw("</dl>")
	default:
		for _, r := range rows {
			d.raw("<div class=\"event\"><h3>%s</h3><p>%s &middot; %s</p>%s</div>", r[0], r[1], r[2], prefixed("<p class=\"deadline\">Deadline ", r[3], "</p>"))
		}
	}
}

// prefixed is before + s + after, or nothing where s is empty.
func prefixed(before, s, after string) string {
	if s == "" {
		return ""
	}
	return before + s + after
}
