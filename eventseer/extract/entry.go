package extract

import (
	"slices"
	"strings"
	"unicode"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/extract/date"
	"github.com/eventseer/eventseer/features/tagtree"
)

// An entry is a date of the page with its label and the earlier dates that it replaces.
type entry struct {
	kind          eventseer.DeadlineKind // "" if the label names no kind
	label         string
	track         string // label of the table's other axis or of a group; "" for none
	date          foundDate
	replacedDates []foundDate // dates that date replaces, in printed order
	around        string      // text that may contain the time and zone of the date
	prose         bool        // is in running text, not in a list or table of dates
	shape         shape       // relation of the label to the date
	confidence    float64     // probability that kind is correct; 0 if it was not measured
}

// labelledDates returns the dates of the page with their labels, in document order.
func (r *deadlineReader) labelledDates() []entry {
	var es []entry
	var moved []foundDate // dates that the next block replaces
	for i := range r.blocks {
		if ds := r.datesIn(i); len(ds) > 0 {
			if r.isReplacedByNext(i) {
				moved = append(moved, ds...)
				continue
			}
			from := len(es)
			es = append(es, r.blockEntries(i, ds)...)
			if len(es) > from {
				es[from].replacedDates = append(moved, es[from].replacedDates...)
				if saysOnlyMoved(es[from].label) && (len(moved) > 0 || i > 0 && len(r.datesIn(i-1)) == 0) {
					r.labelMoved(i, &es[from])
				}
			}
			moved = nil
			r.labelFromStruckLine(es, from)
		}
	}
	r.clearMixedSections(es)
	es = r.mergeReplaced(es)
	r.dropAmbiguousLabels(es)
	return es
}

// blockEntries labels the dates of one block by the text to their left or, if the block begins with a date,
// to their right.
func (r *deadlineReader) blockEntries(i int, ds []foundDate) []entry {
	left, right := textsAround(r.blocks[i].Text, ds)
	toLeft := !hasOnlyLinkWords(left[0], nil) && (proseKind(lastSentence(left[0])) != "" || proseKind(firstSentence(right[0])) == "" || hasOnlyMoveWords(firstSentence(right[0])))
	inCell := !toLeft && r.blocks[i].Table > 0 && !r.isLayoutCell(i)
	var es []entry
	var links []string
	for k, d := range ds {
		if d.From.Day == 0 {
			continue
		}
		e := entry{date: d, around: timeTextAround(left[k], right[k], toLeft)}
		for _, sp := range d.was {
			e.replacedDates = append(e.replacedDates, foundDate{Span: sp, block: i, struck: true})
		}
		e.splitMovedRange(r.blocks[i].Text)
		switch {
		case toLeft && k > 0 && len(es) > 0 && (mayShareLabel(left[k], r.isRunningText(i)) || followsStruck(es[len(es)-1], d, left[k])):
			if replaceIfMoved(&es[len(es)-1], &e, left[k], isSeparatePair(left, k)) {
				continue
			}
			e.label, e.kind, e.shape = es[len(es)-1].label, es[len(es)-1].kind, es[len(es)-1].shape
		case toLeft && k > 0 && notedDateLink.MatchString(left[k]) && len(es) > 0 && labelKind(left[k]) == "":
			e.label, e.kind, e.shape = es[len(es)-1].label, es[len(es)-1].kind, es[len(es)-1].shape
		case toLeft:
			e.setLeftLabel(left[k])
		default:
			e.labelRight(left[k], right[k])
		}
		e.prose = r.isRunningText(i) || toLeft && len(e.label) > maxShortLabel
		es, links = append(es, e), append(links, left[k])
	}
	if !toLeft {
		es = joinRight(es, links)
	}
	if newsHeading.MatchString(r.headingAbove(i)) {
		return slices.DeleteFunc(es, func(e entry) bool { return !e.announcesMove() })
	}
	for k := range es {
		if !r.labelFromGroup(i, &es[k]) && (es[k].kind == "" || inCell && k == 0) {
			r.labelFromNeighbours(i, &es[k])
		}
	}
	return r.followingLabels(i, es)
}

// labelFromStruckLine labels a date without a label by the previous line, whose date is struck out. An
// example is "Papers: May <s>3</s>" with "May 9" on the next line.
func (r *deadlineReader) labelFromStruckLine(es []entry, from int) {
	if from == 0 || from+1 != len(es) {
		return
	}
	e, o := &es[from], es[from-1]
	i := e.date.block
	if !o.date.struck || e.date.struck || o.kind == "" || o.date.block != i-1 || !r.belongsTogether(i-1, i) || !r.isOnlyDates(i) || r.isOnlyDates(i-1) || e.kind != "" && (e.shape == labelLeft || e.shape == labelRight) {
		return
	}
	e.kind, e.label, e.track, e.shape = o.kind, o.label, o.track, o.shape
}

// textsAround returns for each date the texts to its left and right, up to the neighbouring dates.
func textsAround(text string, ds []foundDate) (left, right []string) {
	for k, d := range ds {
		from, to := 0, len(text)
		if k > 0 {
			from = ds[k-1].End
		}
		if k+1 < len(ds) {
			to = ds[k+1].Start
		}
		behind := text[d.End:to]
		if rest, dot := strings.CutPrefix(behind, "."); dot && (yearFirst.MatchString(text[d.Start:d.End]) || listMark.MatchString(rest)) {
			behind = rest // the full stop of an ordinal number: "2027. május 1."
		}
		if sentenceOver.MatchString(behind) {
			behind = "" // a new sentence is about something else
		}
		left, right = append(left, text[from:d.Start]), append(right, behind)
	}
	return left, right
}

// yearFirst matches a date with the year first, as in Hungarian.
var yearFirst = compilePattern(`^\d{4}\.`)

func (e *entry) setLeftLabel(left string) {
	e.label, e.shape = lastSentence(left), labelLeft
	if e.kind = proseKind(e.label); e.kind == "" && len(e.label) <= maxHeading && extensionWords.MatchString(e.label) {
		e.kind = eventseer.Submission // submissions are the deadlines that are extended most often
	}
}

func (e *entry) labelRight(left, right string) {
	e.label, e.shape = firstSentence(right), labelRight
	if hasOnlyMoveWords(e.label) {
		e.label = "" // only a time of day or "(extended)"
	} else if zone, _ := date.FirstZone(right); timeFirst.MatchString(e.label) && (zone != "" || strings.Contains(right, ":59")) {
		e.label = strings.TrimLeft(date.WithoutTimes(strings.TrimPrefix(e.label, "at ")), " ().,:–—-")
	}
	e.kind = proseKind(e.label)
	if e.kind == "" && listMark.MatchString(right) {
		e.kind = labelKind(cutToBytes(e.label, maxShortLabel)) // "July 5: " followed by a sentence
	}
	if before := lastSentence(left); e.kind == "" && proseKind(before) != "" && !hasOnlyMoveWords(before) {
		e.label, e.kind, e.shape = before, proseKind(before), labelLeft
	}
}

// timeFirst matches a time of day between a date and its label.
var timeFirst = compilePattern(`^at \d{1,2}[:.]\d\d`)

// saysOnlyMoved reports whether a label only says that a date was moved.
func saysOnlyMoved(label string) bool {
	return extensionWords.MatchString(label) && len(significantWords(plainLabel(label))) == 0
}

// labelMoved completes the label of a date whose own label only says that it was moved, by the text around
// block i.
func (r *deadlineReader) labelMoved(i int, e *entry) {
	o := *e
	o.kind, o.label = "", ""
	r.labelFromNeighbours(i, &o)
	if isDeadline(o.kind) {
		e.kind, e.label, e.track, e.shape = o.kind, o.label+" "+e.label, o.track, o.shape
	}
}

// notedDateLink matches the text between two dates of a list if each has a note in brackets. An example is "3
// May (round 1), 9 May (round 2)".
var notedDateLink = compilePattern(`(?i)^\s*\([^()]{1,40}\)\s*(?:[,;/&]|and|und|et|y|e|or)?\s*$`)

// listMark matches the punctuation after a date at the start of a list item.
var listMark = compilePattern(`^\s*[:–—-]`)

// isRunningText reports whether block i is running text and not a line of a list of dates.
func (r *deadlineReader) isRunningText(i int) bool {
	b := r.blocks[i]
	return (b.Kind == tagtree.Paragraph || b.Kind == tagtree.Line) && len(b.Text) > maxProse
}

// followingLabels returns one entry per label if several labels follow a single date in block i.
func (r *deadlineReader) followingLabels(i int, es []entry) []entry {
	if len(es) != 1 || es[0].label == "" || es[0].kind == noDeadline || r.blocks[i].Table > 0 {
		return es
	}
	if strings.HasSuffix(es[0].label, ":") {
		return r.listedLabels(i, es)
	}
	if !r.isOnlyDates(i) || !r.labelsFollow(i) {
		return es
	}
	for j := i + 1; j < len(r.blocks) && j <= i+maxLabels && r.isLabel(j) && !isHeading(r.blocks[j]); j++ {
		k := r.blockKind(j)
		if r.blocks[j].Text != es[0].label && isDeadline(k) && r.blocks[j].Path != r.blocks[i].Path && r.blocks[j].Kind == tagtree.Item {
			e := es[0]
			e.label, e.kind, e.shape = r.blocks[j].Text, k, labelList
			es = append(es, e)
		}
	}
	return es
}

const maxLabels = 4 // maximum number of labels below one date

// listedLabels reads "May 3: deadline for:" with a list of contributions below, and returns one entry per
// item.
func (r *deadlineReader) listedLabels(i int, es []entry) []entry {
	var out []entry
	for j := i + 1; j < len(r.blocks) && j <= i+3*maxLabels; j++ {
		b := r.blocks[j]
		if b.Kind != tagtree.Item || len(b.Text) > maxHeading || len(r.datesIn(j)) > 0 || !strings.HasPrefix(b.Path, r.blocks[i].Path+"/") {
			break
		}
		e := es[0]
		e.label += " " + b.Text
		e.kind, e.track, e.shape = labelKind(e.label), b.Text, labelList
		out = append(out, e)
	}
	if len(out) == 0 {
		return es
	}
	return out
}

// joinRight joins adjacent dates that share the label after the last one: "July 5, 2027 July 12, 2027
// submissions". links[k] is the text before date k.
func joinRight(es []entry, links []string) []entry {
	var out []entry
	for k, e := range es {
		if n := len(out); n > 0 && mayShareLabel(links[k], false) {
			last := out[n-1]
			last.label, last.kind = e.label, e.kind
			if replaceIfMoved(&last, &e, links[k], isSeparatePair(links, k)) {
				out[n-1] = last
				continue
			}
			out[n-1].label, out[n-1].kind = e.label, e.kind
		}
		out = append(out, e)
	}
	return out
}

// containsWord reports whether s contains a word: two letters in a row, or an ideograph.
func containsWord(s string) bool {
	run := 0
	for _, r := range s {
		if isIdeograph(r) {
			return true
		}
		if !unicode.IsLetter(r) {
			run = 0
		} else if run++; run == 2 {
			return true
		}
	}
	return false
}

// timeTextAround returns the text that may contain the time and zone of a date. It is the text after the date,
// followed, if toLeft, by the end of the text before it.
func timeTextAround(left, right string, toLeft bool) string {
	if toLeft {
		return cutToBytes(right, maxAround) + " " + lastBytes(left, maxAround)
	}
	return cutToBytes(right, maxAround)
}

const maxAround = 120

// lastBytes returns at most the last n bytes of s, without splitting a rune.
func lastBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[len(s)-n:], "")
}

var sentenceEnd = compilePattern(`(?:\p{Ll}{4}|[)\]])[.!?]\s|[;•·|。；]\s?`)

var sentenceOver = compilePattern(`^\s*[.;!?](\s|$)`)

// lastSentence returns the last sentence of a label before a date, and firstSentence the first sentence of
// one after it.
func lastSentence(s string) string {
	s = lastBytes(s, maxLabel)
	if ms := sentenceEnd.FindAllStringIndex(s, -1); len(ms) > 0 && !hasOnlyLinkWords(s[ms[len(ms)-1][1]:], nil) {
		s = s[ms[len(ms)-1][1]:]
	}
	return strings.TrimSpace(s)
}

func firstSentence(s string) string {
	s = cutToBytes(s, maxLabel)
	for _, m := range sentenceEnd.FindAllStringIndex(s, -1) {
		if containsWord(s[:m[0]]) || m[1]-m[0] > 4 {
			s = s[:m[1]]
			break
		}
	}
	return strings.TrimSpace(s)
}

// proseKind returns the kind of a label. A label longer than maxShortLabel counts only if it contains words
// of deadlines or of the event's days.
func proseKind(label string) eventseer.DeadlineKind {
	k := labelKind(label)
	if heldAt.MatchString(label) && k != eventseer.Rebuttal && k != eventseer.Registration {
		return eventDates
	}
	if len(label) > maxShortLabel && !proseDeadline.MatchString(label) && !surelyEvent.MatchString(label) {
		return ""
	}
	return k
}

const (
	maxShortLabel = 100 // bytes of a label that is not a sentence
	maxProse      = 200 // bytes of a block that is a line of a list of dates
)

// heldAt matches a label that ends with "held on" or similar words.
var heldAt = compilePattern(`(?i)\b(held|hosted|take place|takes place|taking place|se(e|eing) you)\b[^.;:]{0,60}$`)

var proseDeadline = compilePattern(`(?i)deadline|\bdue\b|no(t)? later than|\b(by|before|until|till)\b[^.]{0,40}$|notif|\bavertis?\b|will be (informed|announced)|\bextended\b|frist|spätestens|\bbis\b[^.]{0,40}$|benachricht|hasta|até|avant|entro|截止|締切`)

// dueLabel matches a label which says that something happens by its date. A label without such a word, such
// as "Posters", may also be the title of a text.
var dueLabel = compilePattern(`(?i)deadline|\bdue\b|submi|notif|camera|\bfinal\b|regist|accept|decision|rebuttal|response|proposals?\b|closes?\b|closing|dates?\b|\b(by|before|until|till|later than)\b[^.]{0,20}$|\bsend\b|receiv|arriv|\bupload|cut-?off|\bends?\b|expire|call for|extended|early[- ]bird|reviews?\b|proceedings|frist|abgabe|einreich|anmeld|benachricht|rückmeldung|soumi|remise|l[ií]mite|submet|someti|inscri|envi|env[ií]o|entrega|plazo|prazo|recep|scadenza|\bfino al|iscri|invio|resultad|ergebnis|inform|hand[- ]?in|termin|nadsył|wersj|versi|indiening|tarih|gönder|bildirim|` + finalStems + `|` + notifyStems + `|` + registerStems + `|` + submitStems)

// bareWords is the maximum number of words of a label that dueLabel does not match.
const bareWords = 6

// isAmbiguousLabel reports whether a label names a possible purpose of a date without saying that it is a
// deadline. Labels in East Asian scripts and Cyrillic never count as weak.
func isAmbiguousLabel(label string) bool {
	for _, r := range label {
		if unicode.Is(unicode.Han, r) || unicode.Is(unicode.Cyrillic, r) || unicode.Is(unicode.Hiragana, r) || unicode.Is(unicode.Katakana, r) || unicode.Is(unicode.Hangul, r) {
			return false
		}
	}
	return !dueLabel.MatchString(label)
}

// dropAmbiguousLabels removes the kind of dates with weak labels. Dates below a heading about dates keep
// it, and so do short labels on a page that calls for something or has other deadlines. es is modified.
func (r *deadlineReader) dropAmbiguousLabels(es []entry) {
	sure := slices.ContainsFunc(r.blocks[:min(2*maxTop, len(r.blocks))], func(b tagtree.Block) bool {
		return announcements.MatchString(cutToBytes(b.Text, maxLabel))
	}) || slices.ContainsFunc(es, func(e entry) bool {
		return isDeadline(e.kind) && e.kind != eventseer.OtherDeadline && !e.prose && !isAmbiguousLabel(e.label)
	})
	for k := range es {
		e := &es[k]
		if !isDeadline(e.kind) || !isAmbiguousLabel(e.label) || datesHeading.MatchString(r.headingAbove(e.date.block)) {
			continue
		}
		if !sure || len(strings.Fields(cutToBytes(e.label, maxLabel))) > bareWords {
			e.kind = ""
		}
	}
}
