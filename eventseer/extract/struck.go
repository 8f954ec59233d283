package extract

import (
	"slices"
	"strings"

	"eventseer/features/tagtree"
)

// parted returns a block's text twice, with spaces for what is struck out and
// with spaces for what is not, so that the dates of the two are read apart and
// keep their offsets: of "May <s>3</s> 9" only May 9 holds.
func parted(b tagtree.Block) (kept, struck string) {
	if len(b.Struck) == 0 {
		return b.Text, ""
	}
	k, s := []byte(b.Text), []byte(strings.Repeat(" ", len(b.Text)))
	for _, sp := range b.Struck {
		from, to := max(0, sp.Start), min(sp.End, len(k))
		for i := from; i < to; i++ {
			k[i], s[i] = ' ', b.Text[i]
		}
	}
	return string(k), string(s)
}

// addStruck adds the dates of block i that are struck out to those that hold,
// in printed order; one that is printed inside another date is noted there.
func addStruck(ds []found, i int, struck string, r dateReader) []found {
	if r.ts == nil {
		r.ts = tokenize(struck) // a month alone
	}
	old := r.dates()
	for _, sp := range old {
		if sp.from.day == 0 {
			continue
		}
		if n := slices.IndexFunc(ds, func(d found) bool { return sp.start < d.end && d.start < sp.end }); n >= 0 {
			ds[n].was = append(ds[n].was, sp)
			continue
		}
		ds = append(ds, found{span: sp, block: i, struck: true})
	}
	slices.SortStableFunc(ds, func(a, b found) int { return a.start - b.start })
	for n := range ds {
		if !ds[n].struck && ds[n].from == ds[n].to {
			ds[n].noteStruckPart(r, struck, old)
		}
	}
	return ds
}

// noteStruckPart reads a lone day or month that is struck out inside or right
// before a date, which had it before. old are the whole dates struck out.
func (d *found) noteStruckPart(r dateReader, struck string, old []span) {
	near, _ := slices.BinarySearchFunc(r.ts, d.start-maxGap, func(t token, at int) int { return t.start - at })
	for i := near; i < len(r.ts) && r.ts[i].end <= d.end; i++ {
		t := r.ts[i]
		whole := slices.ContainsFunc(old, func(o span) bool { return o.from.day != 0 && o.start <= t.start && t.end <= o.end })
		if whole || t.end <= d.start && says(struck[t.end:d.start]) {
			continue
		}
		if p := r.tok(i - 1); p.kind == word && months[p.text] == 0 {
			continue // "Round 3"
		}
		was := d.span
		if m, _, ok := r.month(i); ok {
			was.from.month = m
		} else if t.isDay() {
			was.from.day = t.num
		} else {
			continue
		}
		was.to = was.from
		if was.start, was.end = t.start, t.end; was.from.valid() && was.from != d.from && len(d.was) == 0 {
			d.was = append(d.was, was)
		}
	}
}

// maxGap bounds the bytes between a day that is struck out and its month.
const maxGap = 12
