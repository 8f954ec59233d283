package match

import (
	"strings"

	"github.com/eventseer/eventseer/eventseer/series"
	"github.com/eventseer/eventseer/features"
)

// countOtherWords counts the words of a name that the other title does not have in any spelling, without
// known words.
func (n eventName) countOtherWords(other eventName, known map[string]bool) (count int) {
	for i, w := range n.core {
		if !known[w] && !other.hasWord(w) && !other.hasJoinedWord(n.core, i) {
			count++
		}
	}
	if count > 0 && count == len(n.core) && n.isAbbreviationOf(other) {
		return 0
	}
	return count
}

// hasWord reports whether the title has a word in any form. It may have a different ending
// ("computing", "computer") or spelling ("colour"), be written separately ("data base") or in full
// ("machine learning" for "ml").
func (n eventName) hasWord(word string) bool {
	stem := features.Stem(word)
	for i, w := range n.all {
		if w == word || features.Stem(w) == stem || differByOneLetter(w, word) {
			return true
		}
		if i > 0 && n.all[i-1]+w == word || i > 1 && n.all[i-2]+n.all[i-1]+w == word {
			return true
		}
	}
	return len(word) >= 2 && len(word) <= maxInitials && initialsIn(n.all, word)
}

// hasJoinedWord reports whether the title has the word at i joined with a neighbour ("database"), or as a
// letter of an acronym ("ml").
func (n eventName) hasJoinedWord(words []string, i int) bool {
	for _, w := range n.all {
		for from := max(0, i-2); from <= i; from++ {
			for to := max(i+1, from+2); to <= min(from+3, len(words)); to++ {
				if strings.Join(words[from:to], "") == w {
					return true
				}
			}
		}
		if len(w) < 2 || len(w) > maxInitials || series.IsSmallWord(w) || plainWords[w] {
			continue
		}
		for from := max(0, i-len(w)+1); from <= i && from+len(w) <= len(words); from++ {
			if initials(words[from:from+len(w)]) == w {
				return true
			}
		}
	}
	return false
}

// isAbbreviationOf reports whether a name is one word made of letters of the other.
func (n eventName) isAbbreviationOf(other eventName) bool {
	return len(n.core) == 1 && len(n.core[0]) <= maxInitials && isSpelledBy(other.core, n.core[0])
}

// maxInitials is the maximum length in bytes of a title word that may be an acronym of others.
const maxInitials = 8

// initialsIn reports whether consecutive words begin with the letters of an acronym, with or
// without small words.
func initialsIn(words []string, acronym string) bool {
	var large []string
	for _, w := range words {
		if !series.IsSmallWord(w) {
			large = append(large, w)
		}
	}
	return strings.Contains(initials(words), acronym) || strings.Contains(initials(large), acronym)
}

func initials(words []string) string {
	var b strings.Builder
	for _, w := range words {
		b.WriteByte(w[0])
	}
	return b.String()
}

// minSpelled is the length in bytes from which words that differ in one letter count as spellings
// of one.
const minSpelled = 6

// differByOneLetter reports whether two words with the same first letter differ in one letter that is added,
// missing or replaced.
func differByOneLetter(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(a) < minSpelled-1 || len(b) < minSpelled || len(b)-len(a) > 1 || a[0] != b[0] {
		return false
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	return a[min(len(a), i+1):] == b[min(len(b), i+1):] && len(a) == len(b) || len(a) < len(b) && a[i:] == b[i+1:]
}
