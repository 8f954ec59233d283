package simweb

import (
	"fmt"
	"strings"
)

// aboutEvent fills the slots of texts on an event.
func (d *doc) aboutEvent(e *event) {
	d.about(e.field)
	d.slots["title"], d.slots["short"] = e.title, e.short()
	d.slots["city"], d.slots["place"] = e.city, e.placeName()
	d.slots["dates"] = d.dates.span(e.start, e.end)
	d.slots["pages"] = fmt.Sprint(e.pages)
	d.slots["uni"] = e.uni
	d.slots["mail"] = e.mail()
}

// page is what write writes of the event.
func (e *event) page(write func(*doc, *event)) func(*doc) {
	return func(d *doc) {
		d.aboutEvent(e)
		write(d, e)
	}
}

// banner writes who, when and where.
func (d *doc) banner(e *event) {
	when := d.dates.span(e.start, e.end)
	switch d.r.IntN(4) {
	case 0:
		d.h(1, e.title+" ("+e.short()+")")
		d.p(when + ", " + e.placeName())
	case 1:
		d.h(1, e.short())
		d.h(2, e.title)
		d.h(3, e.placeName()+", "+when)
	case 2:
		d.h(1, e.title)
		d.pm("<b>" + esc(e.placeName()) + "</b><br>\n<i>" + esc(when) + "</i>")
	default:
		d.h(1, e.short()+": "+e.title)
		d.p(when + " | " + e.placeName())
	}
}

// topicsOf chooses what a call of the event lists, the same on all its pages.
func (p *plan) topicsOf(e *event) []string {
	r := random(p.seed, "topics "+e.id)
	topics := sample(r, e.field.topics, 7+r.IntN(6))
	for i, t := range topics {
		topics[i] = upperFirst(t)
	}
	return topics
}

// callBody writes a whole call for papers: scope, topics, how and by when to
// submit, committee, contact, in one of three orders.
func (d *doc) callBody(e *event) {
	parts := []func(){
		func() { d.scope(e) },
		func() { d.submission(e) },
		func() { d.dateBlock(e, "abstract", "submission", "notification", "camera_ready") },
	}
	switch d.r.IntN(3) {
	case 0:
		parts[1], parts[2] = parts[2], parts[1]
	case 1:
		parts[0], parts[1], parts[2] = parts[2], parts[0], parts[1]
	}
	for _, part := range parts {
		part()
	}
	if d.r.IntN(3) > 0 {
		d.committee(e, 5+d.r.IntN(10))
	}
	d.h(3, pick(d.r, []string{"Contact", "Further Information", "Questions"}))
	d.p(d.say("call.contact"))
}

// scope writes the aims and the topics.
func (d *doc) scope(e *event) {
	d.p(d.sayAll("call.intro", 3+d.r.IntN(2)))
	d.retopic(e.field)
	if d.r.IntN(3) > 0 {
		d.p(d.sayAll("call.intro", 2+d.r.IntN(2)))
	}
	d.h(2, d.say("call.topicsHead"))
	d.p(d.say("call.invite"))
	topics := d.plan.topicsOf(e)
	if d.r.IntN(6) == 0 {
		d.p(strings.Join(topics, ", ") + ".")
		return
	}
	listOf(d, topics, esc)
}

// submission writes how to submit and where accepted papers appear.
func (d *doc) submission(e *event) {
	d.h(2, d.say("call.submitHead"))
	d.p(d.sayAll("call.submit", 4+d.r.IntN(4)))
	d.pm(pick(d.r, []string{"Submit your paper at ", "Submission site: ", "Electronic submission: ", "Papers are submitted via "}) +
		d.link(e.submit, strings.TrimPrefix(e.submit, "http://")))
	d.p(d.sayAll("call.publish", 1+d.r.IntN(2)))
}

// committee writes the chairs and n members.
func (d *doc) committee(e *event, n int) {
	d.h(2, pick(d.r, []string{"Organisation", "Committees", "Organizing Committee"}))
	chairs := make([]string, len(e.chairs))
	for i, c := range e.chairs {
		chairs[i] = esc(d.plan.words["role.chair"][i] + ": " + c.name + ", " + c.place)
	}
	d.list(chairs)
	d.h(3, pick(d.r, []string{"Programme Committee", "Program Committee", "Program Committee (in progress)"}))
	listOf(d, e.committee[:min(n, len(e.committee))], func(m person) string {
		return esc(m.name + pick(d.r, []string{", ", " - ", ", "}) + m.place)
	})
}

// callPage writes the page that is the call for papers.
func callPage(d *doc, e *event) {
	if d.r.IntN(3) == 0 {
		d.h(1, d.say("call.heading"))
		d.h(2, e.title+" ("+e.short()+")")
		d.p(d.dates.span(e.start, e.end) + ", " + e.placeName())
	} else {
		d.banner(e)
		d.h(2, d.say("call.heading"))
	}
	d.callBody(e)
}

// trackPage writes a call for proposals or posters of an event.
func trackPage(e *event, kind, rule string) func(*doc) {
	return func(d *doc) {
		d.aboutEvent(e)
		d.h(1, d.title)
		d.p(e.title + " (" + e.short() + "), " + e.placeName() + ", " + d.dates.span(e.start, e.end))
		d.p(d.say("call.intro"))
		d.p(d.sayAll(rule, 3))
		d.dateBlock(e, kind)
		d.h(2, d.say("call.submitHead"))
		d.p(d.sayAll("call.submit", 2))
		d.p(d.say("call.contact"))
	}
}

// issuePage writes the call of a special issue.
func issuePage(d *doc, e *event) {
	d.h(1, "Call for Papers: "+e.title)
	d.p(d.sayAll("call.issue", 2))
	d.h(2, d.say("call.topicsHead"))
	d.p(d.say("call.invite"))
	listOf(d, d.plan.topicsOf(e), esc)
	d.h(2, d.say("call.submitHead"))
	d.p(d.sayAll("call.issue", 3))
	d.pm("Manuscripts are submitted at " + d.link(e.submit, strings.TrimPrefix(e.submit, "http://")))
	d.dateBlock(e)
	d.h(2, "Guest Editors")
	listOf(d, e.chairs, person.atPlace)
	d.p(d.say("call.contact"))
}

// plainCall writes a call as text, for mails and .txt files, at most 72 wide.
func plainCall(d *doc, e *event) {
	rule := strings.Repeat(pick(d.r, []string{"=", "-", "*"}), 64)
	d.raw("%s\n%s\n\n%s (%s)\n%s\n%s\n%s\n", rule, center("CALL FOR PAPERS"), center(e.title), e.short(),
		center(d.dates.span(e.start, e.end)+", "+e.placeName()), center(e.site()), rule)
	dates := func() {
		d.raw("%s", d.plainHead(d.say("call.datesHead")))
		for _, row := range d.dateRows(e, "abstract", "submission", "notification", "camera_ready") {
			if d.items%2 == 0 {
				d.raw("%-34s %s", row.label+":", row.when)
			} else {
				d.raw("  * %s: %s", row.label, row.when)
			}
		}
		d.raw("%s\n", wrapText(d.slots["zone"]))
	}
	early := d.r.IntN(2) == 0
	if early {
		dates()
	}
	d.raw("%s\n", wrapText(d.sayAll("call.intro", 3)))
	d.raw("%s\n%s\n", d.plainHead("Topics"), wrapText(d.say("call.invite")))
	for _, t := range d.plan.topicsOf(e) {
		d.raw(" - %s", t)
	}
	d.raw("\n%s\n%s\n", d.plainHead("Submission"), wrapText(d.sayAll("call.submit", 4)+" "+d.say("call.publish")))
	if !early {
		dates()
	}
	d.raw("%s", d.plainHead("Program Committee"))
	for _, m := range e.committee[:8] {
		d.raw("  %s, %s", m.name, m.place)
	}
	d.raw("\n%s", wrapText(d.say("call.contact")))
}

// site is the address a plain call prints.
func (e *event) site() string {
	if e.home.truth.Type == MailAnnouncement {
		return ""
	}
	return e.home.url()
}

func (d *doc) plainHead(title string) string {
	if d.items < 2 {
		return strings.ToUpper(title) + "\n"
	}
	return title + "\n" + strings.Repeat("-", len(title))
}

func center(s string) string { return strings.Repeat(" ", max(0, (64-len(s))/2)) + s }

// wrapText breaks text into lines of at most 72 bytes where words allow.
func wrapText(text string) string {
	const width = 72
	var b strings.Builder
	col := 0
	for _, w := range strings.Fields(text) {
		switch {
		case col > 0 && col+1+len(w) > width:
			b.WriteByte('\n')
			col = 0
		case col > 0:
			b.WriteByte(' ')
			col++
		}
		b.WriteString(w)
		col += len(w)
	}
	return b.String()
}
