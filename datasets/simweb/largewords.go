package simweb

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A largeTopicWords is the text about one topic: sentences by rule, expanded except the marks of
// what differs from event to event.
type largeTopicWords struct {
	name      string
	off       bool
	field     field
	prefix    string // of the rules of an off-topic kind
	sentences map[string][]string
}

// largeWords are the words of all large webs.
type largeWords struct {
	topics []largeTopicWords
	plan   *plan // its tables of names, places and universities
}

const (
	offRounds = 3  // how often each off-topic kind comes among the topics
	variants  = 96 // expanded sentences of a rule and topic
)

// Marks in sentences, replaced by the event's.
const (
	markTitle = iota + 1
	markShort
	markPlace
	markCity
	markDates
	numMarks
)

var fieldRules = strings.Fields("call.intro call.invite call.submit call.publish call.contact conf.about conf.news conf.talk conf.venue conf.programme " +
	"home.bio home.service home.paper home.teach inst.about inst.group list.intro conf.kit conf.stub conf.participate conf.registration inst.school")

// loadLargeWords expands the sentences once for all webs: they depend on no seed.
var loadLargeWords = sync.OnceValue(func() *largeWords {
	p := newPlan(0, defaultNow)
	w := &largeWords{plan: p}
	for i := range max(len(p.fields), offRounds*len(offKinds)) {
		if i < len(p.fields) {
			t := largeTopicWords{name: p.fields[i].name, field: p.fields[i], sentences: map[string][]string{}}
			t.expand(p, fieldRules)
			w.topics = append(w.topics, t)
		}
		if i < offRounds*len(offKinds) {
			kind := offKinds[i%len(offKinds)]
			t := largeTopicWords{name: fmt.Sprintf("%s %d", kind, 1+i/len(offKinds)), off: true, prefix: kind,
				field: p.fields[i%len(p.fields)], sentences: map[string][]string{}}
			t.expand(p, []string{kind + ".s", kind + ".item", kind + ".title", kind + ".name"})
			w.topics = append(w.topics, t)
		}
	}
	return w
})

func (t *largeTopicWords) expand(p *plan, rules []string) {
	r := random(0, "large "+t.name)
	for _, rule := range rules {
		for i := range max(variants, len(p.words[rule])) {
			text := p.words[rule][i%len(p.words[rule])]
			said := upperFirst(tidy.Replace(p.words.expand(r, t.slots(p, r), text)))
			t.sentences[rule] = append(t.sentences[rule], said)
		}
	}
}

// slots are what a sentence may name; marks stand for what the event has.
func (t *largeTopicWords) slots(p *plan, r *rand.Rand) map[string]string {
	f := t.field
	topics, unis := sample(r, f.topics, 2), sample(r, p.unis, 3)
	mark := func(m int) string { return string(rune(m)) }
	return map[string]string{
		"field": strings.ToLower(f.name), "Field": f.name, "Dept": f.department(), "topic": topics[0], "topic2": topics[1],
		"person": p.person(r).name, "uni": university(unis[0]), "uni2": university(unis[1]), "uni3": university(unis[2]),
		"oldyear": fmt.Sprint(1968 + r.IntN(40)), "pages": fmt.Sprint(6 + 2*r.IntN(6)), "Tool": "GridKit",
		"title": mark(markTitle), "short": mark(markShort), "place": mark(markPlace), "city": mark(markCity), "dates": mark(markDates),
		"mail": "chairs@conference.example",
	}
}

// A largeEvent is the event of a call.
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

// person invents a person.
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
	if i := to - p.host.start; slices.Contains(p.host.menu(), i) && p.host.pageKind(i) == CFP {
		d := draws(keyed(w.seed, 43, uint64(to)))
		return drawn(&d, []string{"Call for Papers", "Call for Papers", "Submission", "CFP", "Important Dates"})
	}
	return w.title(w.placeOfPage(to))
}
