package simweb

import (
	"strconv"
	"strings"
)

// A largeDoc is a page of a large web while it is written.
type largeDoc struct {
	w     *Large
	p     largePlace
	topic *largeTopicWords
	event largeEvent // what marks in sentences stand for
	d     draws
	b     []byte
}

// render returns the page as HTML, 2 to 10 KB of nearly all.
func (w *Large) render(p largePlace) []byte {
	d := &largeDoc{w: w, p: p, topic: &w.words.topics[p.host.topic], d: draws(keyed(w.seed, 42, uint64(p.n))), b: make([]byte, 0, 8<<10)}
	about := p
	if p.kind != CFP {
		about.n = p.host.start + p.host.call()
	}
	d.event = w.event(about)
	title := w.title(p)
	var buf [80]int
	edges := w.edges(p, buf[:0])
	menu := 0
	for menu < len(edges) && edges[menu] >= p.host.start && edges[menu] < p.host.start+p.host.size {
		menu++
	}
	d.add("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>", esc(title), "</title>\n</head>\n<body>\n<div class=\"menu\">")
	d.links(edges[:menu])
	d.add("</div>\n<div class=\"content\">\n")
	d.h("h1", title)
	d.content()
	if menu < len(edges) {
		d.h("h3", drawn(&d.d, []string{"Links", "See also", "Elsewhere", "Related pages"}))
		d.links(edges[menu:])
	}
	d.add("</div>\n<hr>\n<p>Page ", strconv.Itoa(p.i), " of ", w.name(p.host.n), ", kept by ", esc(w.person(&d.d)), ".</p>\n</body>\n</html>\n")
	return d.b
}

func (d *largeDoc) add(parts ...string) {
	for _, s := range parts {
		d.b = append(d.b, s...)
	}
}

func (d *largeDoc) h(tag, text string) { d.add("<", tag, ">", esc(text), "</", tag, ">\n") }

// links writes edges as a list; lists of calls say place and deadline.
func (d *largeDoc) links(edges []int) {
	d.add("<ul>\n")
	for _, to := range edges {
		d.add("<li><a href=\"", esc(d.w.href(d.p, to)), "\">", esc(d.w.anchor(d.p, to)), "</a>")
		if d.p.kind == CFPList && to >= 0 {
			about := d.w.placeOfPage(to)
			call := d.w.placeOfPage(about.host.start + about.host.call())
			if called := d.w.event(call); about.kind == CFP || about.i == 0 && call.kind == CFP {
				d.add(", ", called.place, ", ", called.dates.span(called.start, called.end), " (deadline: ", called.dates.day(called.due), ")")
			}
		}
		d.add("</li>\n")
	}
	d.add("</ul>\n")
}

// say writes a sentence of a rule with the event's names for its marks.
func (d *largeDoc) say(sentence string) {
	from := 0
	for i := range len(sentence) {
		if m := sentence[i]; m > 0 && m < numMarks {
			d.add(esc(sentence[from:i]), esc(d.marked(m)))
			from = i + 1
		}
	}
	d.add(esc(sentence[from:]))
}

func (d *largeDoc) marked(m byte) string {
	e := &d.event
	switch m {
	case markTitle:
		return e.title
	case markShort:
		return e.short
	case markPlace:
		return e.place
	case markCity:
		return e.city
	}
	return e.dates.span(e.start, e.end)
}

// each calls write with n sentences of a rule, each variant of it once.
func (d *largeDoc) each(rule string, n int, write func(sentence string)) {
	list, variants := d.topic.sentences[rule], len(d.w.words.plan.words[rule])
	at, rounds := d.d.n(variants), max(1, len(list)/variants)
	for i := range n {
		write(list[(at+i)%variants+variants*d.d.n(rounds)])
	}
}

func (d *largeDoc) paragraph(rule string, n int) {
	d.add("<p>")
	d.each(rule, n, func(s string) {
		d.say(s)
		d.add(" ")
	})
	d.add("</p>\n")
}

func (d *largeDoc) items(rule string, n int, named bool) {
	d.add("<ul>\n")
	d.each(rule, n, func(s string) {
		d.add("<li>")
		if named {
			d.add(esc(d.w.person(&d.d)), ": ")
		}
		d.say(s)
		d.add("</li>\n")
	})
	d.add("</ul>\n")
}

func (d *largeDoc) people(n int) {
	d.add("<ul>\n")
	for range n {
		d.add("<li>", esc(d.w.person(&d.d)), ", ", esc(university(drawn(&d.d, d.w.words.plan.unis))), "</li>\n")
	}
	d.add("</ul>\n")
}

// content writes what the page says.
func (d *largeDoc) content() {
	switch d.p.kind {
	case CFP:
		if d.p.unclear(d.w.seed) {
			d.paragraph("conf.about", 3)
			d.paragraph("conf.stub", 2)
			return
		}
		d.call()
	case Conference:
		if unclear := d.p.unclear(d.w.seed); unclear && !d.p.host.past { // instructions for authors
			d.paragraph("call.intro", 2)
			d.deadlines()
			d.paragraph("call.submit", 4)
			return
		} else if unclear {
			d.paragraph("conf.participate", 5)
			d.deadlines()
			d.paragraph("conf.registration", 3)
			return
		}
		d.paragraph("conf.about", 4)
		switch {
		case d.p.host.past:
		case d.p.i == 0:
			d.paragraph("call.intro", 2)
			d.deadlines()
		case d.d.n(3) == 0:
			d.deadlines()
		}
		d.h("h2", "News")
		d.items("conf.news", 3+d.d.n(3), false)
		d.paragraph("conf.venue", 3)
		d.h("h2", "Programme")
		d.items("conf.talk", 5+d.d.n(6), true)
		d.paragraph("conf.programme", 2)
	case CFPList:
		d.paragraph("list.intro", 3)
		d.paragraph("inst.group", 3)
		d.h("h2", "Contributors")
		d.people(8 + d.d.n(8))
	case Homepage:
		d.paragraph("home.bio", 5)
		d.h("h2", "Selected Publications")
		d.items("home.paper", 8+d.d.n(10), true)
		d.h("h2", "Teaching")
		d.items("home.teach", 3, false)
	case InstitutionTopic:
		if d.p.unclear(d.w.seed) {
			d.h("h2", "Summer School: Call for Applications")
			d.paragraph("inst.school", 3)
			d.fieldTopics()
			d.deadlines()
			return
		}
		d.paragraph("inst.about", 4)
		d.paragraph("inst.group", 4)
		d.h("h2", "Members")
		d.people(10 + d.d.n(12))
	default:
		d.other()
	}
}

func (d *largeDoc) other() {
	if d.p.host.kind == institutionHost { // news of the campus and the town
		for n := d.d.n(len(d.w.words.topics)); !d.topic.off; n++ {
			d.topic = &d.w.words.topics[n%len(d.w.words.topics)]
		}
	}
	if !d.topic.off {
		d.paragraph("inst.group", 3)
		d.h("h2", "Articles")
		d.items("home.paper", 10+d.d.n(10), true)
		d.paragraph("conf.kit", 3)
		return
	}
	s, item := d.topic.prefix+".s", d.topic.prefix+".item"
	for range 3 {
		d.paragraph(s, 3+d.d.n(3))
	}
	d.add("<p>", drawn(&d.d, []string{"Written by ", "Photographs: ", "Thanks to "}), esc(d.w.person(&d.d)), " and ", esc(d.w.person(&d.d)), ".</p>\n")
	d.items(item, 4+d.d.n(5), false)
	for range 4 {
		d.paragraph(s, 3+d.d.n(3))
	}
	d.items(item, 2+d.d.n(4), true)
}

// unclear says that a judge is likely to err on the page. It is a call that does not say much yet, instructions for
// authors, or a call for participation or applications.
func (p largePlace) unclear(seed uint64) bool {
	return keyed(seed, 44, uint64(p.n))%16 == 0 && p.i > 0
}

// call writes a call for papers.
func (d *largeDoc) call() {
	e := &d.event
	rules := d.w.words.plan.words
	d.h("h2", "Call for Papers")
	d.h("h3", e.title+" ("+e.short+")")
	d.add("<p>", esc(e.dates.span(e.start, e.end)), ", ", esc(e.place), "</p>\n")
	parts := []func(){
		func() {
			d.paragraph("call.intro", 4+d.d.n(3))
			d.h("h2", drawn(&d.d, rules["call.topicsHead"]))
			d.paragraph("call.invite", 1)
			d.fieldTopics()
		},
		d.deadlines,
		func() {
			d.h("h2", drawn(&d.d, rules["call.submitHead"]))
			d.paragraph("call.submit", 4+d.d.n(4))
			d.paragraph("call.publish", 1+d.d.n(2))
		},
	}
	first := d.d.n(3)
	for i := range parts {
		parts[(first+i)%3]()
	}
	d.h("h2", "Programme Committee")
	d.people(8 + d.d.n(10))
	d.paragraph("call.contact", 1)
}

// fieldTopics writes a list of topics of the field.
func (d *largeDoc) fieldTopics() {
	d.add("<ul>\n")
	topics := d.topic.field.topics
	at, n := d.d.n(len(topics)), 6+d.d.n(4)
	for i := range min(n, len(topics)) {
		d.add("<li>", esc(upperFirst(topics[(at+i)%len(topics)])), "</li>\n")
	}
	d.add("</ul>\n")
}

// deadlines writes the block of dates in one of three shapes.
func (d *largeDoc) deadlines() {
	e := &d.event
	d.h("h2", drawn(&d.d, d.w.words.plan.words["call.datesHead"]))
	rows := [][2]string{
		{drawn(&d.d, labels["submission"]), e.dates.day(e.due)}, {drawn(&d.d, labels["notification"]), e.dates.day(e.notify)},
		{drawn(&d.d, labels["camera_ready"]), e.dates.day(e.final)}, {"Conference", e.dates.span(e.start, e.end)},
	}
	shape := drawn(&d.d, [][4]string{
		{"<table>\n", "<tr><td>L</td><td>", "</td></tr>\n", "</table>\n"},
		{"<ul>\n", "<li><strong>L</strong>: ", "</li>\n", "</ul>\n"},
		{"<dl>\n", "<dt>L</dt><dd>", "</dd>\n", "</dl>\n"},
	})
	d.add(shape[0])
	for _, row := range rows {
		before, after, _ := strings.Cut(shape[1], "L")
		d.add(before, esc(row[0]), after, esc(row[1]), shape[2])
	}
	d.add(shape[3])
}
