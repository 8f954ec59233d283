package message

import (
	"cmp"
	"strings"
	"time"

	"github.com/eventseer/eventseer/eventseer"
)

// A digestItem is the content of an item in both parts of a mail.
type digestItem struct {
	Title, Place string
	List         string // for a moved deadline: name of the list that matches the call
	Moved        bool
	Old, Next    digestDate
	Passage      []span
	Why          []string
	Source       string
	Event        string
	History      string
	Useful       string
	NotUseful    string
}

// A letterLink is a link under an item.
type letterLink struct{ Text, URL string }

// Links returns the links under an item, without empty ones.
func (i digestItem) Links() (links []letterLink) {
	for _, l := range []letterLink{{"History", i.History}, {"Source", i.Source}, {"Useful", i.Useful}, {"Not useful", i.NotUseful}} {
		if l.URL != "" {
			links = append(links, l)
		}
	}
	return links
}

// A digestDate is a deadline in words.
type digestDate struct {
	Kind    string // such as "Paper submission (short papers, round 2)"
	Day     string // time in the call's time zone: "Mon 15 Mar 2027, 23:59 AoE"
	Here    string // time in the reader's time zone, or noZone; "" if it is the same
	Printed string // text on the page, "" if Day contains it
}

func newDigestItem(i eventseer.Item, list string, k Links, zone *time.Location) digestItem {
	out := digestItem{
		Title: cmp.Or(CleanLine(i.Title, maxLetterTitle), CleanLine(string(i.Event), maxLetterTitle)), Place: CleanLine(i.Place, maxLetterTitle), List: list,
		Moved: i.Kind == eventseer.Moved, Old: newDigestDate(i.Old, zone), Next: newDigestDate(i.Next, zone),
		Passage: cleanSpans(i.Passage, i.Marks, maxLetterClip), Source: webLink(i.Source),
	}
	if out.Old.Here == noZone {
		out.Old.Here = "" // not needed for an earlier date
	}
	for _, why := range i.Why[:min(len(i.Why), maxLetterWhy)] {
		out.Why = append(out.Why, CleanLine(why, maxLetterTitle))
	}
	if k.Event != nil {
		out.Event = webLink(k.Event(i.Event))
	}
	if k.History != nil && out.Moved {
		out.History = webLink(k.History(i.Event))
	}
	if k.Vote != nil {
		out.Useful, out.NotUseful = webLink(k.Vote(i, true)), webLink(k.Vote(i, false))
	}
	return out
}

// deadlineWords are the names of the kinds of deadlines.
var deadlineWords = map[eventseer.DeadlineKind]string{
	eventseer.Abstract: "Abstract", eventseer.Submission: "Submission", eventseer.Notification: "Notification",
	eventseer.CameraReady: "Camera-ready copy", eventseer.Registration: "Registration", eventseer.Rebuttal: "Rebuttal",
	eventseer.WorkshopProposal: "Workshop proposals", eventseer.TutorialProposal: "Tutorial proposals",
	eventseer.Poster: "Posters", eventseer.Demo: "Demonstrations", eventseer.Doctoral: "Doctoral papers",
}

// InBrackets returns Here in the form that follows the day: " (= Tue 16 Mar, 11:59 UTC)".
func (d digestDate) InBrackets() string {
	switch d.Here {
	case "":
		return ""
	case noZone:
		return " (" + noZone + ")"
	}
	return " (= " + d.Here + ")"
}

// noZone is the text for a deadline without a time zone.
const noZone = "no time zone given"

// newDigestDate returns a deadline in words, zero for the zero deadline. zone is the reader's time zone.
func newDigestDate(d eventseer.Deadline, zone *time.Location) digestDate {
	if d.Date == "" && d.Instant.IsZero() {
		return digestDate{}
	}
	out := digestDate{Kind: cmp.Or(deadlineWords[d.Kind], "Deadline"), Day: dayWords(d), Here: noZone}
	if track := CleanLine(d.CallTrack(), maxLetterName); track != "" {
		out.Kind += " (" + track + ")"
	}
	if d.TZ != "" {
		out.Here = ""
	}
	if !d.Instant.IsZero() && !hasSameOffset(d, zone) {
		out.Here = momentWords(d.Instant.In(zone), d.Date)
	}
	if d.TZSource == eventseer.TZAssumed {
		out.Day += ", time zone assumed"
	}
	if printed := CleanLine(d.Text, maxLetterDate); printed != "" && !strings.Contains(out.Day, printed) {
		out.Printed = printed
	}
	return out
}

// dayWords returns a deadline in the call's time zone, such as "Mon 15 Mar 2027, 23:59 AoE".
func dayWords(d eventseer.Deadline) string {
	const layout = "Mon 2 Jan 2006"
	name := CleanLine(d.TZ, maxLetterName)
	if at := eventseer.Zone(d.TZ); at != nil && !d.Instant.IsZero() {
		return d.Instant.In(at).Format(layout+", 15:04 ") + name
	}
	day, ok := d.Date.Time()
	if !ok {
		day = d.Instant.UTC().Truncate(24 * time.Hour)
	}
	if name != "" {
		name = ", " + name
	}
	return day.Format(layout) + name
}

// hasSameOffset reports whether the call's time zone has the same offset as the reader's at the deadline.
func hasSameOffset(d eventseer.Deadline, zone *time.Location) bool {
	at := eventseer.Zone(d.TZ)
	if at == nil {
		return false
	}
	_, near := d.Instant.In(at).Zone()
	_, here := d.Instant.In(zone).Zone()
	return near == here
}

// momentWords returns a time in the reader's time zone, such as "Tue 16 Mar, 12:59 in Europe/Oslo". The year
// is omitted if it is that of beside.
func momentWords(at time.Time, beside eventseer.Date) string {
	layout := "Mon 2 Jan, 15:04"
	if day, ok := beside.Time(); !ok || day.Year() != at.Year() {
		layout = "Mon 2 Jan 2006, 15:04"
	}
	if at.Location() == time.UTC {
		return at.Format(layout + " UTC")
	}
	return at.Format(layout) + " in " + CleanLine(at.Location().String(), maxLetterName)
}

// InText returns the passage as plain text, with asterisks around its marks.
func (i digestItem) InText() string {
	var b strings.Builder
	for _, s := range i.Passage {
		if s.Mark {
			b.WriteString("*" + s.Text + "*")
		} else {
			b.WriteString(s.Text)
		}
	}
	return isolateRightToLeft(b.String())
}
