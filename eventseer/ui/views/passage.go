package views

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// A Piece is a run of text. It is marked if it matches the search.
type Piece struct {
	Text string `json:"text"`
	Mark bool   `json:"mark,omitempty"`
}

func UnmarkedPieces(text string) []Piece {
	if text == "" {
		return nil
	}
	return []Piece{{Text: text}}
}

// PassageAround is the number of bytes of a clip that are shown on either side of the first mark.
const PassageAround = 120

// MarkedPieces cuts a text at ranges of bytes. Ranges that do not fit are left out.
func MarkedPieces(text string, ranges [][2]int) []Piece {
	slices.SortFunc(ranges, func(a, b [2]int) int { return a[0] - b[0] })
	var pieces []Piece
	end := 0
	for _, r := range ranges {
		if r[0] < end || r[1] <= r[0] || r[1] > len(text) || !runeStart(text, r[0]) || !runeStart(text, r[1]) {
			continue
		}
		pieces = append(pieces, UnmarkedPieces(text[end:r[0]])...)
		pieces = append(pieces, Piece{text[r[0]:r[1]], true})
		end = r[1]
	}
	return append(pieces, UnmarkedPieces(text[end:])...)
}

func runeStart(text string, i int) bool { return i == len(text) || utf8.RuneStart(text[i]) }

// CutAround cuts the text around the first of ranges, at spaces if possible, and adjusts the ranges to the
// result.
func CutAround(text string, ranges [][2]int) (string, [][2]int) {
	first := slices.MinFunc(ranges, func(a, b [2]int) int { return a[0] - b[0] })
	if first[0] < 0 || first[1] > len(text) || first[1] < first[0] {
		return text, nil
	}
	from, to := max(0, first[0]-PassageAround), min(len(text), first[1]+PassageAround)
	if from > 0 {
		if i := strings.IndexByte(text[from:first[0]], ' '); i >= 0 {
			from += i + 1
		}
	}
	if to < len(text) {
		if i := strings.LastIndexByte(text[first[1]:to], ' '); i >= 0 {
			to = first[1] + i
		}
	}
	for from < first[0] && !runeStart(text, from) {
		from++
	}
	for to > first[1] && !runeStart(text, to) {
		to--
	}
	before, after := "", ""
	if from > 0 {
		before = "… "
	}
	if to < len(text) {
		after = " …"
	}
	var moved [][2]int
	for _, r := range ranges {
		if r[0] >= from && r[1] <= to {
			moved = append(moved, [2]int{r[0] - from + len(before), r[1] - from + len(before)})
		}
	}
	return before + text[from:to] + after, moved
}

// MarkTopics shows the topics that were looked for first.
func MarkTopics(row *CallRow, all []string, found map[int][][2]int) {
	if len(found) == 0 {
		return
	}
	var first, rest [][]Piece
	for i, t := range all {
		if ranges := found[i]; len(ranges) > 0 {
			first = append(first, MarkedPieces(Clip(t, 2*maxChip), ranges))
		} else {
			rest = append(rest, UnmarkedPieces(Clip(t, maxChip)))
		}
		if len(first) == maxChips || i > MaxTopics {
			break
		}
	}
	row.Topics = FirstN(append(first, rest...), maxChips)
}
