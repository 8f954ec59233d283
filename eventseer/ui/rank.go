package ui

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"eventseer/eventseer"
	"eventseer/eventseer/series"
)

// A rankChip is what one system of ranks says, newest round first.
type rankChip struct {
	System, Value string // "CORE", "A*"
	Year          string
	Source        link
	Href          string // the search for it
}

// systemNames are the names of systems whose keys are not theirs in capitals.
var systemNames = map[string]string{"thcpl": "TH-CPL", "era": "ERA", "qualis": "Qualis"}

func systemName(key string) string {
	if name := systemNames[key]; name != "" {
		return name
	}
	return clip(strings.ToUpper(key), 20)
}

// rankChips are the ranks of a series: of each system the newest round, or all of them.
func rankChips(ranks []eventseer.Rank, all bool) []rankChip {
	sorted := slices.Clone(head(ranks, 100))
	slices.SortStableFunc(sorted, func(a, b eventseer.Rank) int {
		if a.System != b.System {
			return strings.Compare(a.System, b.System)
		}
		return b.Year - a.Year
	})
	var chips []rankChip
	for i, r := range sorted {
		if !all && i > 0 && sorted[i-1].System == r.System || r.Value == "" {
			continue
		}
		term := fmt.Sprintf("rank:%s=%s", r.System, r.Value)
		chips = append(chips, rankChip{
			systemName(r.System), clip(r.Value, 20), yearText(r.Year), rankSource(r.Source),
			"/search?" + searchValues(frame{Query: term}, 1).Encode(),
		})
	}
	return chips
}

// rankSource names where a rank was read: a page, or a file by its name alone.
func rankSource(source string) link {
	if webLink(source) != "" {
		return sourceLink(source)
	}
	return link{Text: clip(source[strings.LastIndexByte(source, '/')+1:], 80)}
}

// rankReader returns a function that reads the ranks of an event's series, of each once.
func (s *server) rankReader(ctx context.Context) func(e eventseer.Event) []rankChip {
	known := map[string][]rankChip{}
	return func(e eventseer.Event) []rankChip {
		id := series.Of(e)
		if s.Series == nil || id == "" {
			return nil
		}
		chips, ok := known[id]
		if !ok {
			chips = rankChips(s.readSeries(ctx, id).Ranks, false)
			known[id] = chips
		}
		return chips
	}
}

// readSeries reads what is known of a series. One that cannot be read is logged and
// nothing is known of it.
func (s *server) readSeries(ctx context.Context, id string) eventseer.Series {
	series, err := s.Series.Series(ctx, id)
	if err != nil && !errors.Is(err, eventseer.ErrNotFound) && ctx.Err() == nil {
		s.Log.Warn("a series cannot be read", "series", id, "cause", err)
	}
	return series
}
