package extract

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/extract/wording"
	"github.com/eventseer/eventseer/internal/text"
)

// Bounds on the texts whose words are features of a date, in bytes.
const (
	maxLabelWords  = 110 // of the label, next to the date
	maxBehindWords = 70  // after the date
	maxBlockWords  = 160 // of its block, and of those beside it
	maxHeadWords   = 70  // of a heading, a column, a track
)

// A termSet collects features, each once.
type termSet struct {
	terms []classify.Term
	seen  map[uint32]bool
}

func (s *termSet) add(template, value string) { s.addWeighted(template, value, 1) }

func (s *termSet) addWeighted(template, value string, by float32) {
	id := classify.HashTerm("kind/"+template, value)
	if s.seen == nil {
		s.seen = map[uint32]bool{}
	}
	if !s.seen[id] {
		s.seen[id] = true
		s.terms = append(s.terms, classify.Term{ID: id, Value: by})
	}
}

// addIf adds a feature that holds or not.
func (s *termSet) addIf(holds bool, name string) {
	if holds {
		s.add("is", name)
	}
}

// wordWeight is the value of a word feature; features of structure have the value 1.
const wordWeight = 0.7

// ruleWeight is the value of the feature for the kind that the rules give.
const ruleWeight = 3

// addWords adds the words of a text, what they begin with, and pairs of them; of scripts
// without spaces, pairs of signs.
func (s *termSet) addWords(template, text string) {
	before := ""
	for _, w := range labelWords(text) {
		s.addWeighted(template, w, wordWeight)
		if n := prefixLen(w, 5); n < len(w) {
			s.addWeighted(template+"^", w[:n], wordWeight)
		}
		if before != "" {
			s.addWeighted(template+"+", before+" "+w, wordWeight)
		}
		before = w
	}
}

// addConcepts adds what the words of a text mean, which is the same in all languages.
func (s *termSet) addConcepts(template, text string) {
	r := wording.ReadLabel(text)
	before := wording.ConceptSet(0)
	for _, w := range r.Words {
		s.addWeighted(template+" concept", strconv.Itoa(int(w)), wordWeight)
		s.addWeighted(template+" concepts", strconv.Itoa(int(before))+" "+strconv.Itoa(int(w)), wordWeight)
		before = w
	}
	s.addWeighted(template+" concept set", strconv.Itoa(int(r.All)), wordWeight)
}

// prefixLen returns the length of the first n letters of w.
func prefixLen(w string, n int) int {
	for i := range w {
		if n == 0 {
			return i
		}
		n--
	}
	return len(w)
}

// labelWords returns the words of a text in lower case, without accents; a run of
// ideographs gives its pairs.
func labelWords(s string) []string {
	var out []string
	for _, w := range strings.FieldsFunc(text.FoldForComparison(s), func(r rune) bool { return !unicode.IsLetter(r) }) {
		if r, _ := utf8.DecodeRuneInString(w); !isIdeograph(r) {
			out = append(out, w)
			continue
		}
		rs := []rune(w)
		for i := range rs {
			if i+1 < len(rs) {
				out = append(out, string(rs[i:i+2]))
			}
		}
	}
	return out
}

// addEnds adds the last words of a text, which are next to a date.
func (s *termSet) addEnds(template, text string) {
	ws := labelWords(text)
	for n := 1; n <= 2 && n <= len(ws); n++ {
		s.add(template+"$", strings.Join(ws[len(ws)-n:], " "))
	}
}

// A judgedDate is an entry with a date, the kind that the rules give it, and the features for the classifier.
type judgedDate struct {
	entry
	ruled eventseer.DeadlineKind // "" for none
	terms []classify.Term
}

// judgeDates returns for each entry the kind of date by the rules, and the features for the classifier. It
// does so only for entries for which ask returns true. The entries es already have their kinds by the rules.
func (r *deadlineReader) judgeDates(es []entry, c deadlineContext, needsFeatures func(judgedDate) bool) []judgedDate {
	out := make([]judgedDate, len(es))
	seen := map[uint32]bool{}
	for k, e := range es {
		out[k] = judgedDate{entry: e, ruled: r.ruledKind(e, c)}
	}
	o := orderOf(out)
	for k := range out {
		if needsFeatures(out[k]) {
			out[k].terms = r.kindTerms(out, k, o, c, seen)
		}
	}
	return out
}

// ruledKind returns the kind of deadline that the rules make of an entry, eventDates or noDeadline
// where they say so, else "".
func (r *deadlineReader) ruledKind(e entry, c deadlineContext) eventseer.DeadlineKind {
	if !isDeadline(e.kind) {
		return e.kind
	}
	if !isOwnDeadline(e, c.listed) {
		return ""
	}
	return r.kindUnder(e, r.headingOver(e.date.block), c.calledFor)
}

// kindTerms returns the features of the k-th of es.
// It uses seen, and changes it.
func (r *deadlineReader) kindTerms(es []judgedDate, k int, o kindOrder, c deadlineContext, seen map[uint32]bool) []classify.Term {
	s := termSet{terms: make([]classify.Term, 0, max(len(seen), 64)), seen: seen} // as many as those of the last entry
	clear(seen)
	e := es[k]
	d, i := e.date, e.date.block
	b := r.blocks[i]
	heading := r.headingOver(i)

	s.addWeighted("rule", string(e.ruled), ruleWeight)
	s.add("label kind", string(labelKind(e.label)))
	s.add("rule and words", string(e.ruled)+yesOrNo(isGenericLabel(e.label)))
	s.add("head kind", string(labelKind(cutToBytes(heading, maxHeadWords))))
	s.add("rule and head kind", string(e.ruled)+" "+string(labelKind(cutToBytes(heading, maxHeadWords))))
	s.add("track kind", string(labelKind(e.track)))
	s.add("called for", string(c.calledFor)+yesOrNo(e.ruled.IsSubmission()))
	s.add("shape", string(e.labelShape()))
	s.add("block", strconv.Itoa(int(b.Kind)))
	s.add("event class", r.class)
	s.addIf(r.menu[i], "navigation")
	s.addIf(e.prose, "prose")
	s.addIf(d.struck, "struck")
	s.addIf(len(e.replacedDates) > 0, "moved")
	s.addIf(d.From != d.To, "range")
	s.addIf(d.inferred != "" || d.From.Year == 0, "no year")
	s.addIf(e.label == "", "no label")
	s.addIf(b.Table > 0, "table")
	s.addIf(len(r.datesIn(i)) > 1, "not alone")
	s.addIf(extensionWords.MatchString(e.label), "extended")
	s.addIf(c.listed[e.kind] && e.prose, "repeats")

	s.addConcepts("label", e.label)
	s.addConcepts("head", cutToBytes(heading, maxHeadWords))
	s.addConcepts("behind", firstSentence(cutToBytes(b.Text[d.End:], maxBehindWords)))

	text := b.Text
	s.addWords("label", lastBytes(e.label, maxLabelWords))
	s.addEnds("label", lastBytes(e.label, maxLabelWords))
	s.addWords("behind", firstSentence(cutToBytes(text[d.End:], maxBehindWords)))
	s.addWords("before", lastBytes(text[:d.Start], maxLabelWords))
	s.addWords("head", cutToBytes(heading, maxHeadWords))
	s.addWords("track", cutToBytes(e.track, maxHeadWords))
	r.besideTerms(&s, "block before", i-1)
	r.besideTerms(&s, "block after", i+1)
	r.orderTerms(&s, es, k, o, c)
	return s.terms
}

// besideTerms adds the words of block j, which is beside a date.
func (r *deadlineReader) besideTerms(s *termSet, name string, j int) {
	if j >= 0 && j < len(r.blocks) && len(r.blocks[j].Text) <= maxBlockWords {
		s.addWords(name, cutToBytes(r.blocks[j].Text, maxHeadWords))
	}
}

func yesOrNo(is bool) string {
	if is {
		return " +"
	}
	return " -"
}

// A kindOrder has the days of the first and the last dates of the main kinds on a page, by the rules.
type kindOrder struct{ handIn, lastHandIn, notified, ready, abstract int } // days since 1970, 0 for none

// orderOf reads the time line of a page off its lists; dates without a year are left out.
func orderOf(es []judgedDate) kindOrder {
	var o kindOrder
	first := func(day *int, at int) {
		if *day == 0 || at < *day {
			*day = at
		}
	}
	for _, e := range es {
		at := dayNumber(e)
		if at == 0 || e.prose || e.date.struck {
			continue
		}
		switch e.ruled {
		case eventseer.Submission:
			first(&o.handIn, at)
			o.lastHandIn = max(o.lastHandIn, at)
		case eventseer.Abstract:
			first(&o.abstract, at)
		case eventseer.Notification:
			first(&o.notified, at)
		case eventseer.CameraReady:
			first(&o.ready, at)
		}
	}
	return o
}

// dayNumber returns the number of the day on which an entry's date ends, 0 if its year is unknown.
func dayNumber(e judgedDate) int {
	if !e.date.To.HasYear() {
		return 0
	}
	return int(e.date.To.Time().Unix() / (24 * 3600))
}

// orderTerms adds where a date lies among the others.
func (r *deadlineReader) orderTerms(s *termSet, es []judgedDate, k int, o kindOrder, c deadlineContext) {
	e := es[k]
	for _, beside := range []struct {
		by   int
		name string
	}{{-1, "last"}, {1, "next"}} {
		kind, name := "end", beside.name
		if j := k + beside.by; j >= 0 && j < len(es) {
			if kind = string(es[j].ruled); r.head[es[j].date.block] != r.head[e.date.block] {
				kind = "elsewhere"
			}
		}
		s.add(name, kind)
		s.add("rule and "+name, string(e.ruled)+" "+kind)
	}
	at := dayNumber(e)
	for _, other := range []struct {
		name string
		day  int
	}{{"hand in", o.handIn}, {"last hand in", o.lastHandIn}, {"notified", o.notified}, {"ready", o.ready}, {"abstract", o.abstract}} {
		v := "none"
		if other.day != 0 && at != 0 {
			v = comparisonText(at, other.day)
		}
		s.add(other.name, v)
		s.add("rule and "+other.name, string(e.ruled)+" "+v)
	}
	if c.event.From.HasYear() && at != 0 {
		s.add("to event", untilEvent(int(c.event.From.Time().Unix()/(24*3600))-at))
		s.add("rule to event", string(e.ruled)+untilEvent(int(c.event.From.Time().Unix()/(24*3600))-at))
		s.addIf(c.event.From == e.date.From, "event day")
	}
}

func comparisonText(a, b int) string {
	switch {
	case a < b:
		return "before"
	case a > b:
		return "after"
	}
	return "same"
}

// untilEvent names the approximate number of days between a date and the event.
func untilEvent(days int) string {
	switch {
	case days < 0:
		return "after"
	case days == 0:
		return "same day"
	case days < 10:
		return "days"
	case days < 35:
		return "weeks"
	case days < 100:
		return "months"
	case days < 220:
		return "half a year"
	}
	return "long"
}
