package ingest

import (
	"maps"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/match"
	"github.com/eventseer/eventseer/eventseer/series"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/internal/text"
)

// maxMessageRead is the number of bytes of a message that are searched for a name.
const maxMessageRead = 100_000

// doubtedName is the confidence of a name that is in only one line of a message and has no word for a type of
// event. Of 11 such names in messages of the frozen web, 2 are right.
const doubtedName = 0.2

// segmentEnds matches separators between the parts of a subject.
var segmentEnds = regexp.MustCompile(`[:;|\]\[]|\s-+\s|\s[–—]\s|-{2,}|[.!?]\s`)

// issueNoun matches words in the name of a special issue.
var issueNoun = regexp.MustCompile(`(?i)\b(issue|section|volume)\b`)

// partName matches the name of a special issue, section, session or track. Such a name need not be repeated
// in the message.
var partName = regexp.MustCompile(`(?i)^(the )?(special|topical|thematic) (issue|section|session|track)\b\W+\pL+\W+\pL`)

// withAnnouncedName returns a record read from a message with the name that the message repeats. A name is in
// the subject and in the text, or several times in the text. The words of a reminder, an apology or a remark
// occur only once.
//
// If some parts of the title are not repeated, the longest repeated part becomes the name. If no part is
// repeated and the title does not look like a name or belong to the acronym, its confidence is reduced to
// doubtedName, which keeps the event out of lists. Records of other pages are returned unchanged.
func withAnnouncedName(t *tagtree.Tree, e eventseer.Event) eventseer.Event {
	if !match.IsArchive(e.URL) || e.Title == "" {
		return e
	}
	e.Title = withoutRemarks(t, e)
	body := " " + text.FoldForComparison(textWithoutSubject(text.CutBytes(t.Text(), maxMessageRead))) + " "
	repeated := func(s string) bool {
		for _, form := range []string{text.FoldForComparison(s), text.FoldForComparison(series.WithoutYears(s))} {
			if strings.Count(form, " ") > 0 && strings.Count(body, " "+form+" ") > 1 {
				return true
			}
		}
		return false
	}
	best, all := "", true
	for _, segment := range segmentEnds.Split(e.Title, -1) {
		segment = strings.TrimSpace(segment)
		switch is := repeated(segment); {
		case is && len(segment) > len(best):
			best = segment
		case !is && text.FoldForComparison(segment) != "":
			all = false
		}
	}
	source := e.Sources["title"]
	switch {
	case hostFirst.MatchString(e.Title) || isSentence(e.Title) || hasVerb.MatchString(e.Title) && !repeated(e.Title):
		source.Confidence = doubtedName
	case all || repeated(e.Title) || partName.MatchString(e.Title):
		return e
	case best != "" && !match.NamesEvent(e) || match.NamesEvent(eventseer.Event{Title: best}):
		e.Title = best
		source.Inferred = "the part of the line that the message repeats"
	case match.SpeaksOfEvent(e.Title) || e.Kind == eventseer.SpecialIssue && issueNoun.MatchString(e.Title) || e.Acronym != "" && match.OwnsName(e) || repeatsAcronym(body, e):
		return e
	default:
		source.Confidence = doubtedName
	}
	e.Sources = maps.Clone(e.Sources)
	if e.Sources == nil {
		e.Sources = map[string]eventseer.Provenance{}
	}
	e.Sources["title"] = source
	return e
}

// withoutRemarks returns the title of a message without words that belong to its sentence or to a remark in its subject: "Re.
// Workshop on …", "for the 3rd Workshop on …", "Second notice: Workshop on …".
func withoutRemarks(t *tagtree.Tree, e eventseer.Event) string {
	title := replyFirst.ReplaceAllString(withoutUnmatchedBracket(e.Title), "")
	if rest := phraseFirst.ReplaceAllString(title, ""); match.SpeaksOfEvent(rest) {
		title = rest
	}
	at, subject := e.Sources["title"].Offset, subjectOf(t)
	if !strings.HasPrefix(subject, subjectFirst) || at[0] >= len(subject) || !strings.HasPrefix(t.Text(), subject) {
		return title
	}
	if callNext.MatchString(t.Text()[min(at[1], len(t.Text())):]) {
		title = strings.TrimRight(callLast.ReplaceAllString(title, ""), " -–—:")
	}
	if rest := strings.TrimSpace(remarkLast.ReplaceAllString(title, "")); rest != "" {
		title = rest
	}
	named := ""
	for _, part := range subjectParts.Split(title, -1) {
		part = strings.TrimSpace(part)
		switch is := match.NamesEvent(eventseer.Event{Title: part}) || e.Acronym != "" && strings.HasPrefix(part, e.Acronym); {
		case is && named != "":
			return title // two names
		case is:
			named = part
		case match.SpeaksOfEvent(part) || strings.Contains(part, e.Acronym) && e.Acronym != "" || partName.MatchString(part):
			return title
		}
	}
	if named == "" {
		return title
	}
	return named
}

// subjectFirst begins the text of a message with a subject.
const subjectFirst = "Subject:"

var (
	replyFirst  = regexp.MustCompile(`^(?i:(?:re|fwd?|aw|wg|tr)[.:]\s*)+`)
	phraseFirst = regexp.MustCompile(`^(?:(?:for|of|at|in|to|on|from|with|and)\s+(?:the\s+)?|(?i:its|our|this)\s+)`)
	hasVerb     = regexp.MustCompile(`\pL\s(?:is|are|was|were|will|has|have)\s`)
	hostFirst   = regexp.MustCompile(`^(?i:part of|held|in conjunction|in cooperation|co-?located)\s`)
	remarkLast  = regexp.MustCompile(`\s\((?:\PL*\p{Ll}+){2,}\PL*\)$`) // in brackets, without capitals
	callLast    = regexp.MustCompile(`(?i)\s+(?:first|second|third|1st|2nd|3rd|final|last|preliminary|extended)$`)
	callNext    = regexp.MustCompile(`^(?i)\s*calls?\s+for\s`)

	// subjectParts separates the parts of a subject. Unlike those of segmentEnds they are not the sentences of a name that
	// ends with a mark.
	subjectParts = regexp.MustCompile(`[:;|\]\[]|\s-+\s|\s[–—]\s|-{2,}`)
)

// isSentence reports whether a title is written like a sentence: with many words, of which few have a capital. Names in languages
// that write nouns small are shorter.
func isSentence(title string) bool {
	words, capitals := strings.Fields(title), 0
	for _, w := range words {
		if r, _ := utf8.DecodeRuneInString(w); !unicode.IsLower(r) {
			capitals++
		}
	}
	return len(words) >= sentenceWords && 4*capitals < len(words)
}

const sentenceWords = 12

// withAnnouncedYear returns a record of a message with the year that is most often printed directly after the acronym, as in
// "KITES 2027" or kites2027.org. It is the first of equally frequent ones, and the year of the record or the next, since
// the deadlines of an edition may be in the year before. Records with the days of the event, and those of pages of a site, which
// are dated by each other, are returned unchanged.
func withAnnouncedYear(t *tagtree.Tree, e eventseer.Event) eventseer.Event {
	short := e.Acronym + " " + strconv.Itoa(e.Year) // the title if the message prints none
	if !match.IsArchive(e.URL) || e.EventStart != "" || e.Year == 0 || len(e.Acronym) < 2 || e.Title != short && yearWithin.MatchString(e.Title) {
		return e
	}
	rest, name := strings.ToLower(text.CutBytes(t.Text(), maxMessageRead)), strings.ToLower(e.Acronym)
	count, year := map[int]int{}, e.Year
	for {
		at := strings.Index(rest, name)
		if at < 0 {
			if e.Year = year; e.Title == short {
				e.Title = e.Acronym + " " + strconv.Itoa(year)
			}
			return e
		}
		before, _ := utf8.DecodeLastRuneInString(rest[:at])
		rest = rest[at+len(name):]
		m := yearNext.FindStringSubmatch(rest[:min(len(rest), maxYearNext)])
		if m == nil || unicode.IsLetter(before) || unicode.IsDigit(before) {
			continue
		}
		if y, _ := strconv.Atoi(m[1]); y == e.Year || y == e.Year+1 { // four digits
			if count[y]++; count[y] > count[year] {
				year = y
			}
		}
	}
}

var (
	yearWithin = regexp.MustCompile(`(?:19|20)\d\d`)
	yearNext   = regexp.MustCompile(`^[ '’-]{0,2}((?:19|20)\d\d)(?:\D|$)`)
)

// maxYearNext is the number of bytes needed for a match of yearNext.
const maxYearNext = 12

// withoutUnmatchedBracket returns a title without the part up to an unmatched closing bracket, as in "list] Name" and "2027)
// Name".
func withoutUnmatchedBracket(title string) string {
	at := strings.IndexAny(title, "()[]")
	if at < 0 || title[at] != ')' && title[at] != ']' || strings.TrimSpace(title[at+1:]) == "" {
		return title
	}
	return strings.TrimSpace(title[at+1:])
}

// textWithoutSubject returns the text of a message without its subject if the text begins with the subject again.
// Archives without subjects repeat the first line.
func textWithoutSubject(message string) string {
	subject, rest, _ := strings.Cut(strings.TrimSpace(message), "\n")
	for rest = strings.TrimSpace(rest); strings.HasPrefix(rest, "Date:"); {
		_, rest, _ = strings.Cut(rest, "\n")
		rest = strings.TrimSpace(rest)
	}
	first := text.FoldForComparison(strings.TrimPrefix(subject, "Subject:"))
	if first != "" && strings.HasPrefix(text.FoldForComparison(text.CutBytes(rest, len(subject)+maxSubject)), first) {
		return rest
	}
	return message
}

// repeatsAcronym reports whether the title of an event contains its acronym and the text of the message,
// folded, contains the acronym more than once.
func repeatsAcronym(body string, e eventseer.Event) bool {
	acronym := series.BareAcronym(e)
	in := func(s string) int { return strings.Count(s, " "+acronym+" ") }
	return acronym != "" && in(" "+text.FoldForComparison(series.WithoutYears(e.Title))+" ") > 0 && in(body) > 1
}
