package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"eventseer/classify/active"
	"eventseer/cmd/eventseer/internal/app"
	"eventseer/eventseer"
	"eventseer/eventseer/publish"
	"eventseer/internal/text"

	"github.com/spf13/cobra"
)

// writePreview shows what a list would have brought.
func writePreview(a *app.App, w io.Writer, p eventseer.Preview) error {
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
		fmt.Fprintf(w, "    %s\n", text.Printable(strings.Join(nonEmpty(next, i.Place), "; ")))
		if i.Passage != "" {
			fmt.Fprintf(w, "    %s\n", text.OneLine(bracketed(i.Passage, i.Marks), 700))
		}
		fmt.Fprintf(w, "    because of %s\n", text.Printable(strings.Join(i.Why, ", ")))
	}
	_, err := fmt.Fprintf(w, "%s since %s%s\n", someOf(p.Total, "call", "calls"), p.Since.UTC().Format("2006-01-02"), aWeek(p.PerWeek))
	return err
}

func aWeek(perWeek float64) string {
	if perWeek == 0 {
		return ""
	}
	return fmt.Sprintf(", about %s a week", strconv.FormatFloat(perWeek, 'g', 2, 64))
}

func nonEmpty(all ...string) []string {
	return slices.DeleteFunc(all, func(s string) bool { return s == "" })
}

// bracketed puts brackets around the marks of a passage.
func bracketed(s string, marks [][2]int) string {
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

func newClipLabelsCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use: "labels", Short: "Write readers' votes as lines of a labels file", Args: args(cobra.NoArgs),
		Example: "  eventseer clip labels -o votes.tsv && eventseer train --labels votes.tsv INPUT",
		Long: `Write what readers found useful or not as a labels file, a page a line, for training:
a page that more readers found useful than not is a call. Pages with as many votes for
as against are left out. No reader is named.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := openClipsFile(cmd.Context(), a)
			if err != nil {
				return err
			}
			lines, err := voteLabels(cmd.Context(), s)
			if err != nil {
				return err
			}
			return a.WithOutput(func(w io.Writer) error {
				_, err := io.WriteString(w, strings.Join(append([]string{strings.Join(active.Columns, "\t")}, lines...), "\n")+"\n")
				return err
			})
		},
	}
}

// voteLabels returns the lines of a labels file in the order of the pages' URLs.
func voteLabels(ctx context.Context, s *publish.Service) ([]string, error) {
	votes, err := s.Votes(ctx)
	if err != nil {
		return nil, err
	}
	sum := map[string]int{}
	for _, v := range votes {
		if v.URL != "" && active.IsField(v.URL) {
			sum[v.URL] += v.Useful
		}
	}
	var lines []string
	for url, n := range sum {
		if n == 0 {
			continue
		}
		label := map[string]string{"url": url, "page_type": "other", "is_cfp": strconv.FormatBool(n > 0), "how": "vote", "source": "readers"}
		if n > 0 {
			label["page_type"] = "cfp"
		}
		var fields []string
		for _, column := range active.Columns {
			fields = append(fields, label[column])
		}
		lines = append(lines, strings.Join(fields, "\t"))
	}
	slices.SortFunc(lines, func(a, b string) int { return cmp.Compare(a, b) })
	return lines, nil
}
