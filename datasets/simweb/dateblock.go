package simweb

import (
	"slices"
	"strings"
)

// labels are the words before a deadline, by kind.
var labels = map[string][]string{
	"abstract":          {"Abstract submission", "Abstract registration deadline", "Abstracts due", "Submission of abstracts"},
	"submission":        {"Paper submission", "Submission deadline", "Full paper submission", "Papers due", "Paper submission deadline", "Deadline for submissions"},
	"notification":      {"Notification of acceptance", "Author notification", "Notification to authors", "Acceptance notification", "Notification"},
	"camera_ready":      {"Camera-ready papers due", "Camera-ready version", "Final version due", "Camera-ready copy", "Final papers"},
	"registration":      {"Early registration deadline", "Early registration ends", "Early bird registration"},
	"workshop_proposal": {"Workshop proposals due", "Workshop proposal deadline"},
	"tutorial_proposal": {"Tutorial proposals due", "Tutorial proposal submission"},
	"poster":            {"Poster submission", "Poster abstracts due", "Posters and demos due"},
}

// A dateRow is one line of a page's block of dates: label and markup.
type dateRow struct{ label, when string }

// dateRows prints the event's deadlines of the given kinds (all if none are
// given) and notes what it printed as the page's truth.
func (d *doc) dateRows(e *event, kinds ...string) []dateRow {
	perDate := e.tz != "" && (e.tz != "AoE" || d.r.IntN(3) == 0)
	extension := d.r.IntN(4)
	var rows []dateRow
	for _, dl := range e.deadlines {
		if len(kinds) > 0 && !slices.Contains(kinds, dl.kind) {
			continue
		}
		printed := d.dates.day(dl.date)
		when := printed
		if perDate && dl.kind != "notification" && dl.kind != "camera_ready" {
			when += pick(d.r, []string{" (23:59 " + e.tz + ")", ", 23:59 " + e.tz, " " + e.tz})
		}
		rows = append(rows, dateRow{pick(d.r, labels[dl.kind]), d.extended(dl, when, extension)})
		d.truth.Deadlines = append(d.truth.Deadlines, dl.truth(e.tz, printed))
	}
	if e.kind != issue && len(kinds) != 1 {
		label := pick(d.r, []string{"Conference", "Conference dates", e.short(), "Main conference"})
		if e.kind == workshop {
			label = pick(d.r, []string{"Workshop", "Workshop date", e.short()})
		}
		rows = append(rows, dateRow{label, d.dates.span(e.start, e.end)})
	}
	if e.tz == "AoE" && !perDate {
		d.slots["zone"] = d.say("call.tz")
	} else {
		d.slots["zone"] = ""
	}
	return rows
}

// extended adds the day a deadline had before it was extended.
func (d *doc) extended(dl deadline, when string, how int) string {
	if dl.was.IsZero() {
		return esc(when)
	}
	was := d.dates.day(dl.was)
	switch {
	case d.text || how == 0:
		return esc(when + " (extended from " + was + ")")
	case how == 1:
		return "<strike>" + was + "</strike> <b>" + esc(when) + "</b>"
	case how == 2:
		return "<s>" + was + "</s> " + esc(when) + " <em>(extended)</em>"
	default:
		return "<del>" + was + "</del> <ins>" + esc(when) + "</ins> (extended deadline)"
	}
}

// dateBlock writes heading, rows and time zone in one of nine shapes.
func (d *doc) dateBlock(e *event, kinds ...string) {
	d.h(2, d.say("call.datesHead"))
	rows := d.dateRows(e, kinds...)
	shape := d.r.IntN(9)
	switch shape {
	case 0, 1:
		d.raw("<table%s>", pick(d.r, []string{"", " border=\"1\"", " class=\"dates\"", " class=\"table table-striped\""}))
		for _, row := range rows {
			if shape == 0 {
				d.raw("<tr><td>%s</td><td>%s</td></tr>", esc(row.label), row.when)
			} else {
				d.raw("<tr><td><b>%s</b></td><td>%s</td></tr>", row.when, esc(row.label))
			}
		}
		d.raw("</table>")
	case 2:
		d.sideways(rows)
	case 3:
		d.raw("<dl>")
		for _, row := range rows {
			d.raw("<dt>%s</dt>\n<dd>%s</dd>", esc(row.label), row.when)
		}
		d.raw("</dl>")
	case 4:
		d.lines(rows, "<p>", "<b>%L:</b> %W<br>", "</p>")
	case 5:
		d.lines(rows, "", "<h4>%L</h4>\n<p>%W</p>", "")
	case 6:
		d.lines(rows, "<ul>", "<li>%W: %L</li>", "</ul>")
	case 7:
		d.lines(rows, "<div class=\"dates\">", "<div class=\"date\"><span class=\"what\">%L</span> <span class=\"when\">%W</span></div>", "</div>")
	default:
		d.lines(rows, "<ul>", "<li><strong>%L</strong>: %W</li>", "</ul>")
	}
	if zone := d.slots["zone"]; zone != "" {
		d.p(zone)
	}
}

// sideways writes a table with a column for each date.
func (d *doc) sideways(rows []dateRow) {
	var head, body strings.Builder
	for _, row := range rows {
		head.WriteString("<th>" + esc(row.label) + "</th>")
		body.WriteString("<td>" + row.when + "</td>")
	}
	d.raw("<table border=\"1\" cellpadding=\"4\">\n<tr>%s</tr>\n<tr>%s</tr>\n</table>", head.String(), body.String())
}

// lines writes each row by a pattern in which %L is the label, %W the date.
func (d *doc) lines(rows []dateRow, before, pattern, after string) {
	d.b.WriteString(before + "\n")
	for _, row := range rows {
		d.b.WriteString(strings.NewReplacer("%L", esc(row.label), "%W", row.when).Replace(pattern) + "\n")
	}
	d.b.WriteString(after + "\n")
}
