package extract

import (
	"regexp"
	"sort"
	"strings"

	"eventseer/eventseer"
)

// acronym finds the event's acronym by counting how it is printed: in brackets
// behind the title, before the year, in the title element, alone in a heading.
func (p *page) acronym(title string) (string, eventseer.Provenance) {
	b := ballot{site: letters(clip(p.url, maxLabel)), votes: map[string]int{}, where: map[string]eventseer.Provenance{}}
	head := eventseer.Provenance{URL: p.url, Path: "html/head/title", Rule: "acronym", Snippet: snippet(p.t.Title(), 0)}
	element := clip(ownName(p.t.Title()), maxTitleBlock)
	title = ownName(title)
	b.scan(title, 5, head)
	b.scan(element, 3, head)
	if a := acronymInTitle(title); a != "" && (b.inSite(a) || !hostOf.MatchString(title[strings.Index(title, a)+len(a):])) {
		b.vote(a, 10, head)
	}
	b.words(element, head)
	if !shouted(title) {
		b.words(title, head)
	}
	b.spelt(title)
	for i := range p.blocks[:min(8*maxTop, len(p.blocks))] {
		p.voteBlock(&b, i)
	}
	return b.winner()
}

// voteBlock counts the acronyms of block i, twice at the top of the page.
func (p *page) voteBlock(b *ballot, i int) {
	block := p.blocks[i]
	if otherEvent(block.Text) {
		return
	}
	src, weight := p.source(i, 0, len(block.Text), "acronym"), 1
	if i < maxTop/3 {
		weight = 2
	}
	if isHeading(block) && i < maxTop && !shouted(block.Text) {
		b.words(ownName(clip(block.Text, maxTitle)), src)
	}
	b.scan(clip(block.Text, maxTitleBlock), weight, src)
}

// A ballot counts how often and how tellingly each acronym is printed.
type ballot struct {
	site  string // the letters of the page's address
	votes map[string]int
	where map[string]eventseer.Provenance // first printed
}

// minVotes is what an acronym must get to be trusted.
const minVotes = 3

// vote gives n votes to s if it may be an acronym; the first time more to one
// that the address holds.
func (b *ballot) vote(s string, n int, src eventseer.Provenance) {
	a := bareAcronym(s)
	if !acronymShape(a) && !namedLike(a) || nouns.MatchString(a) || len(a) < 3 && n < 4 {
		return
	}
	if _, ok := b.where[a]; !ok {
		b.where[a] = src
	}
	if l := letters(a); b.votes[a] == 0 && len(l) >= 3 && b.inSite(a) {
		n += 6 + min(len(l), 8)/2
	}
	b.votes[a] += n
}

func (b *ballot) inSite(a string) bool { return strings.Contains(b.site, letters(a)) }

// scan votes for what a text prints with the year or, if it spells its
// initials, in brackets.
func (b *ballot) scan(s string, weight int, src eventseer.Provenance) {
	for _, m := range gluedYear.FindAllStringSubmatch(s, 4) {
		if !nouns.MatchString(m[1]) && !noAcronym[strings.ToLower(m[1])] {
			b.votes[m[1]] += weight
			b.where[m[1]] = src
		}
	}
	for _, m := range withYear.FindAllStringSubmatchIndex(s, 10) {
		if host.MatchString(s[:m[0]]) || hostOf.MatchString(s[m[1]:]) && !b.inSite(s[m[2]:m[3]]) {
			continue // the event this one is held with
		}
		b.vote(s[m[2]:m[3]], 2*weight, src)
	}
	for _, m := range bracketed.FindAllStringSubmatch(s, 10) {
		if initials(bareAcronym(m[1]), s) {
			b.vote(m[1], 2*weight, src)
		}
	}
}

// words votes for the words of a name that look like acronyms.
func (b *ballot) words(s string, src eventseer.Provenance) {
	for _, w := range ownWords(s) {
		b.vote(strings.Trim(w, "()[]|:,"), 2, src)
	}
}

// spelt adds votes for the acronyms that a long title spells.
func (b *ballot) spelt(title string) {
	if len(strings.Fields(title)) <= 3 {
		return
	}
	for a := range b.votes {
		if initials(a, title) {
			b.votes[a] += 3
		}
	}
}

// winner returns the acronym of most votes, of equals the first by letters.
func (b *ballot) winner() (string, eventseer.Provenance) {
	names := make([]string, 0, len(b.votes))
	for a := range b.votes {
		names = append(names, a)
	}
	sort.Slice(names, func(i, j int) bool {
		if b.votes[names[i]] != b.votes[names[j]] {
			return b.votes[names[i]] > b.votes[names[j]]
		}
		return names[i] < names[j]
	})
	if len(names) == 0 || b.votes[names[0]] < minVotes {
		return "", eventseer.Provenance{}
	}
	return names[0], b.where[names[0]]
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
var host = regexp.MustCompile(`(?i)(@|\bat|\bwith|\bof|conjunction with)\s*(the )?(ACM |IEEE )?$`)

// hostOf matches what follows the name of the event a workshop is held at:
// "ICX 2027 Workshop".
var hostOf = regexp.MustCompile(`(?i)^[\s\d'’]*workshop`)
