package extract

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// groupForms are layouts of groups of days with the same purpose. They have the text before and after a
// group with its label L, and before and after each day D of a track T.
var groupForms = [][4]string{
	{"<ul>", "<li>L<ul>", "<li>T: D</li>", "</ul></li>"},
	{"<ul>", "<li><b>L</b><ul>", "<li>T – D</li>", "</ul></li>"},
	{"", "<h4>L</h4><ul>", "<li>T: D</li>", "</ul>"},
	{"", "<p><b>L</b><br>", "T: D<br>", "</p>"},
	{"<dl>", "<dt>L</dt>", "<dd>T: D</dd>", ""},
	{"<table>", "<tr><td>L</td><td>", "T: D<br>", "</td></tr>"},
	{"<table>", "<tr><td rowspan=3>L</td>", "<td>T</td><td>D</td></tr><tr>", "</tr>"},
}

// TestGroupedDays reads the days of three tracks below each of three labels, both moved and not.
func TestGroupedDays(t *testing.T) {
	for _, v := range []struct {
		lang          string
		steps, tracks [3]string
		a, b          string // %[1]d is the month, %[2]d the day
	}{
		{"en", [3]string{"Paper submission", "Notification", "Camera-ready"}, [3]string{"Main track", "Industry track", "Education track"}, "2027-%02d-%02d", "2027-%02d-%02d"},
		{"pt", [3]string{"Submissão de artigos", "Notificação", "Versão final"}, [3]string{"Trilha principal", "Trilha da indústria", "Trilha de educação"}, "%02[2]d/%02[1]d", "%02[2]d/%02[1]d"},
		{"ja", [3]string{"論文投稿締切", "採否通知", "最終原稿締切"}, [3]string{"一般セッション", "産業セッション", "教育セッション"}, "%d月%d日", "%d月%d日"},
	} {
		for _, form := range groupForms {
			for _, day := range []string{"B", "<s>A</s> B", "A → B"} {
				var b strings.Builder
				var want []string
				fmt.Fprintf(&b, "<html lang=%s><title>KITES 2027</title><h1>KITES 2027</h1>%s", v.lang, form[0])
				for k, step := range v.steps {
					b.WriteString(strings.Replace(form[1], "L", step, 1))
					for n, track := range v.tracks {
						d := strings.NewReplacer("A", fmt.Sprintf(v.a, 2+k, 3+n), "B", fmt.Sprintf(v.b, 2+k, 12+n)).Replace(day)
						b.WriteString(strings.NewReplacer("T", track, "D", d).Replace(form[2]))
						line := fmt.Sprintf("%s 2027-%02d-%02d", []string{"submission", "notification", "camera_ready"}[k], 2+k, 12+n)
						if day != "B" {
							line += fmt.Sprintf(" from 2027-%02d-%02d", 2+k, 3+n)
						}
						want = append(want, line)
					}
					b.WriteString(form[3])
				}
				e, _ := newTestExtractor().Extract(parse(t, "p.html", b.String()))
				var got []string
				for _, d := range e.Deadlines {
					line := fmt.Sprintf("%s %s", d.Kind, d.Date)
					if d.ExtendedFrom != "" {
						line += " from " + string(d.ExtendedFrom)
					}
					if d.Track == "" && !strings.Contains(form[1], "rowspan") { // label and track are in one cell of its first row
						line += " of no track"
					}
					got = append(got, line)
				}
				slices.Sort(got)
				slices.Sort(want)
				if !slices.Equal(got, want) {
					t.Errorf("%s %s %s: %q", v.lang, form[1]+form[2], day, got)
				}
			}
		}
	}
}

// TestUngroupedDays reads days whose labels are not tracks of the label above them.
func TestUngroupedDays(t *testing.T) {
	for _, c := range [][2]string{
		{"<h2>Submissions</h2><p>Published 15 March 2027</p>", ""},
		{"<h2>Registration</h2><ul><li>A note on kites of 22 November 2026</ul>", ""},
		{"<ul><li>Paper submission<ul><li>Notification: March 9, 2027</ul></ul>", "notification 2027-03-09"},
		{"<ul><li>Dates<ul><li>Dinner: March 9, 2027</ul></ul>", ""},
		{"<ul><li>Posters<ul><li>Dinner: March 9, 2027</ul></ul>", ""},
		{"<ul><li>Registration<ul><li>Open: January 9, 2027</ul><li>Submission<ul><li>Open: January 9, 2027</ul></ul>", "other 2027-01-09"},
		{"<ul><li>Submission<ul><li>Handouts: March 9, 2027</ul></ul>", ""},
		{"<ul><li>Submission<ul><li>Kites: March 9, 2027</ul><li>Notification<ul><li>Kites: April 9, 2027</ul></ul>", "submission 2027-03-09; notification 2027-04-09"},
		{"<h3>Submission</h3><ul><li>Workshop: August 4, 2027<li>Conference: August 5, 2027</ul>", ""},
		{"<ul><li>Notification<ul><li>Posters: March 9, 2027<li>Papers: March 12, 2027</ul></ul>", "notification 2027-03-09; notification 2027-03-12"},
	} {
		if got := readDeadlines(t, "en", c[0]); got != c[1] {
			t.Errorf("%s: %q, want %q", c[0], got, c[1])
		}
	}
}
