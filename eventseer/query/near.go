package query

import (
	"eventseer/internal/text"
	"unicode/utf8"
)

// nearestWord returns the value spelt most like a word, the first of several; "" if
// none is: a third of the letters may differ, and two at most.
func nearestWord(word string, values []string) string {
	asked := text.Fold(word)
	letters := utf8.RuneCountInString(asked)
	if letters == 0 || letters > maxNearest {
		return ""
	}
	best, least := "", min(2, (letters+1)/3)+1
	for _, v := range values {
		if n := text.EditDistance(asked, text.Fold(v), least); n < least {
			best, least = v, n
		}
	}
	return best
}

const maxNearest = 60 // runes
