package extract

import (
	"strings"

	"github.com/eventseer/eventseer/eventseer/extract/date"
)

// decideDayOrder decides between day first and month first for dates such as 10/11/2027. It uses the page's
// unambiguous dates, otherwise the page's language and host, the country of the event, and the order of
// dates.
func (p *page) decideDayOrder() {
	votes, open := 0, 0
	for _, d := range p.dates {
		switch {
		case d.Style == date.DayFirst:
			votes++
		case d.Style == date.MonthFirst:
			votes--
		case d.Either:
			open++
		}
	}
	if open == 0 {
		return
	}
	for _, order := range []func() int{p.orderOfLanguageAndHost, p.orderOfCountry, p.orderOfAscendingDates, p.orderOfTemplate} {
		if votes == 0 {
			votes = order()
		}
	}
	for i := range p.dates {
		if p.dates[i].Either && votes < 0 {
			p.dates[i].Span = p.dates[i].Swapped()
		}
		if votes != 0 {
			p.dates[i].Either = false
		}
	}
}

var americanHost = compilePattern(`(?i)^https?://[^/]+\.(us|edu|gov|mil)([:/]|$)`)
var countryHost = compilePattern(`(?i)^https?://[^/]+\.(?:[a-z]{2}|eu)([:/]|$)`)
var globalHost = compilePattern(`(?i)^https?://[^/]+\.(io|ai|co|me|tv|cc)([:/]|$)`)

// orderOfLanguageAndHost returns 1 for day first, -1 for month first, or 0 if neither language nor host
// decides.
func (p *page) orderOfLanguageAndHost() int {
	lang := strings.ToLower(p.lang)
	switch {
	case americanHost.MatchString(p.url):
		return -1
	case lang != "" && !strings.HasPrefix(lang, "en") || strings.HasPrefix(lang, "en-") && lang != "en-us":
		return 1
	case countryHost.MatchString(p.url) && !globalHost.MatchString(p.url):
		return 1
	}
	return 0
}

// orderOfCountry returns the order used in the first country named at the top of the page. It is 1 for day
// first, -1 for month first, and 0 if unknown.
func (p *page) orderOfCountry() int {
	for _, b := range p.blocks[:min(maxTop, len(p.blocks))] {
		switch v, _ := placeIn(cutToBytes(b.Text, maxLabel)); v.CountryCode {
		case "":
			continue
		case "US", "PH":
			return -1
		case "CA":
			return 0
		}
		return 1
	}
	return 0
}

// orderOfTemplate returns -1, for month first, on a page declared as American English, otherwise 0. It is
// used last because templates often declare American English for any page.
func (p *page) orderOfTemplate() int {
	if strings.EqualFold(p.lang, "en-us") {
		return -1
	}
	return 0
}

// orderOfAscendingDates returns the number of neighbouring dates in ascending order with the day first,
// minus that with the month first.
func (p *page) orderOfAscendingDates() int {
	votes := 0
	for i := 1; i < len(p.dates); i++ {
		a, b := p.dates[i-1].Span, p.dates[i].Span
		if !a.Either || !b.Either {
			continue
		}
		if !b.From.IsBefore(a.From) {
			votes++
		}
		if !b.Swapped().From.IsBefore(a.Swapped().From) {
			votes--
		}
	}
	return votes
}

// onlyYear returns the year in ys if all are equal, otherwise 0.
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

// yearIn returns the year in s if there is exactly one, otherwise 0. A year after p.last, as in "Vision
// 2050", counts as none.
func (p *page) yearIn(s string) int {
	if y := onlyYear(date.Years(s)); y <= p.last {
		return y
	}
	return 0
}

// editionYear returns the year of the edition: the year in the title, in the title element, or the most
// frequent year on the page. It returns 0 if there is none.
func (p *page) editionYear(title string) int {
	for _, s := range []string{title, p.t.Title()} {
		if y := p.yearIn(s); y != 0 {
			return y
		}
	}
	if y := p.commonYear(min(maxTop, len(p.blocks))); y != 0 {
		return y
	}
	return p.commonYear(len(p.blocks))
}

// commonYear returns the most frequent year in the first n blocks, the first of equally frequent ones, or
// 0. It counts years in dates, short blocks, after a short name, and beside a copyright sign. Other numbers
// in running text and the date of a mail do not count.
func (p *page) commonYear(n int) int {
	count := map[int]int{}
	best := 0
	add := func(y int) {
		if y == 0 || y > p.last {
			return
		}
		if count[y]++; count[y] > count[best] {
			best = y
		}
	}
	for i, b := range p.blocks[:n] {
		switch {
		case p.isMailDateLine(b):
		case len(b.Text) <= maxProse || p.mayMatch(i, copyright) && copyright.MatchString(b.Text):
			for _, y := range date.Years(b.Text) {
				add(y)
			}
		default:
			for _, d := range p.datesIn(i) {
				if d.inferred == "" {
					add(d.From.Year)
				}
			}
			if !p.mayMatch(i, editionNamed) {
				continue
			}
			for _, m := range editionNamed.FindAllString(cutToBytes(b.Text, maxBlockBytes), maxLabels) {
				add(onlyYear(date.Years(m)))
			}
		}
	}
	return best
}

// dayInAdjacentBlock is the reason given for a date whose day and month are in different blocks.
const dayInAdjacentBlock = "day from the block beside it"

// joinDays combines days with months if a page prints them as separate adjacent blocks, as a tear-off
// calendar does. An example is 31st above March 2027.
func (p *page) joinDays() {
	for n := range p.dates {
		d := &p.dates[n]
		i := d.block
		if d.From.Day != 0 || d.From != d.To || len(strings.TrimSpace(p.blocks[i].Text)) > d.End-d.Start+1 {
			continue
		}
		for _, j := range []int{i - 1, i + 1} {
			if j < 0 || j >= len(p.blocks) || sharedSteps(p.blocks[i].Path, p.blocks[j].Path) < sharedSteps(p.blocks[i].Path, p.blocks[max(0, min(len(p.blocks)-1, 2*i-j))].Path) {
				continue
			}
			if day, ok := date.LoneDay(p.blocks[j].Text); ok {
				d.From.Day, d.To.Day, d.inferred = day, day, dayInAdjacentBlock
				if !d.From.IsValid() {
					d.From.Day, d.To.Day, d.inferred = 0, 0, ""
				}
				break
			}
		}
	}
}
