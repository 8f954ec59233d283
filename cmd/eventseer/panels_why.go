package main

import (
	"cmp"
	"fmt"
	"strconv"

	"eventseer/eventseer/ui"
)

// sheet shows the story of a page to the operator.
func (s *story) sheet() ui.Sheet {
	sheet := ui.Sheet{Intro: s.URL, Facts: []ui.Fact{{Name: "What happens to it", Value: cmp.Or(s.Why, "nothing: it was never proposed")}}}
	fact := func(name, value string) {
		if value != "" {
			sheet.Facts = append(sheet.Facts, ui.Fact{Name: name, Value: value})
		}
	}
	fact("State", s.State)
	fact("Last answer", s.answer())
	fact("A link to it would be refused", s.Refusal)
	fact("robots.txt", s.Robots)
	fact("Watched", s.Watched)
	fact("Redirects led to", s.FinalURL)
	if s.Due != nil {
		fact("Due", s.Due.UTC().Format("2 Jan 2006 15:04 UTC"))
	}
	if s.Host != nil {
		fact("Host", s.Host.facts())
	}
	way := ui.Table{Caption: "How it came here, back to a seed", Columns: []string{"Page", "How", "Anchor", "Score", "Why"}, Empty: "Not known."}
	for _, w := range s.Way {
		way.Rows = append(way.Rows, ui.Row{Cells: []ui.Cell{
			{Text: w.URL, Href: w.URL}, {Text: string(w.How)}, {Text: w.Anchor}, {Text: strconv.FormatFloat(w.Score, 'g', 3, 64)}, {Text: w.Why},
		}})
	}
	sheet.Tables = []ui.Table{way}
	if len(s.Linked) > 0 {
		linked := ui.Table{Caption: "Pages of other sites that link to it", Columns: []string{"Page"}}
		for _, url := range s.Linked {
			linked.Rows = append(linked.Rows, ui.Row{Cells: []ui.Cell{{Text: url, Href: url}}})
		}
		sheet.Tables = append(sheet.Tables, linked)
	}
	return sheet
}

// answer says what the last answer was, "" of a page that was not asked for.
func (s *story) answer() string {
	if s.Answered == nil {
		return ""
	}
	text := fmt.Sprintf("%s, status %d, %s", s.Fate, s.Status, s.Answered.UTC().Format("2 Jan 2006 15:04 UTC"))
	if s.Reason != "" {
		text += ": " + s.Reason
	}
	return text
}
