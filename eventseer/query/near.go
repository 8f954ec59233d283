package query

import (
	"slices"

	"eventseer/internal/text"
)

// nearestWord returns the value spelt most like a word, the first of several; "" if
// none is: a third of the letters may differ, and two at most.
func nearestWord(word string, values []string) string {
	asked := []rune(text.Fold(word))
	if len(asked) == 0 || len(asked) > maxNearest {
		return ""
	}
	best, least := "", min(2, (len(asked)+1)/3)+1
	for _, v := range values {
		if n := edits(asked, []rune(text.Fold(v)), least); n < least {
			best, least = v, n
		}
	}
	return best
}

const maxNearest = 60 // runes

// edits is how many letters two words differ in, swapped neighbours as one; limit
// or more where that is as much as matters (Damerau and Levenshtein, optimal
// string alignment).
func edits(a, b []rune, limit int) int {
	if d := len(a) - len(b); d >= limit || -d >= limit {
		return limit
	}
	before, last := []int(nil), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range a {
		row := make([]int, len(b)+1)
		row[0] = i + 1
		for j := range b {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(row[j]+1, last[j+1]+1, last[j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		if slices.Min(row) >= limit {
			return limit
		}
		before, last = last, row
	}
	return last[len(b)]
}
