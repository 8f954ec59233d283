package extract

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// A step is one line of a list of dates. It has its label, its day as printed, and the kind and day of its
// deadline, "" if it is not a deadline.
type step struct{ label, day, want string }

// stepLists are lists of the dates of one conference, in several wordings.
var stepLists = [][]step{
	{
		{"Workshop proposals", "January 11, 2027", "workshop_proposal 2027-01-11"},
		{"Tutorial proposals", "January 18, 2027", "tutorial_proposal 2027-01-18"},
		{"Abstract submission", "March 1, 2027", "abstract 2027-03-01"},
		{"Paper submission", "March 8, 2027", "submission 2027-03-08"},
		{"Author rebuttal", "April 12, 2027", "rebuttal 2027-04-12"},
		{"Notification of acceptance", "May 3, 2027", "notification 2027-05-03"},
		{"Demo submission", "May 10, 2027", "demo 2027-05-10"},
		{"Poster submission", "May 11, 2027", "poster 2027-05-11"},
		{"Camera-ready version", "June 7, 2027", "camera_ready 2027-06-07"},
		{"Early registration", "June 14, 2027", "registration 2027-06-14"},
		{"Conference", "August 4-6, 2027", ""},
	},
	{
		{"Workshop proposals due", "11 January 2027", "workshop_proposal 2027-01-11"},
		{"Deadline for tutorial proposals", "18 January 2027", "tutorial_proposal 2027-01-18"},
		{"Abstracts due", "1 March 2027", "abstract 2027-03-01"},
		{"Full papers due", "8 March 2027", "submission 2027-03-08"},
		{"Reviews due", "5 April 2027", ""},
		{"Author response period", "12-15 April 2027", "rebuttal 2027-04-12"},
		{"Authors notified", "3 May 2027", "notification 2027-05-03"},
		{"Final versions due", "7 June 2027", "camera_ready 2027-06-07"},
		{"Early-bird registration ends", "14 June 2027", "registration 2027-06-14"},
		{"Main conference", "4–6 August 2027", ""},
	},
	{
		{"Submission site opens", "2027-02-01", ""},
		{"Abstract registration deadline", "2027-03-01", "abstract 2027-03-01"},
		{"Submission deadline", "2027-03-08", "submission 2027-03-08"},
		{"Reviews due from reviewers", "2027-04-05", ""},
		{"Reviews sent to authors", "2027-04-11", ""},
		{"Rebuttal due", "2027-04-12", "rebuttal 2027-04-12"},
		{"Program committee meeting", "2027-04-26", ""},
		{"Acceptance notification", "2027-05-03", "notification 2027-05-03"},
		{"Doctoral symposium submission", "2027-05-10", "doctoral 2027-05-10"},
		{"Camera ready due", "2027-06-07", "camera_ready 2027-06-07"},
		{"Author registration deadline", "2027-06-14", "registration 2027-06-14"},
	},
	{
		{"Deadline for submission of abstracts", "Mon, March 1, 2027", "abstract 2027-03-01"},
		{"Deadline for submission of papers", "Mon, March 8, 2027", "submission 2027-03-08"},
		{"Bidding by the program committee", "March 9-12, 2027", ""},
		{"Discussion among reviewers", "April 13-20, 2027", ""},
		{"Notification to authors", "Mon, May 3, 2027", "notification 2027-05-03"},
		{"Final papers due", "Mon, June 7, 2027", "camera_ready 2027-06-07"},
		{"Late registration starts", "June 15, 2027", ""},
		{"Workshops", "August 3, 2027", ""},
		{"Conference", "August 4-6, 2027", ""},
	},
}

// stepLayouts are further layouts of a list of dates, see callLayouts: the text around all dates, and
// around each label L and its day D.
var stepLayouts = [][3]string{
	{"<ul>", "<li>L D</li>", "</ul>"},
	{"<ul>", "<li>L (D)</li>", "</ul>"},
	{"<ul>", "<li>L by D</li>", "</ul>"},
	{"<ul>", "<li>L, D</li>", "</ul>"},
	{"<ul>", "<li>L ... D</li>", "</ul>"},
	{"<ul>", "<li><b>L:</b><br/>D</li>", "</ul>"},
	{"<ul>", "<li><p>L:</p><p>D</p></li>", "</ul>"},
	{"<ul>", "<li>D, L</li>", "</ul>"},
	{"<ul>", "<li>D | L</li>", "</ul>"},
	{"<ul>", "<li>L | D</li>", "</ul>"},
	{"<p>", "L<br>D<br><br>", "</p>"},
	{"<p>", "<b>L:</b> D<br>", "</p>"},
	{"<p>", "<b>D:</b> L<br>", "</p>"},
	{"<p>", "<strong>D</strong><br>L<br><br>", "</p>"},
	{"", "<p><b>L</b></p><p>D</p>", ""},
	{"", "<p>L</p><p><b>D</b></p>", ""},
	{"", "<p><b>L</b><br>D</p>", ""},
	{"", "<h4>L</h4><p>D</p>", ""},
	{"", "<h4>L: D</h4>", ""},
	{"", "<h5>D</h5><p>L</p>", ""},
	{"<table>", "<tr><td>L:</td><td></td><td>D</td></tr>", "</table>"},
	{"<table>", "<tr><td>&bull;</td><td>L</td><td>D</td></tr>", "</table>"},
	{"<table><tr><th>Event</th><th>Date</th></tr>", "<tr><td>L</td><td>D</td></tr>", "</table>"},
	{"<table><tr><th>Date</th><th>Event</th></tr>", "<tr><td>D</td><td>L</td></tr>", "</table>"},
	{"<table><tr><th>What</th><th>When</th><th>Time</th></tr>", "<tr><td>L</td><td>D</td><td>23:59 AoE</td></tr>", "</table>"},
	{"<table>", "<tr><td>L</td></tr><tr><td>D</td></tr>", "</table>"},
	{"<div class=timeline>", "<div class=item><div class=date>D</div><div class=text><p>L</p></div></div>", "</div>"},
	{"<div class=timeline>", "<div class=item><h3>L</h3><span>D</span></div>", "</div>"},
	{"<div>", "<div><strong>L</strong> <em>D</em></div>", "</div>"},
	{"<dl>", "<dt>L:</dt><dd>D (AoE)</dd>", "</dl>"},
	{"<pre>", "L\n    D\n", "</pre>"},
	{"<pre>", "L:\n    D\n\n", "</pre>"},
	{"<pre>", "- D: L\n", "</pre>"},
	{"<pre>", "D   L\n", "</pre>"},
	{"<pre>", "%-42s D\n", "</pre>"},
	{"<pre>", "%-42s: D\n", "</pre>"},
	{"<pre>", "%.................. D\n", "</pre>"},
}

// TestSteps reads each list in each layout.
func TestSteps(t *testing.T) {
	for n, list := range stepLists {
		var want []string
		for _, s := range list {
			if s.want != "" {
				want = append(want, s.want)
			}
		}
		slices.Sort(want)
		for _, l := range slices.Concat(stepLayouts, callLayouts) {
			var b strings.Builder
			b.WriteString("<html lang=en><h1>International Conference on Kites (KITES 2027)</h1><p>Oslo, Norway, August 4-6, 2027</p><p>We invite papers on kites.</p><h2>Important Dates</h2>" + l[0])
			for _, s := range list {
				label := strings.NewReplacer("L", s.label, "D", s.day)
				form := l[1]
				if strings.HasPrefix(form, "%-42s") {
					form = fmt.Sprintf("%-42s", s.label) + form[len("%-42s"):]
					label = strings.NewReplacer(" D\n", " "+s.day+"\n")
				} else if strings.HasPrefix(form, "%.") {
					form = s.label + " " + form[1:]
					label = strings.NewReplacer(" D\n", " "+s.day+"\n")
				}
				b.WriteString(label.Replace(form))
			}
			e, _ := newTestExtractor().Extract(parse(t, "p.html", b.String()+l[2]))
			var got []string
			for _, d := range e.Deadlines {
				if d.Kind == "other" {
					continue // something else that is due
				}
				s := string(d.Kind) + " " + string(d.Date)
				if d.ExtendedFrom != "" {
					s += " from " + string(d.ExtendedFrom)
				}
				got = append(got, s)
			}
			slices.Sort(got)
			if missed, added := without(want, got), without(got, want); len(missed)+len(added) > 0 || e.EventStart != "2027-08-04" {
				t.Errorf("list %d, %q: missed %v, too many %v, from %s", n, l[1], missed, added, e.EventStart)
			}
		}
	}
}

// without returns the elements of a that are not in b.
func without(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(s string) bool { return slices.Contains(b, s) })
}
