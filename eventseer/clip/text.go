package clip

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/internal/text"
)

// A Passage is a clip that is cut from the stored text of a page for a reader, around the words of
// the query.
type Passage struct {
	// Title is the nearest heading above, otherwise the first line of the text.
	Title string
	// Summary is the sentence with the words, the one before it and the one after it.
	Summary string
	// Marks are the half-open ranges of bytes of the query words in Summary, in order.
	Marks [][2]int
}

// Limits on the work for one text.
const (
	maxCutMarks = 200 // occurrences of words that are compared
	nearMark    = 400 // bytes between words that are shown together
	minWords    = 4   // minimum number of words in a line for a passage
)

// CutText cuts the clip around marks by algorithm 2 of paper 000. Marks are half-open ranges of
// bytes of a page's text as eventseer.PageText has it. The place with the most words near by is
// used, with rare words weighted higher; of equal ones the first in a line of prose. limit bounds
// the summary in bytes. ok is false if no mark is in the main text.
func CutText(s string, marks [][2]int, limit int) (p Passage, ok bool) {
	s, _, _ = strings.Cut(s, eventseer.RestMark)
	marks = slices.DeleteFunc(slices.Clone(marks), func(m [2]int) bool {
		return m[0] < 0 || m[1] <= m[0] || m[1] > len(s) || !startsRune(s, m[0]) || !startsRune(s, m[1])
	})
	splitter, err := loadSplitter()
	if len(marks) == 0 || err != nil {
		return p, false
	}
	slices.SortFunc(marks, func(a, b [2]int) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(b[1], a[1])) })
	key := bestMark(s, marks)
	area := splitAround(s, key, splitter)
	at := area.sentenceAt(key[0], key[1])
	if at < 0 { // a phrase across the end of a sentence
		at = max(0, area.sentenceAt(key[0], key[0]+1))
	}
	b := summaryBuilder{text: s, marks: marks, limit: limit}
	w := area.passageAround(at)
	b.addCore(area.spans[at], key[0])
	for i := at + 1; i < w.End && b.appendSentence(area.spans[i]); i++ {
	}
	for i := at - 1; i >= w.Start && b.prependSentence(area.spans[i]); i-- {
	}
	p = Passage{Title: titleOf(s, key[0]), Summary: b.summary, Marks: b.marked}
	return p, p.Summary != ""
}

func startsRune(s string, i int) bool { return i == len(s) || utf8.RuneStart(s[i]) }

// besideLine is the weight of a word in the line before or after, compared with a word in the line.
const besideLine = 0.75

// bestMark returns the mark with the most query words in its line and the lines beside it, which count less. Each
// word counts less the more often it is on the page. Of equal ones a line of prose is preferred to
// a heading or a menu, and then the first.
func bestMark(s string, marks [][2]int) [2]int {
	marks = marks[:min(len(marks), maxCutMarks)]
	words, count := make([]string, len(marks)), map[string]int{}
	for i, m := range marks {
		words[i] = text.FoldForComparison(s[m[0]:m[1]])
		count[words[i]]++
	}
	best, most := marks[0], -1.0
	for i, m := range marks {
		start, end := lineStart(s, m[0]), lineEnd(s, m[1])
		line := s[start:end]
		from, to := max(m[0]-nearMark, lineStart(s, max(0, start-1))), min(m[1]+nearMark, lineEnd(s, min(len(s), end+1)))
		value, near := 0.0, map[string]float64{words[i]: 1} // by word
		for k, o := range marks {
			switch {
			case o[0] < from || o[1] > to:
			case o[0] >= start && o[1] <= end:
				near[words[k]] = 1
			default:
				near[words[k]] = max(near[words[k]], besideLine)
			}
		}
		for _, word := range slices.Sorted(maps.Keys(near)) {
			value += near[word] / float64(count[word])
		}
		if !strings.HasPrefix(line, eventseer.HeadingMark) && hasMinWords(line) {
			value += readable
		}
		if value > most {
			best, most = m, value
		}
	}
	return best
}

// readable is the weight of a line of prose relative to query words: less than any of them.
const readable = 1.0 / (2 * maxCutMarks)

// hasMinWords reports whether a line has minWords words.
func hasMinWords(line string) bool {
	n := 0
	for range strings.FieldsSeq(line) {
		if n++; n == minWords {
			return true
		}
	}
	return false
}

func lineStart(s string, at int) int { return strings.LastIndexByte(s[:at], '\n') + 1 }

func lineEnd(s string, at int) int {
	if i := strings.IndexByte(s[at:], '\n'); i >= 0 {
		return at + i
	}
	return len(s)
}

// maxWrapped is the maximum length of a wrapped line of plain text, in bytes.
const maxWrapped = 110

// splitAround splits the lines around a mark into sentences: besideHit lines on either side. Lines
// of wrapped plain text are joined.
func splitAround(s string, key [2]int, splitter *splitter) (out sentenceList) {
	from, to := lineStart(s, key[0]), lineEnd(s, key[1])
	for n := 0; from > 0 && (n < besideHit || isContinued(s[lineStart(s, from-1):from-1], s[from:])); n++ {
		from = lineStart(s, from-1)
		if n > maxWrappedLines {
			break
		}
	}
	for n := 0; to < len(s) && (n < besideHit || isContinued(s[lineStart(s, to):to], s[to+1:])); n++ {
		to = lineEnd(s, to+1)
		if n > maxWrappedLines {
			break
		}
	}
	for from < to {
		end := min(lineEnd(s, from), to)
		for end < to && isContinued(s[lineStart(s, end):end], s[end+1:]) {
			end = lineEnd(s, end+1)
		}
		start := from
		heading := strings.HasPrefix(s[from:end], eventseer.HeadingMark)
		if heading {
			start += len(eventseer.HeadingMark)
			out.section++
		}
		for _, span := range splitter.splitSentences(s[start:end], start, nil) {
			if hasWords(s[span.Start:span.End]) {
				out.add(span, heading)
			}
		}
		from = end + 1
	}
	return out
}

// maxWrappedLines is the maximum number of lines in a paragraph of wrapped lines.
const maxWrappedLines = 60

// isContinued reports whether the text below a line continues it, as in wrapped plain text.
func isContinued(line, below string) bool {
	if len(line) < wrapped || len(line) > maxWrapped || strings.HasSuffix(line, ":") || strings.HasPrefix(line, eventseer.HeadingMark) {
		return false
	}
	r, _ := utf8.DecodeRuneInString(below)
	return unicode.IsLower(r) || strings.ContainsRune(`("'“`, r)
}

// titleOf returns the nearest heading at or above a byte of a text, else the first line.
func titleOf(s string, at int) string {
	for from := lineStart(s, at); ; from = lineStart(s, from-1) {
		line := s[from:lineEnd(s, from)]
		if strings.HasPrefix(line, eventseer.HeadingMark) || from == 0 {
			return firstWords(withoutDecoration(foldSpaces(line)))
		}
	}
}

// A summaryBuilder joins sentences of a text into a line and adjusts the marks.
type summaryBuilder struct {
	text    string
	marks   [][2]int
	limit   int
	summary string
	marked  [][2]int
}

// addCore begins the summary with the sentence that contains byte key, or as much of it around key
// as fits.
func (b *summaryBuilder) addCore(span tagtree.Span, key int) {
	from, to := span.Start, span.End
	before, after := "", ""
	if to-from > b.limit {
		room := b.limit - 2*len("…")
		from = max(from, min(key-room/3, to-room))
		to = min(to, from+room)
		if from > span.Start {
			before = "…"
			if i := strings.IndexByte(b.text[from:max(from, key)], ' '); i >= 0 {
				from += i + 1
			}
		}
		if to < span.End {
			after = "…"
			if i := strings.LastIndexByte(b.text[key:max(key, to)], ' '); i > 0 {
				to = key + i
			}
		}
		for from < to && !startsRune(b.text, from) {
			from++
		}
		for to > from && !startsRune(b.text, to) {
			to--
		}
	}
	line, marks := b.foldedLine(tagtree.Span{Start: from, End: to})
	b.summary, b.marked = before+line+after, shiftMarks(marks, len(before))
}

// foldedLine returns a part of the text with white space folded, and the marks in it.
func (b *summaryBuilder) foldedLine(span tagtree.Span) (string, [][2]int) {
	var out strings.Builder
	var marks [][2]int
	next, _ := slices.BinarySearchFunc(b.marks, span.Start, func(m [2]int, at int) int { return cmp.Compare(m[0], at) })
	start := -1 // start of the open mark in out, or -1
	until := 0
	space := false
	for i := span.Start; i < span.End; {
		r, n := utf8.DecodeRuneInString(b.text[i:])
		if start >= 0 && i >= until {
			marks, start = append(marks, [2]int{start, out.Len()}), -1
		}
		if unicode.IsSpace(r) {
			space = out.Len() > 0
			i += n
			continue
		}
		if space {
			out.WriteByte(' ')
			space = false
		}
		for next < len(b.marks) && b.marks[next][0] <= i {
			if m := b.marks[next]; m[0] == i && start < 0 && m[1] <= span.End {
				start, until = out.Len(), m[1]
			}
			next++
		}
		out.WriteString(b.text[i : i+n])
		i += n
	}
	if start >= 0 {
		marks = append(marks, [2]int{start, out.Len()})
	}
	return out.String(), marks
}

func shiftMarks(marks [][2]int, by int) [][2]int {
	for i := range marks {
		marks[i][0] += by
		marks[i][1] += by
	}
	return marks
}

// appendSentence adds a sentence at the end and reports whether it fits.
func (b *summaryBuilder) appendSentence(span tagtree.Span) bool {
	line, marks := b.foldedLine(span)
	joined := joinSentences(b.summary, line)
	if len(joined) > b.limit {
		return false
	}
	b.marked = append(b.marked, shiftMarks(marks, len(joined)-len(line))...)
	b.summary = joined
	return true
}

// prependSentence adds a sentence at the beginning and reports whether it fits.
func (b *summaryBuilder) prependSentence(span tagtree.Span) bool {
	line, marks := b.foldedLine(span)
	joined := joinSentences(line, b.summary)
	if len(joined) > b.limit {
		return false
	}
	b.marked = append(marks, shiftMarks(b.marked, len(joined)-len(b.summary))...)
	b.summary = joined
	return true
}
