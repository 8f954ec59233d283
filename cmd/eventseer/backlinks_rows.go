package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"
	"time"

	"eventseer/cmd/eventseer/internal/admin"
	"eventseer/cmd/eventseer/internal/app"
	"eventseer/crawler/backlink"
	"eventseer/internal/text"
)

// A backlinkRow is one line of `backlinks`.
type backlinkRow struct {
	Source   string     `json:"source"`
	Target   string     `json:"target"`
	Anchor   string     `json:"anchor"`
	Title    string     `json:"title"`
	Provider string     `json:"provider"`
	Scope    string     `json:"scope"`    // it was found in
	Verified string     `json:"verified"` // yes, no, unreachable or unknown
	Reason   string     `json:"reason,omitempty"`
	NoFollow bool       `json:"nofollow"`
	Mention  bool       `json:"mention"` // the source prints the URL; it may not link
	Seen     *time.Time `json:"seen"`    // by the provider
	Cost     float64    `json:"cost"`    // its share of the answer's, in the provider's unit

	link backlink.Backlink
}

const unknownLink = "unknown"

// rowsOf makes a row of each link that was answered.
func rowsOf(c *backlink.Chain, replies []backlink.Reply, target string) ([]*backlinkRow, error) {
	var rows []*backlinkRow
	for _, r := range replies {
		seen, err := c.Verifications(r.Links, target)
		if err != nil {
			return nil, err
		}
		for i, l := range r.Links {
			row := &backlinkRow{
				Source: l.Source, Target: l.Target, Anchor: l.Anchor, Title: l.Title, Provider: l.Provider, Scope: l.Scope.String(),
				NoFollow: l.NoFollow, Mention: l.Mention, Seen: admin.TimeOrNil(l.Seen), Cost: r.Cost / float64(len(r.Links)), link: l,
			}
			row.verified(seen[i], "")
			rows = append(rows, row)
		}
	}
	return rows, nil
}

// verified notes what is known of the link.
func (r *backlinkRow) verified(v backlink.Verification, why string) {
	r.Verified, r.Reason = string(v), why
	if v == backlink.Unverified {
		r.Verified = unknownLink
	}
}

func writeBacklinks(w io.Writer, format string, rows []*backlinkRow) error {
	switch format {
	case "jsonl":
		return app.WriteJSONLines(w, rows)
	case "csv":
		return writeBacklinksCSV(w, rows)
	}
	if len(rows) == 0 {
		return nil
	}
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintln(t, "VERIFIED\tPROVIDER\tSCOPE\tCOST\tSOURCE\tANCHOR")
	for _, r := range rows {
		fmt.Fprintf(t, "%s\t%s\t%s\t%.3g\t%s\t%s\n", r.Verified, text.Printable(r.Provider), r.Scope, r.Cost, text.Printable(r.Source), text.OneLine(r.Anchor, 60))
	}
	return t.Flush()
}

func writeBacklinksCSV(w io.Writer, rows []*backlinkRow) error {
	out := csv.NewWriter(w)
	records := [][]string{{"source", "target", "anchor", "title", "provider", "scope", "verified", "reason", "nofollow", "mention", "seen", "cost"}}
	for _, r := range rows {
		seen := ""
		if r.Seen != nil {
			seen = r.Seen.Format(time.RFC3339)
		}
		records = append(records, []string{
			r.Source, r.Target, r.Anchor, r.Title, r.Provider, r.Scope, r.Verified, r.Reason,
			strconv.FormatBool(r.NoFollow), strconv.FormatBool(r.Mention), seen, strconv.FormatFloat(r.Cost, 'g', -1, 64),
		})
	}
	return out.WriteAll(records)
}
