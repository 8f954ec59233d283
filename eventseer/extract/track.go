package extract

import (
	"strings"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/extract/date"
	"github.com/eventseer/eventseer/features/tagtree"
)

const maxTrack = 80

var (
	// plainHeading matches a heading that does not name a track.
	plainHeading = compilePattern(`(?i)dates|deadline|schedule|timeline|submission|call for|important|instructions|guidelines|overview|about|home|news|conference|workshop|symposium|welcome|committee|chairs?\b|publication|proceedings|formalia|registration|notification|camera|venue|location|contact|links|menu|organi[sz]|format|requirements|fechas|datas|termine|einreichung|soumission|env[ií]o|日期|日程|일정|徵稿|征稿|投稿|论文|論文`)

	// trackWords matches the part of an event that a label names.
	trackWords = compilePattern(`(?i)\b(?:(?:regular|full|short|long|research|industry|industrial|application|student|journal|companion|position|vision|technical|experience|tool|late)[- ]){0,2}(?:papers?|articles?)\b|\b(?:late[- ]breaking (?:results?|demos?|work)|posters?(?:[ ]?(?:/|&|and) ?demos?)?|demos?|demonstrations?|doctoral (?:consortium|symposium|colloquium)|ph\.?d\.? (?:forum|symposium|colloquium)|student volunteers?|(?:student )?(?:\w+ )?(?:contest|challenge|competition)|panels?|tutorials?|special sessions?|talk proposals?|highlights|lightning talks?)\b`)
)

// trackOf returns the part of the event that a deadline belongs to, or "". It is the entry's own track,
// otherwise the heading above it, otherwise the part named by its label if the page has several.
func (r *deadlineReader) trackOf(e entry, tracks map[string]bool) string {
	t := strings.TrimSpace(e.track)
	if t == "" {
		t = r.trackOfHeading(e.date.block)
		if !trackWords.MatchString(t) && !partWords.MatchString(t) || r.isUnderOtherCall(e.date.block) {
			t = ""
		}
	}
	if t == "" && len(tracks) > 1 {
		t = labelTrack(e)
	}
	if len(t) > maxTrack || !containsWord(t) || round.MatchString(t) {
		return ""
	}
	return strings.Trim(t, " :-–")
}

// partWords matches a heading that names a part of an event.
var partWords = compilePattern(`(?i)\btracks?\b|\bpapers?\b|sessions?\b|\bsection\b|\bpart\b|\bcategory\b`)

// trackOfHeading returns the heading above block i if it may name a track, otherwise "".
func (r *deadlineReader) trackOfHeading(i int) string {
	h := r.head[i]
	if h < 0 || len(r.datesIn(h)) > 0 || r.isPageTitle(h) {
		return ""
	}
	text := r.blocks[h].Text
	if plainHeading.MatchString(text) || strings.ContainsAny(text, "@.;?!") || len(date.Years(text)) > 0 || acronymInTitle(text) != "" {
		return ""
	}
	switch r.blockKind(h) {
	case eventseer.Notification, eventseer.CameraReady, eventseer.Rebuttal, noDeadline, eventDates:
		return ""
	}
	return text
}

// isUnderOtherCall reports whether the heading above block i names a call other than that of the block's
// section, see readSectionCalls and clearMixedSections.
func (r *deadlineReader) isUnderOtherCall(i int) bool {
	if r.head[i] < 0 {
		return false
	}
	call, ok := r.headingCall(r.head[i])
	return ok && call != eventseer.MainCall && r.calls[i] != call
}

// isPageTitle reports whether block h is the title of the page, which is the first heading of level 1.
func (r *deadlineReader) isPageTitle(h int) bool {
	if r.blocks[h].Level != 1 {
		return false
	}
	for i := h - 1; i >= 0; i-- {
		if b := r.blocks[i]; b.Kind == tagtree.Heading && b.Level == 1 {
			return false
		}
	}
	return true
}

// labelTrack returns the part of the event that a label names, or "".
func labelTrack(e entry) string {
	return trackWords.FindString(cutToBytes(e.label, maxLabel))
}

// labelTracks returns the parts of the event with deadlines for submissions, as the labels of a page name
// them, in lower case.
func labelTracks(es []entry) map[string]bool {
	tracks := map[string]bool{}
	for _, e := range es {
		if t := labelTrack(e); t != "" && !e.prose && e.kind.IsSubmission() {
			t = strings.TrimSuffix(strings.ToLower(t), "s")
			tracks[mainPaper.ReplaceAllString(t, "paper")] = true
		}
	}
	return tracks
}

// mainPaper matches the names of papers of the main track.
var mainPaper = compilePattern(`^((full|long|research|technical|regular)[- ])*(paper|article)$`)
