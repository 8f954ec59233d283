//go:build measure

package extract

import (
	"slices"
	"strconv"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/extract/date"
)

// A movedPair are two dates of a page of which the second may replace the first.
type movedPair struct {
	old, new int       // indexes of their entries; old is -1 for a date that the rules have replaced by new
	was      foundDate // date of old
	ruled    bool      // the rules say that the second replaces the first
	terms    []classify.Term
}

// Bounds on the pairs of a page.
const (
	maxMovedPairs   = 400
	maxEntriesApart = 12 // of two dates of one kind
)

// movedPairs returns the pairs of dates that a classifier judges. They are those that the rules join, and
// entries of one kind near each other of which the later one may replace the earlier one.
func (r *deadlineReader) movedPairs(es []entry) []movedPair {
	var pairs []movedPair
	for n, e := range es {
		seen := map[date.Day]bool{}
		for _, o := range e.replacedDates {
			if isDeadline(e.kind) && !seen[o.To] && len(pairs) < maxMovedPairs {
				seen[o.To] = true
				pairs = append(pairs, movedPair{old: -1, new: n, was: o, ruled: true})
			}
		}
	}
	for k := range es {
		for n := max(0, k-maxEntriesApart); n < min(len(es), k+maxEntriesApart+1) && len(pairs) < maxMovedPairs; n++ {
			if n != k && r.mayReplace(es, k, n) {
				pairs = append(pairs, movedPair{old: k, new: n, was: es[k].date})
			}
		}
	}
	if len(pairs) > 0 {
		c := r.countDays(es)
		for i := range pairs {
			pairs[i].terms = r.movedTerms(es, pairs[i], c)
		}
	}
	return pairs
}

// mayReplace reports whether the date of entry n may replace that of entry k.
func (r *deadlineReader) mayReplace(es []entry, k, n int) bool {
	o, e := es[k], es[n]
	if e.date.struck && !o.date.struck || o.date.From.Day == 0 || e.date.From.Day == 0 || o.kind != e.kind || !isDeadline(e.kind) {
		return false
	}
	gap := daysBetween(o.date.Span, e.date.Span)
	return gap > 0 && gap <= maxMovedDays || o.date.struck && gap < 0 && gap >= -maxMovedDays
}

// maxMovedDays is the maximum number of days between a date and the one that replaces it.
const maxMovedDays = 120

// daysBetween returns the number of days from the end of a to the end of b. A missing year is the one that
// brings them closest.
func daysBetween(a, b date.Span) int {
	switch {
	case a.To.Year == 0 && b.To.Year != 0:
		a.SetClosestYear(b.To)
	case b.To.Year == 0 && a.To.Year != 0:
		b.SetClosestYear(a.To)
	case a.To.Year == 0:
		a.SetYear(leapYear)
		b.SetYear(leapYear)
	}
	return int((b.To.Time().Unix() - a.To.Time().Unix()) / (24 * 3600))
}

// dayCounts say what the dates of a page are like together. They are the same whatever the rules say of a pair.
type dayCounts struct {
	struck, unstruck int
	ofDay            map[date.Day]int // dates with a day
	notified         date.Day         // first notification; zero if there is none with a year
}

func (r *deadlineReader) countDays(es []entry) dayCounts {
	c := dayCounts{ofDay: map[date.Day]int{}}
	for _, d := range r.dates {
		c.ofDay[d.To]++
		if d.struck {
			c.struck++
		} else {
			c.unstruck++
		}
	}
	if on, ok := firstOf(es, eventseer.Notification); ok {
		c.notified = on
	}
	return c
}

// movedTerms returns the features of a pair. What the rules say is none of them: they were written with the
// pages in view that the classifier learns from, so that it would trust them too much.
func (r *deadlineReader) movedTerms(es []entry, m movedPair, c dayCounts) []classify.Term {
	var s termSet
	e := es[m.new]
	o := entry{date: m.was}
	i, j := o.date.block, e.date.block
	gap := daysBetween(o.date.Span, e.date.Span)
	struck := "neither"
	switch {
	case o.date.struck && e.date.struck:
		struck = "both"
	case o.date.struck:
		struck = "old"
	}
	order := "old first"
	if j < i || i == j && e.date.Start < o.date.Start {
		order = "new first"
	}
	place := r.placeOfPair(i, j)

	s.add("struck", struck)
	s.add("gap", dayStep(gap))
	s.addIf(gap%7 == 0, "whole weeks")
	s.addIf(gap < 0, "earlier")
	s.add("struck and gap", struck+dayStep(gap))
	s.add("place", place)
	s.add("place, struck and order", place+struck+order)
	s.add("order", order)
	s.add("kind", string(e.kind))
	s.addIf(o.date.From != o.date.To || e.date.From != e.date.To, "range")
	s.addIf(e.prose, "new in prose")
	s.addIf(r.calls[i] != r.calls[j], "other call")
	s.add("news", yesOrNo(newsHeading.MatchString(r.headingAbove(i)))+yesOrNo(newsHeading.MatchString(r.headingAbove(j))))
	s.add("old and new printed", strconv.Itoa(min(3, c.ofDay[o.date.To]))+" "+strconv.Itoa(min(3, c.ofDay[e.date.To])))
	s.add("struck on page", yesOrNo(c.struck > 0)+yesOrNo(c.unstruck > c.struck))
	if on := e.date.To; c.notified.HasYear() && on.HasYear() {
		s.add("notified", yesOrNo(c.notified.IsBefore(on))+yesOrNo(c.notified.IsBefore(o.date.To)))
	}
	r.movedWords(&s, o.date, e.date)
	return s.terms
}

// placeOfPair says how two blocks are related.
func (r *deadlineReader) placeOfPair(i, j int) string {
	switch {
	case i == j:
		return "one block"
	case r.blocks[i].Table > 0 && r.blocks[i].Table == r.blocks[j].Table && r.blocks[i].Row == r.blocks[j].Row:
		return "one row"
	case r.blocks[i].Table > 0 && r.blocks[i].Table == r.blocks[j].Table && r.blocks[i].Col == r.blocks[j].Col && max(i-j, j-i) <= 4:
		return "one column"
	case max(i-j, j-i) == 1 && r.belongsTogether(min(i, j), max(i, j)):
		return "together"
	case max(i-j, j-i) <= 2 && r.isSameSection(i, j):
		return "beside"
	case r.isSameSection(i, j):
		return "one section"
	}
	return "apart"
}

// dayStep names the number of days between two dates.
func dayStep(days int) string {
	for _, n := range []int{-1, 2, 5, 8, 15, 22, 32, 50, 75} {
		if days <= n {
			return " to " + strconv.Itoa(n)
		}
	}
	return " long"
}

// Bounds on the texts around a pair whose words are features, in bytes.
const (
	maxPairWords   = 80
	maxBesideWords = 48
)

// movedWords adds the words around the dates of a pair and what they say.
func (r *deadlineReader) movedWords(s *termSet, o, e foundDate) {
	i, j := o.block, e.block
	was, is := r.blocks[i].Text, r.blocks[j].Text
	between, one := "", i == j
	if one {
		from, to := min(o.End, e.End), max(o.Start, e.Start)
		if from <= to {
			between = is[from:to]
		}
		s.add("between", strconv.Itoa(min(4, len(between)/12)))
		s.addIf(between == "", "one in the other")
		s.addIf(hasOnlyLinkWords(between, nil), "little between")
		s.addIf(listLink.MatchString(between), "list")
		s.addIf(movedTo.MatchString(between), "arrow")
		s.addWords("between", cutToBytes(between, maxPairWords))
	}
	beforeNew, behindNew := r.textsBeside(e)
	beforeOld, behindOld := r.textsBeside(o)
	for _, t := range []struct{ name, text string }{{"before new", beforeNew}, {"behind new", behindNew}, {"before old", beforeOld}, {"behind old", behindOld}} {
		s.addWords(t.name, t.text)
		s.addConcepts(t.name, t.text)
		s.addIf(saysExtended(t.text), t.name+" extended")
		s.addIf(formerOnly.MatchString(t.text), t.name+" former")
		s.addIf(excludesExtension.MatchString(t.text), t.name+" firm")
	}
	a, b := labelWords(beforeOld), labelWords(beforeNew)
	for _, w := range b {
		if !slices.Contains(a, w) {
			s.addWeighted("only new", w, wordWeight)
		}
	}
	for _, w := range a {
		if !slices.Contains(b, w) {
			s.addWeighted("only old", w, wordWeight)
		}
	}
	s.addIf(slices.Equal(a, b), "one label")
	s.addIf(len(a) == 0 || len(b) == 0, "no label")
	x, y := plainText{plainLabel(beforeOld), saysExtended(beforeOld), false}, plainText{plainLabel(beforeNew), saysExtended(beforeNew), false}
	s.addIf(labelsNameSameThing(x, y), "same thing")
	s.add("extended", yesOrNo(x.extended)+yesOrNo(y.extended))
	s.addIf(surelyNew.MatchString(beforeNew) != surelyNew.MatchString(beforeOld), "other thing")
	first, _ := roundOf(beforeOld)
	second, _ := roundOf(beforeNew)
	s.addIf(first != second, "other round")
	s.addWords("head", cutToBytes(r.headingAbove(j), maxHeadWords))
	s.addIf(saysExtended(r.headingAbove(j)), "head extended")
	if !one && len(was) <= maxBlockWords && len(is) <= maxBlockWords {
		s.addIf(slices.Equal(labelWords(was), labelWords(is)), "one wording")
	}
}

// textsBeside returns the texts before and behind a date in its block, up to the neighbouring dates.
func (r *deadlineReader) textsBeside(d foundDate) (before, behind string) {
	text := r.blocks[d.block].Text
	from, to := 0, len(text)
	for _, o := range r.datesIn(d.block) {
		if o.End <= d.Start {
			from = max(from, o.End)
		}
		if o.Start >= d.End {
			to = min(to, o.Start)
		}
	}
	return lastBytes(text[from:d.Start], maxBesideWords), cutToBytes(text[d.End:max(to, d.End)], maxBesideWords)
}
