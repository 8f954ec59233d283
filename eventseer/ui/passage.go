package ui

import (
	"context"

	"eventseer/eventseer"
	"eventseer/eventseer/ui/views"
)

// markRow marks in a row what was looked for and adds the passage of a clip.
func (s *server) markRow(ctx context.Context, row *views.CallRow, e eventseer.Event, places []eventseer.Place) {
	byField := map[string][][2]int{}
	topics, clips := map[int][][2]int{}, map[int][][2]int{}
	first := -1 // the first clip that is named
	for _, p := range views.Head(places, eventseer.MaxPlaces) {
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
	row.Heading = views.Marked(row.Title, byField["title"])
	row.Acronym = views.Marked(row.Short, byField["acronym"])
	views.MarkTopics(row, e.Topics, topics)
	if first >= 0 {
		row.Passage = s.passage(ctx, e.ID, first, clips[first])
	}
}

// passage reads a clip and marks it. A clip that cannot be read is logged and left out.
func (s *server) passage(ctx context.Context, id eventseer.EventID, part int, ranges [][2]int) []views.Piece {
	clips, err := s.Store.Clips(ctx, id)
	if err != nil {
		s.Log.Warn("a clip found cannot be read", "id", id, "cause", err)
	}
	if part < 0 || part >= len(clips) {
		return nil
	}
	text := clips[part].Summary
	if safe := eventseer.Redact(text); safe != text {
		return views.Plain(views.Clip(safe, 2*views.PassageAround))
	}
	return views.Marked(views.CutAround(text, ranges))
}
