package simweb

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
)

// A largeTopicWords is what is said about one topic: sentences by rule, expanded
// but for the marks of what differs from event to event.
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
	"home.bio home.service home.paper home.teach inst.about inst.group list.intro conf.kit")

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
