package extract

import (
	"math"
	"strings"
	"unicode"

	"github.com/eventseer/eventseer/eventseer/extract/name"
)

// A nameCandidate is a possible name of the event with the data for its features.
type nameCandidate struct {
	*printedName
	page           *nameCandidates
	content        int // words except link words, years, editions and the acronym
	hasKey         bool
	spells         bool
	occurrences    int     // occurrences in the first maxCountedText bytes of the page's text
	shareInAddress float64 // result of shareInSite
}

// nameCandidates are the possible names of a page.
type nameCandidates struct {
	list         []nameCandidate
	element      map[string]bool // words of the title element
	key          string
	site         string
	kindsOfFull  occurrenceKind // union of the kinds of occurrences of all full names of the acronym
	kindsOfShort occurrenceKind // union of the kinds of occurrences of all short names
	plain        bool
	text         string // beginning of the page's text in lower case
}

func (r nameCandidate) hasOccurrence(w occurrenceKind) bool { return r.kinds&w != 0 }

// isFullName reports whether a name says what the event is about. It has a noun for events and three other
// words.
func (r nameCandidate) isFullName() bool { return r.noun && r.content >= 3 }

// isFullNameOfKey reports whether a name is full and belongs to the acronym.
func (r nameCandidate) isFullNameOfKey() bool {
	return r.isFullName() && (r.spells || r.hasOccurrence(spelledOut)) && !r.hasOccurrence(afterOtherEvent)
}

// isShortName reports whether a name consists of the acronym and at most one other word.
func (r nameCandidate) isShortName() bool { return r.hasKey && r.content <= 1 }

// isUnrelatedToKey reports whether a name is unrelated to the known acronym.
func (r nameCandidate) isUnrelatedToKey() bool { return len(r.page.key) > 2 && !r.hasKey && !r.spells }

// isPrintedOnce reports whether a name occurs once on the page and not in the title element.
func (r nameCandidate) isPrintedOnce() bool { return r.occurrences <= 1 && !r.hasOccurrence(inElement) }

// maxCountedText is the number of bytes of the page's text in which occurrences of names are counted.
const maxCountedText = 32 << 10

// titleFeatures are the features of the ranker of names.
var titleFeatures = []feature[nameCandidate]{
	{"rules", func(r nameCandidate) float64 { return float64(r.points) / 4 }},
	{"in title element", func(r nameCandidate) float64 { return oneIfTrue(r.hasOccurrence(inElement)) }},
	{"all of title element", func(r nameCandidate) float64 { return oneIfTrue(r.hasOccurrence(allElement)) }},
	{"element and page", func(r nameCandidate) float64 { return oneIfTrue(r.hasOccurrence(inElement) && r.block >= 0) }},
	{"heading", func(r nameCandidate) float64 { return oneIfTrue(r.hasOccurrence(inHeading)) }},
	{"line", func(r nameCandidate) float64 { return oneIfTrue(r.hasOccurrence(inLine)) }},
	{"item", func(r nameCandidate) float64 { return oneIfTrue(r.hasOccurrence(inItem)) }},
	{"text only", func(r nameCandidate) float64 { return oneIfTrue(r.kinds&(inElement|inHeading|inLine|inItem) == 0) }},
	{"spelt", func(r nameCandidate) float64 { return oneIfTrue(r.hasOccurrence(spelledOut)) }},
	{"defined", func(r nameCandidate) float64 { return oneIfTrue(r.hasOccurrence(defined)) }},
	{"composed alone", func(r nameCandidate) float64 { return oneIfTrue(r.kinds == composed) }},
	{"beside other event", func(r nameCandidate) float64 { return oneIfTrue(r.hasOccurrence(afterOtherEvent)) }},
	{"joined", func(r nameCandidate) float64 { return oneIfTrue(r.last > r.block) }},
	{"block", func(r nameCandidate) float64 { return math.Log1p(float64(max(r.block, 0))) }},
	{"noun", func(r nameCandidate) float64 { return oneIfTrue(r.noun) }},
	{"full", func(r nameCandidate) float64 { return oneIfTrue(r.isFullName()) }},
	{"edition", func(r nameCandidate) float64 { return oneIfTrue(r.edition) }},
	{"year", func(r nameCandidate) float64 { return oneIfTrue(r.dated) }},
	{"has key", func(r nameCandidate) float64 { return oneIfTrue(r.hasKey) }},
	{"spells key", func(r nameCandidate) float64 { return oneIfTrue(r.spells) }},
	{"own full name", func(r nameCandidate) float64 { return oneIfTrue(r.isFullNameOfKey()) }},
	{"short", func(r nameCandidate) float64 { return oneIfTrue(r.isShortName()) }},
	{"short with year", func(r nameCandidate) float64 { return oneIfTrue(r.isShortName() && r.dated) }},
	{"short, own full name spelt", func(r nameCandidate) float64 { return oneIfTrue(r.isShortName() && r.page.kindsOfFull&spelledOut != 0) }},
	{"short, own full name", func(r nameCandidate) float64 { return oneIfTrue(r.isShortName() && r.page.kindsOfFull != 0) }},
	{"foreign", func(r nameCandidate) float64 { return oneIfTrue(r.isUnrelatedToKey()) }},
	{"foreign, own full name", func(r nameCandidate) float64 { return oneIfTrue(r.isUnrelatedToKey() && r.page.kindsOfFull != 0) }},
	{"foreign, no noun", func(r nameCandidate) float64 { return oneIfTrue(r.isUnrelatedToKey() && !r.noun) }},
	{"1-2 words", func(r nameCandidate) float64 { return oneIfTrue(len(r.words) <= 2) }},
	{"3-4 words", func(r nameCandidate) float64 { return oneIfTrue(len(r.words) == 3 || len(r.words) == 4) }},
	{"15- words", func(r nameCandidate) float64 { return oneIfTrue(len(r.words) >= 15) }},
	{"content words", func(r nameCandidate) float64 { return float64(min(r.content, 10)) / 5 }},
	{"section words", func(r nameCandidate) float64 { return float64(min(countWords(r.words, sectionWord), 3)) }},
	{"sentence words", func(r nameCandidate) float64 { return float64(min(countWords(r.words, sentenceWord), 3)) }},
	{"link last", func(r nameCandidate) float64 { return oneIfTrue(nameLink[r.words[len(r.words)-1]]) }},
	{"lower case first", func(r nameCandidate) float64 { return oneIfTrue(unicode.IsLower([]rune(r.text)[0])) }},
	{"mark within", func(r nameCandidate) float64 {
		return oneIfTrue(strings.ContainsAny(r.text, "|:") || strings.Contains(r.text, "–") || strings.Contains(r.text, "—") || strings.Contains(r.text, " - "))
	}},
	{"other event word", func(r nameCandidate) float64 { return oneIfTrue(otherEventWords.MatchString(r.text)) }},
	{"shout of many words", func(r nameCandidate) float64 { return oneIfTrue(len(r.words) > 4 && isSeveralCapitalWords(r.text)) }},
	{"paper kit", func(r nameCandidate) float64 { return oneIfTrue(countWords(r.words, kitWord) > 0) }},
	{"share in title element", func(r nameCandidate) float64 {
		return float64(countWords(r.words, r.page.element)) / float64(len(r.words))
	}},
	{"share in address", func(r nameCandidate) float64 { return r.shareInAddress }},
	{"recurs", func(r nameCandidate) float64 { return math.Log1p(float64(r.occurrences)) }},
	{"once", func(r nameCandidate) float64 { return oneIfTrue(r.isPrintedOnce()) }},
	{"once, no noun", func(r nameCandidate) float64 { return oneIfTrue(r.isPrintedOnce() && !r.noun) }},
	{"once, no noun, not in address", func(r nameCandidate) float64 { return oneIfTrue(r.isPrintedOnce() && !r.noun && r.shareInAddress == 0) }},
	{"as in address", func(r nameCandidate) float64 { return oneIfTrue(r.hasOccurrence(inAddress)) }},
	{"as in address, recurs", func(r nameCandidate) float64 { return oneIfTrue(r.hasOccurrence(inAddress) && r.occurrences > 1) }},
	{"item of topics", func(r nameCandidate) float64 { return oneIfTrue(r.hasOccurrence(inTopicList)) }},
	{"full, short in title element", func(r nameCandidate) float64 { return oneIfTrue(r.isFullName() && r.page.kindsOfShort&inElement != 0) }},
	{"full, short in heading", func(r nameCandidate) float64 { return oneIfTrue(r.isFullName() && r.page.kindsOfShort&inHeading != 0) }},
	{"full, short in both", func(r nameCandidate) float64 {
		return oneIfTrue(r.isFullName() && r.page.kindsOfShort&inHeading != 0 && r.page.kindsOfShort&inElement != 0)
	}},
	{"full with edition", func(r nameCandidate) float64 { return oneIfTrue(r.isFullName() && r.edition) }},
	{"short with noun", func(r nameCandidate) float64 { return oneIfTrue(r.isShortName() && r.noun) }},
	{"short with edition", func(r nameCandidate) float64 { return oneIfTrue(r.isShortName() && r.edition) }},
	{"short alone", func(r nameCandidate) float64 { return oneIfTrue(r.isShortName() && !r.edition && !r.dated) }},
	// Calls in plain text have no title element, and their authors print names in full.
	{"plain text: rules", func(r nameCandidate) float64 { return oneIfTrue(r.page.plain) * float64(r.points) / 4 }},
	{"plain text: block", func(r nameCandidate) float64 { return oneIfTrue(r.page.plain) * math.Log1p(float64(max(r.block, 0))) }},
	{"plain text: noun", func(r nameCandidate) float64 { return oneIfTrue(r.page.plain && r.noun) }},
	{"plain text: full", func(r nameCandidate) float64 { return oneIfTrue(r.page.plain && r.isFullName()) }},
	{"plain text: short", func(r nameCandidate) float64 { return oneIfTrue(r.page.plain && r.isShortName()) }},
	{"plain text: own full name", func(r nameCandidate) float64 { return oneIfTrue(r.page.plain && r.isFullNameOfKey()) }},
	{"plain text: spelt", func(r nameCandidate) float64 { return oneIfTrue(r.page.plain && r.hasOccurrence(spelledOut)) }},
	{"plain text: edition", func(r nameCandidate) float64 { return oneIfTrue(r.page.plain && r.edition) }},
	{"plain text: year", func(r nameCandidate) float64 { return oneIfTrue(r.page.plain && r.dated) }},
}

var (
	sectionWord  = wordSet("home about call calls cfp submission submissions submit important dates date deadline deadlines program programme committee committees organizers organisers organizing contact registration venue travel accommodation keynote keynotes sponsor sponsors news menu main navigation skip topics scope proceedings welcome gallery archive archives download downloads publication publications tutorials tracks faq login")
	sentenceWord = wordSet("is are was were will invite invites invited please submit submitted must have has we our your you i it they published this these that here if been following")
	kitWord      = wordSet("template templates zip docx latex overleaf pdf cookie cookies format formatting newsletter")
)

// isSeveralCapitalWords reports whether s consists of several words in capitals, each of which resembles an
// acronym.
func isSeveralCapitalWords(s string) bool { return strings.ToUpper(s) == s && strings.Contains(s, " ") }

func countWords(words []string, set map[string]bool) int {
	n := 0
	for _, w := range words {
		if set[w] {
			n++
		}
	}
	return n
}

// shareInSite returns the share of the name's longer words that the page's address contains, from 0 to 1.
func (r nameCandidate) shareInSite() float64 {
	n, all := 0, 0
	for i, w := range r.words {
		if len(w) < 3 || nameLink[w] || hasYear(w) {
			continue
		}
		all++
		if strings.Contains(r.page.site, r.lows[i]) {
			n++
		}
	}
	return float64(n) / float64(max(all, 1))
}

var titleRanker = newRanker(titleFeatures, titleWeights)

// plausibleNames returns the names whose points are at most maxPointsBelowBest below the best. It modifies
// names.
func plausibleNames(names []printedName) []printedName {
	best := minTitlePoints
	for _, n := range names {
		best = max(best, n.points)
	}
	kept := names[:0]
	for _, n := range names {
		if n.points >= best-maxPointsBelowBest {
			kept = append(kept, n)
		}
	}
	return kept
}

const maxPointsBelowBest = 12 // points by the rules

// namesToRank returns the plausible names of the page with the data for their features.
func (n *nameReader) namesToRank(key string) *nameCandidates {
	names := plausibleNames(n.collectNames(key).names)
	out := &nameCandidates{
		list: make([]nameCandidate, len(names)), element: map[string]bool{}, key: key, site: lowerLetters(cutToBytes(n.url, maxLabel)),
		plain: len(n.blocks) > 0 && strings.HasPrefix(n.blocks[0].Path, "text/"), text: n.lowText(),
	}
	for _, w := range nameWords(cutToBytes(n.t.Title(), maxTitleBlock)) {
		out.element[w] = true
	}
	for i := range names {
		out.list[i] = newNameCandidate(&names[i], out)
		if out.list[i].isShortName() {
			out.kindsOfShort |= names[i].kinds
		}
		if r := out.list[i]; r.isFullNameOfKey() {
			out.kindsOfFull |= r.kinds
		}
	}
	return out
}

// lowText returns the first maxCountedText bytes of the page's text in lower case.
func (n *nameReader) lowText() string {
	if n.low == "" {
		n.low = strings.ToLower(cutToBytes(n.t.Text(), maxCountedText))
	}
	return n.low
}

func newNameCandidate(n *printedName, page *nameCandidates) nameCandidate {
	r := nameCandidate{printedName: n, page: page, occurrences: strings.Count(page.text, strings.ToLower(n.text))}
	key := lowerLetters(page.key)
	for _, l := range n.contentWords() {
		if l != key {
			r.content++
		}
	}
	for _, l := range n.lows {
		r.hasKey = r.hasKey || key != "" && l == key
	}
	r.shareInAddress = r.shareInSite()
	r.hasKey = r.hasKey || len(key) > 2 && strings.Contains(lowerLetters(n.text), key)
	r.spells = key != "" && r.content > 1 && name.IsAbbreviation(page.key, n.text)
	return r
}

// mostProbableCandidate returns the index of the chosen candidate and the belief in all forms of its name, see
// name.MostAgreed.
func mostProbableCandidate(rs []nameCandidate, belief []float64) (int, float64) {
	return name.MostAgreed(belief, func(i, j int) float64 { return name.SharedWords(rs[i].words, rs[j].words) })
}

// nameWords returns the words of a name in lower case without punctuation. Each ideograph is a word.
func nameWords(s string) []string {
	var words []string
	from := -1
	s = strings.ToLower(s)
	for i, r := range s {
		letter := unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
		if from >= 0 && (!letter || isIdeograph(r)) {
			words = append(words, s[from:i])
			from = -1
		}
		if letter && isIdeograph(r) {
			words = append(words, string(r))
		} else if letter && from < 0 {
			from = i
		}
	}
	if from >= 0 {
		words = append(words, s[from:])
	}
	return words
}

// nameFrame matches the words of names that say nothing about the subject.
var nameFrame = compilePattern(strings.Join([]string{nouns.String(), scope.String(), rank.String()}, "|"))
