package text

import "slices"

// EditDistance returns the number of edits between two words, or limit if it is that or more. Swapping
// two adjacent letters is one edit (Damerau and Levenshtein, optimal string alignment).
func EditDistance(wordA, wordB string, limit int) int {
	a, b := []rune(wordA), []rune(wordB)
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
