package extract

import (
	"strings"

	"github.com/eventseer/eventseer/eventseer/extract/date"
	"github.com/eventseer/eventseer/eventseer/extract/pattern"
)

var (
	calledBy = compilePattern(`(?i)^[\s:–—|-]*((final |first |second |third |last |1st |2nd |3rd )?(call for (papers?|participation|abstracts?|submissions?|contributions?|proposals?|presentations?|posters?|workshops?|tutorials?|talks?|speakers|articles)( and (participation|posters|abstracts|papers|proposals|demos|demonstrations|presentations|submissions|contributions))?|call ?4 ?papers|(?:\pL+ )?cfp|c4p|abstract submissions?|paper submissions?|submissions?|important dates|dates|home( ?page)?|(?:workshop|conference|event|official) (?:web)?(?: ?site|page)|chamada de (trabalhos|artigos)|convocatoria|appel à communications?|welcome to( the)?|announcement( and)?|authors?|deadlines?))(?:\b|$)[\s:–—|-]*(?:for the|for|of the|to the|\bat\b)?\s*`)
	calledAt = compilePattern(`(?i)[\s:–—|,-]*\(?(call for (papers?|participation|abstracts?|submissions?|contributions?|proposals?|presentations?|posters?)|cfp|(?:(?:abstract|paper)s? )?submissions?(?: deadlines?)?|deadline extension|deadline extended|important dates|home( ?page)?|official (web)?site|website|web page)\)?\W*$`)
)

// cleanTitle returns a name without the text around it: "Call for Papers", dates and places at its end,
// punctuation. It returns "" if only a date remains.
func cleanTitle(s string) string {
	s = cutToBytes(s, maxTitleBlock)
	var t pattern.Text
	t.Set(s)
	return cleanTitleIn(&t, s)
}

// cleanTitleIn is cleanTitle for a text that is all of t. All its results are parts of t.
func cleanTitleIn(t *pattern.Text, s string) string {
	if s != "" && (s[0] <= ' ' || strings.ContainsAny(s, "[:")) {
		s = mailMarks.ReplaceAllString(s, "")
	}
	mayBeCalled, mayEnd := calledBy.MayMatch(t), calledAt.MayMatch(t)
	for n, before := 0, ""; n < 3 && s != before; n++ {
		before = s
		if mayBeCalled {
			if m := calledBy.FindStringIndex(s); m != nil && m[1] < len(s) {
				s = s[m[1]:]
			}
		}
		if mayEnd {
			s = calledAt.ReplaceAllString(s, "")
		}
	}
	if madeWith.MayMatch(t) {
		s = madeWith.ReplaceAllString(s, "")
	}
	if yearSpan.MayMatch(t) {
		s = yearSpan.ReplaceAllString(s, "")
	}
	if heldTail.MayMatch(t) {
		if m := heldTail.FindStringIndex(s); m != nil && m[0] > 8 {
			s = s[:m[0]]
		}
	}
	dates := date.Read(s, "en")
	if !containsWord(blankDates(s, dates)) {
		return ""
	}
	for _, d := range dates {
		if d.From.Day != 0 && d.Start > 8 {
			s = s[:d.Start]
			break
		}
	}
	s = strings.TrimSpace(strings.Trim(strings.TrimRight(s, " (["), " \t,;:|–—-·•*=_.#>«»"))
	if leadingWords.MayMatch(t) {
		s = leadingWords.ReplaceAllString(s, "")
	}
	if menuTail.MayMatch(t) {
		s = menuTail.ReplaceAllString(s, "")
	}
	if !nouns.MayMatch(t) && !strings.ContainsAny(s, "0123456789") {
		return s // the names below have a noun for events or a year
	}
	if m := leadingRank.FindStringSubmatch(s); m != nil && nouns.MatchString(m[1]) {
		s = m[1]
	}
	if m := leadingName.FindStringSubmatch(s); m != nil && nouns.MatchString(m[1]) && (rank.MatchString(m[1]) || scope.MatchString(m[1])) {
		s = m[1]
	}
	if m := placeTail.FindStringSubmatchIndex(s); m != nil && (nouns.MatchString(s[:m[0]]) || len(date.Years(s[:m[0]])) > 0) {
		if _, ok := placeIn(s[m[0]:]); ok {
			s = strings.TrimRight(s[:m[0]], " ,;:–—-(")
		}
	}
	return s
}

// mailMarks matches the prefix of a mail's subject. It is the field's name, the mailing list's name, and
// marks of replies, forwards and reminders.
var mailMarks = compilePattern(`(?i)^\s*(?:subject:\s*)?(?:\[[\w .&/+-]{2,40}\]\s*|(?:re|fwd?|aw|wg|antw|sv|tr)(?:\[\d+\])?:\s*|(?:(?:final|last|gentle|kind|friendly|\d(?:st|nd|rd|th)) )?(?:reminder|notice):\s*)*`)

// madeWith matches the text after a name in the last line of a page.
var madeWith = compilePattern(`(?i)\s+(web ?)?(site|page)?\s*(is |was )?(made|built|powered|designed|generated|maintained|created) (with|by|using)\b.*$`)

// yearSpan matches the years of a copyright before a name.
var yearSpan = compilePattern(`^(©|\(c\))?\s*\d{4}\s*[-–]\s*\d{4}\s+`)

// heldTail matches the text after a name in one line: ", hosted by …".
var heldTail = compilePattern(`(?i)[\s,;:(]+(to be |is being |will be )?(held|hosted|co-?located|collocated|in (conjunction|cooperation|association|collaboration)|(organi[sz]|sponsor)ed by|affiliated)\b.*$`)

// leadingName matches "ICX 2027: " or "ICX'27 - " before the full name, which is group 1.
var leadingName = compilePattern(`^[\p{Lu}\d][\p{L}\d'’&+@.-]*(?:\s\p{Lu}{2,})?\s?(?:['’]?\d\d|\d{4})?\s*(?:[:–—]|\s-)\s+(.{12,})$`)

// leadingRank matches the text before the number of the edition. It is the acronym, or the place and the
// host of the event, separated by commas. Group 1 is the name.
var leadingRank = compilePattern(`^(?:\p{Lu}[\p{L}&+.-]*\s?['’]?\d{2,4}|.{2,80},.{0,60}?)[\s:–—-]+((?:The\s+)?\d{1,3}(?:st|nd|rd|th)\s.{12,})$`)

// leadingWords matches words before a name about the proceedings or a form field.
var leadingWords = compilePattern(`(?i)^((proceedings|actas|anais|atti|actes) (of|du|del?|do|dell[ao']) ?(the )?|event name: )`)

// menuTail matches the text of a menu button after the name.
var menuTail = compilePattern(`(?i)\s+(menu|toggle navigation|home)$`)

// placeTail matches ", City, Country" or "- City, Country" at the end of a title.
var placeTail = compilePattern(`(?:,|\s[-–—|(]|\.)\s+[\p{Lu}][\p{L}. '-]+,\s*[\p{Lu}][\p{L}., '-]+\)?$`)
