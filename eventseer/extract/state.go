package extract

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/features/tagtree"
)

// Expressions for sentences about the state of an event. Precision is more important than recall: a held
// event shown as cancelled does more harm than the opposite.
const (
	offWords   = `(?:cancel+ed|called off)`
	laterWords = `postponed`
	occasion   = `(?:conference|workshop|symposium|event|meeting|congress|school|edition|forum|summit|seminar|colloquium|convention)`
)

var (
	// stateSentence matches a sentence which says that something is cancelled or postponed. Group 1 is the
	// subject, group 2 the state.
	stateSentence = compilePattern(`(?i)^(.*?)\b(?:(?:has|have) (?:now |unfortunately |regretfully |officially |therefore |also |sadly )*been|had to be|has to be|have to be|is|are|was|were|will be|must be)(?: now| unfortunately| regretfully| officially| hereby| therefore| sadly| indefinitely| being)* (` + offWords + `|` + laterWords + `)\b`)
	// stateBanner matches a line beside the name of an event that consists of its state.
	stateBanner = compilePattern(`(?i)^\W*(cancel+ed|postponed)\W*$|^\W*(cancel+ed|postponed)\b *(?:due to|because of)\b.{0,60}$`)
	// stateMarked matches the state inside the line with the name, in capitals or brackets.
	stateMarked = compilePattern(`\b(CANCEL+ED|POSTPONED)\b|[\[(] ?(?:[Nn]ow |[Hh]as been )?([Cc]ancel+ed|[Pp]ostponed)\b[^)\]]{0,40}[)\]]|^\W*(Cancel+ed|Postponed) ?[:!–-]|[:–-] ?([Cc]ancel+ed|[Pp]ostponed)\W*$`)
	// conditionalWords matches words about possibilities and conditions.
	conditionalWords = compilePattern(`(?i)\b(if|in case|in the event|in the unlikely|may|might|could|would|should|shall|can|unless|whether|until further|policy|policies|refund\w*|fees?|not|never|no longer|previously|rumou?rs?|had been|liab\w+|reserves?|right to)\b`)
	// stateOther matches other things that are cancelled or moved around an event.
	stateOther = compilePattern(`(?i)\b(keynotes?|talks?|speech|tutorials?|sessions?|lectures?|excursions?|tours?|banquet|dinners?|receptions?|visits?|flights?|hotels?|bookings?|rooms?|reservations?|registrations?|orders?|payments?|tickets?|visas?|class|classes|course|exam|deadlines?|dates?|submissions?|notifications?|reviews?|papers?|proceedings|posters?|panels?|tracks?|demos?|parties|party|breakfast|lunch|version|contract|membership|awards?|prizes?|programme|program|arrangements?)\b`)
	// stateOccasion matches a noun for an event at the end of a subject, stateName a short name with its
	// year.
	stateOccasion = compilePattern(`(?i)\b` + occasion + `(?: (?:in|at|on|of|for) [^.,;]{1,40})?[ ,:–-]*(?:\([^)]{1,40}\))?\W*$`)
	stateName     = compilePattern(`([\p{Lu}][\p{L}\d-]{1,20}?)(?: ?['’]| ?-|[ ])? ?((?:19|20)?\d\d)\W*$`)
	fourDigits    = regexp.MustCompile(`\b(19|20)\d\d\b`)
)

const (
	maxStateBlock = 1200 // bytes read per block
	maxBanner     = 160
	maxSubject    = 90
)

// A stateReader reads the state of an event from its page.
type stateReader struct {
	*page
	event *eventseer.Event
}

// readState returns the state of the event if the page says that it is cancelled or postponed, and the source
// of the sentence. It returns "" otherwise.
func readState(pg *page, e *eventseer.Event) (eventseer.State, eventseer.Provenance) {
	p := stateReader{pg, e}
	named := p.firstNamingBlock()
	for i, b := range p.blocks[:min(len(p.blocks), 4*maxTop)] {
		text := cutToBytes(b.Text, maxStateBlock)
		if !p.mayMatch(i, stateWord) || !stateWord.MatchString(text) || i < len(p.menu) && p.menu[i] {
			continue
		}
		if s, at := p.bannerState(b, text, i, named); s != "" {
			return s, p.provenanceOf(i, at, at, "state-banner")
		}
		from := 0
		for _, end := range sentenceStop.FindAllStringIndex(text, maxSentences) {
			if s := p.sentenceState(text[from:end[0]]); s != "" {
				return s, p.provenanceOf(i, from, end[0], "state-sentence")
			}
			from = end[1]
		}
	}
	return "", eventseer.Provenance{}
}

var stateWord = compilePattern(`(?i)cancel|postponed|called off`)

// stateOf returns the state that a word names.
func stateOf(word string) eventseer.State {
	if word = strings.ToLower(word); strings.HasPrefix(word, "cancel") || word == "called off" {
		return eventseer.Cancelled
	}
	return eventseer.Postponed
}

// sentenceState returns the state that a sentence assigns to the event: "The workshop has been postponed
// until 2028". It returns "" for none.
func (r stateReader) sentenceState(s string) eventseer.State {
	m := stateSentence.FindStringSubmatch(s)
	if m == nil || conditionalWords.MatchString(s) || r.isOfEarlierYear(s) {
		return ""
	}
	subject := m[1]
	if n := strings.LastIndexAny(subject, ",;:"); n >= 0 && strings.TrimSpace(subject[n+1:]) != "" {
		subject = subject[n+1:]
	}
	if len(subject) > maxSubject || stateOther.MatchString(subject) || !r.isSubject(strings.TrimSpace(subject)) {
		return ""
	}
	return stateOf(m[2])
}

// isSubject reports whether the subject of a sentence is the event of the page: "the workshop", or its
// short name with a year.
func (r stateReader) isSubject(subject string) bool {
	if m := stateName.FindStringSubmatch(subject); m != nil {
		return sameAcronym(m[1], r.event.Acronym) && (r.event.Year == 0 || strings.HasSuffix(m[2], twoDigits(r.event.Year)))
	}
	if r.event.Acronym != "" && len(subject) >= len(r.event.Acronym) && sameAcronym(subject[len(subject)-len(r.event.Acronym):], r.event.Acronym) {
		return true
	}
	return stateOccasion.MatchString(subject) && strings.Count(subject, " ") < 12
}

func sameAcronym(a, b string) bool {
	strip := strings.NewReplacer("-", "", " ", "", "'", "", "’", "")
	return b != "" && strings.EqualFold(strip.Replace(a), strip.Replace(b))
}

func twoDigits(year int) string {
	return string([]byte{'0' + byte(year/10%10), '0' + byte(year%10)})
}

// isOfEarlierYear reports whether a sentence names a year before that of the event. It is then about an
// earlier edition.
func (r stateReader) isOfEarlierYear(s string) bool {
	for _, y := range fourDigits.FindAllString(s, 10) {
		if year, _ := strconv.Atoi(y); r.event.Year != 0 && year < r.event.Year {
			return true
		}
	}
	return false
}

// bannerState returns the state printed in the line of the event's name or in a line beside it, and its
// offset. named is the block with the name, -1 for none.
func (r stateReader) bannerState(b tagtree.Block, text string, i, named int) (eventseer.State, int) {
	if len(text) > maxBanner || conditionalWords.MatchString(text) || stateOther.MatchString(text) || r.isOfEarlierYear(text) {
		return "", 0
	}
	if m := stateBanner.FindStringSubmatch(text); m != nil && named >= 0 && i >= named-2 && i <= named+3 {
		return stateOf(m[1] + m[2]), 0
	}
	if m := stateMarked.FindStringSubmatchIndex(text); m != nil && i < maxTop && r.namesEvent(b) {
		for n := 2; n+1 < len(m); n += 2 {
			if m[n] >= 0 {
				return stateOf(text[m[n]:m[n+1]]), m[n]
			}
		}
	}
	return "", 0
}

// namesEvent reports whether a line contains the title or the acronym of the event.
func (r stateReader) namesEvent(b tagtree.Block) bool {
	text := strings.ToLower(b.Text)
	title := strings.ToLower(r.event.Title)
	if len(title) >= 8 && strings.Contains(text, title) {
		return true
	}
	for _, word := range strings.FieldsFunc(b.Text, func(c rune) bool { return strings.ContainsRune(" \t\n'’:,;()[]-–/", c) }) {
		if r.event.Acronym != "" && (word == r.event.Acronym || strings.TrimRight(word, "0123456789") == strings.TrimRight(r.event.Acronym, "0123456789")) {
			return true
		}
	}
	return false
}

// firstNamingBlock returns the index of the first block at the top that names the event, or -1.
func (r stateReader) firstNamingBlock() int {
	for i, b := range r.blocks[:min(len(r.blocks), maxTop)] {
		if len(b.Text) <= 3*maxBanner && r.namesEvent(b) {
			return i
		}
	}
	return -1
}
