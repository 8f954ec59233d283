package show

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/internal/text"
)

// WritePreview prints what a list would have found.
func WritePreview(w io.Writer, p eventseer.Preview) error {
	for _, t := range p.Terms {
		if len(t.Same) > 0 {
			fmt.Fprintf(w, "%s: also %s\n", text.Printable(t.Term), text.Printable(strings.Join(t.Same, ", ")))
		}
	}
	for _, i := range p.Items {
		next := "no open deadline"
		if d := i.Next; d.Date != "" {
			next = fmt.Sprintf("%s %s", d.Kind, strings.TrimSpace(string(d.Date)+" "+d.TZ))
		}
		fmt.Fprintf(w, "%s  %s  (%s)\n", i.At.UTC().Format("2006-01-02"), text.OneLine(i.Title, 100), text.Printable(string(i.Event)))
		fmt.Fprintf(w, "    %s\n", text.Printable(strings.Join(nonEmptyTexts(next, i.Place), "; ")))
		if i.Passage != "" {
			fmt.Fprintf(w, "    %s\n", text.OneLine(bracketMarks(i.Passage, i.Marks), 700))
		}
		fmt.Fprintf(w, "    because of %s\n", text.Printable(strings.Join(i.Why, ", ")))
	}
	_, err := fmt.Fprintf(w, "%s since %s%s\n", text.Count(p.Total, "call", "calls"), p.Since.UTC().Format("2006-01-02"), perWeekText(p.PerWeek))
	return err
}

func perWeekText(perWeek float64) string {
	if perWeek == 0 {
		return ""
	}
	return fmt.Sprintf(", about %s a week", strconv.FormatFloat(perWeek, 'g', 2, 64))
}

func nonEmptyTexts(all ...string) []string {
	return slices.DeleteFunc(all, func(s string) bool { return s == "" })
}

// bracketMarks inserts brackets around the marks of a passage.
func bracketMarks(s string, marks [][2]int) string {
	var b strings.Builder
	at := 0
	for _, r := range marks {
		if r[0] < at || r[1] > len(s) || r[1] < r[0] {
			continue
		}
		b.WriteString(s[at:r[0]] + "[" + s[r[0]:r[1]] + "]")
		at = r[1]
	}
	return b.String() + s[at:]
}
