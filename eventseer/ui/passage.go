package ui

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"eventseer/eventseer"
)

// A piece is a run of text, marked if it was looked for.
type piece struct {
	Text string
	Mark bool
}

func plain(text string) []piece {
	if text == "" {
		return nil
	}
	return []piece{{Text: text}}
}

// passageAround is how many bytes of a clip are shown on either side of the first mark.
const passageAround = 120

// marked cuts a text at ranges of bytes. Ranges that do not fit are left out.
func marked(text string, ranges [][2]int) []piece {
	slices.SortFunc(ranges, func(a, b [2]int) int { return a[0] - b[0] })
	var pieces []piece
	end := 0
	for _, r := range ranges {
		if r[0] < end || r[1] <= r[0] || r[1] > len(text) || !runeStart(text, r[0]) || !runeStart(text, r[1]) {
			continue
		}
		pieces = append(pieces, plain(text[end:r[0]])...)
		pieces = append(pieces, piece{text[r[0]:r[1]], true})
		end = r[1]
	}
	return append(pieces, plain(text[end:])...)
}

func runeStart(text string, i int) bool { return i == len(text) || utf8.RuneStart(text[i]) }

// cutAround cuts the text around the first of ranges, at spaces where there are some, and
// moves the ranges along.
func cutAround(text string, ranges [][2]int) (string, [][2]int) {
	first := slices.MinFunc(ranges, func(a, b [2]int) int { return a[0] - b[0] })
	if first[0] < 0 || first[1] > len(text) || first[1] < first[0] {
		return text, nil
	}
	from, to := max(0, first[0]-passageAround), min(len(text), first[1]+passageAround)
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

// markRow marks in a row what was looked for and adds the passage of a clip.
func (s *server) markRow(ctx context.Context, row *callRow, e eventseer.Event, places []eventseer.Place) {
	byField := map[string][][2]int{}
	topics, clips := map[int][][2]int{}, map[int][][2]int{}
	first := -1 // the first clip that is named
	for _, p := range head(places, eventseer.MaxPlaces) {
		switch p.Field {
		case "topic":
			topics[p.Part] = append(topics[p.Part], p.Offset)
		case "clip":
			clips[p.Part] = append(clips[p.Part], p.Offset)
			if first < 0 {
				first = p.Part
			}
		default:
			byField[p.Field] = append(byField[p.Field], p.Offset)
		}
	}
	row.Heading = marked(row.Title, byField["title"])
	row.Acronym = marked(row.Short, byField["acronym"])
	markTopics(row, e.Topics, topics)
	if first >= 0 {
		row.Passage = s.passage(ctx, e.ID, first, clips[first])
	}
}

// markTopics shows the topics that were looked for first.
func markTopics(row *callRow, all []string, found map[int][][2]int) {
	if len(found) == 0 {
		return
	}
	var first, rest [][]piece
	for i, t := range all {
		if ranges := found[i]; len(ranges) > 0 {
			first = append(first, marked(clip(t, 2*maxChip), ranges))
		} else {
			rest = append(rest, plain(clip(t, maxChip)))
		}
		if len(first) == maxChips || i > maxTopics {
			break
		}
	}
	row.Topics = head(append(first, rest...), maxChips)
}

// passage reads a clip and marks it. A clip that cannot be read is logged and left out.
func (s *server) passage(ctx context.Context, id eventseer.EventID, part int, ranges [][2]int) []piece {
	clips, err := s.Store.Clips(ctx, id)
	if err != nil {
		s.Log.Warn("a clip found cannot be read", "id", id, "cause", err)
	}
	if part < 0 || part >= len(clips) {
		return nil
	}
	text := clips[part].Summary
	if safe := eventseer.Redact(text); safe != text {
		return plain(clip(safe, 2*passageAround))
	}
	return marked(cutAround(text, ranges))
}
