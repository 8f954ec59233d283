package extract

import (
	"strings"

	"eventseer/eventseer"
)

// acronym finds the event's acronym among those the page prints: in brackets
// behind the title, before the year, in the title element, alone in a heading.
// A ranker weighs how often and how tellingly each is printed against there
// being none. src is where the title was read.
func (p *page) acronym(title string, src eventseer.Provenance) (string, eventseer.Provenance) {
	b := p.ballot(title, src)
	rs := b.rivals(title)
	scores := make([]float64, len(rs)+1) // the last is of no acronym
	for i, r := range rs {
		scores[i] = acronymRanker.score(r)
	}
	belief := softmax(scores)
	best := mostBelieved(belief, 1)[0]
	if best == len(rs) || rs[best].sum < minVotes {
		return "", eventseer.Provenance{}
	}
	where := b.where[rs[best].acronym]
	where.Confidence = acronymConfidence(belief[best])
	return rs[best].acronym, where
}

// ballot gathers the votes for the acronyms of the page.
func (p *page) ballot(title string, src eventseer.Provenance) *ballot {
	b := &ballot{site: letters(clip(p.url, maxLabel)), votes: map[string]*votes{}, where: map[string]eventseer.Provenance{}}
	head := eventseer.Provenance{URL: p.url, Path: "html/head/title", Snippet: snippet(p.t.Title(), 0)}
	element := clip(ownName(p.t.Title()), maxTitleBlock)
	title = ownName(title)
	b.in, b.source = inTitle, func(string) eventseer.Provenance { return src }
	b.scan(title, 5)
	if a := acronymInTitle(title); a != "" && (b.inSite(a) || !hostOf.MatchString(title[strings.Index(title, a)+len(a):])) {
		b.vote(a, 10)
	}
	if !shouted(title) {
		b.words(title)
	}
	b.pairs(title)
	b.in, b.source = inTitleElement, func(string) eventseer.Provenance { return head }
	b.scan(element, 3)
	b.words(element)
	b.pairs(element)
	for i := range p.blocks[:min(8*maxTop, len(p.blocks))] {
		p.voteBlock(b, i)
	}
	b.spelt(title)
	return b
}

// voteBlock counts the acronyms of block i, twice at the top of the page.
func (p *page) voteBlock(b *ballot, i int) {
	block := p.blocks[i]
	if otherEvent(block.Text) {
		return
	}
	b.source = func(a string) eventseer.Provenance {
		if at := strings.Index(block.Text, a); at >= 0 {
			return p.source(i, at, at+len(a), "")
		}
		return p.source(i, 0, len(block.Text), "")
	}
	weight := 1
	b.in = inBody
	if i < maxTop/3 {
		weight, b.in = 2, atTop
	}
	if isHeading(block) && i < maxTop && !shouted(block.Text) {
		was := b.in
		b.in = inHeadings
		b.words(ownName(clip(block.Text, maxTitle)))
		b.in = was
	}
	b.scan(clip(block.Text, maxTitleBlock), weight)
}

// A polling is a part of the page that votes for acronyms.
type polling int

const (
	inTitle polling = iota
	inTitleElement
	inHeadings
	atTop
	inBody
	pollings
)

var pollingRules = [pollings]string{"acronym-in-title", "acronym-in-title-element", "acronym-in-heading", "acronym-at-top", "acronym-in-text"}

// votes are how often an acronym is printed in each part of a page.
type votes struct {
	sum int
	of  [pollings]int
}

// A ballot counts how often and how tellingly each acronym is printed.
type ballot struct {
	site  string // the letters of the page's address
	votes map[string]*votes
	where map[string]eventseer.Provenance // first printed

	in     polling // that votes now
	source func(string) eventseer.Provenance
}

// minVotes is what an acronym must get to be trusted.
const minVotes = 3

// vote gives n votes to s if it may be an acronym; the first time more to one
// that the address holds.
func (b *ballot) vote(s string, n int) {
	a := bareAcronym(s)
	if !acronymShape(a) && !namedLike(a) || nouns.MatchString(a) || len(a) < 3 && n < 4 || strings.Count(a, "/") > 1 {
		return
	}
	if first, own, two := strings.Cut(a, " "); two && noAcronym[strings.ToLower(first)] {
		if a = own; !acronymShape(a) {
			return // "AT ICX", "IEEE ICX"
		}
	}
	if l := letters(a); b.votes[a] == nil && len(l) >= 3 && b.inSite(a) {
		n += 6 + min(len(l), 8)/2
	}
	b.count(a, n)
}

// count gives n votes to the acronym a.
func (b *ballot) count(a string, n int) {
	v := b.votes[a]
	if v == nil {
		if len(b.votes) >= maxAcronyms {
			return
		}
		v = &votes{}
		b.votes[a] = v
	}
	v.sum += n
	v.of[b.in]++
	if src, ok := b.where[a]; !ok || src.Offset[1] == 0 {
		if src = b.source(a); !ok || src.Offset[1] > 0 {
			src.Rule = pollingRules[b.in]
			b.where[a] = src
		}
	}
}

const maxAcronyms = 200 // counted on a page

func (b *ballot) inSite(a string) bool { return strings.Contains(b.site, letters(a)) }

// scan votes for what a text prints with the year or, if it spells its
// initials, in brackets.
func (b *ballot) scan(s string, weight int) {
	for _, m := range gluedYear.FindAllStringSubmatch(s, 4) {
		if !nouns.MatchString(m[1]) && !noAcronym[strings.ToLower(m[1])] {
			b.count(m[1], weight)
		}
	}
	for _, m := range plainYear.FindAllStringSubmatch(s, 4) {
		if w := strings.ToLower(m[1]); !nouns.MatchString(m[1]) && !noAcronym[w] && !sectionWord[w] && !scope.MatchString(w) && b.inSite(w) {
			b.count(m[1], weight)
		}
	}
	for _, m := range withYear.FindAllStringSubmatchIndex(s, 10) {
		if host.MatchString(s[:m[0]]) || hostOf.MatchString(s[m[1]:]) && !b.inSite(s[m[2]:m[3]]) {
			continue // the event this one is held with
		}
		b.vote(s[m[2]:m[3]], 2*weight)
	}
	for _, m := range bracketed.FindAllStringSubmatch(s, 10) {
		if initials(bareAcronym(m[1]), s) {
			b.vote(m[1], 2*weight)
		}
	}
}

// plainYear is a word of any letters before the year, which names an event if
// the address holds it.
var plainYear = compile(`\b(\p{Lu}\p{Ll}{4,15}) (?:19[89]|20\d)\d\b`)

// pairs votes for two words, one of them in capitals, that the address holds as
// one.
func (b *ballot) pairs(s string) {
	words := strings.Fields(clip(s, maxTitle))
	for i := range len(words) - 1 {
		pair := strings.Trim(words[i]+" "+words[i+1], "()[]|:,")
		if len(letters(pair)) > 4 && acronymShape(pair) && !nouns.MatchString(pair) && b.inSite(pair) {
			b.count(pair, 8)
		}
	}
}

// words votes for the words of a name that look like acronyms.
func (b *ballot) words(s string) {
	for _, w := range ownWords(s) {
		b.vote(strings.Trim(w, "()[]|:,"), 2)
	}
}

// spelt adds votes for the acronyms that a long title spells.
func (b *ballot) spelt(title string) {
	if len(strings.Fields(title)) <= 3 {
		return
	}
	for a, v := range b.votes {
		if initials(a, title) {
			v.sum += 3
		}
	}
}

// leader returns the acronym of most votes, of equals the first by letters, and
// "" where none has enough.
func (b *ballot) leader() string {
	best, most := "", minVotes
	for a, v := range b.votes {
		if v.sum > most || v.sum == most && (best == "" || a < best) {
			best, most = a, v.sum
		}
	}
	return best
}

// shouted reports whether s is words in capitals, of which any looks like an
// acronym.
func shouted(s string) bool { return strings.ToUpper(s) == s && strings.Contains(s, " ") }

// ownWords returns the words of a name without those that say at, by or with
// whom the event is held: "ABC 7 at the XYZ".
func ownWords(s string) []string {
	words, named := strings.Fields(s), false
	for i, w := range words {
		if named && besideLink[strings.ToLower(w)] {
			return words[:i]
		}
		named = named || acronymShape(bareAcronym(w))
	}
	return words
}

var besideLink = wordSet("at by with")

// host matches what stands before the name of the event a workshop is held at.
var host = compile(`(?i)(@|\bat|\bwith|\bof|conjunction with)\s*(the )?(ACM |IEEE )?$`)

// hostOf matches what follows the name of the event a workshop is held at:
// "ICX 2027 Workshop".
var hostOf = compile(`(?i)^[\s\d'’]*workshop`)
