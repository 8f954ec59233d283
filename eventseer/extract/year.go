package extract

import (
	"regexp"
	"strconv"
	"strings"
)

// settleOrder decides between day-first and month-first for dates such as
// 10/11/2027: by dates of the page that can be read in one way only, else by
// the page's language and country, else by which reading is in order.
func (p *page) settleOrder() {
	votes, open := 0, 0
	for _, d := range p.dates {
		switch {
		case d.style == dayFirst:
			votes++
		case d.style == monthFirst:
			votes--
		case d.either:
			open++
		}
	}
	if open == 0 {
		return
	}
	if votes == 0 {
		votes = p.localOrder()
	}
	if votes == 0 {
		votes = p.risingOrder()
	}
	for i := range p.dates {
		if p.dates[i].either && votes < 0 {
			p.dates[i].span = p.dates[i].swapped()
		}
		if votes != 0 {
			p.dates[i].either = false
		}
	}
}

var americanHost = regexp.MustCompile(`(?i)^https?://[^/]+\.(us|edu|gov|mil)([:/]|$)`)
var countryHost = regexp.MustCompile(`(?i)^https?://[^/]+\.(?:[a-z]{2}|eu)([:/]|$)`)
var globalHost = regexp.MustCompile(`(?i)^https?://[^/]+\.(io|ai|co|me|tv|cc)([:/]|$)`)

// localOrder is positive for day-first, negative for month-first, 0 when
// neither language nor host says.
func (p *page) localOrder() int {
	lang := strings.ToLower(p.lang)
	switch {
	case lang == "en-us" || americanHost.MatchString(p.url):
		return -1
	case lang != "" && !strings.HasPrefix(lang, "en") || strings.HasPrefix(lang, "en-"):
		return 1
	case countryHost.MatchString(p.url) && !globalHost.MatchString(p.url):
		return 1
	}
	return 0
}

// risingOrder counts in which reading more neighbours are in order.
func (p *page) risingOrder() int {
	votes := 0
	for i := 1; i < len(p.dates); i++ {
		a, b := p.dates[i-1].span, p.dates[i].span
		if !a.either || !b.either {
			continue
		}
		if !b.from.before(a.from) {
			votes++
		}
		if !b.swapped().from.before(a.swapped().from) {
			votes--
		}
	}
	return votes
}

var yearPattern = regexp.MustCompile(`\b(19[89]\d|20\d\d)\b`)
var shortYear = regexp.MustCompile(`\p{L}\s?['’](\d\d)\b`)

// years returns the four-digit years in s.
func years(s string) []int {
	var ys []int
	for _, m := range yearPattern.FindAllString(clip(s, maxBlockBytes), 40) {
		y, _ := strconv.Atoi(m)
		ys = append(ys, y)
	}
	for _, m := range shortYear.FindAllStringSubmatch(clip(s, maxLabel), 4) {
		y, _ := strconv.Atoi(m[1])
		ys = append(ys, century(y))
	}
	return ys
}

// fillYears gives dates without a year the one that stands in their block or
// section, so that what remains open needs the event's own dates.
func (p *page) fillYears() {
	for i := range p.dates {
		d := &p.dates[i]
		if d.from.year != 0 || d.from.day == 0 {
			continue
		}
		y := onlyYear(years(p.blocks[d.block].Text))
		if y == 0 {
			y = onlyYear(years(p.heading(d.block)))
		}
		if y == 0 {
			continue
		}
		d.setYear(y)
	}
}

// onlyYear returns the one year in ys, or 0.
func onlyYear(ys []int) int {
	if len(ys) == 0 {
		return 0
	}
	for _, y := range ys {
		if y != ys[0] {
			return 0
		}
	}
	return ys[0]
}

// setYear sets the year of a range's end; a range over New Year begins in the
// year before.
func (s *span) setYear(y int) {
	s.to.year, s.from.year = y, y
	if s.to.month < s.from.month {
		s.from.year--
	}
}

// nearYear resolves a date by the nearest date of the same section that has a
// year: the year that brings the two closest.
func (p *page) nearYear(d *found) bool {
	i := p.first[d.block]
	for n := 1; n < maxRun; n++ {
		for _, j := range []int{i + n, i - n} {
			if j < 0 || j >= len(p.dates) || p.dates[j].from.day == 0 || p.dates[j].from.year == 0 || p.head[p.dates[j].block] != p.head[d.block] {
				continue
			}
			d.closest(p.dates[j].from)
			return true
		}
	}
	return false
}

// closest picks the year in which d lies closest to o.
func (s *span) closest(o day) {
	best, year := 0, 0
	for y := o.year - 1; y <= o.year+1; y++ {
		c := day{y, s.from.month, s.from.day}
		gap := c.time().Sub(o.time()).Hours()
		if g := int(max(gap, -gap)); year == 0 || g < best {
			best, year = g, y
		}
	}
	s.setYear(year)
	if s.from.year < year {
		s.from.year, s.to.year = year, year+1
	}
}

// beforeEvent picks the last year in which d lies before the event's end.
func (s *span) beforeEvent(end day) {
	s.setYear(end.year)
	if end.before(s.to) {
		s.setYear(end.year - 1)
	}
}
