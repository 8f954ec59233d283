package extract

import (
	"math"
	"strings"
	"unicode"

	"github.com/eventseer/eventseer/eventseer/extract/name"
)

// A rival is a possible name of the event with the data for its features.
type rival struct {
	*printedName
	page    *rivals
	content int // words except link words, years, editions and the acronym
	hasKey  bool
	spells  bool
	recurs  int     // occurrences in the first maxRecurs bytes of the page's text
	sited   float64 // result of shareInSite
}

// rivals are the possible names of a page.
type rivals struct {
	list    []rival
	element map[string]bool // words of the title element
	key     string
	site    string
	own     way // union of the ways of all full names of the acronym
	short   way // union of the ways of all short names
	plain   bool
	text    string // beginning of the page's text in lower case
}

func (r rival) has(w way) bool { return r.ways&w != 0 }

// full reports whether a name says what the event is about. It has a noun for events and three other words.
func (r rival) full() bool { return r.noun && r.content >= 3 }

// own reports whether a name is full and belongs to the acronym.
func (r rival) own() bool {
	return r.full() && (r.spells || r.has(spelledOut)) && !r.has(besideOther)
}

// short reports whether a name consists of the acronym and at most one other word.
func (r rival) short() bool { return r.hasKey && r.content <= 1 }

// foreign reports whether a name is unrelated to the known acronym.
func (r rival) foreign() bool { return len(r.page.key) > 2 && !r.hasKey && !r.spells }

// once reports whether a name occurs once on the page and not in the title element.
func (r rival) once() bool { return r.recurs <= 1 && !r.has(inElement) }

// maxRecurs is the number of bytes of the page's text in which occurrences of names are counted.
const maxRecurs = 32 << 10

// titleFeatures are the features of the ranker of names.
var titleFeatures = []feature[rival]{
	{"rules", func(r rival) float64 { return float64(r.points) / 4 }},
	{"in title element", func(r rival) float64 { return is(r.has(inElement)) }},
	{"all of title element", func(r rival) float64 { return is(r.has(allElement)) }},
	{"element and page", func(r rival) float64 { return is(r.has(inElement) && r.block >= 0) }},
	{"heading", func(r rival) float64 { return is(r.has(inHeading)) }},
	{"line", func(r rival) float64 { return is(r.has(inLine)) }},
	{"item", func(r rival) float64 { return is(r.has(inItem)) }},
	{"text only", func(r rival) float64 { return is(r.ways&(inElement|inHeading|inLine|inItem) == 0) }},
	{"spelt", func(r rival) float64 { return is(r.has(spelledOut)) }},
	{"defined", func(r rival) float64 { return is(r.has(defined)) }},
	{"composed alone", func(r rival) float64 { return is(r.ways == composed) }},
	{"beside other event", func(r rival) float64 { return is(r.has(besideOther)) }},
	{"joined", func(r rival) float64 { return is(r.last > r.block) }},
	{"block", func(r rival) float64 { return math.Log1p(float64(max(r.block, 0))) }},
	{"noun", func(r rival) float64 { return is(r.noun) }},
	{"full", func(r rival) float64 { return is(r.full()) }},
	{"edition", func(r rival) float64 { return is(r.edition) }},
	{"year", func(r rival) float64 { return is(r.dated) }},
	{"has key", func(r rival) float64 { return is(r.hasKey) }},
	{"spells key", func(r rival) float64 { return is(r.spells) }},
	{"own full name", func(r rival) float64 { return is(r.own()) }},
	{"short", func(r rival) float64 { return is(r.short()) }},
	{"short with year", func(r rival) float64 { return is(r.short() && r.dated) }},
	{"short, own full name spelt", func(r rival) float64 { return is(r.short() && r.page.own&spelledOut != 0) }},
	{"short, own full name", func(r rival) float64 { return is(r.short() && r.page.own != 0) }},
	{"foreign", func(r rival) float64 { return is(r.foreign()) }},
	{"foreign, own full name", func(r rival) float64 { return is(r.foreign() && r.page.own != 0) }},
	{"foreign, no noun", func(r rival) float64 { return is(r.foreign() && !r.noun) }},
	{"1-2 words", func(r rival) float64 { return is(len(r.words) <= 2) }},
	{"3-4 words", func(r rival) float64 { return is(len(r.words) == 3 || len(r.words) == 4) }},
	{"15- words", func(r rival) float64 { return is(len(r.words) >= 15) }},
	{"content words", func(r rival) float64 { return float64(min(r.content, 10)) / 5 }},
	{"section words", func(r rival) float64 { return float64(min(count(r.words, sectionWord), 3)) }},
	{"sentence words", func(r rival) float64 { return float64(min(count(r.words, sentenceWord), 3)) }},
	{"link last", func(r rival) float64 { return is(nameLink[r.words[len(r.words)-1]]) }},
	{"lower case first", func(r rival) float64 { return is(unicode.IsLower([]rune(r.text)[0])) }},
	{"mark within", func(r rival) float64 {
		return is(strings.ContainsAny(r.text, "–—|:") || strings.Contains(r.text, " - "))
	}},
	{"other event word", func(r rival) float64 { return is(besideWords.MatchString(r.text)) }},
	{"shout of many words", func(r rival) float64 { return is(len(r.words) > 4 && shouted(r.text)) }},
	{"paper kit", func(r rival) float64 { return is(count(r.words, kitWord) > 0) }},
	{"share in title element", func(r rival) float64 {
		return float64(count(r.words, r.page.element)) / float64(len(r.words))
	}},
	{"share in address", func(r rival) float64 { return r.sited }},
	{"recurs", func(r rival) float64 { return math.Log1p(float64(r.recurs)) }},
	{"once", func(r rival) float64 { return is(r.once()) }},
	{"once, no noun", func(r rival) float64 { return is(r.once() && !r.noun) }},
	{"once, no noun, not in address", func(r rival) float64 { return is(r.once() && !r.noun && r.sited == 0) }},
	{"as in address", func(r rival) float64 { return is(r.has(inAddress)) }},
	{"as in address, recurs", func(r rival) float64 { return is(r.has(inAddress) && r.recurs > 1) }},
	{"item of topics", func(r rival) float64 { return is(r.has(besideTopics)) }},
	{"full, short in title element", func(r rival) float64 { return is(r.full() && r.page.short&inElement != 0) }},
	{"full, short in heading", func(r rival) float64 { return is(r.full() && r.page.short&inHeading != 0) }},
	{"full, short in both", func(r rival) float64 {
		return is(r.full() && r.page.short&inHeading != 0 && r.page.short&inElement != 0)
	}},
	{"full with edition", func(r rival) float64 { return is(r.full() && r.edition) }},
	{"short with noun", func(r rival) float64 { return is(r.short() && r.noun) }},
	{"short with edition", func(r rival) float64 { return is(r.short() && r.edition) }},
	{"short alone", func(r rival) float64 { return is(r.short() && !r.edition && !r.dated) }},
	// Calls in plain text have no title element, and their authors print names in full.
	{"plain text: rules", func(r rival) float64 { return is(r.page.plain) * float64(r.points) / 4 }},
	{"plain text: block", func(r rival) float64 { return is(r.page.plain) * math.Log1p(float64(max(r.block, 0))) }},
	{"plain text: noun", func(r rival) float64 { return is(r.page.plain && r.noun) }},
	{"plain text: full", func(r rival) float64 { return is(r.page.plain && r.full()) }},
	{"plain text: short", func(r rival) float64 { return is(r.page.plain && r.short()) }},
	{"plain text: own full name", func(r rival) float64 { return is(r.page.plain && r.own()) }},
	{"plain text: spelt", func(r rival) float64 { return is(r.page.plain && r.has(spelledOut)) }},
	{"plain text: edition", func(r rival) float64 { return is(r.page.plain && r.edition) }},
	{"plain text: year", func(r rival) float64 { return is(r.page.plain && r.dated) }},
}

var (
	sectionWord  = wordSet("home about call calls cfp submission submissions submit important dates date deadline deadlines program programme committee committees organizers organisers organizing contact registration venue travel accommodation keynote keynotes sponsor sponsors news menu main navigation skip topics scope proceedings welcome gallery archive archives download downloads publication publications tutorials tracks faq login")
	sentenceWord = wordSet("is are was were will invite invites invited please submit submitted must have has we our your you i it they published this these that here if been following")
	kitWord      = wordSet("template templates zip docx latex overleaf pdf cookie cookies format formatting newsletter")
)

// shouted reports whether s consists of several words in capitals, each of which resembles an acronym.
func shouted(s string) bool { return strings.ToUpper(s) == s && strings.Contains(s, " ") }

func count(words []string, set map[string]bool) int {
	n := 0
	for _, w := range words {
		if set[w] {
			n++
		}
	}
	return n
}

// shareInSite returns the share of the name's longer words that the page's address contains, from 0 to 1.
func (r rival) shareInSite() float64 {
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

// plausible returns the names whose points are at most maxBehind below the best. It modifies names.
func plausible(names []printedName) []printedName {
	best := minTitlePoints
	for _, n := range names {
		best = max(best, n.points)
	}
	kept := names[:0]
	for _, n := range names {
		if n.points >= best-maxBehind {
			kept = append(kept, n)
		}
	}
	return kept
}

const maxBehind = 12 // points by the rules

// namesToRank returns the plausible names of the page with the data for their features.
func (p *page) namesToRank(key string) *rivals {
	names := plausible(p.titleNames(key).names)
	out := &rivals{
		list: make([]rival, len(names)), element: map[string]bool{}, key: key, site: letters(clip(p.url, maxLabel)),
		plain: len(p.blocks) > 0 && strings.HasPrefix(p.blocks[0].Path, "text/"), text: p.lowText(),
	}
	for _, w := range nameWords(clip(p.t.Title(), maxTitleBlock)) {
		out.element[w] = true
	}
	for i := range names {
		out.list[i] = newRival(&names[i], out)
		if out.list[i].short() {
			out.short |= names[i].ways
		}
		if r := out.list[i]; r.own() {
			out.own |= r.ways
		}
	}
	return out
}

// lowText returns the first maxRecurs bytes of the page's text in lower case.
func (p *page) lowText() string {
	if p.low == "" {
		p.low = strings.ToLower(clip(p.t.Text(), maxRecurs))
	}
	return p.low
}

func newRival(n *printedName, page *rivals) rival {
	r := rival{printedName: n, page: page, recurs: strings.Count(page.text, strings.ToLower(n.text))}
	key := letters(page.key)
	for _, l := range n.frame() {
		if l != key {
			r.content++
		}
	}
	for _, l := range n.lows {
		r.hasKey = r.hasKey || key != "" && l == key
	}
	r.sited = r.shareInSite()
	r.hasKey = r.hasKey || len(key) > 2 && strings.Contains(letters(n.text), key)
	r.spells = key != "" && r.content > 1 && name.Spells(page.key, n.text)
	return r
}

// agreed returns the index of the chosen rival and the belief in all forms of its name, see name.Agree.
func agreed(rs []rival, belief []float64) (int, float64) {
	return name.Agree(belief, func(i, j int) float64 { return name.SharedWords(rs[i].words, rs[j].words) })
}

// nameWords returns the words of a name in lower case without punctuation. Each ideograph is a word.
func nameWords(s string) []string {
	var words []string
	from := -1
	s = strings.ToLower(s)
	for i, r := range s {
		letter := unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
		if from >= 0 && (!letter || ideograph(r)) {
			words = append(words, s[from:i])
			from = -1
		}
		if letter && ideograph(r) {
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
var nameFrame = compile(strings.Join([]string{nouns.String(), scope.String(), rank.String()}, "|"))
