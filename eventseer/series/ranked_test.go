package series

import (
	"strconv"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/eventseer"
)

// A printedEdition is a line of testdata/ranked.tsv.
type printedEdition struct {
	draw  string
	event eventseer.Event
	// series is the id of the ranked series that the edition is of, "-" or "unlisted" for none.
	series string
}

// TestRanksOfPrintedEditions finds the series, and so the ranks, of printed names of editions in two draws.
// At least 95 of 100 editions of ranked series must get the ranks of their series. No rank may be wrong: a
// rank of another series, or for an event with a name similar to a ranked one, or held at one, or of a series
// that the table does not know.
func TestRanksOfPrintedEditions(t *testing.T) {
	for _, draw := range []string{"1", "2"} {
		ranked, found, wrong, others := 0, 0, 0, 0
		for _, p := range printedEditions(t) {
			if p.draw != draw {
				continue
			}
			m, ok := Shipped().Match(PageOf(p.event))
			known := p.series != "-" && p.series != "unlisted"
			right := known && m.Series.ID == p.series
			switch {
			case known:
				ranked++
			default:
				others++
			}
			switch {
			case right:
				found++
			case ok && len(m.Series.Ranks) > 0:
				wrong++
				t.Errorf("draw %s: %s %d %q has the ranks of %s %v, want %s", draw, p.event.Acronym, p.event.Year, p.event.Title, m.Series.ID, m.Evidence, p.series)
			case known:
				t.Logf("draw %s: %s %d %q has no series, want %s", draw, p.event.Acronym, p.event.Year, p.event.Title, p.series)
			}
		}
		t.Logf("draw %s: of %d editions of ranked series %d have their ranks; of %d others %d have ranks (wrong ones in all: %d)", draw, ranked, found, others, wrong, wrong)
		if found*100 < 95*ranked || ranked < 50 || others < 50 {
			t.Errorf("draw %s: %d of %d editions of ranked series have their ranks", draw, found, ranked)
		}
	}
}

func printedEditions(t *testing.T) (all []printedEdition) {
	for line := range strings.Lines(readText(t, "testdata/ranked.tsv")) {
		cells := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if strings.HasPrefix(line, "#") || cells[0] == "draw" {
			continue
		}
		year, err := strconv.Atoi(cells[2])
		if err != nil || len(cells) != 6 {
			t.Fatalf("%q: %v", line, err)
		}
		// The addresses are those of pages that print the name, not of the event.
		all = append(all, printedEdition{cells[0], eventseer.Event{Acronym: cells[1] + " " + cells[2], Title: cells[3], Year: year}, cells[4]})
	}
	return all
}
