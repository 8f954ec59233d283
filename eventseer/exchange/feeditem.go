package exchange

import (
	"cmp"
	"fmt"
	"html"
	"net/url"
	"strings"
	"time"

	"github.com/eventseer/eventseer/eventseer"
)

// Feeds are written by encoding/xml and encoding/json. gorilla/feeds is not sufficient: it has no
// self link in Atom or RSS, writes a category of Atom as text instead of the term attribute, and
// leaves out the items of an empty JSON Feed, although the specification requires them.

// A feedItem is one entry of a feed: an event in its present state, or one change of it.
type feedItem struct {
	id             string // identifies the edition and its revision
	title          string
	link, related  string // its page on this site, and the event's own page
	html           string // safe: texts of pages are escaped
	found, updated time.Time
	categories     []string
}

// itemOf returns the item of an entry. Its dates are when something was found or seen, never a
// deadline, because readers skip dates in the future.
func itemOf(en eventseer.Entry, p eventseer.Publication, host string) feedItem {
	e, r := en.Event, revisionOf(en, p)
	it := feedItem{title: eventName(e), link: eventURL(p.Base, e.ID), related: webURL(e.Page()), found: r.found, updated: r.at}
	seq := r.seq
	if c := en.Change; c != nil {
		it.updated, seq = c.At.UTC().Truncate(time.Second), c.Seq
		it.title += ": " + singleLine(changeText(*c), maxText)
	}
	switch {
	case en.Gone:
		it.title = "Cancelled or taken out: " + it.title
	case e.State != "":
		it.title = upperFirst(singleLine(string(e.State), maxShort)) + ": " + it.title
	}
	if !p.Now.IsZero() {
		it.found, it.updated = earlierTime(it.found, p.Now), earlierTime(it.updated, p.Now)
	}
	it.found = earlierTime(it.found, it.updated)
	it.id = fmt.Sprintf("tag:%s,2026:e/%s/%d", host, editionSlug(e), seq)
	if en.Change != nil {
		it.id += "/change" // lists of events have an item with the same revision
	}
	if en.Gone {
		it.id += "/gone"
	}
	if list := singleLine(p.List, maxShort); list != "" {
		it.id += "/list/" + url.PathEscape(list) // otherwise programs that read two lists would show a common call only once
	}
	if it.link == "" {
		it.link, it.related = it.related, ""
	}
	it.html = itemHTML(en, p)
	if k := kindWords(e.Kind); k != "" {
		it.categories = append(it.categories, k)
	}
	it.categories = append(it.categories, nonEmptyLines(e.Topics, 10)...)
	return it
}

func earlierTime(a, b time.Time) time.Time {
	if b.Before(a) {
		return b.UTC().Truncate(time.Second)
	}
	return a
}

// changeText describes a change in one line.
func changeText(c eventseer.Change) string {
	if c.New {
		return "new"
	}
	if c.Into != "" {
		return "is the same event as " + string(c.Into)
	}
	var parts []string
	for _, f := range c.Fields {
		if strings.HasPrefix(f.Field, "deadlines.") {
			parts = append(parts, movedText(f))
		}
	}
	for _, k := range c.Kinds {
		ofDates := k == eventseer.DeadlineExtended || k == eventseer.DeadlineAdded || k == eventseer.DateCorrected
		if k.NotifiesReaders() && (len(parts) == 0 || !ofDates) {
			parts = append(parts, strings.ReplaceAll(string(k), "_", " "))
		}
	}
	for _, f := range c.Fields {
		if len(parts) == 0 {
			parts = append(parts, fieldWords(f.Field)+" changed")
		}
	}
	if len(parts) > 3 {
		parts = append(parts[:3], "more")
	}
	return strings.Join(parts, ", ")
}

func movedText(f eventseer.FieldChange) string {
	switch field := fieldWords(f.Field); {
	case f.Old == "":
		return field + " " + f.New + " announced"
	case f.New == "":
		return field + " " + f.Old + " withdrawn"
	default:
		return field + " moved from " + f.Old + " to " + f.New
	}
}

// fieldWords describes a field of a change: "submission, Research" for
// "deadlines.submission[Research]".
func fieldWords(field string) string {
	if rest, ok := strings.CutPrefix(field, "deadlines."); ok {
		kind, track, _ := strings.Cut(rest, "[")
		return singleLine(describeDeadline(eventseer.Deadline{Kind: eventseer.DeadlineKind(kind), Track: strings.TrimSuffix(track, "]")}), maxShort)
	}
	return singleLine(strings.ReplaceAll(field, "_", " "), 40)
}

// maxFields bounds the changes and deadlines listed in one item.
const maxFields = 30

// itemHTML returns the text of an item in HTML.
func itemHTML(en eventseer.Entry, p eventseer.Publication) string {
	e := en.Event
	var b strings.Builder
	para := func(text string) {
		if text != "" {
			b.WriteString("<p>" + html.EscapeString(text) + "</p>")
		}
	}
	para(eventDescription(e))
	if c := en.Change; c != nil {
		var rows []string
		for _, f := range c.Fields {
			switch {
			case strings.HasPrefix(f.Field, "deadlines."):
				rows = append(rows, movedText(f))
			case eventseer.IsPublicField(f.Field): // names of people are not news
				rows = append(rows, fmt.Sprintf("%s: %s → %s", fieldWords(f.Field), textOrNothing(f.Old), textOrNothing(f.New)))
			}
		}
		writeHTMLList(&b, rows)
	}
	var rows []string
	for _, d := range e.Deadlines {
		row := upperFirst(describeDeadline(d)) + ": " + dayAndClock(d) + utcText(d)
		if was := dayText(d.ExtendedFrom); was != "" {
			row += ", extended from " + was
		}
		if isEstimated(d.Source) {
			row += " (estimate)"
		}
		rows = append(rows, row)
	}
	writeHTMLList(&b, rows)
	para(singleLine(en.Passage, 2*maxText))
	var links []string
	details, changed := eventURL(p.Base, e.ID), ""
	if details != "" {
		changed = details + "/history"
	}
	for _, l := range [][2]string{{"Call", webURL(e.Page())}, {"Submit", webURL(e.SubmissionURL)}, {"Details", details}, {"What changed", changed}} {
		if l[1] != "" {
			links = append(links, `<a href="`+html.EscapeString(l[1])+`">`+l[0]+"</a>")
		}
	}
	if len(links) > 0 {
		b.WriteString("<p>" + strings.Join(links, " · ") + "</p>")
	}
	return b.String()
}

func textOrNothing(s string) string { return cmp.Or(singleLine(s, maxShort), "nothing") }

func writeHTMLList(b *strings.Builder, rows []string) {
	if len(rows) == 0 {
		return
	}
	b.WriteString("<ul>")
	for _, row := range rows[:min(len(rows), maxFields)] {
		b.WriteString("<li>" + html.EscapeString(singleLine(row, maxText)) + "</li>")
	}
	if n := len(rows) - maxFields; n > 0 {
		fmt.Fprintf(b, "<li>%d more</li>", n)
	}
	b.WriteString("</ul>")
}

// titleOf returns the title of a feed or a calendar.
func titleOf(p eventseer.Publication) string {
	return cmp.Or(singleLine(p.Title, maxName), "Calls for papers")
}

// feedTime is when a feed changed last.
func feedTime(p eventseer.Publication) time.Time {
	if p.Updated.IsZero() {
		return time.Unix(0, 0).UTC()
	}
	return p.Updated.UTC().Truncate(time.Second)
}
