package extract

import (
	"path"
	"strings"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/extract/date"
	"github.com/eventseer/eventseer/features/tagtree"
)

var calls = compilePattern(`(?i)\bcall for ((?:\w+ )?(abstracts?|posters?|demos?|demonstrations|(workshop|symposi\w+|panel|tutorial)s?( proposals)?))\b|\b(abstract|poster) submissions?\b`)

// contributionCalledFor returns the kind of contribution that a page without a paper deadline calls for. It follows
// from the title or the headings, otherwise from what the text asks authors to submit. It is "" if unknown.
func (r *deadlineReader) contributionCalledFor(es []entry) eventseer.DeadlineKind {
	for _, e := range es {
		if e.kind == eventseer.Submission && !e.prose && !isGenericLabel(e.label) {
			return ""
		}
	}
	for _, part := range titleParts.Split(r.t.Title(), 8) {
		if labelKind(cutToBytes(part, maxLabel)) == eventseer.CameraReady {
			return eventseer.CameraReady
		}
	}
	texts := []string{r.t.Title()}
	for i, b := range r.blocks {
		if i < 2*maxTop && isHeading(b) {
			texts = append(texts, b.Text)
		}
	}
	for _, s := range texts {
		if m := calls.FindString(cutToBytes(s, maxLabel)); m != "" {
			switch k := labelKind(m); k {
			case eventseer.Abstract, eventseer.Poster, eventseer.Demo, eventseer.WorkshopProposal, eventseer.TutorialProposal:
				return k
			}
		}
	}
	if abstracts, papers := r.countRequests(); abstracts > 2*papers {
		return eventseer.Abstract
	}
	return ""
}

// titleParts separates the parts of a page's title.
var titleParts = compilePattern(`\s[-–—|·»]\s|:\s`)

const (
	// submitVerbs matches a request for contributions; abstractWords and paperWords match what is requested.
	submitVerbs   = `(?:submi(?:t|ss)\w*|send|invit\w+|accept\w*|solicit\w*|provide|welcom\w+|call for|einreich\w*|enviar|env[ií]o de|soumettre|soumission)`
	abstractWords = `(?:abstracts?|summar(?:y|ies)|res[uú]men(?:es)?|résumés?|resumos?|kurzfassung(?:en)?|exposés?)`
	paperWords    = `(?:papers?|manuscripts?|articles?|full[- ]texts?|beiträge)`
	fewWords      = `(?:[^\s.;:]+ ){0,4}`
	ofLength      = `(?:should|must|shall|may|of (?:no|up|max|\d)|are (?:invited|welcome|due|limited)|\(?(?:max|up to|\d)|submission|deadline)`
)

var (
	asksAbstract = compilePattern(`(?i)\b` + submitVerbs + ` ` + fewWords + abstractWords + `\b|\b` + abstractWords + ` ` + ofLength + `|\babstracts [^.;:]{0,60}\bwelcome|\blength of (?:the )?abstracts?\b|^\W*abstract length\b|摘要(?:截|提交|投稿|收集|征集|格式|要求)|要旨`)
	asksPaper    = compilePattern(`(?i)\b` + submitVerbs + ` ` + fewWords + paperWords + `\b|\b(?:full|long|short|regular|research|original|complete)[- ]` + paperWords + `|\b` + paperWords + ` (?:` + ofLength + `|submitted|length|format)|全文(?:截|提交|投稿|格式|要求)|论文(?:截|提交|格式|模板)`)
	// anyPaper matches words about papers that calls for abstracts contain too.
	anyPaper = compilePattern(`(?i)\b(call for|final) papers?`)
)

// countRequests returns how often the text asks for abstracts and for papers.
func (r *deadlineReader) countRequests() (abstracts, papers int) {
	for i, b := range r.blocks {
		asksForAbstract, asksForPaper := r.mayMatch(i, asksAbstract), r.mayMatch(i, asksPaper)
		s := b.Text
		if r.mayMatch(i, anyPaper) {
			if s = anyPaper.ReplaceAllString(s, ""); len(s) < len(b.Text) { // the text is not a part of the block's
				asksForAbstract, asksForPaper = true, true
			}
		}
		if asksForAbstract {
			abstracts += len(asksAbstract.FindAllStringIndex(s, -1))
		}
		if asksForPaper {
			papers += len(asksPaper.FindAllStringIndex(s, -1))
		}
	}
	return abstracts, papers
}

// readSectionCalls sets for each block the call of its section. A heading starts the section of the call that it
// names. A heading that names no call belongs to the section of the higher-level heading above it. A
// section ends at a heading of the same or a higher level.
func (r *deadlineReader) readSectionCalls() {
	r.calls = make([]eventseer.CallKind, len(r.blocks))
	whole := r.callOfPage()
	call, level, holder := whole, 0, ""
	for i, b := range r.blocks {
		if !strings.HasPrefix(b.Path, holder) {
			call, level, holder = whole, 0, ""
		}
		if (isHeading(b) && !r.isNearerDate(i, i-1, i+1) || isCallLine(b)) && !(i < len(r.menu) && r.menu[i]) {
			if named, ok := r.headingCall(i); ok {
				call, level, holder = named, b.Level, ""
				if !r.mayMatch(i, anyCall) || !anyCall.MatchString(cutToBytes(b.Text, maxLabel)) {
					holder = sectionElement(b)
				}
			} else if !isWithinSection(b.Level, level) || level == 0 && !ofDates.MatchString(b.Text) {
				call, level, holder = whole, 0, ""
			}
		}
		r.calls[i] = call
	}
}

// callOfPage returns the call of the whole page, or MainCall if the page has several calls. The page's title,
// or a line at the top of plain text, must name it, and all headings that call for something must agree.
// Without such a title or line, sections end at the next heading of their level.
func (r *deadlineReader) callOfPage() eventseer.CallKind {
	call, named := eventseer.MainCall, false
	note := func(text string) bool {
		if !anyCall.MatchString(text) {
			return true
		}
		kind := eventseer.NamedCallKind(text)
		if named && kind != call {
			return false
		}
		call, named = kind, true
		return true
	}
	if !note(cutToBytes(r.t.Title(), maxLabel)) {
		return eventseer.MainCall
	}
	for i, b := range r.blocks {
		if i < len(r.menu) && r.menu[i] || !isHeading(b) && !isCallLine(b) {
			continue
		}
		if !named && (i >= maxTop || !isCallLine(b) && r.mayMatch(i, anyCall) && anyCall.MatchString(b.Text)) || !note(cutToBytes(b.Text, maxLabel)) {
			return eventseer.MainCall
		}
	}
	return call
}

// isCallLine reports whether a block of plain text, in which headings are not marked up, is a line that calls
// for something.
func isCallLine(b tagtree.Block) bool {
	plain := strings.HasPrefix(b.Path, "text/") || strings.HasPrefix(path.Base(b.Path), "pre")
	return plain && len(b.Text) <= maxHeading && callsLine.MatchString(b.Text)
}

var callsLine = compilePattern(`(?i)^[^\pL]*(?:[\pL\d]+\s+){0,2}calls? for\s+\w|[:–-]\s*calls? for\s+[\w ]{3,40}[^\pL]*$`)

// sectionElement returns the path, with a final slash, of the element that contains the section of a heading.
// This is the parent of the element around the heading; it is "" for plain text. Blocks outside that
// element, such as a side bar, belong to another section.
func sectionElement(heading tagtree.Block) string {
	if heading.Kind != tagtree.Heading || heading.Level == 0 || strings.HasPrefix(heading.Path, "text/") {
		return ""
	}
	return path.Dir(path.Dir(heading.Path)) + "/"
}

// clearMixedSections sets the call of a section to MainCall if its dates belong to several calls. These are
// papers and the section's own call, or two other calls. Such a list is the schedule of the whole event,
// whatever its heading says.
func (r *deadlineReader) clearMixedSections(es []entry) {
	for from := 0; from < len(r.calls); {
		call, to := r.calls[from], from+1
		for to < len(r.calls) && r.calls[to] == call {
			to++
		}
		if call != eventseer.MainCall && mixesCalls(es, call, from, to) {
			for i := from; i < to; i++ {
				r.calls[i] = eventseer.MainCall
			}
		}
		from = to
	}
}

// mixesCalls reports whether the entries of blocks [from, to), the section of a call, also name papers or
// another call.
func mixesCalls(es []entry, call eventseer.CallKind, from, to int) bool {
	papers, named := false, map[eventseer.CallKind]bool{}
	for _, e := range es {
		if e.date.block < from || e.date.block >= to || !isDeadline(e.kind) {
			continue
		}
		of := (eventseer.Deadline{Kind: e.kind, Track: e.label}).Call()
		switch {
		case of != eventseer.MainCall:
			named[of] = true
		case e.kind == eventseer.Submission && !e.prose && ofPapers.MatchString(e.label):
			papers = true
		}
	}
	return len(named) > 1 || len(named) == 1 && papers && !asksProposals(call)
}

// isWithinSection reports whether a heading of one level is inside the section of a heading of another. Level 0 is a
// heading without mark-up.
func isWithinSection(level, section int) bool { return level == 0 || section != 0 && level > section }

// headingCall returns the call that heading i names, MainCall for one that calls for papers. ok is false if
// it names none.
func (r *deadlineReader) headingCall(i int) (eventseer.CallKind, bool) {
	text := cutToBytes(r.blocks[i].Text, maxLabel)
	if r.mayMatch(i, anyCall) && anyCall.MatchString(text) {
		return eventseer.NamedCallKind(text), true
	}
	if len(text) > maxHeading || r.isPageTitle(i) || len(r.datesIn(i)) > 0 || len(date.Years(text)) > 0 ||
		strings.ContainsAny(text, "@.;?!") || acronymInTitle(text) != "" || pastCall.MatchString(text) {
		return "", false
	}
	if namesPapersToo(text) {
		return eventseer.MainCall, true
	}
	switch call := (eventseer.Deadline{Kind: r.blockKind(i), Track: text}).Call(); call {
	case eventseer.MainCall, eventseer.IndustryCall, eventseer.StudentCall, eventseer.JournalCall:
		return "", false
	default:
		return call, true
	}
}

// namesPapersToo reports whether a heading names papers together with another call's contributions:
// "Industry Papers and Demos".
func namesPapersToo(heading string) bool {
	papers, kinds := false, map[eventseer.CallKind]bool{}
	for _, part := range andSigns.Split(heading, 4) {
		call := eventseer.CallKindOf(strings.TrimSpace(part))
		kinds[call] = true
		papers = papers || ofPapers.MatchString(part) && call.SubmissionKind() == ""
	}
	return papers && len(kinds) > 1
}

var (
	andSigns = compilePattern(`(?i)\s(?:and|&|/)\s|,\s`)

	anyCall = compilePattern(`(?i)\bcalls? for\b`)
	// pastCall matches a heading about accepted contributions or about people who select them.
	pastCall = compilePattern(`(?i)accepted|program|schedul|camera|committee|chairs?\b|proceeding|award|list`)
	ofPapers = compilePattern(`(?i)\bpapers?\b`)
)

// callKind returns the kind of deadline of an entry in the section of a call. If the kind does not identify
// the call, it also returns the call's name as track: "Deadline" under "Call for demos". Papers under a
// call for proposals are those of the proposed workshops.
func (r *deadlineReader) callKind(e entry) (kind eventseer.DeadlineKind, track string) {
	call := r.calls[e.date.block]
	if call == eventseer.MainCall || (eventseer.Deadline{Kind: e.kind}).Call() != eventseer.MainCall {
		return e.kind, ""
	}
	handsIn := call.SubmissionKind()
	papers := asksProposals(call) && ofPapers.MatchString(e.label)
	switch {
	case e.kind != eventseer.Submission || papers && handsIn != "":
		return e.kind, string(call)
	case papers:
		return e.kind, ""
	case handsIn != "":
		return handsIn, ""
	}
	return e.kind, string(call)
}

// asksProposals reports whether a call asks for proposals of events that later call for papers.
func asksProposals(call eventseer.CallKind) bool {
	return call == eventseer.WorkshopCall || call == eventseer.TutorialCall || call == eventseer.SessionCall
}
