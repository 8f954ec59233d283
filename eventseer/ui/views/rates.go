package views

import (
	"fmt"
	"slices"

	"github.com/eventseer/eventseer/eventseer"
)

// RatesShown has the acceptance rates of a series as a chart and as a table.
type RatesShown struct {
	Rows   []RateRow // in the order of the table, newest first
	Bars   []rateBar // in the order of the chart, oldest first
	Lines  []rateLine
	Width  int // width of the chart, in its own units
	Height int
	Says   string // description of the chart in one sentence
}

// A RateRow is one year.
type RateRow struct {
	Year, Rate, Papers string
	Source             Link
}

// A rateBar is the bar of one year.
type rateBar struct {
	X, Y, Width, Height, Middle int
	Year, Rate                  string
	Labelled                    bool
}

// A rateLine is a horizontal line of the chart.
type rateLine struct {
	Y    int
	Text string
}

// Sizes of the chart.
const (
	barStep     = 40
	barWidth    = 26
	chartLeft   = 44
	chartTop    = 18
	chartHeight = 140
)

// rateOf returns the share of papers accepted, counted where the numbers are known.
func rateOf(r eventseer.Rate) (float64, bool) {
	rate := r.Rate
	if r.Submitted > 0 && r.Accepted > 0 {
		rate = float64(r.Accepted) / float64(r.Submitted)
	}
	return rate, rate > 0 && rate <= 1
}

// NewRatesShown draws the meaningful rates, or returns nil.
func NewRatesShown(rates []eventseer.Rate) *RatesShown {
	rates = slices.DeleteFunc(slices.Clone(rates), func(r eventseer.Rate) bool {
		_, ok := rateOf(r)
		return !ok
	})
	if len(rates) == 0 {
		return nil
	}
	slices.SortStableFunc(rates, func(a, b eventseer.Rate) int { return a.Year - b.Year })
	rates = rates[max(0, len(rates)-maxRates):]
	top := 0.0
	for _, r := range rates {
		rate, _ := rateOf(r)
		top = max(top, rate)
	}
	step := 0.1
	if top > .5 {
		step = .25
	}
	shown := &RatesShown{Width: chartLeft + len(rates)*barStep + 6, Height: chartTop + chartHeight + 24}
	scale := step
	for scale < top {
		scale += step
	}
	y := func(rate float64) int { return chartTop + chartHeight - int(rate/scale*chartHeight+.5) }
	for at := 0.0; at < scale+step/2; at += step {
		shown.Lines = append(shown.Lines, rateLine{y(at), fmt.Sprintf("%.0f %%", 100*at)})
	}
	for i, r := range rates {
		rate, _ := rateOf(r)
		x := chartLeft + i*barStep + (barStep-barWidth)/2
		text := fmt.Sprintf("%.1f %%", 100*rate)
		shown.Bars = append(shown.Bars, rateBar{X: x, Y: y(rate), Width: barWidth, Height: chartTop + chartHeight - y(rate), Middle: x + barWidth/2, Year: fmt.Sprint(r.Year), Rate: fmt.Sprintf("%.0f", 100*rate)})
		row := RateRow{Year: fmt.Sprint(r.Year), Rate: text, Source: rankSource(r.Source)}
		if r.Submitted > 0 && r.Accepted > 0 {
			row.Papers = fmt.Sprintf("%s of %s", thousandsText(r.Accepted), thousandsText(r.Submitted))
		}
		shown.Rows = append(shown.Rows, row)
	}
	first, last := shown.Rows[0], shown.Rows[len(shown.Rows)-1]
	shown.Says = fmt.Sprintf("Share of papers accepted, %s in %s", first.Rate, first.Year)
	if len(rates) > 1 {
		shown.Says += fmt.Sprintf(" and %s in %s", last.Rate, last.Year)
	}
	shown.Says += "; the table below has all years."
	slices.Reverse(shown.Rows)
	return shown
}
