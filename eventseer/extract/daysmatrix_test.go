package extract

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/eventseer"
)

// sectionForms are layouts of a page with two calls. H stands for the heading of the other call, P for that
// of papers, L for the label, A and B for the days of the two.
var sectionForms = []string{
	`<h2>H</h2><ul><li>L: A</ul><h2>P</h2><ul><li>L: B</ul>`,
	`<h2>P</h2><ul><li>L: B</ul><h2>H</h2><ul><li>L: A</ul>`,
	`<h2>H</h2><p>Some words.</p><h3>Important dates</h3><ul><li>L: A</ul><h2>P</h2><h3>Important dates</h3><ul><li>L: B</ul>`,
	`<h2>H</h2><h3>Important dates</h3><table><tr><td>L<td>A</table><h2>P</h2><h3>Important dates</h3><table><tr><td>L<td>B</table>`,
	`<h3>H</h3><dl><dt>L<dd>A</dl><h3>P</h3><dl><dt>L<dd>B</dl>`,
	`<h1>H</h1><p>L: A</p><h1>P</h1><p>L: B</p>`,
	`<p><b>H</b></p><p>L: A</p><p><b>P</b></p><p>L: B</p>`,
	"<pre>\nH\n\nImportant dates:\n  L: A\n\nP\n\nImportant dates:\n  L: B\n</pre>",
}

// TestCallsOfSections assigns days to calls if only the heading of a section names the call.
func TestCallsOfSections(t *testing.T) {
	days := [][3]string{
		{"en", "March 1, 2027", "May 9, 2027"}, {"de", "1. März 2027", "9. Mai 2027"}, {"fr", "1er mars 2027", "9 mai 2027"},
		{"es", "1 de marzo de 2027", "9 de mayo de 2027"}, {"ja", "2027年3月1日", "2027年5月9日"},
	}
	due := map[string]string{"en": "Submission deadline", "de": "Einreichungsfrist", "fr": "Date limite", "es": "Fecha límite de envío", "ja": "締切"}
	for _, heading := range []struct {
		text string
		call eventseer.CallKind
	}{
		{"Call for Workshops", eventseer.WorkshopCall}, {"Call for Tutorial Proposals", eventseer.TutorialCall}, {"Call for Demos", eventseer.DemoCall},
		{"Call for Posters", eventseer.PosterCall}, {"Call for Panels", eventseer.PanelCall}, {"Call for Challenges", eventseer.ChallengeCall},
	} {
		for n, form := range sectionForms {
			for _, d := range days {
				body := strings.NewReplacer("H", heading.text, "P", "Call for Papers", "L", due[d[0]], "A", d[1], "B", d[2]).Replace(form)
				if n == len(sectionForms)-1 && d[0] != "en" {
					continue // the language of plain text follows from its sentences
				}
				want := []string{string(heading.call) + " 2027-03-01", " 2027-05-09"}
				if got := daysOfCalls(t, d[0], body); !slices.Equal(got, want) {
					t.Errorf("%s %s: %q, want %q", d[0], body, got, want)
				}
			}
		}
	}
}

// daysOfCalls returns the days of a page as "CALL DAY", sorted by day.
func daysOfCalls(t *testing.T, lang, body string) (days []string) {
	t.Helper()
	tree := parse(t, "p.html", "<html lang="+lang+"><h1>Workshop on Kites 2027</h1><p>August 4-6, 2027</p>"+body)
	e, _ := newTestExtractor().Extract(tree)
	slices.SortFunc(e.Deadlines, func(a, b eventseer.Deadline) int { return strings.Compare(string(a.Date), string(b.Date)) })
	for _, d := range e.Deadlines {
		day := fmt.Sprintf("%s %s", d.Call(), d.Date)
		if d.ExtendedFrom != "" {
			day += " from " + string(d.ExtendedFrom)
		}
		days = append(days, day)
	}
	return days
}

// TestDaysOfOneCall checks that a later day of another call is not an extension. Addresses must contain no
// days, and a heading must apply to its own section only.
func TestDaysOfOneCall(t *testing.T) {
	for _, c := range []struct {
		body string
		want []string
	}{
		{`<h2>Papers</h2><ul><li>Submission: May 1, 2027</ul><h2>Demos</h2><ul><li>Submission (extended): May 9, 2027</ul>`, []string{" 2027-05-01", "demos 2027-05-09"}},
		{`<h2>Papers</h2><ul><li>Submission: May 1, 2027<li>Submission (extended): May 9, 2027</ul>`, []string{" 2027-05-09 from 2027-05-01"}},
		{`<ul><li>Submission deadline: see https://kites.example/2027/06/15/deadline<li>Notification: June 20, 2027</ul>`, []string{" 2027-06-20"}},
		{`<ul><li>Submission deadline: see www.kites.example/2027-06-15/<li>Notification: June 20, 2027</ul>`, []string{" 2027-06-20"}},
		{`<ul><li>Submission deadline: kites.example/a.css?ver=2027-06-15<li>Notification: June 20, 2027</ul>`, []string{" 2027-06-20"}},
		{`<ul><li>Submission deadline (https://kites.example/submit): May 9, 2027</ul>`, []string{" 2027-05-09"}},
		{`<h2>Call for Demos</h2><p>Details follow.</p><h2>Important dates</h2><ul><li>Submission: May 9, 2027</ul>`, []string{" 2027-05-09"}},
		{`<h2>Call for Workshops</h2><ul><li>Proposals: March 1, 2027<li>Papers of the workshops: May 9, 2027</ul>`, []string{"workshops 2027-03-01", "workshops 2027-05-09"}},
		{`<h2>Call for Papers and Demos</h2><ul><li>Submission: May 9, 2027</ul>`, []string{" 2027-05-09"}},
		{`<h2>Student Design Contest</h2><h3>Dates</h3><table><tr><td>Submission of entries<td>June 1, 2027</table><h2>Papers</h2><h3>Dates</h3><table><tr><td>Submission<td>May 9, 2027</table>`, []string{" 2027-05-09", "challenges 2027-06-01"}},
	} {
		if got := daysOfCalls(t, "en", c.body); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.body, got, c.want)
		}
	}
}

// TestSectionsThatMixCalls reads days that do not belong to the call of the heading above. Their list names
// several calls, the heading names papers too, or they are in another part of the page.
func TestSectionsThatMixCalls(t *testing.T) {
	for _, test := range []struct {
		name, body string
		want       []string
	}{
		{"a list of papers and posters", "<h2>Posters</h2><ul><li>Paper submission: March 1, 2027<li>Poster submission: May 9, 2027</ul>", []string{" 2027-03-01", "posters 2027-05-09"}},
		{"a list of other calls", "<h2>Panels</h2><ul><li>Demo submission: March 1, 2027<li>Poster submission: May 9, 2027<li>Camera-ready versions: June 1, 2027</ul>", []string{"demos 2027-03-01", "posters 2027-05-09", " 2027-06-01"}},
		{"a side bar", "<div><div><div><h2>Poster Session</h2><p>All posters hang in the hall of the boat house until noon.</div></div><div><ul><li>Paper submission deadline: March 1, 2027</ul></div></div>", []string{" 2027-03-01"}},
		{"of the call", "<div><h2>Posters</h2><ul><li>Submission deadline: March 1, 2027</ul></div>", []string{"posters 2027-03-01"}},
		{"a header around the heading", "<div><div><h2>Posters</h2></div><ul><li>Submission deadline: March 1, 2027</ul></div>", []string{"posters 2027-03-01"}},
	} {
		if got := daysOfCalls(t, "en", test.body); !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
	tree := parse(t, "p.html", "<h1>Workshop on Kites 2027</h1><p>August 4-6, 2027</p><h2>Industry Papers and Demo Papers</h2><ul><li>Submission: March 1, 2027</ul>")
	if e, _ := newTestExtractor().Extract(tree); len(e.Deadlines) != 1 || e.Deadlines[0].Kind != eventseer.Submission {
		t.Errorf("papers and demos: %v", e.Deadlines)
	}
}

// TestPapersAfterNotification reads contributions that are due before the notification, and again after the
// last one under the same label. The second deadline is that of the final version.
func TestPapersAfterNotification(t *testing.T) {
	for _, test := range []struct {
		body string
		want eventseer.DeadlineKind
	}{
		{"<li>Full paper submission deadline: March 1, 2027<li>Notification: April 1, 2027<li>Full paper submission: May 9, 2027", eventseer.CameraReady},
		{"<li>Full paper submission: March 1, 2027<li>Notification: April 1, 2027<li>Full paper submission: May 9, 2027<li>Notification: June 1, 2027", eventseer.Submission},
		{"<li>Paper submission: March 1, 2027<li>Notification: April 1, 2027<li>Short paper submission: May 9, 2027", eventseer.Submission},
	} {
		tree := parse(t, "p.html", "<h1>Workshop on Kites 2027</h1><p>August 4-6, 2027</p><ul>"+test.body+"</ul>")
		e, _ := newTestExtractor().Extract(tree)
		for _, d := range e.Deadlines {
			if d.Date == "2027-05-09" && d.Kind != test.want {
				t.Errorf("%s: %s", test.body, d.Kind)
			}
		}
		if len(e.Deadlines) < 3 {
			t.Errorf("%s: %d deadlines", test.body, len(e.Deadlines))
		}
	}
}

// TestOnlyCall reads days without a named call on pages with a single call.
func TestOnlyCall(t *testing.T) {
	for _, c := range [][2]string{
		{"<title>KITES 2027: Call for Demos</title><h2>Demos</h2><p>Details.</p><h2>Dates</h2><ul><li>Proposal submission deadline: May 9, 2027</ul>", "demo 2027-05-09"},
		{"<title>KITES 2027: Call for Demos</title><h2>Call for Papers</h2><ul><li>Submission deadline: May 9, 2027</ul>", "submission 2027-05-09"},
		{"<title>Camera-ready instructions | KITES 2027</title><p>Deadline: May 9, 2027</p>", "camera_ready 2027-05-09"},
	} {
		if got := readDeadlines(t, "en", c[0]); got != c[1] {
			t.Errorf("%s: %q, want %q", c[0], got, c[1])
		}
	}
	for call, want := range map[string]eventseer.DeadlineKind{"3rd Call for Tutorials": eventseer.TutorialProposal, "Second Call for Papers": eventseer.Submission, "CALL FOR CONTRIBUTIONS - DEMONSTRATIONS": eventseer.Demo} {
		e, _ := newTestExtractor().Extract(parse(t, "p.html", "<pre>"+call+"\nKITES 2027\nAugust 4-6, 2027\n\nAims\n\nWe teach.\n\nImportant Dates\nProposals due: May 9, 2027\n</pre>"))
		if len(e.Deadlines) != 1 || e.Deadlines[0].Kind != want {
			t.Errorf("%s: %+v", call, e.Deadlines)
		}
	}
}

// TestSameDayElsewhere infers the year of a day from another place where the day is printed with a year.
func TestSameDayElsewhere(t *testing.T) {
	got := readDeadlines(t, "en", "<p>Submission deadline: November 30</p><h2>When</h2><ul><li>Paper submission: November 30, 2025<li>Notification: February 1, 2026</ul>")
	if want := "submission 2025-11-30; notification 2026-02-01"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
