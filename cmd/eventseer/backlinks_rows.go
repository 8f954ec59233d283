package main

import (
	"fmt"
	"strconv"
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

// backlinkTable is the result of backlinks, a link a row.
var backlinkTable = app.Table[*backlinkRow]{
	Head: "VERIFIED\tPROVIDER\tSCOPE\tCOST\tSOURCE\tANCHOR",
	Line: func(r *backlinkRow) string {
		return fmt.Sprintf("%s\t%s\t%s\t%.3g\t%s\t%s", r.Verified, text.Printable(r.Provider), r.Scope, r.Cost, text.Printable(r.Source), text.OneLine(r.Anchor, 60))
	},
	Columns: []string{"source", "target", "anchor", "title", "provider", "scope", "verified", "reason", "nofollow", "mention", "seen", "cost"},
	Record: func(r *backlinkRow) []string {
		seen := ""
		if r.Seen != nil {
			seen = r.Seen.Format(time.RFC3339)
		}
		return []string{
			r.Source, r.Target, r.Anchor, r.Title, r.Provider, r.Scope, r.Verified, r.Reason,
			strconv.FormatBool(r.NoFollow), strconv.FormatBool(r.Mention), seen, strconv.FormatFloat(r.Cost, 'g', -1, 64),
		}
	},
}
