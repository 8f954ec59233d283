package extract

import (
	"maps"
	"path"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/eventseer/eventseer/eventseer/extract/date"
	"github.com/eventseer/eventseer/features/tagtree"
)

// replaceIfMoved decides between two dates with one label, where link is the text between them. pair means that
// they are not part of a longer row of dates. If one date replaces the other, it leaves the newer one in a
// and returns true. This is the case if only one of them is struck out, if words or an arrow say so, or if
// a later day follows after white space only, since the line through the first may have been lost.
func replaceIfMoved(a, b *entry, link string, pair bool) bool {
	said := extensionWords.MatchString(link) || saysReplacementAfter(b.around)
	if listLink.MatchString(link) && !said && a.date.struck == b.date.struck {
		return false
	}
	former := formerly.MatchString(strings.TrimRight(link, " (:") + " ")
	if !former && a.date.struck == b.date.struck && !said {
		if b.date.From.IsBefore(a.date.From) {
			return false // a deadline does not move to an earlier day without words: "9 May (2 May)" are two deadlines
		}
		if !movedTo.MatchString(link) && (!pair || !rowLink.MatchString(link) || !isShortlyAfter(a.date.Span, b.date.Span, maxUnannouncedMove)) {
			return false
		}
	}
	switch {
	case former || b.date.struck && !a.date.struck:
		a.replacedDates = append(a.replacedDates, b.date)
	default:
		a.replacedDates = append(a.replacedDates, a.date)
		a.date, a.around = b.date, b.around
	}
	return true
}

// saysReplacementAfter reports whether the text after a date begins with words that say that the date replaces
// another: "(extended)".
func saysReplacementAfter(around string) bool {
	m := extensionWords.FindStringIndex(around)
	return m != nil && hasOnlyLinkWords(around[:m[0]], dayNouns)
}

const (
	// maxUnannouncedMove is the maximum extension of a deadline that no words or marks announce.
	maxUnannouncedMove = 40 * 24 * time.Hour
	// maxBothPast is the maximum extension between two lines that are both struck out because they are
	// over.
	maxBothPast = 21 * 24 * time.Hour
)

// rowLink matches the text between the dates of a row: white space and single numbers.
var rowLink = compilePattern(`^[\s\d]*$`)

// isSeparatePair reports whether date k and the previous one are not part of a longer row. links[k] is the text
// before date k.
func isSeparatePair(links []string, k int) bool {
	return (k < 2 || !rowLink.MatchString(links[k-1])) && (k+1 >= len(links) || !rowLink.MatchString(links[k+1]))
}

// isShortlyAfter reports whether the second of two days is at most most after the first. A missing year is
// the one that brings them closest.
func isShortlyAfter(a, b date.Span, most time.Duration) bool {
	switch {
	case a.From.Year == 0 && b.From.Year != 0:
		a.SetClosestYear(b.To)
	case b.From.Year == 0 && a.From.Year != 0:
		b.SetClosestYear(a.To)
	case a.From.Year == 0:
		a.SetYear(leapYear)
		b.SetYear(leapYear)
	}
	return b.To.Time().Sub(a.To.Time()) <= most
}

// leapYear is a year with all 366 days. It stands in for the year of two days without one.
const leapYear = 2000

var listLink = compilePattern(`(?i)^[\s,]*(and|or|&|/|und|oder|y|e|et|ou)\s*$|,\s*$|;\s*$`)

var (
	movedTo   = compilePattern(`→|⇒|➔|➜|->|=>|\bpara\b|^\s*>\s*$`)
	movedFrom = compilePattern(`(?i)\b(extended|moved|postponed|prolonged|changed|shifted|verlängert vom|verschoben vom|prorrogad[oa] d[eo]|prolongé du|prorogat[oa] dal)( from)?\W*$`)
)

// splitMovedRange splits a moved deadline that looks like a range of days into its old and new date. An
// example is "extended from 1 May to 9 May".
func (e *entry) splitMovedRange(text string) {
	d := e.date
	if d.From == d.To || !movedTo.MatchString(text[d.Start:d.End]) && !movedFrom.MatchString(lastBytes(text[:d.Start], maxHeading)) && !movedAfterRange.MatchString(text[d.End:]) {
		return
	}
	old := d
	old.To = d.From
	e.date.From, e.date.Weekday = d.To, 0 // the weekday belongs to the first day
	e.replacedDates = append(e.replacedDates, old)
}

// mayShareLabel reports whether two dates with the text link between them share a label. In running text, words
// about a move may belong to another deadline and separate them.
func mayShareLabel(link string, running bool) bool {
	if len(link) > 60 {
		return false
	}
	rest := withoutMove(link)
	if len(rest) == len(link) || running {
		return hasOnlyLinkWords(rest, nil)
	}
	return hasOnlyLinkWords(rest, dayNouns)
}

// postpositional matches the word for "moved to" after a day, in languages that place it last. movedAfterRange
// matches it after a range, whose end then replaces its start.
var (
	postpositional  = compilePattern(`^\s*(?:[（(][^()（）]{1,8}[)）]\s*)?(?:[にへ](?:延長|変更|延期)|(?:로|까지) ?(?:연장|변경|연기)|tarihine (?:kadar )?(?:uzat|ertelen))\pL*`)
	movedAfterRange = compilePattern(`^.{0,12}(?:[にへ](?:延長|変更|延期)|(?:로|까지) ?(?:연장|변경|연기)|\btarihine (?:kadar )?(?:uzat|ertelen))`)
)

// mergeReplaced removes each entry that another one replaces, and adds its date to the old dates of the other
// one.
func (r *deadlineReader) mergeReplaced(es []entry) []entry {
	plain := make([]plainText, len(es))
	for k := range es {
		r.completeExtensionLabel(es, k)
		label := es[k].label
		was := calledFormer.FindString(label)
		plain[k] = plainText{plainLabel(label[len(was):]), saysExtended(label), was != "" && namesDay(label)}
	}
	by := make([]int, len(es)) // by[k]: index of the entry that replaces entry k; k if none does
	for k := range es {
		by[k] = k
	}
	for k := range es {
		n := replacedByLabel(es, k)
		if n < 0 {
			n = r.replacementOf(es, plain, k)
		}
		if n >= 0 && finalReplacement(by, n) != k {
			by[k] = n
		}
	}
	replacing := r.replaceListedDate(es, by)
	r.replaceCopies(es, by)
	var out []entry
	at := map[int]int{} // index in es → index in out
	for k, e := range es {
		if by[k] == k && (replacing[k] || !newsHeading.MatchString(r.headingAbove(e.date.block))) {
			at[k] = len(out)
			out = append(out, e)
		}
	}
	for k, e := range es {
		if n, ok := at[finalReplacement(by, k)]; ok && by[k] != k {
			out[n].replacedDates = append(append(out[n].replacedDates, e.date), e.replacedDates...)
		}
	}
	return out
}

// announcesMove reports whether an entry says that its deadline was moved to its date.
func (e entry) announcesMove() bool {
	return isDeadline(e.kind) && e.shape == labelLeft && !e.date.struck && (e.endsWithMove() || e.isMarkedAsMoved())
}

// endsWithMove reports whether the label ends with words that say that the deadline was moved to the date: "the
// submission deadline has been extended to".
func (e entry) endsWithMove() bool {
	if !saysExtended(e.label) {
		return false
	}
	ms := extensionWords.FindAllStringIndex(e.label, -1)
	return len(ms) > 0 && hasOnlyMoveWords(e.label[ms[len(ms)-1][1]:])
}

// isMarkedAsMoved reports whether a submission in a list is such as "Extended paper deadline: May 9" or "Paper
// deadline: May 9 (extended)".
func (e entry) isMarkedAsMoved() bool {
	return e.kind.IsSubmission() && len(e.label) <= maxShortLabel && (saysExtended(e.label) && namesDay(e.label) || saysExtended(e.around) && saysReplacementAfter(e.around))
}

// maxMove is the maximum extension of a deadline.
const maxMove = 120 * 24 * time.Hour

// replaceListedDate handles a date that a news item or a sentence announces. It replaces the listed day of its
// kind if the page lists a single one and it is earlier. by is modified, see mergeReplaced. The result are the
// entries that replace others.
func (r *deadlineReader) replaceListedDate(es []entry, by []int) map[int]bool {
	replacing := map[int]bool{}
	for n, e := range es {
		if by[n] != n || !e.announcesMove() {
			continue
		}
		only, days := -1, map[date.Day]bool{}
		for k, o := range es {
			if k != n && by[k] == k && o.kind == e.kind && r.isSameCall(o, e) && !o.announcesMove() && !o.date.struck {
				days[o.date.To] = true
				only = k
			}
		}
		if len(days) != 1 || by[only] != only || es[only].prose || !r.isOfSamePart(e, es[only]) || !e.endsWithMove() && !haveSameWords(plainLabel(e.label), plainLabel(es[only].label)) {
			continue
		}
		was, is := es[only].date.Span, e.date.Span
		if was.From.Year == 0 && is.From.Year != 0 {
			was.SetClosestYear(is.To)
		} else if is.From.Year == 0 && was.From.Year != 0 {
			is.SetClosestYear(was.To)
		}
		if gap := is.To.Time().Sub(was.To.Time()); gap <= 0 || gap > maxMove {
			continue
		}
		for k, o := range es {
			if by[k] == k && o.kind == e.kind && r.isSameCall(o, e) && o.date.To == es[only].date.To && k != n {
				by[k] = n
			}
		}
		replacing[n] = true
	}
	for k, n := range by {
		if n != k {
			replacing[finalReplacement(by, k)] = true
		}
	}
	return replacing
}

// partWord matches words that distinguish parts of a call in a sentence.
var partWord = compilePattern(`(?i)\b(?:tracks?|sessions?|early|late|short|rounds?|cycles?|students?|industr\w+|first|second)\b`)

// isOfSamePart reports whether a listed day may be the one that a sentence is about. All partWords of the
// sentence must occur beside the listed day or in its heading.
func (r *deadlineReader) isOfSamePart(told, listed entry) bool {
	if told.date.block == listed.date.block {
		return true
	}
	beside := strings.ToLower(listed.label + " " + listed.track + " " + r.headingAbove(listed.date.block))
	for _, w := range partWord.FindAllString(told.label, maxLabels) {
		if !strings.Contains(beside, strings.ToLower(strings.TrimSuffix(w, "s"))) {
			return false
		}
	}
	return true
}

// replaceCopies also replaces copies of a replaced entry elsewhere on the page, such as in a side bar. They
// have the same kind, track and day. by is modified, see mergeReplaced.
func (r *deadlineReader) replaceCopies(es []entry, by []int) {
	for k := range es {
		if by[k] == k {
			continue
		}
		n := finalReplacement(by, k)
		for m := range es {
			if m != n && by[m] == m && es[m].kind == es[k].kind && strings.EqualFold(es[m].track, es[k].track) && es[m].date.To == es[k].date.To && r.isSameCall(es[m], es[k]) {
				by[m] = n
			}
		}
	}
}

// finalReplacement returns the entry that finally replaces entry k, or k. by must not have cycles.
func finalReplacement(by []int, k int) int {
	for by[k] != k {
		k = by[k]
	}
	return k
}

// isReplacedByNext reports whether the first date of the next block replaces the only date of block i. The
// blocks must belong together, and the date of block i must be earlier. Either it is struck out, or the
// next block says that its date is new. The label may be before or after both.
func (r *deadlineReader) isReplacedByNext(i int) bool {
	if i+1 >= len(r.blocks) || !r.belongsTogether(i, i+1) || !r.isOnlyDates(i) {
		return false
	}
	old, fresh := r.datesIn(i), r.datesIn(i+1)
	if len(old) == 0 || len(fresh) == 0 {
		return false
	}
	a, b := old[len(old)-1], fresh[0]
	if a.From.Day == 0 || b.From.Day == 0 || b.struck {
		return false
	}
	was := a.Span
	if was.From.Year == 0 && b.From.Year != 0 {
		was.SetClosestYear(b.To)
	}
	if b.From.Year == 0 {
		was.SetYear(0)
	}
	before, behind := r.blocks[i+1].Text[:b.Start], cutToBytes(r.blocks[i+1].Text[b.End:], maxAround)
	return was.To.IsBefore(b.To) && (a.struck || extensionWords.MatchString(before) && hasOnlyMoveWords(before) || len(fresh) == 1 && postpositional.MatchString(behind))
}

// belongsTogether reports whether block j, which follows block i, belongs to it. It is in the same element or
// inside it, or both are adjacent paragraphs of one element.
func (r *deadlineReader) belongsTogether(i, j int) bool {
	a, b := r.blocks[i], r.blocks[j]
	return a.Path == b.Path || strings.HasPrefix(b.Path, a.Path+"/") ||
		a.Kind == tagtree.Paragraph && b.Kind == a.Kind && path.Base(b.Path)[0] == 'p' && path.Dir(a.Path) == path.Dir(b.Path) && r.sameCell(i, j)
}

// completeExtensionLabel puts the label of the previous entry before that of entry k, if the latter only
// says that a date is extended.
func (r *deadlineReader) completeExtensionLabel(es []entry, k int) {
	if k > 0 && es[k].kind == "" && es[k].label == "" {
		es[k].label = postpositional.FindString(es[k].around)
	}
	if k == 0 || es[k].prose || !extensionWords.MatchString(es[k].label) || len(significantWords(plainLabel(es[k].label))) > 0 {
		return
	}
	e, o := &es[k], es[k-1]
	if isDeadline(o.kind) && !o.prose && (!o.date.struck || e.date.struck) && e.track == o.track && e.date.block <= o.date.block+2 && r.head[e.date.block] == r.head[o.date.block] && o.date.From.IsBefore(e.date.From) && (!extensionWords.MatchString(o.label) || strings.HasSuffix(o.label, e.label)) {
		e.kind, e.label = o.kind, o.label+" "+e.label
	}
}

// significantWords returns the words of a plain label that name what is due.
func significantWords(label string) map[string]bool {
	words := map[string]bool{}
	for _, w := range strings.Fields(label) {
		if !dueStops[w] && !linkWords[w] && !dayNouns[w] && !date.IsWeekday(w) {
			words[w] = true
		}
	}
	return words
}

// dueStops are words that occur in the labels of all kinds of deadlines.
var dueStops = wordSet("a an the for of to on is was were has been will be by all date dates deadline deadlines due submission submissions submit submitting new now revised later further second final last closing fecha data date limite límite plazo prazo scadenza envío envio frist de da do del al el la le au für hasta até bis zum jusqu prolonged postponed para o os ao as das dos das du des il dei per los las se ha sido foi a nova novo nueva nuevo fechas datas prazos término termin termine der die das den vom wurde abgabe einreichung soumission soumissions délai remise invio termine entro submissão submissões recepção recepción cierre deadlinen inzenden termin nadsyłania zgłoszeń do dnia termín odevzdání határidő beküldési termen limită tarih tarihi son срок подачи приёма приема заявок до на термін подання")

// labelsNameSameThing reports whether two labels name the same thing. They have the same words, or one of them only
// says that a date was moved. Words such as "papers" need not be in both.
func labelsNameSameThing(a, b plainText) bool {
	x, y := significantWords(a.label), significantWords(b.label)
	if len(x) == 0 && a.isAboutMove() || len(y) == 0 && b.isAboutMove() {
		return !(a.extended && b.extended && len(x) != len(y)) && surelyNew.MatchString(a.label) == surelyNew.MatchString(b.label)
	}
	return haveSameWords(a.label, b.label)
}

// haveSameWords reports whether two plain labels name the same things. Words for the contributions of the main
// call, such as "papers", need not be in both.
func haveSameWords(a, b string) bool {
	x, y := significantWords(a), significantWords(b)
	for _, words := range []map[string]bool{x, y} {
		maps.DeleteFunc(words, func(w string, _ bool) bool { return mainWords[w] })
	}
	return maps.Equal(x, y)
}

// isAboutMove reports whether a label says that its day was moved or is the previous date.
func (t plainText) isAboutMove() bool { return t.extended || t.former }

// isMoveOf reports whether t is the label b of a deadline with words which say that it was extended. Both must
// say what is due.
func (t plainText) isMoveOf(b plainText) bool {
	return t.extended && !b.extended && t.label == b.label && len(significantWords(b.label)) > 0
}

// mainWords are words for the contributions that a main call asks for.
var mainWords = wordSet("paper papers manuscript manuscripts contribution contributions article articles proposal proposals")

// replacedBy matches a label in running text that announces an earlier date.
var replacedBy = compilePattern(`(?i)\b(extended from|instead of|previously|originally|formerly)\b[^\d]{0,20}$|^\W*(the )?(original|old|previous|former|initial)\b[^.;:]{0,30}\b(deadline|date)s?\W*$`)

// replacedByLabel returns the index of the previous entry that replaces entry k according to the label of k, or
// -1.
func replacedByLabel(es []entry, k int) int {
	if !replacedBy.MatchString(es[k].label) {
		return -1
	}
	for n := k - 1; n >= max(0, k-maxLabels); n-- {
		if es[n].kind == es[k].kind && es[k].date.From.IsBefore(es[n].date.From) {
			return n
		}
	}
	return -1
}

// replacementOf returns the index of the entry that replaces entry k, or -1. It has the same kind and label
// in the same section, or is next to k with the same meaning. Either k is struck out, or the other one is
// called extended and is later. In another section the label must also say what is due.
func (r *deadlineReader) replacementOf(es []entry, plain []plainText, k int) int {
	e := es[k]
	if e.label == "" {
		return -1
	}
	for step := 1; step <= 2*maxRun; step++ {
		n := k + (step+1)/2 // n is k+1, k-1, k+2, and so on
		if step%2 == 0 {
			n = k - step/2
		}
		if n < 0 || n >= len(es) {
			continue
		}
		o := es[n]
		bothPast := e.date.struck && o.date.struck && n > k && // some pages strike out all dates that are over
			(plain[n].extended || n == k+1 && o.label == e.label && isShortlyAfter(e.date.Span, o.date.Span, maxBothPast))
		if e.date.struck && o.date.From.IsBefore(e.date.From) || o.date.struck && !bothPast || o.kind != e.kind || o.track != e.track || !r.isSameCall(o, e) {
			continue
		}
		if !r.isSameSection(o.date.block, e.date.block) && !(plain[n].isMoveOf(plain[k]) && !e.prose && isShortlyAfter(e.date.Span, o.date.Span, maxMove)) {
			continue
		}
		beside := onlyStruckBetween(es, n, k)
		if plain[n].label != plain[k].label && !(beside && !e.prose && labelsNameSameThing(plain[n], plain[k])) {
			continue
		}
		if a, _ := roundOf(e.label); a != 0 {
			if b, _ := roundOf(o.label); a != b {
				continue
			}
		}
		if e.date.struck {
			return n
		}
		if (plain[n].extended && (!plain[k].extended || beside) || plain[k].former && !plain[n].former && plain[k].label != "") && e.date.From.IsBefore(o.date.From) {
			return n
		}
	}
	return -1
}

// onlyStruckBetween reports whether all entries between two are struck out and of the same kind.
func onlyStruckBetween(es []entry, a, b int) bool {
	for _, e := range es[min(a, b)+1 : max(a, b)] {
		if !e.date.struck || e.kind != es[a].kind {
			return false
		}
	}
	return true
}

// isSameSection reports whether two blocks are below the same heading, or one of them is the heading of the
// other.
func (r *deadlineReader) isSameSection(a, b int) bool {
	return r.head[a] == r.head[b] || r.head[a] == b || r.head[b] == a
}

// isSameCall reports whether two entries are in sections of the same call.
func (r *deadlineReader) isSameCall(a, b entry) bool {
	return r.calls[a.date.block] == r.calls[b.date.block]
}

// A plainText is a label without words about an extension, and whether it had any. former means that it is
// the label of a previous date.
type plainText struct {
	label    string
	extended bool
	former   bool
}

// calledFormer matches a word for "previous" at the start of a label.
var calledFormer = compilePattern(`(?i)^\W*(?:` + spacedLanguages(formerlyWords) + `)(?:$|[^\pL])`)

// namesDay reports whether a label contains a word for a date or a deadline.
func namesDay(label string) bool {
	if daySigns.MatchString(label) {
		return true
	}
	for w := range strings.FieldsFuncSeq(strings.ToLower(label), func(r rune) bool { return !unicode.IsLetter(r) }) {
		if dayNouns[w] && w != "due" { // "due" describes the contribution, not the date
			return true
		}
	}
	return false
}

// plainLabel returns a label in lower case without words about an extension and without small words.
func plainLabel(s string) string {
	s = smallSigns.ReplaceAllString(daySigns.ReplaceAllString(extensionWords.ReplaceAllString(s, " "), " "), " ")
	words := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) })
	words = slices.DeleteFunc(words, func(w string) bool { return len(w) > 1 && linkWords[w] || date.IsWeekday(w) })
	return strings.Join(strings.Fields(unlabelledWords.ReplaceAllString(strings.Join(words, " "), "")), " ")
}

// daySigns matches the words for a deadline in languages without spaces.
var daySigns = compilePattern(`截止(?:日期|时间|時間)?|截稿(?:日期|時間|日)?|締め?切り?|期限|日期|마감일?|기한`)

var (
	// excludesExtension matches words beside a date which say that it will not be extended.
	excludesExtension = compilePattern(`(?i)\b(firm|strict|hard|final and strict)( and final)? (deadline|date|cut-?off)|deadlines?:? (is|are|will be) (\w+ )?(firm|strict|hard)\b|\((absolutely |very |this is )?(firm|strict|hard|final)( deadline)?!?\)|[-–,!:] ?(firm|strict|hard)\b ?[!.)]?\s*$|` + noExtensionWords)
	// excludesAllExtensions matches a sentence which says that no date around it will be extended.
	excludesAllExtensions = compilePattern(`(?i)\bdeadlines (are|will be) (\w+ )?(firm|strict|hard|final)\b|deadlines [^.]{0,30}strictly|strictly enforced|` + noExtensionWords)
)

const noExtensionWords = `\bno (further |more |additional |other )?(deadline )?extensions?\b|(will|can|shall)( ?not|n['’]t) be (further )?(extended|postponed)|one and only extension|(last|final) extension\b|keine (weitere )?(frist)?verlängerung|sin prórroga|no habrá (más )?prórroga|ne sera pas (prolongé|repouss)|nessuna proroga|不再延期|不会延期|延長(は|し|いたし)`

// noExtensionHeadings returns the block indexes of headings below which a separate sentence excludes
// extensions.
func (r *deadlineReader) noExtensionHeadings() map[int]bool {
	firm := map[int]bool{}
	for i, b := range r.blocks {
		if len(b.Text) <= maxLabel && len(r.datesIn(i)) == 0 && r.mayMatch(i, excludesAllExtensions) && excludesAllExtensions.MatchString(b.Text) {
			firm[r.head[i]] = true
		}
	}
	delete(firm, -1)
	return firm
}

// rulesOutExtension reports whether the page excludes an extension of e's date. heads is the result of
// noExtensionHeadings.
func (r *deadlineReader) rulesOutExtension(e entry, heads map[int]bool) bool {
	s := e.label + " " + e.around
	if len(r.datesIn(e.date.block)) == 1 {
		s = cutToBytes(r.blocks[e.date.block].Text, maxLabel)
	}
	return excludesExtension.MatchString(s) || e.kind.IsSubmission() && heads[r.head[e.date.block]]
}
