package views

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"eventseer/eventseer"
)

// A RankChip is what one system of ranks says, newest round first.
type RankChip struct {
	System, Value string // "CORE", "A*"
	Year          string
	Source        Link
	Href          string // the search for it
}

// systemNames are the names of systems whose keys are not theirs in capitals.
var systemNames = map[string]string{"thcpl": "TH-CPL", "era": "ERA", "qualis": "Qualis"}

// RankChips are the ranks of a series: of each system the newest round, or all of them.
func RankChips(ranks []eventseer.Rank, all bool) []RankChip {
	sorted := slices.Clone(Head(ranks, 100))
	slices.SortStableFunc(sorted, func(a, b eventseer.Rank) int { return cmp.Or(strings.Compare(a.System, b.System), b.Year-a.Year) })
	var chips []RankChip
	for i, r := range sorted {
		if !all && i > 0 && sorted[i-1].System == r.System || r.Value == "" {
			continue
		}
		term := fmt.Sprintf("rank:%s=%s", r.System, r.Value)
		chips = append(chips, RankChip{
			cmp.Or(systemNames[r.System], Clip(strings.ToUpper(r.System), 20)), Clip(r.Value, 20), YearText(r.Year), rankSource(r.Source),
			SearchHref(term, false),
		})
	}
	return chips
}

// rankSource names where a rank was read: a page, or a file by its name alone.
func rankSource(source string) Link {
	if WebLink(source) != "" {
		return SourceLink(source)
	}
	return Link{Text: Clip(source[strings.LastIndexByte(source, '/')+1:], 80)}
}
