package match

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"eventseer/eventseer/publish/message"
)

// Limits on what is said of a match.
const (
	maxWhy     = 8
	maxMarks   = 50
	MaxPassage = 600 // bytes
)

// fieldNames are the fields as people read them.
var fieldNames = [numFields]string{"the acronym", "the title", "topics", "the place", "the text", "people"}

// An occurrence is where a term of a list was found, and how it was said there.
type occurrence struct {
	w     *wanted
	way   int
	field field
	part  int32
	bytes [2]int
}

// explain says why the list asks for a text that it matches.
func (c *compiled) explain(t *text, now time.Time) Match {
	m := Match{List: c.list}
	all := make([]occurrence, 0, 16)
	for _, clause := range c.clauses {
		first := true
		for _, w := range clause {
			known := w.locate(t, now)
			all = append(all, known.found...)
			if len(m.Why) < maxWhy && first && known.why != "" {
				m.Why, first = append(m.Why, known.why), false
			}
		}
	}
	m.Passage, m.Marks = passage(t, all)
	return m
}

// locate returns where the text has the term, and why that counts.
func (w *wanted) locate(t *text, now time.Time) located {
	if t.answers[w.id] == no {
		return located{}
	}
	at, ok := t.located[w.id]
	if !ok {
		at.found = w.occurrences(t, nil)
		at.why = w.why(at.found, t, now)
		t.located[w.id] = at
	}
	return at
}

// occurrences appends where the term stands, at most maxMarks of each way.
func (w *wanted) occurrences(t *text, all []occurrence) []occurrence {
	for i := range w.ways {
		n := 0
		for s := range w.places(&w.ways[i], t) {
			if n++; n > maxMarks {
				break
			}
			first, last := t.tokens[s.first], t.tokens[s.last]
			all = append(all, occurrence{w, i, first.field, first.part, [2]int{int(first.start), int(last.end)}})
		}
	}
	return all
}

// why says where a term was found: in the strongest field, as written before synonyms.
func (w *wanted) why(found []occurrence, t *text, now time.Time) string {
	if len(found) == 0 {
		if (w.value >= 0 || len(w.ways) == 0) && w.fits(t, now) {
			return w.said()
		}
		return ""
	}
	o := slices.MinFunc(found, func(a, b occurrence) int {
		return cmp.Or(cmp.Compare(a.way, b.way), cmp.Compare(a.field, b.field), cmp.Compare(a.part, b.part))
	})
	as := strconv.Quote(w.ways[o.way].text)
	if o.way > 0 {
		as += " for " + strconv.Quote(w.Text)
	}
	return message.CleanLine(as+" in "+fieldNames[o.field], 200)
}

// said is a term about a value, as a query writes it.
func (w *wanted) said() string {
	if w.Field == "" {
		return w.Text
	}
	return message.CleanLine(w.String(), 200)
}

// passage returns the text that shows most of the terms found: a clip, or else the
// topics, or else the first clip, which shows none.
func passage(t *text, all []occurrence) (string, [][2]int) {
	best, most := int32(-1), 0
	for part := range int32(len(bounded(t.doc.Clips, maxTextClips))) {
		if n := termsIn(all, part); n > most {
			best, most = part, n
		}
	}
	if best >= 0 {
		return CutPassage(t.doc.Clips[best].Summary, marksOf(all, inClip, best, 0))
	}
	if topics, marks := topicsOf(t, all); topics != "" {
		return CutPassage(topics, marks)
	}
	if len(t.doc.Clips) > 0 {
		return CutPassage(t.doc.Clips[0].Summary, nil)
	}
	return "", nil
}

// termsIn counts the terms that were found in a clip; those of one term stand together.
func termsIn(all []occurrence, part int32) (n int) {
	var last *wanted
	for _, o := range all {
		if o.field == inClip && o.part == part && o.w != last {
			last = o.w
			n++
		}
	}
	return n
}

// topicsOf joins the topics that hold terms.
func topicsOf(t *text, all []occurrence) (string, [][2]int) {
	var b strings.Builder
	var marks [][2]int
	for part, topic := range bounded(t.doc.Event.Topics, maxTextTopics) {
		separator := ""
		if b.Len() > 0 {
			separator = "; "
		}
		found := marksOf(all, inTopic, int32(part), b.Len()+len(separator))
		if len(found) == 0 {
			continue
		}
		if b.Len()+len(topic) > MaxPassage {
			break
		}
		b.WriteString(separator + topic)
		marks = append(marks, found...)
	}
	return b.String(), marks
}

// marksOf returns the ranges found in a part of a field, in order and joined where they
// overlap, shifted by so many bytes.
func marksOf(all []occurrence, f field, part int32, shift int) (marks [][2]int) {
	for _, o := range all {
		if o.field == f && o.part == part {
			marks = append(marks, [2]int{o.bytes[0] + shift, o.bytes[1] + shift})
		}
	}
	slices.SortFunc(marks, func(a, b [2]int) int { return cmp.Or(a[0]-b[0], a[1]-b[1]) })
	var joined [][2]int
	for _, r := range marks {
		if n := len(joined); n > 0 && r[0] < joined[n-1][1] {
			joined[n-1][1] = max(joined[n-1][1], r[1])
			continue
		}
		joined = append(joined, r)
	}
	return joined[:min(len(joined), maxMarks)]
}

// CutPassage shortens a passage that is too long to the part around its first mark.
func CutPassage(s string, marks [][2]int) (string, [][2]int) {
	if len(s) <= MaxPassage {
		return s, marks
	}
	from := 0
	if len(marks) > 0 {
		from = max(0, min(marks[0][0]-MaxPassage/3, len(s)-MaxPassage))
	}
	from, to := runeStart(s, from), runeStart(s, min(len(s), from+MaxPassage))
	var kept [][2]int
	for _, r := range marks {
		if r[0] >= from && r[1] <= to {
			kept = append(kept, [2]int{r[0] - from, r[1] - from})
		}
	}
	return s[from:to], kept
}

// runeStart returns the first byte at or before i where a character begins.
func runeStart(s string, i int) int {
	for i > 0 && i < len(s) && s[i]&0xC0 == 0x80 {
		i--
	}
	return i
}
