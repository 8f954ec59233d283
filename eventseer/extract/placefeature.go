package extract

import (
	"math/bits"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/eventseer/block"
	"github.com/eventseer/eventseer/eventseer/extract/date"
)

// Limits on what the features of a place are read from.
const (
	placeLeftBytes  = 100 // bytes before a place
	placeRightBytes = 60  // bytes after a place
	placeLeft       = 8   // words before a place
	placeRight      = 5   // words after a place
	placeHeading    = 8   // words of headings and of the previous block
	placeOpening    = 4   // words at the start of its own block
	placeNear       = 4   // blocks before and after a place whose places are counted
	placeNameSize   = 40  // words of a block that are compared with the event's name
)

// The templates of features of places. Their numbers are hashed into the IDs in model files, so new ones
// must be added at the end.
const (
	placeNone uint32 = iota + 1
	placeNoneCount
	placeNoneDays
	placeNoneRemote
	placeForm
	placeKind
	placeFromTop
	placeFromEnd
	placeLength
	placeAlone
	placeRole
	placeRoleBefore
	placeRoleAfter
	placeFormRole
	placeDays
	placeDaysForm
	placeDaysAway
	placeYear
	placeYearBefore
	placeInName
	placeElement
	placeMany
	placeSize
	placeNamesakes
	placeWord
	placeCityWords
	placeShout
	placePrinted
	placeTimes
	placeShare
	placeKeyRole
	placeKeyDays
	placeKeyElement
	placeKeyAddress
	placeHost
	placeMark
	placeLastWord
	placeLastPair
	placeSecondWord
	placeThirdWord
	placeBagBefore
	placeNextWord
	placeNextPair
	placeBagAfter
	placeFormLast
	placeHeadWord
	placeUpperWord
	placeBlockBefore
	placeOpeningWord
	placeFirst
	placeBetween
	placeAround
	placeKeys
)

// placeTerms is a list of features to which methods append.
type placeTerms []classify.Term

func (ts *placeTerms) add(template, value uint32) {
	*ts = append(*ts, classify.NumberedTerm(template, value, 1))
}

func (ts *placeTerms) addIf(holds bool, template, value uint32) {
	if holds {
		ts.add(template, value)
	}
}

func (ts *placeTerms) addWordBag(template uint32, words []uint32) {
	for _, w := range words {
		ts.add(template, w)
	}
}

// addRoles appends the probabilities of roles above 0.03.
func (ts *placeTerms) addRoles(template uint32, s *block.Scores, shift uint32) {
	for r, p := range s {
		if p > .03 {
			*ts = append(*ts, classify.NumberedTerm(template, shift<<4|uint32(r), p))
		}
	}
}

// placeWords appends the hashes of the first n words and marks of s. Words are hashed in lower case with
// each digit replaced by 0. In scripts without spaces each rune is a word.
func placeWords(out []uint32, s string, n int) []uint32 {
	const offset, prime = 2166136261, 16777619
	n += len(out)
	h, in := uint32(offset), false
	for _, r := range s {
		letter := unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r)
		if in && (!letter || isIdeograph(r)) {
			out, h, in = append(out, h), offset, false
		}
		if len(out) >= n {
			return out
		}
		switch {
		case letter && isIdeograph(r), !letter && !unicode.IsSpace(r):
			out = append(out, (offset^uint32(r))*prime)
		case letter:
			if unicode.IsDigit(r) {
				r = '0'
			}
			h, in = (h^uint32(unicode.ToLower(r)))*prime, true
		}
	}
	if in && len(out) < n {
		out = append(out, h)
	}
	return out
}

// blockFacts are the features that all places of one block share.
type blockFacts struct {
	terms placeTerms
	spots int
	read  bool // terms have been computed
}

// termsOf returns the features of mention i.
func (l *placeRanking) termsOf(i int) []classify.Term {
	m := &l.list[i]
	f := l.factsOf(m.block, m.text)
	ts := append(make(placeTerms, 0, len(f.terms)+100), f.terms...)
	form := uint32(m.form)
	inferred := uint32(0)
	if m.inferred != "" {
		inferred = 1
	}
	ts.add(placeForm, form<<1|inferred)
	ts.add(placeMany, form<<8|uint32(bits.Len(uint(f.spots))))
	ts.add(placeKeys, form<<8|uint32(bits.Len(uint(len(l.keys)))))
	if m.block >= 0 {
		ts.add(placeAround, form<<8|uint32(bits.Len(uint(l.countPlacesAround(m.block)))))
	}
	rest := len(m.text) - (m.to - m.from)
	ts.add(placeAlone, uint32(min(bits.Len(uint(max(rest, 0)/3)), 7)))
	begins, ends := uint32(0), uint32(0)
	if strings.TrimSpace(m.text[:m.from]) == "" {
		begins = 1
	}
	if strings.Trim(m.text[m.to:], " .!)") == "" {
		ends = 1
	}
	ts.add(placeFirst, begins<<1|ends)
	l.addGazetteerTerms(&ts, m)
	l.addWordTerms(&ts, m, form)
	l.addKeyTerms(&ts, m, form)
	if m.block >= 0 {
		p := l.p
		if p.roles != nil {
			ts.addRoles(placeFormRole, &p.roles[m.block], form+1)
		}
		days := uint32(0)
		switch {
		case p.hasEventDays(m.block, l.dateBlock, m.from):
			days = 1
		case p.daysInAdjacentBlock(m.block, m.block-1, l.dateBlock) || p.daysInAdjacentBlock(m.block, m.block+1, l.dateBlock):
			days = 2
		case p.daysInAdjacentBlock(m.block, m.block-2, l.dateBlock) || p.daysInAdjacentBlock(m.block, m.block+2, l.dateBlock):
			days = 3
		}
		ts.add(placeDays, days)
		ts.add(placeDaysForm, form<<4|days)
		if d := p.bytesToNearestDate(m.block, m.from, m.to); d >= 0 {
			ts.add(placeBetween, uint32(bits.Len(uint(d)/4)))
		}
	} else {
		ts.add(placeElement, uint32(invisibleTitle-m.block)<<4|form)
	}
	return ts
}

// countPlacesAround returns the number of places in the blocks near block i, without its own. It is large in lists
// of people with their institutions.
func (l *placeRanking) countPlacesAround(i int) int {
	n := 0
	for k := i - placeNear; k <= i+placeNear; k++ {
		if f := l.blocks[k]; k != i && f != nil {
			n += f.spots
		}
	}
	return n
}

// bytesToNearestDate returns the number of bytes between bytes [from, to) of block i and the nearest date
// in it, or -1 for none.
func (p *placeReader) bytesToNearestDate(i, from, to int) int {
	best := -1
	for _, d := range p.datesIn(i) {
		away := max(d.Start-to, from-d.End, 0)
		if best < 0 || away < best {
			best = away
		}
	}
	return best
}

// addGazetteerTerms appends features of the cities with the place's name in the gazetteer, and of how the place
// is printed.
func (l *placeRanking) addGazetteerTerms(ts *placeTerms, m *mention) {
	printed := m.text[m.from:m.to]
	words := uint32(0)
	for range strings.FieldsSeq(m.venue.City) {
		words++
	}
	ts.add(placeCityWords, min(words, 4))
	shout := strings.ToUpper(printed) == printed && strings.ToLower(printed) != printed
	ts.addIf(shout, placeShout, uint32(min(len(printed), 6)))
	parts := uint32(0)
	if m.venue.Region != "" && m.inferred == "" {
		parts = 1
	}
	if m.venue.Country != "" && m.inferred == "" {
		parts |= 2
	}
	ts.add(placePrinted, parts<<3|uint32(m.form))
	if m.venue.City == "" {
		return
	}
	found := l.p.citiesNamed(m.venue.City)
	if len(found) == 0 {
		ts.add(placeSize, 0)
		return
	}
	best := found[0]
	if m.venue.CountryCode != "" {
		for _, c := range found {
			if c.Country == m.venue.CountryCode {
				best = c
				break
			}
		}
	}
	ts.add(placeSize, uint32(m.form)<<8|uint32(bits.Len(uint(best.Population/1000))))
	ts.add(placeNamesakes, uint32(bits.Len(uint(len(found)))))
	ts.addIf(found[0].Word, placeWord, uint32(m.form))
}

// addWordTerms appends features of the words before and after the place.
func (l *placeRanking) addWordTerms(ts *placeTerms, m *mention, form uint32) {
	l.words = placeWords(l.words[:0], m.text[len(cutToBytes(m.text, max(0, m.from-placeLeftBytes))):m.from], placeLeftBytes)
	left := l.words[max(0, len(l.words)-placeLeft):]
	at := func(k int) uint32 {
		if k > len(left) {
			return 0
		}
		return left[len(left)-k]
	}
	ts.add(placeLastWord, at(1))
	ts.add(placeLastPair, at(1)*31^at(2))
	ts.add(placeSecondWord, at(2))
	ts.add(placeThirdWord, at(3))
	ts.add(placeFormLast, at(1)<<3^form)
	ts.addWordBag(placeBagBefore, left)
	l.words = placeWords(l.words[:0], cutToBytes(m.text[m.to:], placeRightBytes), placeRight)
	first, second := uint32(0), uint32(0)
	if len(l.words) > 0 {
		first = l.words[0]
	}
	if len(l.words) > 1 {
		second = l.words[1]
	}
	ts.add(placeNextWord, first)
	ts.add(placeNextPair, first*31^second)
	ts.addWordBag(placeBagAfter, l.words)
	if l.p.year != 0 {
		year := uint32(0)
		if before := date.Years(m.text[len(cutToBytes(m.text, max(0, m.from-placeLeftBytes))):m.from]); len(before) > 0 {
			year = 1
			if before[len(before)-1] == l.p.year {
				year = 2
			}
		}
		if behind := date.Years(cutToBytes(m.text[m.to:], placeRightBytes/2)); len(behind) > 0 {
			year |= 4
			if behind[0] == l.p.year {
				year |= 8
			}
		}
		ts.add(placeYearBefore, year)
	}
}

// addKeyTerms appends features of the other mentions of the same place on the page.
func (l *placeRanking) addKeyTerms(ts *placeTerms, m *mention, form uint32) {
	k := l.keys[placeKey(m.venue)]
	only := uint32(0)
	if m.venue.City == "" {
		only = 1
	}
	ts.add(placeTimes, only<<4|uint32(min(k.blocks, 6)))
	ts.add(placeShare, only<<4|uint32(4*k.times/len(l.list)))
	ts.addRoles(placeKeyRole, &k.roles, 0)
	ts.addIf(k.days, placeKeyDays, only)
	ts.addIf(k.element, placeKeyElement, only)
	ts.addIf(k.address, placeKeyAddress, only)
	ts.addIf(l.host != "" && strings.EqualFold(l.host, m.venue.CountryCode), placeHost, 0)
}

// factsOf returns the features that all places of block i share, computed at the first call.
func (l *placeRanking) factsOf(i int, text string) *blockFacts {
	f := l.blocks[i]
	if f.read {
		return f
	}
	f.read = true
	ts := &f.terms
	p := l.p
	if i < 0 {
		return f
	}
	b := &p.blocks[i]
	ts.add(placeKind, uint32(b.Kind)<<4|uint32(b.Level))
	ts.add(placeFromTop, uint32(bits.Len(uint(i))))
	ts.add(placeFromEnd, uint32(bits.Len(uint(len(p.blocks)-1-i))))
	ts.add(placeLength, uint32(bits.Len(uint(len(text)/8))))
	if l.dateBlock >= 0 {
		away := i - l.dateBlock
		ts.add(placeDaysAway, uint32(bits.Len(uint(max(away, -away))))<<1|bitOf(away < 0))
	}
	if p.roles != nil {
		ts.addRoles(placeRole, &p.roles[i], 0)
		if i > 0 {
			ts.addRoles(placeRoleBefore, &p.roles[i-1], 0)
		}
		if i+1 < len(p.roles) {
			ts.addRoles(placeRoleAfter, &p.roles[i+1], 0)
		}
	}
	if p.year != 0 {
		own, other := uint32(0), uint32(0)
		for _, y := range date.Years(cutToBytes(text, 4*maxPlaceBlock)) {
			if y == p.year {
				own = 1
			} else {
				other = 1
			}
		}
		ts.add(placeYear, own<<1|other)
	}
	for _, mark := range "@()|" {
		ts.addIf(strings.ContainsRune(cutToBytes(text, 2*maxPlaceBlock), mark), placeMark, uint32(mark))
	}
	l.words = placeWords(l.words[:0], text, placeNameSize)
	same := 0
	for _, w := range l.words {
		if l.name[w] {
			same++
		}
	}
	if len(l.name) > 0 {
		ts.add(placeInName, uint32(4*min(same, len(l.name))/len(l.name)))
	}
	ts.addWordBag(placeOpeningWord, l.words[:min(placeOpening, len(l.words))])
	if h := p.head[i]; h >= 0 {
		l.words = placeWords(l.words[:0], p.blocks[h].Text, placeHeading)
		ts.addWordBag(placeHeadWord, l.words)
		if up := p.head[h]; up >= 0 {
			l.words = placeWords(l.words[:0], p.blocks[up].Text, placeHeading)
			ts.addWordBag(placeUpperWord, l.words)
		}
	}
	if i > 0 {
		l.words = placeWords(l.words[:0], p.blocks[i-1].Text, placeHeading)
		ts.addWordBag(placeBlockBefore, l.words)
	}
	return f
}

// noneTerms returns the features of the decision that the page names no place of the event.
func (l *placeRanking) noneTerms() []classify.Term {
	var ts placeTerms
	ts.add(placeNone, 0)
	ts.add(placeNoneCount, uint32(bits.Len(uint(len(l.list)))))
	ts.add(placeNoneDays, bitOf(l.dateBlock >= 0))
	ts.addIf(l.remote, placeNoneRemote, 0)
	return ts
}

func bitOf(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

// countryOfHost returns the country code at the end of the host of an address. It returns "" for none and
// for codes that are commonly used outside their country.
func countryOfHost(url string) string {
	_, rest, _ := strings.Cut(url, "://")
	host, _, _ := strings.Cut(rest, "/")
	host, _, _ = strings.Cut(host, ":")
	end := host[strings.LastIndexByte(host, '.')+1:]
	if len(end) != 2 || utf8.RuneCountInString(end) != 2 || end == "io" || end == "ai" || end == "co" || end == "me" || end == "tv" {
		return ""
	}
	if end == "uk" {
		return "GB"
	}
	return end
}
