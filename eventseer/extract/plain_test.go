package extract

import (
	"strings"
	"testing"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/google/go-cmp/cmp"
)

func TestUnwrapped(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       []string
	}{
		{"sentence", `The workshop on river dams will be held in the town of Oslo on the days
from 3 to 5 June 2027. Papers are to be sent by mail to the chairs until
1 March 2027. All of them are read by three people who know of dams and
of water, and the best are printed.

Welcome!`, []string{
			"The workshop on river dams will be held in the town of Oslo on the days from 3 to 5 June 2027. Papers are to be sent by mail to the chairs until 1 March 2027. All of them are read by three people who know of dams and of water, and the best are printed.",
			"Welcome!",
		}},
		{"list of dates", `Paper submission of full papers and short ones ........... 1 March 2027
Notification of acceptance to all authors by mail ........ 1 April 2027
Final versions of accepted papers, with all figures ...... 1 May 2027
The conference in Oslo with its workshops ................ 3 June 2027`, []string{
			"Paper submission of full papers and short ones ........... 1 March 2027",
			"Notification of acceptance to all authors by mail ........ 1 April 2027",
			"Final versions of accepted papers, with all figures ...... 1 May 2027",
			"The conference in Oslo with its workshops ................ 3 June 2027",
		}},
		{"items", `* water that flows over dams, around dams and in any other way that is
known to engineers
* dams that were built by beavers, or by people who had beavers to help
them in their work, and what became of them over the years that went by
* fish`, []string{
			"* water that flows over dams, around dams and in any other way that is known to engineers",
			"* dams that were built by beavers, or by people who had beavers to help them in their work, and what became of them over the years that went by",
			"* fish",
		}},
		{"quoted", `> The workshop on river dams will be held in the town of Oslo on the days
> from 3 to 5 June 2027.
>
> Papers are to be sent by mail to the chairs of the workshop, who wait
> for them until 1 March 2027, which is a Monday, as everybody can see.`, []string{
			"The workshop on river dams will be held in the town of Oslo on the days   from 3 to 5 June 2027.",
			"Papers are to be sent by mail to the chairs of the workshop, who wait   for them until 1 March 2027, which is a Monday, as everybody can see.",
		}},
		{"a place below a title", `           RDX 2027 - 11th Conference on Dams and Rivers of the Far South
                       Rivertown, Tasmania, Australia

Papers are to be sent by mail to the chairs of the workshop, who wait
for them until the first of March, who sit in their offices in
Oslo, Norway and who have beavers to help them with their dams.`, []string{
			"RDX 2027 - 11th Conference on Dams and Rivers of the Far South",
			"Rivertown, Tasmania, Australia",
			"Papers are to be sent by mail to the chairs of the workshop, who wait for them until the first of March, who sit in their offices in Oslo, Norway and who have beavers to help them with their dams.",
		}},
		{"not wrapped", "Short.\nlines stay.\n" + strings.Repeat("word ", 60) + "\n" + strings.Repeat("more ", 60), []string{
			"Short.", "lines stay.", strings.TrimSpace(strings.Repeat("word ", 60)), strings.TrimSpace(strings.Repeat("more ", 60)),
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			blocks, _ := unwrapLines(parse(t, "p.txt", test.text).Blocks())
			var got []string
			for _, b := range blocks {
				got = append(got, b.Text)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestMailDates checks that dates of a mail without years are read by the day on which it was sent, and
// that the source says so.
func TestMailDates(t *testing.T) {
	e, _ := newTestExtractor().Extract(parse(t, "m.txt", `Subject: Conference on River Dams
From: dams@example.org
Date: Mon, 2 Nov 2026 10:00:00 +0100

Paper submission: January 15
Conference: June 3-5, Oslo, Norway
`))
	if e.EventStart != "2027-06-03" || e.EventEnd != "2027-06-05" || e.Sources["event_start"].Inferred != yearOfMail {
		t.Errorf("event %s to %s, %q", e.EventStart, e.EventEnd, e.Sources["event_start"].Inferred)
	}
	want := []eventseer.Date{"2027-01-15"}
	var got []eventseer.Date
	for _, d := range e.Deadlines {
		got = append(got, d.Date)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// FuzzUnwrapped checks the offsets of the blocks of any text.
func FuzzUnwrapped(f *testing.F) {
	f.Add("> a long line of a quoted mail that goes on and on until the width\n> of it\n\n* item\n")
	f.Fuzz(func(t *testing.T, text string) {
		tree, err := tagtree.Parse(&webgraph.Page{URL: "mid:m", Text: text})
		if err != nil {
			return
		}
		blocks, from := unwrapLines(tree.Blocks())
		if len(blocks) > len(tree.Blocks()) || len(from) != 0 && len(from) != len(blocks) {
			t.Fatalf("%d blocks of %d lines, %d beginnings", len(blocks), len(tree.Blocks()), len(from))
		}
		for _, b := range blocks {
			if b.Text == "" {
				t.Fatal("an empty block")
			}
			for i := range len(b.Text) {
				if c := tree.Text()[b.Start+i]; c != b.Text[i] && b.Text[i] != ' ' {
					t.Fatalf("block %q: byte %d is %q in the text", b.Text, i, c)
				}
			}
		}
	})
}

// TestPairColumns checks that the columns of a PDF, printed one below the other, are read as rows.
func TestPairColumns(t *testing.T) {
	e, _ := newTestExtractor().Extract(parse(t, "c.txt", `Conference on River Dams 2027
Oslo, Norway

Important Dates
•
•

Paper submission:
Author notification:

1 February 2027 8 February 2027
1 April 2027
`))
	type deadline struct {
		Kind     eventseer.DeadlineKind
		Date, Of eventseer.Date
	}
	var got []deadline
	for _, d := range e.Deadlines {
		got = append(got, deadline{d.Kind, d.Date, d.ExtendedFrom})
	}
	want := []deadline{{eventseer.Submission, "2027-02-08", "2027-02-01"}, {eventseer.Notification, "2027-04-01", ""}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestRestoreDashes(t *testing.T) {
	for s, want := range map[string]string{
		"11 ? 13 April 2027":      "11 - 13 April 2027",
		"May 3rd\ufffd5th, 2027":  "May 3rd  -5th, 2027",
		"25 \uf02d 29 July":       "25   - 29 July",
		"Ready by May 3? 5 or 6?": "Ready by May 3? 5 or 6?",
		"Who? 12 people":          "Who? 12 people",
		"/page?2027":              "/page?2027",
	} {
		if got := restoreDashes(s); got != want {
			t.Errorf("%q: got %q, want %q", s, got, want)
		}
	}
}
