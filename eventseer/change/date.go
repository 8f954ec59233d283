package change

import (
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/features/tagtree/diff"
)

// A datePosition is the position of a printed date. It has its block and its label, and the index of the
// matching date in the other version or -1.
type datePosition struct {
	block, mate int
	label       string // see plainLabel
}

// A datePairing finds which dates of two versions are the same, and which of them moved. Struck out
// dates are ignored.
type datePairing struct {
	c        *diff.Comparison
	old, new []eventseer.PrintedDate
	all      []eventseer.PrintedDate // of the new version, including struck out ones
	olds     []datePosition          // of old
	news     []datePosition
	mateOf   []int  // old block → new block, or -1
	same     []bool // for each old block: its words are in the new version
	kept     []bool // for each old block: its words and mark-up are in the new version
	fresh    []bool // for each new block: its words are not in the old version
}

func pairDates(old, new eventseer.Reading, c *diff.Comparison) *datePairing {
	p := &datePairing{c: c, all: new.Dates}
	p.mateOf = slices.Repeat([]int{-1}, len(c.Old.Blocks()))
	p.same, p.kept = make([]bool, len(c.Old.Blocks())), make([]bool, len(c.Old.Blocks()))
	p.fresh = slices.Repeat([]bool{true}, len(c.New.Blocks()))
	for _, k := range c.Kept {
		p.mateOf[k.Old], p.same[k.Old], p.kept[k.Old], p.fresh[k.New] = k.New, true, true, false
	}
	for _, k := range c.Restyled {
		p.kept[k.Old] = false
	}
	for _, h := range c.Hunks {
		for _, k := range h.Pairs {
			if k.Old >= 0 {
				p.mateOf[k.Old] = k.New
			}
		}
	}
	p.old = validAndPassedDates(old.Dates, func(d eventseer.PrintedDate) bool { return false })
	p.new = validAndPassedDates(new.Dates, p.isStruckAsPassed)
	p.olds, p.news = placesOf(p.old, c.Old), placesOf(p.new, c.New)
	p.pairAll()
	return p
}

// isStruckAsPassed reports whether a day of the new version is struck out with the whole of an otherwise
// changed line. Then it is past, not replaced.
func (p *datePairing) isStruckAsPassed(d eventseer.PrintedDate) bool {
	i := blockAt(p.c.New, d.Offset[0])
	if i < 0 || !p.fresh[i] {
		return false
	}
	b, struck := p.c.New.Blocks()[i], 0
	for _, s := range b.Struck {
		struck += s.End - s.Start
	}
	return 10*struck >= 9*len(b.Text)
}

// validAndPassedDates returns the valid dates, and those that have passed.
func validAndPassedDates(ds []eventseer.PrintedDate, passed func(eventseer.PrintedDate) bool) (out []eventseer.PrintedDate) {
	for _, d := range ds {
		if (!d.Struck || passed(d)) && d.To != "" && len(out) < maxPairedDates {
			out = append(out, d)
		}
	}
	return out
}

// maxPairedDates bounds the dates of a version that are compared.
const maxPairedDates = 1000

func placesOf(ds []eventseer.PrintedDate, t *tagtree.Tree) []datePosition {
	out := make([]datePosition, len(ds))
	for i, d := range ds {
		out[i] = datePosition{block: blockAt(t, d.Offset[0]), mate: -1, label: plainLabel(d.Label)}
	}
	return out
}

// blockAt returns the block that contains a byte of the text, or -1.
func blockAt(t *tagtree.Tree, offset int) int {
	blocks := t.Blocks()
	i, ok := slices.BinarySearchFunc(blocks, offset, func(b tagtree.Block, at int) int { return b.Start - at })
	if !ok {
		i--
	}
	return i
}

// pairAll pairs equal days first, in the same block and then anywhere. Then it pairs dates that
// moved within a block, and finally dates with equal labels in added and removed blocks.
func (p *datePairing) pairAll() {
	aligned := func(i, j int) bool { return p.mateOf[p.olds[i].block] == p.news[j].block }
	p.pairWhere(func(i, j int) bool { return aligned(i, j) && sameDays(p.old[i], p.new[j]) })
	p.pairWhere(func(i, j int) bool { return sameDays(p.old[i], p.new[j]) && isSamePurpose(p.old[i], p.new[j]) })
	p.pairWhere(func(i, j int) bool { return p.isReplacement(p.old[i], p.new[j]) })
	p.pairWhere(func(i, j int) bool { return aligned(i, j) && isSamePurpose(p.old[i], p.new[j]) })
	p.pairWhere(func(i, j int) bool {
		return aligned(i, j) && !p.same[p.olds[i].block] && !labelsContradict(p.old[i], p.new[j])
	})
	p.pairWhere(func(i, j int) bool {
		return p.fresh[p.news[j].block] && p.olds[i].label != "" && p.olds[i].label == p.news[j].label && isSamePurpose(p.old[i], p.new[j])
	})
}

func (p *datePairing) pairWhere(same func(i, j int) bool) {
	from := 0 // earlier ones are paired already
	for i := range p.old {
		if p.olds[i].mate >= 0 {
			continue
		}
		for from < len(p.new) && p.news[from].mate >= 0 {
			from++
		}
		for j := from; j < len(p.new); j++ {
			if p.news[j].mate < 0 && same(i, j) {
				p.olds[i].mate, p.news[j].mate = j, i
				break
			}
		}
	}
}

// isReplacement reports whether the new version prints the date of old struck out next to that of new.
func (p *datePairing) isReplacement(old, new eventseer.PrintedDate) bool {
	k, ok := slices.BinarySearchFunc(p.all, new.Offset[0], func(d eventseer.PrintedDate, at int) int { return d.Offset[0] - at })
	if !ok {
		return false
	}
	return slices.ContainsFunc([]int{k - 1, k + 1}, func(n int) bool {
		return n >= 0 && n < len(p.all) && p.all[n].Struck && sameDays(p.all[n], old) && !labelsContradict(old, new) && p.hasSameMeaning(p.all[n], new)
	})
}

// hasSameMeaning reports whether a struck out date has the same meaning as another: it is in its block, or
// has its label.
func (p *datePairing) hasSameMeaning(struck, now eventseer.PrintedDate) bool {
	return blockAt(p.c.New, struck.Offset[0]) == blockAt(p.c.New, now.Offset[0]) || plainLabel(struck.Label) == plainLabel(now.Label)
}

// sameDays reports whether two dates name the same days, if their years are known.
func sameDays(a, b eventseer.PrintedDate) bool {
	return a.From.InYearOf(b.From) == b.From.InYearOf(a.From) && a.To.InYearOf(b.To) == b.To.InYearOf(a.To)
}

// isSamePurpose reports whether two dates are printed for the same purpose.
func isSamePurpose(a, b eventseer.PrintedDate) bool {
	return a.Event == b.Event && a.Kind == b.Kind && !ContradictingTracks(a.Track, b.Track)
}

// labelsContradict reports whether the labels of two dates name different things.
func labelsContradict(a, b eventseer.PrintedDate) bool {
	named := func(d eventseer.PrintedDate) bool {
		return d.Event || d.Kind != "" && d.Kind != eventseer.OtherDeadline
	}
	return named(a) && named(b) && !isSamePurpose(a, b)
}

// plainLabel returns a label in lower case without punctuation, numbers and notes on extensions.
func plainLabel(s string) string {
	s = extensionAside.ReplaceAllString(strings.ToLower(s), " ")
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) }), " ")
}

// durationBetween returns b minus a, 0 if either is not a day. For dates without a year the shorter way
// around New Year is used.
func durationBetween(a, b eventseer.Date) time.Duration {
	x, ok := a.InYearOf(b).Time()
	y, ok2 := b.InYearOf(a).Time()
	if !ok || !ok2 {
		return 0
	}
	by := y.Sub(x)
	const year = 365 * 24 * time.Hour
	if (a.IsYearless() || b.IsYearless()) && by < -year/2 {
		by += year
	}
	return by
}
