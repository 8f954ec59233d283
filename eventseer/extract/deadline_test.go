package extract

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/eventseer"

	"github.com/google/go-cmp/cmp"
)

// sayDeadlines prints deadlines for comparison, one per line.
func sayDeadlines(ds []eventseer.Deadline) string {
	var b strings.Builder
	for _, d := range ds {
		fmt.Fprintf(&b, "%s %s", d.Kind, d.Date)
		if d.ExtendedFrom != "" {
			fmt.Fprintf(&b, " from %s", d.ExtendedFrom)
		}
		if d.Track != "" {
			fmt.Fprintf(&b, " track %s", d.Track)
		}
		if d.Round != 0 {
			fmt.Fprintf(&b, " round %d", d.Round)
		}
		if d.Firm {
			b.WriteString(" firm")
		}
		fmt.Fprintf(&b, " by %s\n", d.Source.Rule)
	}
	return b.String()
}

// TestDeadlineShapes reads the layouts in which pages print deadlines.
func TestDeadlineShapes(t *testing.T) {
	for _, test := range []struct{ name, body, want string }{
		{"struck", "<li>Papers due: <s>May 1, 2027</s> May 9, 2027", "submission 2027-05-09 from 2027-05-01 by label-left\n"},
		{"line-through", "<li>Papers due: <span style='text-decoration:line-through'>May 1, 2027</span> <b>May 9, 2027</b>", "submission 2027-05-09 from 2027-05-01 by label-left\n"},
		{"was", "<li>Papers due: May 9, 2027 (was May 1, 2027)", "submission 2027-05-09 from 2027-05-01 by label-left\n"},
		{"an earlier day in brackets", "<li>Papers due: May 9, 2027 (May 2, 2027)", "submission 2027-05-09 by label-left\nsubmission 2027-05-02 by label-left\n"},
		{"extended to", "<li>Papers due: May 1, 2027, extended to May 9, 2027", "submission 2027-05-09 from 2027-05-01 by label-left\n"},
		{"arrow", "<li>Papers due: May 1, 2027 → May 9, 2027", "submission 2027-05-09 from 2027-05-01 by label-left\n"},
		{"old deadline", "<li>Papers due (new deadline): May 9, 2027 (old deadline: May 1, 2027)", "submission 2027-05-09 from 2027-05-01 by label-left\n"},
		{"original deadline below", "<li>Papers due: May 9, 2027 (extended)<li>Original deadline: May 1, 2027", "submission 2027-05-09 from 2027-05-01 by label-left\n"},
		{"moved in a sentence", "<p>The deadline for papers has been extended from May 1 to May 9, 2027.", "submission 2027-05-09 from 2027-05-01 by label-left\n"},
		{"old and new columns", "<table><tr><th>What<th>Original<th>Extended<tr><td>Papers due<td>May 1, 2027<td>May 9, 2027</table>", "submission 2027-05-09 from 2027-05-01 by table\n"},
		{"a struck day before the month", "<li>Papers due: <s>1</s> 9 May 2027", "submission 2027-05-09 from 2027-05-01 by label-left\n"},
		{"a struck day behind the month", "<li>Papers due: May <s>1</s> 9, 2027", "submission 2027-05-09 from 2027-05-01 by label-left\n"},
		{"a struck month", "<li>Papers due: 9 <del>April</del> May 2027", "submission 2027-05-09 from 2027-04-09 by label-left\n"},
		{"struck days without a space", "<li>Papers due: <s>April 3 9</s>May 9, 2027", "submission 2027-05-09 from 2027-04-03 by label-left\n"},
		{"struck in another month", "<li>Papers due: <s>April 28</s> May 9, 2027", "submission 2027-05-09 from 2027-04-28 by label-left\n"},
		{"struck twice", "<li>Papers due: <s>April 3, 2027</s> <s>May 1, 2027</s> May 9, 2027", "submission 2027-05-09 from 2027-05-01 by label-left\n"},
		{"a struck number", "<li><s>Version 3</s> Papers due: May 9, 2027", "submission 2027-05-09 by label-left\n"},
		{"newest first", "<li>Deadline extension: May 9, 2027<li><s>Deadline extension: May 1, 2027</s><li><s>Submission deadline: April 3, 2027</s>", "submission 2027-05-09 from 2027-05-01 by label-left\n"},
		{"extended below", "<li>Papers due: May 1, 2027<li>Extended deadline: May 9, 2027<li>Final version: June 1, 2027<li>Extended deadline for the final paper version: June 9, 2027",
			"submission 2027-05-09 from 2027-05-01 by label-left\ncamera_ready 2027-06-09 from 2027-06-01 by label-left\n"},
		{"extended twice below", "<li>Abstracts due: April 3, 2027<li>The deadline was extended to May 1, 2027<li>The deadline was extended to May 9, 2027", "abstract 2027-05-09 from 2027-05-01 by label-left\n"},
		{"other parts below", "<li>Full papers due: May 1, 2027<li>Short papers due (extended): May 9, 2027<li>Round 1 submission: June 1, 2027<li>Round 2 submission (extended): July 1, 2027",
			"submission 2027-05-01 track Full papers by label-left\nsubmission 2027-05-09 track Short papers by label-left\nsubmission 2027-06-01 round 1 by label-left\nsubmission 2027-07-01 round 2 by label-left\n"},
		{"Spanish", "<li>Límite para el envío de trabajos: 1 de mayo de 2027<li>Fecha extendida: 9 de mayo de 2027", "submission 2027-05-09 from 2027-05-01 by label-left\n"},
		{"Portuguese", "<p>Os trabalhos poderão ser submetidos até 1 de maio de 2027 (prorrogado até 9 de maio de 2027).", "submission 2027-05-09 from 2027-05-01 by label-left\n"},
		{"Italian", "<li>Invio dei contributi: 1 maggio 2027, prorogata al 9 maggio 2027<li>Versione finale: 9 giugno 2027", "submission 2027-05-09 from 2027-05-01 by label-left\ncamera_ready 2027-06-09 by label-left\n"},
		{"Chinese", "<li>投稿截止：2027年5月1日 延期至 2027年5月9日<li>作者通知：2027年6月1日", "submission 2027-05-09 from 2027-05-01 by label-left\nnotification 2027-06-01 by label-left\n"},
		{"parts below a heading of deadlines", "<h3>Submission deadlines</h3><ul><li>Sails: May 1, 2027<li>Masts: May 9, 2027</ul><h3>Notification dates</h3><ul><li>Sails: June 1, 2027</ul>",
			"submission 2027-05-01 track Sails by label-left\nsubmission 2027-05-09 track Masts by label-left\nnotification 2027-06-01 track Sails by label-left\n"},
		{"papers before tutorials", "<li>Papers, tutorials and panels due: May 9, 2027", "submission 2027-05-09 by label-left\n"},
		{"days of the event", "<p>August 4-6, 2027</p><li>Tutorials: August 4, 2027<li>Workshops and tutorials: August 4-5, 2027<li>Tutorial proposals: May 9, 2027", "tutorial_proposal 2027-05-09 by label-left\n"},
		{"final submission", "<li>Final submission deadline: May 9, 2027", "submission 2027-05-09 by label-left\n"},
		{"a plain sentence beside a list", "<p>The deadline for submissions is April 3, 2027. Papers are read by two readers each, and what they write goes to the authors in the summer of the year, when the kites fly and the wind is fair, as every year since the first of these workshops on kites.</p><li>Late papers due: May 9, 2027",
			"submission 2027-04-03 by prose\nsubmission 2027-05-09 by label-left\n"},
		{"abstracts by their length", "<p>Length of abstract: 300 words</p><li>Submission deadline: May 9, 2027", "abstract 2027-05-09 by label-left\n"},
		{"firm", "<li>Papers due: May 9, 2027 (firm, no extensions)", "submission 2027-05-09 firm by label-left\n"},
		{"labels in the first column", "<table><tr><td>Papers due<td>May 9, 2027<tr><td>Notification<td>June 9, 2027</table>", "submission 2027-05-09 by table\nnotification 2027-06-09 by table\n"},
		{"labels in the head row", "<table><tr><th>Papers due<th>Notification<tr><td>May 9, 2027<td>June 9, 2027</table>", "submission 2027-05-09 by table\nnotification 2027-06-09 by table\n"},
		{"dates in the first column", "<table><tr><td>May 9, 2027<td>Papers due<tr><td>June 9, 2027<td>Notification</table>", "submission 2027-05-09 by table\nnotification 2027-06-09 by table\n"},
		{"tracks in rows", "<table><tr><th>Track<th>Submission<th>Notification<tr><td>Sails<td>May 1, 2027<td>June 1, 2027<tr><td>Masts<td>May 9, 2027<td>June 9, 2027</table>",
			"submission 2027-05-01 track Sails by table\nnotification 2027-06-01 track Sails by table\nsubmission 2027-05-09 track Masts by table\nnotification 2027-06-09 track Masts by table\n"},
		{"rounds in columns", "<table><tr><th><th>Round 1<th>Round 2<tr><td>Papers due<td>May 1, 2027<td>June 1, 2027</table>", "submission 2027-05-01 round 1 by table\nsubmission 2027-06-01 round 2 by table\n"},
		{"definition list", "<dl><dt>Papers due<dd>May 1, 2027<dt>Notification<dd>June 1, 2027</dl>", "submission 2027-05-01 by definition-list\nnotification 2027-06-01 by definition-list\n"},
		{"headings over dates", "<p>Aug 5-7, 2027, Oslo</p><h4>Submission deadline</h4><p>May 1, 2027</p><h4>Notification</h4><p>June 1, 2027</p>", "submission 2027-05-01 by neighbour\nnotification 2027-06-01 by neighbour\n"},
		{"a rule between", "<pre>Deadline for submissions:\n==========\n1 May 2027\n</pre>", "submission 2027-05-01 by neighbour\n"},
		{"rounds by headings", "<h3>Round I</h3><li>Papers due: Jan 1, 2027<li>Notification: Feb 2, 2027<h3>Round II</h3><li>Papers due: Mar 1, 2027<li>Notification: Apr 2, 2027",
			"submission 2027-01-01 round 1 by label-left\nnotification 2027-02-02 round 1 by label-left\nsubmission 2027-03-01 round 2 by label-left\nnotification 2027-04-02 round 2 by label-left\n"},
		{"seasons", "<h3>Fall deadline</h3><li>Papers due: Oct 1, 2026<h3>Spring deadline</h3><li>Papers due: Mar 1, 2027", "submission 2026-10-01 round 1 by label-left\nsubmission 2027-03-01 round 2 by label-left\n"},
		{"two in a line", "<p>Abstract due May 1, 2027 / full paper due May 9, 2027", "abstract 2027-05-01 by label-left\nsubmission 2027-05-09 by label-left\n"},
		{"two kinds in a label", "<li>Notification and registration opens: June 1, 2027", "notification 2027-06-01 by label-left\n"},
		{"final versions", "<li>May 1, 2027: Papers due<li>June 1, 2027: Notification<li>July 1, 2027: Proceedings version", "submission 2027-05-01 by label-right\nnotification 2027-06-01 by label-right\ncamera_ready 2027-07-01 by label-right\n"},
		{"revised papers", "<li>Papers due: May 1, 2027<li>Notification: June 1, 2027<li>Revised papers due: July 1, 2027", "submission 2027-05-01 by label-left\nnotification 2027-06-01 by label-left\ncamera_ready 2027-07-01 by label-left\n"},
		{"abstracts asked for in the text", "<p>Please submit an abstract of 300 words.</p><li>Submission deadline: May 1, 2027", "abstract 2027-05-01 by label-left\n"},
		{"Polish", "<li>Termin nadsyłania artykułów: 1 maja 2027<li>Powiadomienie o przyjęciu: 2 czerwca 2027", "submission 2027-05-01 by label-left\nnotification 2027-06-02 by label-left\n"},
		{"Russian", "<li>Срок подачи статей: 1 марта 2027<li>Уведомление о принятии: 2 апреля 2027", "submission 2027-03-01 by label-left\nnotification 2027-04-02 by label-left\n"},
		{"a title below a heading", "<h4>Registration deadline</h4><ul><li>A note on kites of 22 November 2026</ul>", ""},
		{"an update", "<p>UPDATE 12 May 2027: two further ways of submission:</p><ul><li>Papers<li>Abstracts</ul>", ""},
		{"news", "<h2>News</h2><ul><li>May 1, 2027: paper deadline extended<li>April 1, 2027: paper submission open</ul>", ""},
		{"a copyright line", "<p>Copyright 2027. Last updated March 3, 2027. Papers", ""},
		{"homework", "<li>Homework 3, due March 3, 2027", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			e, _ := newTestExtractor().Extract(parse(t, "p.html", "<title>KITE 2027</title><h1>Workshop on Kites</h1><h2>Important Dates</h2>"+test.body))
			if diff := cmp.Diff(test.want, sayDeadlines(e.Deadlines)); diff != "" {
				t.Error(diff)
			}
			for _, d := range e.Deadlines {
				if d.Source.Confidence <= 0 || d.Source.Confidence > 1 {
					t.Errorf("%s %s: confidence %v", d.Kind, d.Date, d.Source.Confidence)
				}
			}
		})
	}
}

// TestNotesOfWeblog checks that the day of a post is not a deadline of the thing its title is about.
func TestNotesOfWeblog(t *testing.T) {
	e, _ := newTestExtractor().Extract(parse(t, "p.html", "<title>Notes</title><h2>How I wrote my PhD in the rain</h2><p>May 3, 2027</p><p>It poured.</p><h2>A paper on umbrellas</h2><p>May 9, 2027</p><p>Two of them.</p>"))
	if len(e.Deadlines) != 0 {
		t.Errorf("got %s", sayDeadlines(e.Deadlines))
	}
}

func TestRoundOf(t *testing.T) {
	for s, want := range map[string]struct {
		number int
		season string
	}{
		"Round 2 submission":           {2, ""},
		"Cycle #1":                     {1, ""},
		"Phase III":                    {3, ""},
		"First submission deadline":    {1, ""},
		"2nd round":                    {2, ""},
		"Autumn deadline":              {0, "fall"},
		"Second Call for Papers":       {0, ""},
		"Notification (2nd call)":      {2, ""},
		"Papers on surround sound due": {0, ""},
	} {
		if n, season := roundOf(s); n != want.number || season != want.season {
			t.Errorf("%q: round %d %q, want %d %q", s, n, season, want.number, want.season)
		}
	}
}

// TestTextOfExtension reads deadlines whose label announces an extension in another block than the day. The
// text must contain it, also if the day is printed elsewhere without it.
func TestTextOfExtension(t *testing.T) {
	for body, want := range map[string]string{
		"<h2>Extended submission deadline</h2><p>May 9, 2027</p>":                                               "Extended submission deadline May 9, 2027",
		"<p>The deadline for papers is May 9, 2027.</p><h2>Extended submission deadline</h2><p>May 9, 2027</p>": "Extended submission deadline May 9, 2027",
		"<h2>Submission deadline</h2><p>May 9, 2027</p>":                                                        "May 9, 2027",
	} {
		e, _ := newTestExtractor().Extract(parse(t, "p.html", "<h1>Workshop on Kites 2027</h1><p>August 4-6, 2027</p>"+body))
		var texts []string
		for _, d := range e.Deadlines {
			texts = append(texts, string(d.Kind)+": "+d.Text)
		}
		if !slices.Equal(texts, []string{"submission: " + want}) {
			t.Errorf("%s gives %q, want %q", body, texts, want)
		}
	}
}

// FuzzDeadlines reads pages of random blocks. The results must be bounded, and their sources must be dates
// inside the text.
func FuzzDeadlines(f *testing.F) {
	for seed := range uint64(8) {
		f.Add(seed, "Papers due")
	}
	f.Add(uint64(9), "extended from")
	parts := []string{
		"<li>", "<p>", "<tr><td>", "<td>", "<table>", "</table>", "<dl><dt>", "<dd>", "<h2>", "<s>", "</s>", "<ul>", "</ul>", " ", ": ", " (", ") ", "<br>",
		"May 3, 2027", "3.5.2027", "June 9", "1 May to 9 May 2027", "Notification", "camera-ready", "Round 2", "extended to", "was", "firm", "Important Dates", "Abstract",
	}
	x := newTestExtractor()
	f.Fuzz(func(t *testing.T, seed uint64, s string) {
		var b strings.Builder
		b.WriteString("<title>X 2027</title>")
		r := rand.New(rand.NewPCG(seed, 1))
		for range 40 {
			if n := r.IntN(len(parts) + 1); n < len(parts) {
				b.WriteString(parts[n])
			} else {
				b.WriteString(s)
			}
		}
		tree := parse(t, "p.html", b.String())
		e, _ := x.Extract(tree)
		if len(e.Deadlines) > maxDeadlines {
			t.Fatalf("%d deadlines", len(e.Deadlines))
		}
		for _, d := range e.Deadlines {
			from, to := d.Source.Offset[0], d.Source.Offset[1]
			if _, ok := d.Date.Time(); !ok || from < 0 || from >= to || to > len(tree.Text()) || d.ExtendedFrom == d.Date || d.Source.Rule == "" {
				t.Fatalf("%q gives %+v", b.String(), d)
			}
		}
	})
}
