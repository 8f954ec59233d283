package extract

import (
	"math"
	"net/url"
	"strings"
	"unicode"
)

const (
	maxAddressNames = 12 // parts of an address that are read
	minAddressName  = 6  // minimum letters of a part that may name the event
	maxAddressWords = 5  // words of a name that an address contains as one word
)

// addressNames returns the parts of the page's address that may be the event's name as one word: "damdays"
// of "https://damdays.example/2027/".
func (n *nameReader) addressNames() map[string]bool {
	u, err := url.Parse(cutToBytes(n.url, maxLabel))
	if err != nil {
		return nil
	}
	names := map[string]bool{}
	for _, part := range strings.FieldsFunc(strings.ToLower(u.Hostname()+u.Path), func(r rune) bool { return !unicode.IsLetter(r) }) {
		if len(part) >= minAddressName && len(names) < maxAddressNames && !sectionWord[part] {
			names[part] = true
		}
	}
	return names
}

// considerNamesInAddress considers consecutive words of block i that the page's address contains as one
// word: "Dam Days" at damdays.example. A single word must have two capitals, such as DamDays. site is the
// result of addressNames.
func (n *nameReader) considerNamesInAddress(r *titleReader, i int, site map[string]bool) {
	if len(site) == 0 || r.sited == maxSited {
		return
	}
	text := cutToBytes(n.blocks[i].Text, maxTitleBlock)
	if !beginsNameInAddress(text, site) {
		return
	}
	words := strings.Fields(text)
	for from, w := range words {
		if !isCapitalised(w) {
			continue
		}
		joined := lowerLetters(w)
		if !beginsAny(site, joined) || sectionWord[strings.ToLower(w)] {
			continue
		}
		for to := from; to < min(from+maxAddressWords, len(words)); to++ {
			if to > from {
				joined += lowerLetters(words[to])
			}
			if !beginsAny(site, joined) {
				break
			}
			if !site[joined] || countCapitalized(words[from:to+1]) < 2 {
				continue
			}
			if r.sited++; r.sited == maxSited {
				return
			}
			r.considerName(strings.Trim(strings.Join(words[from:to+1], " "), ".,;:()"), topBonus(i), inAddress, i, i)
		}
	}
}

// beginsNameInAddress reports whether a word of a text, beginning with a capital, may begin one of the names in site.
// It is a fast check.
func beginsNameInAddress(text string, site map[string]bool) bool {
	var initials uint32 // bit set of the first letters, those outside ASCII together
	for n := range site {
		initials |= initialOf(n)
	}
	for w := range strings.FieldsSeq(text) {
		if initials&initialOf(w) != 0 && isCapitalised(w) && beginsAny(site, lowerLetters(w)) {
			return true
		}
	}
	return false
}

// initialOf returns a bit for the first letter of a word in ASCII, and all bits for any other word.
func initialOf(w string) uint32 {
	if c := w[0] | 0x20; c >= 'a' && c <= 'z' {
		return 1 << (c - 'a')
	}
	return math.MaxUint32
}

// beginsAny reports whether any of names begins with s.
func beginsAny(names map[string]bool, s string) bool {
	for n := range names {
		if strings.HasPrefix(n, s) {
			return true
		}
	}
	return false
}

// maxSited is the maximum number of names read that the address contains.
const maxSited = 20

func countCapitalized(words []string) int {
	n := 0
	for _, w := range words {
		for _, r := range w {
			if unicode.IsUpper(r) {
				n++
			}
		}
	}
	return n
}
