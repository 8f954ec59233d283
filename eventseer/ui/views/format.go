// Package views prepares events, changes and lists for pages: names, times, badges, rows, calendars,
// timelines, maps and comparisons. It has no HTTP handlers.
package views

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/eventseer/eventseer/eventseer"
)

var KindNames = map[eventseer.Kind]string{
	eventseer.Conference: "Conference", eventseer.Workshop: "Workshop", eventseer.Symposium: "Symposium",
	eventseer.SpecialIssue: "Special issue", eventseer.SummerSchool: "Summer school", eventseer.OtherKind: "",
}

var deadlineNames = map[eventseer.DeadlineKind]string{
	eventseer.Abstract: "Abstract", eventseer.Submission: "Submission", eventseer.Notification: "Notification",
	eventseer.CameraReady: "Camera-ready copy", eventseer.Registration: "Registration", eventseer.Rebuttal: "Rebuttal",
	eventseer.WorkshopProposal: "Workshop proposal", eventseer.TutorialProposal: "Tutorial proposal",
	eventseer.Poster: "Poster", eventseer.Demo: "Demo", eventseer.Doctoral: "Doctoral consortium",
	eventseer.OtherDeadline: "Other date",
}

// turns removes the characters that change the direction of the text after them: a name that contains one
// would be shown backwards.
var turns = strings.NewReplacer("\u202a", "", "\u202b", "", "\u202c", "", "\u202d", "", "\u202e", "", "\u2066", "", "\u2067", "", "\u2068", "", "\u2069", "")

// Clip cuts a text to n runes.
func Clip(s string, n int) string {
	s = turns.Replace(s)
	if len(s) <= n {
		return s
	}
	for i := range s {
		if n--; n < 0 {
			return strings.TrimSpace(s[:i]) + "…"
		}
	}
	return s
}

func NonEmpty(texts ...string) []string {
	var kept []string
	for _, t := range texts {
		if t != "" {
			kept = append(kept, t)
		}
	}
	return kept
}

// CountText reports how many: "1 call", "1,204 calls".
func CountText(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return thousandsText(n) + " " + what + "s"
}

// thousandsText writes a number with commas: "1,204".
func thousandsText(n int) string {
	if n < 0 {
		return "-" + thousandsText(-n)
	}
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// A Name is the name by which pages show an event: its acronym with the year, if it has one.
type Name struct {
	Short string // "" if the event has only a title
	Title string
}

func NameOf(e eventseer.Event) Name {
	n := Name{Clip(e.Acronym, 40), Clip(e.Title, 300)}
	if year := fmt.Sprint(e.Year); n.Short != "" && e.Year > 0 && !strings.Contains(n.Short, year[max(0, len(year)-2):]) {
		n.Short += " " + year
	}
	n.Title = WithoutShortName(n.Title, n.Short, e.Acronym)
	if strings.EqualFold(n.Title, n.Short) || strings.EqualFold(n.Title, e.Acronym) {
		n.Title = ""
	}
	if n.Short == "" && n.Title == "" {
		n.Title = "Untitled call"
	}
	return n
}

// WithoutShortName removes a name in parentheses from the end of a title that is shown after that name.
func WithoutShortName(title string, names ...string) string {
	before, last, found := strings.Cut(title, " (")
	if name, closed := strings.CutSuffix(last, ")"); found && closed {
		for _, short := range names {
			if short != "" && strings.EqualFold(name, short) {
				return before
			}
		}
	}
	return title
}

// Full returns the name in one line.
func (n Name) Full() string {
	return strings.Join(NonEmpty(n.Short, n.Title), " – ")
}

func EventHref(id eventseer.EventID) string { return "/e/" + url.PathEscape(string(id)) }

// WebLink returns a page's URL if it is one people may follow, else "".
func WebLink(text string) string {
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || len(text) > 2000 {
		return ""
	}
	return u.String()
}

// SourceLink returns a link to a page, with the host as its text, or the page's own name if it has no host.
func SourceLink(text string) Link {
	href := WebLink(text)
	if href == "" {
		return Link{Text: Clip(text, 80)}
	}
	u, err := url.Parse(href)
	if err != nil {
		return Link{Text: Clip(text, 80)}
	}
	return Link{Text: Clip(strings.TrimPrefix(u.Hostname(), "www."), 80), Href: href}
}

// PageLink returns a link to a page, with host and path as its text, because several pages of a site are
// listed together.
func PageLink(text string) Link {
	l := SourceLink(text)
	if u, err := url.Parse(l.Href); err == nil && l.Href != "" {
		l.Text = Clip(l.Text+strings.TrimSuffix(u.Path, "/"), 80)
	}
	return l
}

func VenueLine(v *eventseer.Venue) string {
	text := v.String()
	if text == "" && v != nil {
		text = v.Text
	}
	return Clip(text, 120)
}

// DaysText writes the days of an event: "1–4 June 2027".
func DaysText(start, end eventseer.Date) string {
	a, ok := parseDay(start)
	if !ok {
		return Clip(string(start), 20)
	}
	b, ok := parseDay(end)
	switch {
	case !ok || a.Equal(b) || b.Before(a):
		return a.Format("2 January 2006")
	case a.Year() != b.Year():
		return a.Format("2 January 2006") + " – " + b.Format("2 January 2006")
	case a.Month() != b.Month():
		return a.Format("2 January") + " – " + b.Format("2 January 2006")
	}
	return a.Format("2") + "–" + b.Format("2 January 2006")
}

func parseDay(d eventseer.Date) (time.Time, bool) {
	t, err := time.Parse(time.DateOnly, string(d))
	return t, err == nil
}

// ZoneName returns how people call a zone: "UTC", "New York".
func ZoneName(zone *time.Location) string {
	_, city, found := strings.Cut(zone.String(), "/")
	if !found {
		return zone.String()
	}
	return strings.ReplaceAll(city[strings.LastIndex(city, "/")+1:], "_", " ")
}
