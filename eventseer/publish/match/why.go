package match

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/eventseer/eventseer/eventseer/clip"
	"github.com/eventseer/eventseer/eventseer/publish/message"
	"github.com/eventseer/eventseer/eventseer/query"
	"github.com/eventseer/eventseer/internal/text"
)

// Limits on the explanation of a match.
const (
	maxWhy     = 8
	maxMarks   = 50
	MaxPassage = 600 // bytes of a passage
)

// fieldNames are the names of the fields for readers.
var fieldNames = [query.NumFields]string{"the acronym", "the title", "topics", "the place", "the text", "the text of its page", "people"}

// An explainer explains why lists match a document. It caches the result for each term, because lists share
// terms.
type explainer struct {
	*query.Words
	now   time.Time
	known map[int]locatedTerm // by number of the term
}

// locatedTerm has the occurrences of a term in a document and the explanation.
type locatedTerm struct {
	found []query.Occurrence
	why   string
}

func newExplainer(t *query.Words, now time.Time) *explainer {
	return &explainer{t, now, map[int]locatedTerm{}}
}

// explainMatch returns the match of a list with its explanation.
func (e *explainer) explainMatch(c *compiledList) Match {
	m := Match{List: c.list}
	all := make([]query.Occurrence, 0, 16)
	for _, clause := range c.Clauses {
		first := true
		for _, p := range clause {
			known := e.locateTerm(p)
			all = append(all, known.found...)
			if len(m.Why) < maxWhy && first && known.why != "" {
				m.Why, first = append(m.Why, known.why), false
			}
		}
	}
	m.Passage, m.Marks, m.Page = bestPassage(e.Words, all)
	return m
}

// locateTerm returns the occurrences of a term in the document and the explanation, zero if it does not occur.
func (e *explainer) locateTerm(p *query.Pattern) locatedTerm {
	if p.IsMissing(e.Words) {
		return locatedTerm{}
	}
	at, ok := e.known[p.Number]
	if !ok {
		at.found = p.Occurrences(e.Words, maxMarks)
		at.why = e.explainTerm(p, at.found)
		e.known[p.Number] = at
	}
	return at
}

// explainTerm returns the explanation for a term, in the form `"web crawling" in topics`. It names the most important
// field and prefers the term itself to synonyms.
func (e *explainer) explainTerm(p *query.Pattern, found []query.Occurrence) string {
	if len(found) == 0 {
		if p.FactsMatch(e.Words, e.now) {
			return queryText(p.Term)
		}
		return ""
	}
	o := slices.MinFunc(found, func(a, b query.Occurrence) int {
		return cmp.Or(cmp.Compare(a.Way, b.Way), cmp.Compare(a.Field, b.Field), cmp.Compare(a.Part, b.Part))
	})
	as := strconv.Quote(formOf(e.Words, p, o))
	if o.Way > 0 || text.FoldForComparison(as) != text.FoldForComparison(strconv.Quote(p.Text)) {
		as += " for " + strconv.Quote(p.Text)
	}
	return message.CleanLine(as+" in "+fieldNames[o.Field], 200)
}

// formOf returns the form in which a term occurs in the text of a page, which may differ from the query. For
// other fields it returns the term of the query.
func formOf(t *query.Words, p *query.Pattern, o query.Occurrence) string {
	if o.Field != query.InText || int(o.Part) >= len(t.Document.Texts) {
		return p.Ways[o.Way].Text
	}
	if form := t.Document.Texts[o.Part].Text[o.Bytes[0]:o.Bytes[1]]; len(form) <= maxForm {
		return strings.Join(strings.Fields(form), " ")
	}
	return p.Ways[o.Way].Text
}

// maxForm is the maximum length of a form that is shown, in bytes.
const maxForm = 100

// queryText returns a term about a value in the syntax of queries.
func queryText(t query.Term) string {
	if t.Field == "" {
		return t.Text
	}
	return message.CleanLine(t.String(), 200)
}

// bestPassage returns the text that contains most of the terms found. It is the sentences around them in a page's
// text, otherwise a clip, the topics, the first clip without terms, or the title. page is the URL of the page for a
// page's text, otherwise "".
func bestPassage(t *query.Words, all []query.Occurrence) (passage string, marks [][2]int, page string) {
	if part := mostTerms(all, query.InText, int32(len(t.Document.Texts))); part >= 0 {
		text := t.Document.Texts[part]
		if p, ok := clip.CutText(text.Text, marksOf(asWritten(all, part, text.Text), query.InText, part, 0), MaxPassage); ok {
			return p.Summary, p.Marks, text.URL
		}
	}
	passage, marks = storedPassage(t, all)
	return passage, marks, ""
}

// asWritten returns the occurrences in a page's text without other forms of terms that the text also has as the
// query writes them. A text with "ontology engineering" has no passage about "search engines" then.
func asWritten(all []query.Occurrence, part int32, page string) []query.Occurrence {
	form := func(s string) string { return strings.TrimSuffix(text.FoldForComparison(s), "s") } // singular and plural are one
	exact, written := map[*query.Pattern]bool{}, func(o query.Occurrence) bool {
		return o.Field == query.InText && o.Part == part && form(page[o.Bytes[0]:o.Bytes[1]]) == form(o.Pattern.Text)
	}
	for _, o := range all {
		exact[o.Pattern] = exact[o.Pattern] || written(o)
	}
	return slices.DeleteFunc(slices.Clone(all), func(o query.Occurrence) bool { return exact[o.Pattern] && !written(o) })
}

// mostTerms returns the part of a field with the most terms found, or -1. parts is the number of parts of the
// field.
func mostTerms(all []query.Occurrence, f query.Field, parts int32) int32 {
	best, most := int32(-1), 0
	for part := range parts {
		if n := termsIn(all, f, part); n > most {
			best, most = part, n
		}
	}
	return best
}

// storedPassage returns the clip with most terms, the topics with terms, the first clip, or the title with terms.
func storedPassage(t *query.Words, all []query.Occurrence) (string, [][2]int) {
	if best := mostTerms(all, query.InClip, int32(len(t.Clips()))); best >= 0 {
		return CutPassage(t.Document.Clips[best].Summary, marksOf(all, query.InClip, best, 0))
	}
	if topics, marks := topicsOf(t, all); topics != "" {
		return CutPassage(topics, marks)
	}
	if len(t.Document.Clips) > 0 {
		return CutPassage(t.Document.Clips[0].Summary, nil)
	}
	if marks := marksOf(all, query.InTitle, 0, 0); len(marks) > 0 { // of an event known only from a list, the text of its link
		return CutPassage(t.Document.Event.Title, marks)
	}
	return "", nil
}

// termsIn returns the number of terms found in a part of a field. Occurrences of one term must be adjacent in
// all.
func termsIn(all []query.Occurrence, f query.Field, part int32) (n int) {
	var last *query.Pattern
	for _, o := range all {
		if o.Field == f && o.Part == part && o.Pattern != last {
			last = o.Pattern
			n++
		}
	}
	return n
}

// topicsOf returns the topics with terms, separated by semicolons, and the marks of the terms.
func topicsOf(t *query.Words, all []query.Occurrence) (string, [][2]int) {
	var b strings.Builder
	var marks [][2]int
	for part, topic := range t.Topics() {
		separator := ""
		if b.Len() > 0 {
			separator = "; "
		}
		found := marksOf(all, query.InTopic, int32(part), b.Len()+len(separator))
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

// marksOf returns the ranges found in a part of a field, shifted by shift bytes. They are in order, and
// overlapping ones are joined.
func marksOf(all []query.Occurrence, f query.Field, part int32, shift int) (marks [][2]int) {
	for _, o := range all {
		if o.Field == f && o.Part == part {
			marks = append(marks, [2]int{o.Bytes[0] + shift, o.Bytes[1] + shift})
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

// CutPassage shortens a passage to MaxPassage bytes around its first mark.
func CutPassage(s string, marks [][2]int) (string, [][2]int) {
	if len(s) <= MaxPassage {
		return s, marks
	}
	from := 0
	if len(marks) > 0 {
		from = max(0, min(marks[0][0]-MaxPassage/3, len(s)-MaxPassage))
	}
	from, to := len(text.CutBytes(s, from)), len(text.CutBytes(s, from+MaxPassage))
	var kept [][2]int
	for _, r := range marks {
		if r[0] >= from && r[1] <= to {
			kept = append(kept, [2]int{r[0] - from, r[1] - from})
		}
	}
	return s[from:to], kept
}
