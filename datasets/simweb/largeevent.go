package simweb

import (
	"strconv"
	"strings"
	"time"
)

// A largeEvent is what a call calls for.
type largeEvent struct {
	title, short, city, place string
	start, end                time.Time
	due, notify, final        time.Time
	dates                     dateFormat
}

// draws are the random numbers of one page: those of splitmix64.
type draws uint64

func (d *draws) n(n int) int {
	*d += 0x9E3779B97F4A7C15
	return int(mix64(uint64(*d)) >> 33 % uint64(n))
}

// drawn returns one of list.
func drawn[T any](d *draws, list []T) T { return list[d.n(len(list))] }

var largeStems = []string{"International Conference on Principles and Practice of ", "Northern Conference on ", "Atlantic Symposium on ",
	"International Conference on New Directions in ", "Continental Conference on ", "International Workshop on ", "Workshop on Trends in "}

// event returns what the call at p calls for.
func (w *Large) event(p largePlace) largeEvent {
	d := draws(keyed(w.seed, 40, uint64(p.n)))
	f := w.words.topics[p.host.topic].field
	stem := drawn(&d, largeStems) + f.name
	e := largeEvent{title: ordinal(1+d.n(30)) + " " + stem, dates: dateFormat(d.n(int(numDateFormat)))}
	at := drawn(&d, w.words.plan.cities)
	e.city, e.place = at[0], at[0]+", "+at[1]
	ahead := 12 + d.n(150)
	if d.n(5) == 0 {
		ahead = -5 - d.n(40)
	}
	e.due = w.now.AddDate(0, 0, ahead)
	e.notify = e.due.AddDate(0, 0, 42+d.n(35))
	e.final = e.notify.AddDate(0, 0, 14+d.n(21))
	e.start = e.final.AddDate(0, 0, 30+d.n(45))
	e.end = e.start.AddDate(0, 0, 1+d.n(4))
	// Letters of the page's number keep acronyms apart.
	letters := ""
	for n := p.n; n > 0 || letters == ""; n /= 26 {
		letters += string(rune('A' + n%26))
	}
	e.short = initials(stem)[:2] + letters + " " + strconv.Itoa(e.start.Year())
	return e
}

// person invents somebody.
func (w *Large) person(d *draws) string {
	culture := drawn(d, w.words.plan.names)
	return drawn(d, culture[0]) + " " + drawn(d, culture[1])
}

// title is the page's title; other pages link it by that.
func (w *Large) title(p largePlace) string {
	d := draws(keyed(w.seed, 41, uint64(p.n)))
	t := &w.words.topics[p.host.topic]
	switch p.kind {
	case CFP:
		e := w.event(p)
		return drawn(&d, []string{e.short, e.title + " (" + e.short + ")", "Call for Papers " + e.short})
	case Conference:
		call := p.host.call()
		e := w.event(largePlace{p.host, call, p.host.start + call, CFP})
		if p.i == 0 {
			return e.title
		}
		return e.short + drawn(&d, []string{" programme", " committees", " venue", " registration", " news"})
	case CFPList:
		return drawn(&d, []string{"Upcoming events in ", "Deadlines in ", "Conferences and workshops: "}) + t.name
	case Homepage:
		return w.person(&d)
	case InstitutionTopic:
		return t.name + drawn(&d, []string{" Group, ", " Laboratory, ", " Section, "}) + university(drawn(&d, w.words.plan.unis))
	}
	if t.off && p.i == 0 {
		return drawn(&d, t.sentences[t.prefix+".name"])
	}
	if t.off {
		return drawn(&d, t.sentences[t.prefix+".title"])
	}
	if p.i == 0 {
		return "Journal of " + t.name + " Letters"
	}
	return titleCase(strings.TrimSuffix(drawn(&d, t.sentences["home.paper"]), "."))
}

// anchor is the text of p's link to a page.
func (w *Large) anchor(p largePlace, to int) string {
	switch {
	case to == gone:
		return "Archive"
	case to == lost:
		return "Former project page"
	case to == p.host.start:
		return "Home"
	}
	return w.title(w.place(to))
}
