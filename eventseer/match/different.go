package match

import (
	"maps"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/extract/pattern"
	"github.com/eventseer/eventseer/eventseer/series"
	"github.com/eventseer/eventseer/internal/text"
)

// differentEvents reports whether the titles of two records are names of different events. Each is
// called a workshop, a conference or the like, and each has a subject that the other lacks, or one
// is a workshop and the other the conference that it is held at. Workshops held together share the
// site, the days and the place, often all but one word of the name, so no other evidence outweighs
// this. Titles of pages ("Travel and venue") are not names of events. It is pure and symmetric.
func differentEvents(a, b *EventKey) bool {
	if listsEvents.MatchString(text.CutName(a.e.URL)) || listsEvents.MatchString(text.CutName(b.e.URL)) {
		return false // a page of one event that contains pages of the other
	}
	if isRepetitionOfHome(a, b) || isRepetitionOfHome(b, a) {
		return false
	}
	if areContradictory(a, b) {
		return true
	}
	x, y := a.eventName(), b.eventName()
	if x.class == conference && y.class == conference && !(a.archived && b.archived) && isSiteNamedAfterOne(a, b) {
		return false
	}
	if haveUnrelatedAcronyms(a, b, x, y) {
		return true
	}
	if !haveSameLanguage(x, y) {
		return false
	}
	known := optionalWords(a, b)
	ofX, ofY := x.countOtherWords(y, known), y.countOtherWords(x, known)
	parts := x.class != y.class && x.class != school && y.class != school
	switch {
	case ofX == 0 && ofY == 0:
		return x.class == y.class && isNamedByAcronym(a) && isNamedByAcronym(b) && compareAcronyms(a, b) == "other;"
	case ofX > 0 && ofY > 0:
	case !parts || x.class == workshop && ofX == 0 || y.class == workshop && ofY == 0:
		return false // one name has a subtitle or is longer
	}
	return !haveSameAcronym(a, b, x, y)
}

// minRepeated is how many deadlines a page shares with the home of its event in isRepetitionOfHome. Fewer could
// be equal by chance.
const minRepeated = 3

// isRepetitionOfHome reports whether a page below the home of a site repeats the home's days and deadlines, at
// least minRepeated. Sites call an event by several names, while a workshop has other deadlines than the
// conference on whose site it is.
func isRepetitionOfHome(home, page *EventKey) bool {
	return strings.HasSuffix(home.e.URL, "/") && len(page.e.URL) > len(home.e.URL) && strings.HasPrefix(page.e.URL, home.e.URL) &&
		home.hasFrom && home.e.EventStart == page.e.EventStart && home.e.EventEnd == page.e.EventEnd &&
		len(page.dues) >= minRepeated && maps.Equal(home.dues, page.dues)
}

// areContradictory reports whether two records disagree in three of: days, acronym, place and subject.
// Pages of a host that lists calls of many events share an address and little else.
func areContradictory(a, b *EventKey) bool {
	n := 0
	for _, other := range []bool{
		a.dated && b.dated && a.hasFrom && b.hasFrom && weighDays(a, b) < 0,
		compareAcronyms(a, b) == "other;",
		comparePlaces(a, b) == "other;" || comparePlaces(a, b) == "other city;",
		haveDifferentNames(a, b),
	} {
		if other {
			n++
		}
	}
	return n >= 3
}

// haveDifferentNames reports whether two titles are names of events with different subject words.
func haveDifferentNames(a, b *EventKey) bool {
	if !haveSameLanguage(a.eventName(), b.eventName()) {
		return false
	}
	lacks := func(in, of map[string]bool) bool {
		for w := range of {
			if !in[w] {
				return true
			}
		}
		return false
	}
	return lacks(a.words, b.words) && lacks(b.words, a.words)
}

// listsEvents matches the URL of a page that lists the events held with a conference.
var listsEvents = pattern.Compile(`(?i)/(workshops|tutorials|events|satellites|affiliated|co-?located)[\w-]*(\.\w{1,5})?/?$`)

// A nameClass is the type of an event in its name.
type nameClass int

const (
	noEvent nameClass = iota
	conference
	workshop
	school
)

// An eventName is the name of an event in a title.
type eventName struct {
	class   nameClass
	noun    string   // word for the type of event, such as "workshop" or "taller"
	foreign bool     // true if the name is not in English
	core    []string // normalized words of the part with the name, without subtitle
	all     []string // normalized words of the whole title
}

// haveSameLanguage reports whether both names are of events and in the same language: a site may use two.
func haveSameLanguage(x, y eventName) bool {
	if x.class == noEvent || y.class == noEvent || x.foreign != y.foreign {
		return false
	}
	return !x.foreign || x.noun == y.noun
}

// eventNouns are the words for types of events; foreignNouns are those of languages other than
// English.
var (
	eventNouns = map[nameClass]map[string]bool{
		conference: text.WordSet("conference symposium congress colloquium meeting forum summit convention"),
		workshop:   text.WordSet("workshop minisymposium tutorial challenge competition contest hackathon seminar"),
		school:     text.WordSet("school bootcamp"),
	}
	foreignNouns = map[nameClass]map[string]bool{
		conference: text.WordSet("conferencia congreso simposio jornadas coloquio konferenz tagung symposion kolloquium colloque congres conferenza convegno simposium"),
		workshop:   text.WordSet("taller talleres oficina atelier seminario arbeitstreffen"),
		school:     text.WordSet("escuela escola ecole scuola sommerschule"),
	}
	// foreignWords join the words of names in other languages than English.
	foreignWords = text.WordSet("sobre sur uber zur zum fur und der die das des del de la las los les el il em do da dos das pour avec e y et o su per nel")
)

func classOf(word string) (class nameClass, foreign bool) {
	for _, c := range []nameClass{conference, workshop, school} {
		if eventNouns[c][word] {
			return c, false
		}
		if foreignNouns[c][word] {
			return c, true
		}
	}
	return noEvent, false
}

var (
	// nameEnds separate a name from its subtitle, its acronym and its page.
	nameEnds = pattern.Compile(`[:;|()\[\]"“”„«»~<>]|\s[-–—/]\s|—`)
	// ofPart matches the name of a part of an event with its own calls.
	ofPart = pattern.Compile(`(?i)\b(tracks?|rounds?|cycles?|streams?|phases?)( (no\. ?)?(\d|[A-D]|I{1,3}))?\s*($|[:;|(),–—-])`)
	// jointWith matches the mention of the other event of a joint one.
	jointWith = pattern.Compile(`(?i)\bjoint(ly)?\b.*\bwith\b`)
	// callFor matches text that pages add before and after a name.
	callFor = pattern.Compile(`(?i)\bcalls? for [\w-]+`)
)

// nameOf reads the name of an event from its title. It is the part with the word for its type, and
// the next part if that has nothing else.
func nameOf(e eventseer.Event) eventName {
	title := series.WithoutYears(series.OwnTitle(e.Title))
	if ofPart.MatchString(title) || jointWith.MatchString(title) {
		return eventName{}
	}
	title = callFor.ReplaceAllString(title, " : ")
	var name eventName
	for _, part := range nameEnds.Split(title, -1) {
		words := strings.Fields(text.FoldForComparison(part))
		words = words[:min(len(words), max(0, series.MaxTitleWords-len(name.all)))]
		name.all = append(name.all, words...)
		if own := ownWords(name.core, e); len(own) > 1 || len(own) == 1 && !name.followsHostName(own[0], title, e) {
			continue
		}
		if name.class == noEvent {
			words = strings.Fields(text.FoldForComparison(strings.Join(name.readClass(part), " ")))
		}
		if name.class != noEvent {
			name.core = append(name.core, words...)
		}
	}
	name.core = ownWords(name.core, e)
	return name
}

// SpeaksOfEvent reports whether a title contains a word for a type of event. It is pure.
func SpeaksOfEvent(title string) bool {
	return slices.ContainsFunc(strings.Fields(text.FoldForComparison(text.CutName(title))), func(w string) bool {
		class, _ := classOf(w)
		return class != noEvent
	})
}

// NamesEvent reports whether the title of a record has the form of an event's name: "Workshop on
// …", "… Symposium". It is pure.
func NamesEvent(e eventseer.Event) bool { return nameOf(e).class != noEvent }

// followsHostName reports whether the subject of a workshop follows the name of its host, as in "ICX Workshop:
// Learning to Crawl".
func (n *eventName) followsHostName(host, title string, e eventseer.Event) bool {
	return n.class == workshop && host != withoutSpaces(series.BareAcronym(e)) && strings.Contains(title, strings.ToUpper(host))
}

// links are words that follow the word for a type of event in a name, as in "Workshop on ...". They
// do not in "Conference hotel" and "Workshop programme".
var links = text.WordSet("on for of in about concerning towards toward sobre de del da do di su fur uber zu zur zum sur pour en em a")

// readClass reads the type of event from a part of a title, if the part has the form of a name. The
// word for the type is before one that links it to its subject, or capitalised at the end. A
// sentence about an event ("The workshop will be held at") is not its name. It returns the words of
// the name: all, or those from the type on if words before it refer to the event ("Chairs of the").
func (n *eventName) readClass(part string) (words []string) {
	raw := strings.Fields(part)
	if len(raw) > series.MaxTitleWords || slices.ContainsFunc(raw, func(w string) bool { return verbs[text.FoldForComparison(w)] }) {
		return nil
	}
	for i, w := range raw {
		word := text.FoldForComparison(w)
		class, foreign := classOf(word)
		if class == noEvent {
			continue
		}
		rest := raw[i+1:]
		if foreign && len(rest) > 1 && !links[text.FoldForComparison(rest[0])] {
			rest = rest[1:] // skip the adjective in "Congreso Internacional de"
		}
		last := strings.HasSuffix(w, ",") || !slices.ContainsFunc(rest, func(w string) bool { return !numberWord.MatchString(text.FoldForComparison(w)) })
		if last && text.FoldForComparison(w) != w && w[0] != word[0] || len(rest) > 1 && links[text.FoldForComparison(rest[0])] {
			n.class, n.noun, n.foreign, words = class, word, foreign, raw
			if before := strings.Join(raw[:i], " "); eventOf.MatchString(before) {
				words = raw[i:]
			}
			break
		}
	}
	n.foreign = n.foreign || slices.ContainsFunc(strings.Fields(text.FoldForComparison(part)), func(w string) bool { return foreignWords[w] })
	return words
}

// eventOf matches text before the name of an event that something belongs to.
var eventOf = pattern.Compile(`(?i)\b((of|for|from|with) the|d[aeo]|del|des)( [\w-]+)?$`)

// verbs indicate that a title is a sentence.
var verbs = text.WordSet("is are was were be been will can could may must please see has have takes")

// plainWords are further words that do not describe the subject of an event when they occur in its name.
var plainWords = text.WordSet(`joint special session edition working online virtual hybrid satellite official website site page news summer winter spring autumn fall
	proceedings full short regular accepted invited demo demos demonstration demonstrations poster posters tutorials workshops
	conferences keynote keynotes speakers speaker author authors instructions guidelines topics overview about
	contact sponsors this our its their an st nd rd th vol volume part series held new near from as is are we you
	co located colocated conjunction within during sat sun mon tue wed thu fri
	january february march april may june july august september october november december jan feb mar apr jun jul aug sep sept oct nov dec
	monday tuesday wednesday thursday friday saturday sunday`)

// ownWords returns the words of a name that distinguish it from others. It leaves out common words, numbers,
// single letters and the name of the event with which it is held. It also leaves out the acronym if other
// words remain.
func ownWords(words []string, e eventseer.Event) []string {
	line := " " + strings.Join(words, " ") + " "
	if host := text.FoldForComparison(series.WithoutYears(text.CutName(e.Parent))); host != "" {
		line = strings.ReplaceAll(line, " "+host+" ", " ")
	}
	var kept []string
	for _, w := range strings.Fields(line) {
		class, _ := classOf(w)
		switch {
		case class != noEvent || series.IsSmallWord(w) || plainWords[w] || foreignWords[w] || series.IsSociety(w):
		case len(w) < 2 || series.IsOrdinal(w) || numberWord.MatchString(w):
		default:
			kept = append(kept, w)
		}
	}
	acronym := strings.Fields(series.BareAcronym(e))
	bare := slices.DeleteFunc(slices.Clone(kept), func(w string) bool { return slices.Contains(acronym, w) })
	if len(bare) > 0 {
		return bare
	}
	return kept
}

// numberWord matches numbers: "2", "27th", "xxi", "1a".
var numberWord = pattern.Compile(`^(\d+[a-z]{0,3}|[ivx]+)$`)

// optionalWords returns the words that records of one event may contain or omit anywhere: its acronym
// and its place.
func optionalWords(a, b *EventKey) map[string]bool {
	known := map[string]bool{}
	for _, c := range []*EventKey{a, b} {
		words, e := c.acronym, c.e
		if e.Location != nil {
			words += " " + text.FoldForComparison(e.Location.City+" "+e.Location.Region+" "+e.Location.Country+" "+e.Location.CountryCode)
		}
		for _, w := range strings.Fields(words) {
			known[w] = true
		}
	}
	return known
}

// haveSameAcronym reports whether two records have one acronym derived from their own names. The acronym
// of an event with which both are held does not count.
func haveSameAcronym(a, b *EventKey, x, y eventName) bool {
	if a.acronym == "" || series.IsSociety(a.acronym) || a.squeezed != b.squeezed {
		return false
	}
	if areAllIn(a.acronym, a.parent) || areAllIn(a.acronym, b.parent) {
		return false
	}
	if x.class != workshop || y.class != workshop {
		return true
	}
	return isSpelledBy(x.core, a.squeezed) || isSpelledBy(y.core, a.squeezed)
}

// haveUnrelatedAcronyms reports whether two events have unrelated acronyms, and at least one has no other
// name ("ICX 2027").
func haveUnrelatedAcronyms(a, b *EventKey, x, y eventName) bool {
	s, t := a.acronym, b.acronym
	if !isOwnAcronym(s) || !isOwnAcronym(t) || a.containsAcronym(b) {
		return false
	}
	if !areAllIn(s, a.words) || !areAllIn(t, b.words) || isSpelledBy(x.core, b.squeezed) || isSpelledBy(y.core, a.squeezed) {
		return false
	}
	bareA, bareB := IsBareTitle(a.words, s), IsBareTitle(b.words, t)
	return bareA && bareB || bareA && y.class != noEvent && !areAllIn(s, b.words) || bareB && x.class != noEvent && !areAllIn(t, a.words)
}

func isOwnAcronym(acronym string) bool {
	return acronym != "" && !series.IsSociety(acronym) && !slices.ContainsFunc(strings.Fields(acronym), func(w string) bool { return plainWords[w] })
}

// isNamedByAcronym reports whether the title of an event has its acronym as a word: "Conference on
// Velvet Computing (VELVET)".
func isNamedByAcronym(a *EventKey) bool {
	return isOwnAcronym(a.acronym) && areAllIn(a.acronym, a.words)
}

// isSiteNamedAfterOne reports whether two events have pages on a site named after one of them. Another
// conference named by such a page is only mentioned.
func isSiteNamedAfterOne(a, b *EventKey) bool {
	for _, s := range a.sites {
		for _, t := range b.sites {
			n := s.countShared(t.site)
			if n > 0 && !s.archive && !t.archive && (a.isNamedInPath(s.paths[n-1]) || b.isNamedInPath(s.paths[n-1])) {
				return true
			}
		}
	}
	return false
}

// isSpelledBy reports whether an acronym can be made of letters of the words, in
// order, from the first letter of one.
func isSpelledBy(words []string, acronym string) bool {
	for i, w := range words {
		if w[0] != acronym[0] {
			continue
		}
		rest := acronym
		for _, r := range []byte(strings.Join(words[i:], "")) {
			if rest != "" && r == rest[0] {
				rest = rest[1:]
			}
		}
		if rest == "" {
			return true
		}
	}
	return false
}
