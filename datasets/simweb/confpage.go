package simweb

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// homePage writes the front page of a site whose call is another page.
func homePage(d *doc, e *event) {
	d.banner(e)
	d.p(d.sayAll("conf.about", 3))
	d.h(2, pick(d.r, []string{"News", "Latest News", "Announcements"}))
	var news []string
	for range 2 + d.r.IntN(3) {
		day := d.plan.now.AddDate(0, 0, -1-d.r.IntN(50))
		news = append(news, esc(d.dates.day(day)+": "+d.say("conf.news")))
	}
	if e.past != nil {
		news = append(news, d.to(e.past, fmt.Sprintf("%s %d", e.acronym, e.year-1))+": slides and photographs")
	}
	d.list(news)
	if d.r.IntN(2) == 0 {
		d.h(2, "Keynote Speakers")
		listOf(d, d.plan.people(d.r, 3), func(k person) string {
			d.retopic(e.field)
			return esc(k.name + ", " + k.place + ": " + titleCase(d.say("conf.talk")))
		})
	}
	d.related()
}

// singlePage writes a site's front page that holds the whole call.
func singlePage(d *doc, e *event) {
	d.banner(e)
	d.p(d.say("conf.about"))
	d.h(2, d.say("call.heading"))
	d.callBody(e)
	d.related()
}

// related links the other events the plan gave this page.
func (d *doc) related() {
	if len(d.mentions) == 0 {
		return
	}
	d.h(3, pick(d.r, []string{"Related Events", "Related conferences", "Sister conferences", "Co-located and neighbouring events"}))
	listOf(d, d.mentions, func(e *event) string { return d.mention(e) + esc(d.whereWhen(e)) })
}

// whereWhen is place and days of an event as they follow its name.
func (d *doc) whereWhen(e *event) string {
	if e.kind == issue {
		return ""
	}
	return ", " + e.placeName() + ", " + d.dates.span(e.start, e.end)
}

// datesPage lists all dates of an event and does not say what is called for.
func datesPage(d *doc, e *event) {
	d.h(1, e.short())
	d.dateBlock(e)
	d.p(d.say("conf.news"))
}

func committeePage(d *doc, e *event) {
	d.h(1, e.short())
	d.committee(e, len(e.committee))
	d.p(d.say("conf.about"))
}

func programmePage(d *doc, e *event) {
	d.h(1, "Programme of "+e.short())
	d.p(d.sayAll("conf.programme", 3))
	for day := e.start; !day.After(e.end); day = day.AddDate(0, 0, 1) {
		d.h(2, d.dates.day(day))
		d.raw("<table>")
		d.raw("<tr><td>09:00</td><td>%s</td></tr>", pick(d.r, []string{"Registration and opening", "Keynote lecture", "Welcome"}))
		for hour := 10; hour < 17; hour++ {
			if hour == 12 {
				d.raw("<tr><td>12:00</td><td>Lunch</td></tr>")
				continue
			}
			d.retopic(e.field)
			who := d.plan.people(d.r, 2)
			d.raw("<tr><td>%d:%02d</td><td>%s and %s: <i>%s</i></td></tr>", hour, 15*d.r.IntN(3), who[0].name, who[1].name, esc(titleCase(d.say("conf.talk"))))
		}
		d.raw("</table>")
	}
}

func participatePage(d *doc, e *event) {
	d.h(1, "Call for Participation")
	d.h(2, e.title+" ("+e.short()+")")
	d.p(d.sayAll("conf.participate", 4))
	d.p(d.sayAll("conf.registration", 2))
	d.h(3, "Invited Speakers")
	listOf(d, d.plan.people(d.r, 4), func(k person) string { return esc(k.name + " (" + k.place + ")") })
}

func venuePage(d *doc, e *event) {
	d.h(1, "Venue of "+e.short())
	d.p(d.sayAll("conf.venue", 3))
	d.h(2, pick(d.r, []string{"Getting there", "Travel", "Hotels"}))
	d.p(d.sayAll("conf.venue", 2))
}

func registrationPage(d *doc, e *event) {
	d.h(1, "Registration")
	d.p(d.sayAll("conf.registration", 4))
	fee := 10 * (22 + d.r.IntN(30))
	until := e.start.AddDate(0, 0, -24)
	d.raw("<table border=\"1\">\n<tr><th></th><th>until %s</th><th>later and on site</th></tr>", d.dates.day(until))
	for i, who := range []string{"Regular", "Member", "Student"} {
		d.raw("<tr><td>%s</td><td>%d Euro</td><td>%d Euro</td></tr>", who, fee-60*i, fee-60*i+90)
	}
	d.raw("</table>")
}

func kitPage(d *doc, e *event) {
	d.h(1, "Author Kit")
	d.p(d.sayAll("conf.kit", 5))
	d.list([]string{d.dead("/files/style.zip", "Style files (zip)"), esc("Sample paper"), esc("Copyright form")})
}

// dead links a path of the page's own site that does not exist.
func (d *doc) dead(path, anchor string) string {
	url := "http://" + d.site.host + path
	d.plan.dead[url] = true
	return d.link(url, anchor)
}

func stubPage(d *doc, e *event) {
	d.h(1, e.title)
	d.p(d.sayAll("conf.stub", 3))
	d.p(fmt.Sprintf("Contact: %s, %s", e.chairs[0].name, e.chairs[0].place))
}

// pastPage looks back on the edition before.
func pastPage(e *event) func(*doc) {
	return func(d *doc) {
		last := *e
		last.year, last.start, last.end = e.year-1, e.start.AddDate(-1, 0, 2), e.end.AddDate(-1, 0, 2)
		city := pick(d.r, d.plan.cities)
		last.city, last.country = city[0], city[1]
		d.aboutEvent(&last)
		d.banner(&last)
		d.p(d.sayAll("conf.past", 4))
		d.h(2, "Accepted Papers")
		d.listNew(6+d.r.IntN(8), func() string {
			d.retopic(e.field)
			who := d.plan.people(d.r, 2)
			return esc(who[0].name + ", " + who[1].name + ": " + titleCase(d.say("conf.talk")))
		})
		d.p("Last updated " + d.dates.day(last.end.Add(20*24*time.Hour)) + ".")
	}
}

// labels are the words before a deadline, by kind.
var labels = map[string][]string{
	"abstract":          {"Abstract submission", "Abstract registration deadline", "Abstracts due", "Submission of abstracts"},
	"submission":        {"Paper submission", "Submission deadline", "Full paper submission", "Papers due", "Paper submission deadline", "Deadline for submissions"},
	"notification":      {"Notification of acceptance", "Author notification", "Notification to authors", "Acceptance notification", "Notification"},
	"camera_ready":      {"Camera-ready papers due", "Camera-ready version", "Final version due", "Camera-ready copy", "Final papers"},
	"registration":      {"Early registration deadline", "Early registration ends", "Early bird registration"},
	"workshop_proposal": {"Workshop proposals due", "Workshop proposal deadline"},
	"tutorial_proposal": {"Tutorial proposals due", "Tutorial proposal submission"},
	"poster":            {"Poster submission", "Poster abstracts due", "Posters and demos due"},
}

// A dateRow is one line of a page's block of dates: label and markup.
type dateRow struct{ label, when string }

// dateRows prints the event's deadlines of the given kinds (all if none are
// given) and notes what it printed as the page's truth.
func (d *doc) dateRows(e *event, kinds ...string) []dateRow {
	perDate := e.tz != "" && (e.tz != "AoE" || d.r.IntN(3) == 0)
	extension := d.r.IntN(4)
	var rows []dateRow
	for _, dl := range e.deadlines {
		if len(kinds) > 0 && !slices.Contains(kinds, dl.kind) {
			continue
		}
		printed := d.dates.day(dl.date)
		when := printed
		if perDate && dl.kind != "notification" && dl.kind != "camera_ready" {
			when += pick(d.r, []string{" (23:59 " + e.tz + ")", ", 23:59 " + e.tz, " " + e.tz})
		}
		rows = append(rows, dateRow{pick(d.r, labels[dl.kind]), d.extended(dl, when, extension)})
		d.truth.Deadlines = append(d.truth.Deadlines, dl.truth(e.tz, printed))
	}
	if e.kind != issue && len(kinds) != 1 {
		label := pick(d.r, []string{"Conference", "Conference dates", e.short(), "Main conference"})
		if e.kind == workshop {
			label = pick(d.r, []string{"Workshop", "Workshop date", e.short()})
		}
		rows = append(rows, dateRow{label, d.dates.span(e.start, e.end)})
	}
	if e.tz == "AoE" && !perDate {
		d.slots["zone"] = d.say("call.tz")
	} else {
		d.slots["zone"] = ""
	}
	return rows
}

// extended adds the day a deadline had before it was extended.
func (d *doc) extended(dl deadline, when string, how int) string {
	if dl.was.IsZero() {
		return esc(when)
	}
	was := d.dates.day(dl.was)
	switch {
	case d.text || how == 0:
		return esc(when + " (extended from " + was + ")")
	case how == 1:
		return "<strike>" + was + "</strike> <b>" + esc(when) + "</b>"
	case how == 2:
		return "<s>" + was + "</s> " + esc(when) + " <em>(extended)</em>"
	default:
		return "<del>" + was + "</del> <ins>" + esc(when) + "</ins> (extended deadline)"
	}
}

// dateBlock writes heading, rows and time zone in one of nine shapes.
func (d *doc) dateBlock(e *event, kinds ...string) {
	d.h(2, d.say("call.datesHead"))
	rows := d.dateRows(e, kinds...)
	table := func(pattern string) {
		d.lines(rows, "<table"+pick(d.r, []string{"", " border=\"1\"", " class=\"dates\"", " class=\"table table-striped\""})+">", pattern, "</table>")
	}
	switch d.r.IntN(9) {
	case 0:
		table("<tr><td>%L</td><td>%W</td></tr>")
	case 1:
		table("<tr><td><b>%W</b></td><td>%L</td></tr>")
	case 2:
		d.sideways(rows)
	case 3:
		d.lines(rows, "<dl>", "<dt>%L</dt>\n<dd>%W</dd>", "</dl>")
	case 4:
		d.lines(rows, "<p>", "<b>%L:</b> %W<br>", "</p>")
	case 5:
		d.lines(rows, "", "<h4>%L</h4>\n<p>%W</p>", "")
	case 6:
		d.lines(rows, "<ul>", "<li>%W: %L</li>", "</ul>")
	case 7:
		d.lines(rows, "<div class=\"dates\">", "<div class=\"date\"><span class=\"what\">%L</span> <span class=\"when\">%W</span></div>", "</div>")
	default:
		d.lines(rows, "<ul>", "<li><strong>%L</strong>: %W</li>", "</ul>")
	}
	if zone := d.slots["zone"]; zone != "" {
		d.p(zone)
	}
}

// sideways writes a table with a column for each date.
func (d *doc) sideways(rows []dateRow) {
	var head, body strings.Builder
	for _, row := range rows {
		head.WriteString("<th>" + esc(row.label) + "</th>")
		body.WriteString("<td>" + row.when + "</td>")
	}
	d.raw("<table border=\"1\" cellpadding=\"4\">\n<tr>%s</tr>\n<tr>%s</tr>\n</table>", head.String(), body.String())
}

// lines writes each row by a pattern in which %L is the label, %W the date.
func (d *doc) lines(rows []dateRow, before, pattern, after string) {
	d.b.WriteString(before + "\n")
	for _, row := range rows {
		d.b.WriteString(strings.NewReplacer("%L", esc(row.label), "%W", row.when).Replace(pattern) + "\n")
	}
	d.b.WriteString(after + "\n")
}
