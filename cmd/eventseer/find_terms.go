package main

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/eventseer"
	"eventseer/eventseer/query"
	"eventseer/internal/text"

	"github.com/spf13/cobra"
)

// A termFlag is a flag of find that stands for a term of the query.
type termFlag struct {
	field, usage string
	values       *[]string
}

// termFlags are the flags of find that stand for terms.
type termFlags []termFlag

func addTermFlags(cmd *cobra.Command) termFlags {
	flags := termFlags{
		{field: "rank", usage: "`RANK` of the series, such as core:A*,A or core>=B"},
		{field: "due", usage: "next deadline within this `TIME`, such as 60d, 8w or 2027-03-01"},
		{field: "where", usage: "`PLACE`: a city, region, country, its code, a continent, eu, online, hybrid or onsite"},
		{field: "kind", usage: "`KIND`: conference, workshop, symposium, special_issue, summer_school or other"},
		{field: "topic", usage: "`WORDS` of a topic"},
	}
	for i, f := range flags {
		flags[i].values = cmd.Flags().StringArray(f.field, nil, f.usage)
	}
	return flags
}

// query returns a query with the terms of the flags that were given.
func (flags termFlags) query(text string) (string, error) {
	x, err := query.Parse(text)
	if err != nil {
		return "", app.Usage(err)
	}
	given := false
	for _, f := range flags {
		for _, value := range *f.values {
			given = true
			x, err = x.With(f.term(value))
			var bad *query.Error
			if errors.As(err, &bad) {
				return "", app.Usagef("--%s %s: %s", f.field, value, bad.Msg)
			}
			if err != nil {
				return "", app.Usagef("--%s %s: %w", f.field, value, err)
			}
		}
	}
	if !given {
		return text, nil // its errors count characters of what was typed
	}
	return x.String(), nil
}

// term writes the term that a value of the flag stands for.
func (f termFlag) term(value string) string {
	switch {
	case strings.ContainsAny(value[:min(1, len(value))], "<>=:"): // --due ">30d"
		return f.field + value
	case f.field == "due" && strings.Contains(value, "-"): // a day, which counts
		return f.field + "<=" + value
	}
	if term := query.TermText(f.field, value); term != "" {
		return term
	}
	return f.field + `:"` + value + `"`
}

// foundRecord is what find --format json prints.
func foundRecord(q eventseer.Query, found eventseer.Found, events []eventseer.Event) map[string]any {
	if events == nil {
		events = []eventseer.Event{}
	}
	record := map[string]any{"total": found.Total, "events": events}
	if q.Facets {
		record["facets"] = found.Facets
	}
	if found.Instead != "" {
		record["instead"] = found.Instead
	}
	return record
}

// maxFacetLines bounds the values of a facet that a terminal is told.
const maxFacetLines = 8

// sayFacets tells the facets with the terms that narrow the search to them.
func sayFacets(a *app.App, facets []eventseer.Facet) {
	if len(facets) == 0 {
		return
	}
	var b strings.Builder
	table := app.NewTabWriter(&b)
	for _, f := range facets {
		for i, v := range f.Values {
			if i == maxFacetLines {
				break
			}
			name := ""
			if i == 0 {
				name = f.Name
			}
			_, _ = table.Write([]byte(name + "\t" + strconv.Itoa(v.Count) + "\t" + text.OneLine(v.Value, 40) + "\t" + text.OneLine(v.Term, 60) + "\n"))
		}
	}
	_ = table.Flush() // to memory
	for line := range strings.Lines(b.String()) {
		a.Logf("%s", strings.TrimRight(line, "\n"))
	}
}

func sayFound(ctx context.Context, a *app.App, index eventseer.Index, q eventseer.Query, found eventseer.Found, shown int) {
	if found.Total == 0 && sayDoubts(ctx, a, index, q) {
		return
	}
	switch {
	case found.Total == 0 && found.Instead != "":
		a.Logf("nothing matches; did you mean: %s", text.OneLine(found.Instead, 200))
	case found.Total == 0 && !q.OpenAt.IsZero():
		a.Logf("no open call matches; --all searches closed ones too")
	case found.Total == 0:
		a.Logf("no call matches")
	case shown < found.Total:
		a.Logf("%d of %d calls shown; --limit shows more", shown, found.Total)
	}
}

// sayDoubts tells which terms of a query that finds nothing no call fits, and whether
// there are any.
func sayDoubts(ctx context.Context, a *app.App, index eventseer.Index, q eventseer.Query) bool {
	doubts, err := query.Doubts(ctx, index, q)
	if err != nil {
		return false // the answer stands without a reason
	}
	for _, d := range doubts {
		content := text.OneLine(d.Msg, 300)
		if d.Try != "" {
			content += "; did you mean: " + text.OneLine(d.Try, 200)
		}
		a.Logf("%s", content)
	}
	return len(doubts) > 0
}

// sayWrong shows a query that cannot be read, with what is wrong in it marked.
func sayWrong(a *app.App, bad *query.Error) {
	before, at, after := bad.Marked()
	if content := before + at + after; len(content) > 200 || text.OneLine(content, 200) != content {
		return // it would not stand in one line
	}
	a.Logf("  %s", before+at+after)
	a.Logf("  %s%s", strings.Repeat(" ", utf8.RuneCountInString(before)), strings.Repeat("^", max(1, utf8.RuneCountInString(at))))
}
