package merge

import (
	"cmp"
	"slices"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/change"
)

// maxVotedDays is the maximum number of deadlines of a page that have votes.
const maxVotedDays = 16

// A printedDay is a deadline's kind and date.
type printedDay struct {
	kind eventseer.DeadlineKind
	date eventseer.Date
}

func printedDayOf(d eventseer.Deadline) printedDay { return printedDay{d.Kind, d.Date} }

// chooseDeadlines corrects deadlines for which pages print different dates. Merge chooses between two pages at a
// time; here each page has a vote. A date that was not chosen is used too
// if one page prints both dates, which are then deadlines of different calls. It replaces the chosen
// date if that belongs to another track, or if more pages print it and the chosen one is no extension.
func (b *siteVotes) chooseDeadlines() {
	votes := b.votesOfDays()
	b.out.Deadlines = slices.Clone(b.out.Deadlines)
	for i := range b.records {
		for _, d := range b.records[i].Deadlines {
			if d.Kind != eventseer.OtherDeadline && d.Source.URL != "" && !b.isChosen(d) {
				b.chooseDeadline(d, votes)
			}
		}
	}
	sortDeadlines(b.out.Deadlines)
	b.out.Deadlines = b.out.Deadlines[:min(len(b.out.Deadlines), eventseer.MaxDeadlines)]
}

// votesOfDays counts the pages that print each date.
func (b *siteVotes) votesOfDays() map[printedDay]int {
	votes := map[printedDay]int{}
	for i := range b.records {
		counted := map[printedDay]bool{}
		for _, d := range b.records[i].Deadlines {
			if k := printedDayOf(d); !counted[k] {
				counted[k] = true
				votes[k]++
			}
		}
	}
	return votes
}

// isChosen reports whether a date is a deadline of the event, or was one before an extension.
func (b *siteVotes) isChosen(d eventseer.Deadline) bool {
	return slices.ContainsFunc(b.out.Deadlines, func(x eventseer.Deadline) bool {
		return x.Kind == d.Kind && (x.Date == d.Date || x.ExtendedFrom == d.Date)
	})
}

// chooseDeadline adds a date to the deadlines, or replaces its rival by it, or does neither.
func (b *siteVotes) chooseDeadline(d eventseer.Deadline, votes map[printedDay]int) {
	var rivals []int
	apart := true
	for k, x := range b.out.Deadlines {
		if !isImported(x) && change.MayBeSameDeadline(x, d) {
			rivals = append(rivals, k)
			apart = apart && b.isBeside(x, d)
		}
	}
	switch {
	case len(rivals) == 0:
		return
	case len(rivals) == 1:
		x := b.out.Deadlines[rivals[0]]
		repeated := slices.ContainsFunc(b.out.Deadlines, func(o eventseer.Deadline) bool {
			return o.Kind == x.Kind && o.Date == x.Date && o.Track != x.Track
		})
		if apart && repeated || !apart && votes[printedDayOf(d)] > votes[printedDayOf(x)] && !saysExtension(x) {
			b.trail = append(b.trail, eventseer.Evidence{Field: x.Field(), Value: x.String(), Source: withoutSnippet(x.Source), Seen: b.out.LastSeen})
			d.Track, d.Round = cmp.Or(d.Track, x.Track), cmp.Or(d.Round, x.Round)
			b.out.Deadlines[rivals[0]] = d
			return
		}
	}
	if apart {
		b.out.Deadlines = append(b.out.Deadlines, d)
	}
}

// isBeside reports whether a page prints the dates of both deadlines.
func (b *siteVotes) isBeside(x, y eventseer.Deadline) bool {
	prints := func(e *eventseer.Event, d eventseer.Deadline) bool {
		return slices.ContainsFunc(e.Deadlines, func(o eventseer.Deadline) bool { return printedDayOf(o) == printedDayOf(d) })
	}
	for i := range b.records {
		if e := &b.records[i]; prints(e, x) && prints(e, y) {
			return true
		}
	}
	return false
}
