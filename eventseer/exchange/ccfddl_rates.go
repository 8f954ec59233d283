package exchange

import (
	"cmp"
	"fmt"
	"strconv"

	"eventseer/eventseer"
	"eventseer/eventseer/series"

	"go.yaml.in/yaml/v3"
)

// ReadRates reads a file of acceptance rates in the layout of ccfddl; nothing of a file
// in another layout. source names the file where a rate names no source of its own.
func ReadRates(text []byte, source string) (all []eventseer.Series, errs []error) {
	var rows []yaml.Node
	if len(text) > MaxCCFDDL || yaml.Unmarshal(text, &rows) != nil {
		return nil, nil
	}
	for _, row := range rows[:min(len(rows), maxConferences)] {
		f, err := fieldsOf(row)
		if err != nil {
			continue // not of this layout
		}
		rates := f.list("accept_rates")
		s := eventseer.Series{Acronym: f.text("title")}
		s.ID = series.Of(eventseer.Event{Acronym: s.Acronym})
		if len(rates) == 0 || s.ID == "" {
			continue
		}
		for _, r := range rates[:min(len(rates), maxEditions)] {
			rate, err := readRate(r, source)
			if err != nil {
				errs = append(errs, fmt.Errorf("%s: %w", line(s.Acronym, 40), err))
				continue
			}
			s.Rates = append(s.Rates, rate)
		}
		all = append(all, s)
	}
	return all, errs
}

func readRate(row fields, source string) (r eventseer.Rate, err error) {
	year, err := strconv.Atoi(row.text("year"))
	if err != nil || year < 1950 || year > 2200 {
		return r, fmt.Errorf("%q is no year", line(row.text("year"), 20))
	}
	r = eventseer.Rate{Year: year, Source: cmp.Or(row.text("source"), source)}
	r.Submitted, _ = strconv.Atoi(row.text("submitted")) // absent of many
	r.Accepted, _ = strconv.Atoi(row.text("accepted"))
	r.Rate, _ = strconv.ParseFloat(row.text("rate"), 64)
	if r.Rate > 1 && r.Rate <= 100 { // in per cent
		r.Rate /= 100
	}
	if r.Rate == 0 && r.Submitted > 0 {
		r.Rate = float64(r.Accepted) / float64(r.Submitted)
	}
	if !(r.Rate > 0 && r.Rate <= 1) || r.Submitted < 0 || r.Accepted < 0 || r.Submitted > 0 && r.Accepted > r.Submitted {
		return r, fmt.Errorf("rate of %d cannot be: %d of %d, %g", year, r.Accepted, r.Submitted, r.Rate)
	}
	return r, nil
}
