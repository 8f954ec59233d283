package extract

import (
	"strconv"
	"strings"

	"github.com/eventseer/eventseer/eventseer/extract/date"
	"github.com/eventseer/eventseer/eventseer/extract/name"
	"github.com/eventseer/eventseer/features/tagtree"
)

const (
	maxTitle      = 250 // bytes of a title
	maxTitleBlock = 600 // bytes of a block that are searched for a title
	maxNames      = 300 // possible names per page
	maxSpelt      = 40  // blocks with the acronym in brackets that are searched for a name before it
)

var titleCut = compilePattern(`\s+[|»·•–—]\s+|\s+-\s+|\s*::\s*|\s+[|]|[|]\s+`)

// guessNames returns the names that the rules suggest, the best one first and then the maxGuesses with the
// highest scores. key is the acronym, or "". All names of the page are scored by the rules and a ranker;
// the scores of forms of one name are added. Names with a full date are left out. It returns nil if no text
// of the page resembles a name.
func (n *nameReader) guessNames(key string) []name.Guess {
	rs := n.namesToRank(key)
	scores := make([]float64, len(rs.list))
	for i, r := range rs.list {
		scores[i] = titleRanker.score(r)
	}
	belief := softmax(scores)
	best, sum := mostProbableCandidate(rs.list, belief)
	if best < 0 || rs.list[best].points < minTitlePoints {
		return nil
	}
	isDated := func(i int) bool {
		s := rs.list[i].text
		return len(datesOutsideNames(s, date.Read(s, n.lang), func(d date.Span) date.Span { return d })) > 0
	}
	guess := func(i int, belief float64) name.Guess {
		pn := rs.list[i].printedName
		return name.Guess{Text: pn.text, Belief: belief, Block: pn.block, Last: pn.last}
	}
	var out []name.Guess
	if !isDated(best) {
		out = append(out, guess(best, sum))
	}
	for _, i := range name.LargestValues(belief, maxGuesses) {
		if !isDated(i) {
			out = append(out, guess(i, belief[i]))
		}
	}
	return out
}

const maxGuesses = 8 // names suggested in addition to the best one

// minTitlePoints is the minimum number of points by the rules for the best name.
const minTitlePoints = -8

// An occurrenceKind is a bit set of the places and forms in which a name is printed.
type occurrenceKind uint16

const (
	inElement       occurrenceKind = 1 << iota // in the title element
	allElement                                 // the whole title element, except for words about the call
	inHeading                                  // in a heading
	inLine                                     // in a separate paragraph or line
	inItem                                     // in a list item, table cell or definition
	inText                                     // around a noun for events in running text
	spelledOut                                 // before its acronym in brackets
	defined                                    // before its acronym in brackets and a verb such as "is"
	composed                                   // composed of the acronym and the year
	afterOtherEvent                            // after words such as "in conjunction with" or "previous"
	inAddress                                  // as one word in the page's address
	inTopicList                                // in a list of topics
)

// A printedName is a text that may name the event, with the evidence for it.
type printedName struct {
	*readTitle
	points int // maximum of the points by the rules over its occurrences
	kinds  occurrenceKind
	block  int // index of the first block that prints it; -1 if only the title element does
	last   int // index of the last block of that occurrence
}

// A titleReader collects the possible names of a page.
type titleReader struct {
	texts   *titleTexts
	element string // text of the title element, shortened
	class   string // noun of the title element, see nounClass
	key     string // the acronym, "" for none; a longer name that contains or expands it is preferred

	names []printedName
	index map[string]int // key of a name → index in names
	spelt int            // number of blocks with the acronym in brackets
	sited int            // number of names read that the page's address contains
}

// collectNames collects the texts that may name the event, at most maxNames. They are the title element and
// its parts, the headings, the first lines, and names in running text. key is the acronym, or "".
func (n *nameReader) collectNames(key string) *titleReader {
	r := &titleReader{texts: &n.titleTexts, element: snippet(n.titleElement(), 0), class: nounClass(n.titleElement()), key: key, index: map[string]int{}}
	whole := cutToBytes(n.titleElement(), maxTitleBlock)
	r.considerName(whole, 1, inElement|allElement, -1, -1)
	for _, part := range titleCut.Split(whole, 8) {
		r.considerName(part, 2, inElement, -1, -1)
	}
	site := n.addressNames()
	for i, b := range n.blocks {
		n.considerNamesInAddress(r, i, site)
		if i < 3*maxTop && len(b.Text) <= 4*maxTitleBlock {
			n.considerLine(r, i)
			n.considerNamesInText(r, i)
		}
		n.considerNameBeforeAcronym(r, i)
	}
	if y := n.editionYear(""); len(key) > 2 && y != 0 {
		r.considerName(key+" "+strconv.Itoa(y), 0, composed, -1, -1)
	}
	return r
}

// considerName adds a text of the blocks from i to last as a possible name; both are -1 for the title element.
// bonus are points for its position.
func (r *titleReader) considerName(text string, bonus int, ways occurrenceKind, i, last int) {
	t := r.texts.read(text)
	if t == nil {
		return
	}
	if text = t.text; len(text) > 3 && strings.Contains(r.element, text) {
		bonus += 2
		ways |= inElement
	}
	switch m := hostWithWorkshop.FindStringSubmatch(text); {
	case m != nil && r.key != "" && m[1] != r.key:
		bonus -= 6
	case r.isLongerName(text):
		bonus += 3
	}
	if r.class != "" && t.class != "" && t.class != r.class {
		bonus -= 3
	}
	r.add(t, t.score+bonus, ways, i, last)
}

// add adds a name, or an occurrence of a known name. The maximum of the points counts.
func (r *titleReader) add(t *readTitle, points int, ways occurrenceKind, i, last int) {
	k, ok := r.index[t.key]
	if !ok {
		if len(t.words) == 0 || len(r.names) >= maxNames {
			return
		}
		k = len(r.names)
		r.index[t.key] = k
		r.names = append(r.names, printedName{readTitle: t, points: points, block: i, last: last})
	}
	n := &r.names[k]
	if n.block < 0 && i >= 0 {
		n.readTitle, n.block, n.last = t, i, last
	}
	n.points, n.kinds = max(n.points, points), n.kinds|ways
}

// hostWithWorkshop matches "ICX 2027 Workshop". This is the event at which a workshop is held, not the
// workshop's name.
var hostWithWorkshop = compilePattern(`(?i)^(\S+) ?['’]?(?:19|20)?\d\d workshops?\b.{0,24}$`)

// isLongerName reports whether a text is a longer name of the event with the acronym key.
func (r *titleReader) isLongerName(text string) bool {
	if r.key == "" || !hasSubject(text, r.key) {
		return false
	}
	if nouns.MatchString(text) {
		return strings.Contains(text, r.key) || name.IsAbbreviation(r.key, text)
	}
	return len(r.key) > 2 && !strings.Contains(text, r.key) && countFields(text) <= len(r.key)+2 && name.IsAbbreviation(r.key, text)
}

// considerLine considers block i, alone and together with the lines that continue it.
func (n *nameReader) considerLine(r *titleReader, i int) {
	b := n.blocks[i]
	if len(b.Text) > maxTitle+50 {
		return
	}
	bonus, ways := topBonus(i), occurrenceKind(0)
	if n.mayMatch(i, otherEventWords) && isAboutOtherEvent(b.Text) || i > 0 && n.mayMatch(i-1, hostEnd) && hostEnd.MatchString(lastBytes(n.blocks[i-1].Text, maxHeading)) {
		bonus -= 4
		ways = afterOtherEvent
	}
	text, last := n.joinTitleLines(i)
	switch {
	case b.Kind == tagtree.Heading:
		r.considerName(text, bonus+2, ways|inHeading, i, last)
		r.considerName(b.Text, bonus+2, ways|inHeading, i, i)
	case b.Kind == tagtree.Item || b.Kind == tagtree.Cell || b.Kind == tagtree.Definition:
		if i >= maxTop || n.menu[i] {
			return
		}
		if topicHead.MatchString(n.headingAbove(i)) {
			ways |= inTopicList
		}
		r.considerName(text, bonus-2, ways|inItem, i, last)
	case i < maxTop:
		r.considerName(text, bonus, ways|inLine, i, last)
		if last > i {
			r.considerName(b.Text, bonus, ways|inLine, i, i)
		}
	}
}

// topicHead matches headings of lists of topics.
var topicHead = compilePattern(`(?i)\b(topics?|themes?|areas|scope|tracks|temas|áreas|themen)\b`)

// hostEnd matches a line that the event which this one is held with continues.
var hostEnd = compilePattern(`(?i)(?:` + heldWith + `|\b(?:part|held)\s+(?:with|of|at|in))(?:\s+the)?:?\s*$`)

// topBonus returns the points of block i for its position at the top of a page.
func topBonus(i int) int {
	switch {
	case i < 2:
		return 3
	case i < maxTop/3:
		return 2
	case i < maxTop:
		return 1
	}
	return 0
}

// considerNamesInText considers the names in the text of block i: the subject of its first sentence, and
// capitalised words around nouns for events.
func (n *nameReader) considerNamesInText(r *titleReader, i int) {
	text := cutToBytes(n.blocks[i].Text, maxTitleBlock)
	if len(r.key) > 2 && strings.Contains(text, r.key) {
		n.considerSubject(r, i, text)
	}
	if !n.mayMatch(i, nouns) {
		return
	}
	for _, part := range n.betweenDays(i, text) {
		for _, name := range namesIn(part) {
			before, _, _ := strings.Cut(text, name)
			if !n.mayMatch(i, otherEventWords) || !isAboutOtherEvent(lastBytes(before, maxHeading)) {
				r.considerName(name, topBonus(i), inText, i, i)
			}
		}
	}
}

// betweenDays returns the parts of the text of block i between its days, since "July" in "July 3" is not
// part of a name.
func (n *nameReader) betweenDays(i int, text string) (parts []string) {
	from := 0
	for _, d := range n.datesIn(i) {
		if d.From.Day != 0 && d.Start >= from && d.End <= len(text) {
			parts, from = append(parts, text[from:d.Start]), d.End
		}
	}
	return append(parts, text[from:])
}

// considerSubject considers the subject of a sentence in block i that says what the subject is.
func (n *nameReader) considerSubject(r *titleReader, i int, text string) {
	if m := sentenceSubject.FindStringSubmatch(text); m != nil && strings.Contains(m[1], r.key) && m[1] != r.key && mayAllBePartOfName(m[1]) && !isAboutOtherEvent(m[1]) {
		r.considerName(m[1], topBonus(i), inText|defined, i, i)
	}
}

// sentenceSubject matches a sentence that says what its subject, a name, is or does. Group 1 is the subject.
var sentenceSubject = compilePattern(`^((?:The |Die |El |La |Il |Le |O |A )?\p{Lu}\S*(?: [^\s.,;:]+){0,7}?),? (?:is|will|aims|invites|solicits|welcomes|seeks|brings|provides|es|est|ist|wird|será|é)(?:[^\pL\d_]|$)`)

// mayAllBePartOfName reports whether all words of s may be part of a name.
func mayAllBePartOfName(s string) bool {
	for _, w := range strings.Fields(s) {
		if !mayBePartOfName(w) && !nameLink[w] && w != "@" && !nouns.MatchString(w) && !strings.ContainsAny(w, "0123456789") && strings.ToLower(w) == w {
			return false
		}
	}
	return true
}

// considerNameBeforeAcronym considers the name before the acronym in brackets in block i: "The Forum on
// Rivers (FoR) is". The block may be anywhere on the page.
func (n *nameReader) considerNameBeforeAcronym(r *titleReader, i int) {
	text := n.blocks[i].Text
	if r.spelt == maxSpelt || r.key == "" || !strings.Contains(text, "("+r.key) {
		return
	}
	r.spelt++
	name, rest := nameBeforeAcronym(text, r.key)
	if name == "" {
		return
	}
	ways := spelledOut
	if isVerb.MatchString(cutToBytes(rest, 20)) {
		ways |= defined
	}
	before, _, _ := strings.Cut(text, name)
	if isAboutOtherEvent(lastBytes(before, maxHeading)) {
		ways |= afterOtherEvent
	}
	r.considerName(name, topBonus(i)+speltBonus, ways, i, i)
}

// speltBonus are points for a name before its acronym in brackets.
const speltBonus = 2

var isVerb = compilePattern(`(?i)^[,”"]?\s(is|will|are|aims|invites|solicits|welcomes|seeks|brings|provides|takes|has|was|es|est|ist|wird|será|é)(?:[^\pL\d_]|$)`)

// joinTitleLines returns the text of line i with the lines that continue it, and the index of the last of them.
func (n *nameReader) joinTitleLines(i int) (string, int) {
	b := n.blocks[i]
	s, last := b.Text, i
	for j := i + 1; j < len(n.blocks) && j <= i+maxTitleLines && len(s) <= maxTitle; j++ {
		next := n.blocks[j]
		if next.Kind != b.Kind || next.Level != b.Level || len(n.datesIn(j)) > 0 {
			break
		}
		if !endsWithLink(s) && !cannotBeginTitle.MatchString(next.Text) {
			if b.Kind != tagtree.Heading || next.Path != b.Path {
				break
			}
			if _, place := placeIn(next.Text); place {
				break
			}
		}
		s, last = s+" "+next.Text, j
	}
	return s, last
}

const maxTitleLines = 3

// cannotBeginTitle matches a line that cannot begin a title.
var cannotBeginTitle = compilePattern(`(?i)^(on|of|for|and|in|de|sobre|für|&)\s`)

// endsWithLink reports whether cannotEndTitle matches s. It reads only the end of s.
func endsWithLink(s string) bool {
	return cannotEndTitle.MatchString(lastBytes(strings.TrimRight(s, " \t\n\f\r"), maxLinkWord))
}

// maxLinkWord is the number of bytes at the end of a line in which a word of cannotEndTitle, and the letter
// before it, are.
const maxLinkWord = 24

// cannotEndTitle matches a line that cannot end a title.
var cannotEndTitle = compilePattern(`(?i)(\b(on|of|for|and|in|the|to|de|der|des|sobre|für|international|annual|acm|ieee)|[,:&])\s*$`)
