package ingest

import (
	"slices"
	"strings"
	"unicode"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/change"
	"github.com/eventseer/eventseer/eventseer/match"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/internal/text"
)

// maxSubject bounds the subject of a message, in bytes.
const maxSubject = 200

// withSubject returns a record whose days for papers have the words by which the subject of a
// message announces an extension. The message then says of these days what it says in its first
// line. Other pages than messages are returned as they are.
func withSubject(t *tagtree.Tree, e eventseer.Event) eventseer.Event {
	if !match.IsArchive(e.URL) {
		return e
	}
	subject := subjectOf(t)
	if !change.SaysExtended(subject) {
		return e
	}
	e.Deadlines = slices.Clone(e.Deadlines)
	for i := range e.Deadlines {
		d := &e.Deadlines[i]
		if d.Kind == eventseer.Submission && d.Call() == eventseer.MainCall && !change.SaysExtended(d.Text) {
			d.Text += " [" + subject + "]"
		}
	}
	return e
}

// subjectOf returns the first line of a message's page that holds a word. Archives without subjects
// begin with the text, and many texts with a drawn line.
func subjectOf(t *tagtree.Tree) string {
	first := ""
	for line := range strings.SplitSeq(text.Cut(t.Text(), maxSubjectRead), "\n") {
		if line = text.OneLine(line, maxSubject); strings.IndexFunc(line, unicode.IsLetter) >= 0 {
			return line
		} else if first == "" {
			first = line
		}
	}
	return first
}

// maxSubjectRead bounds what is searched for the first line, in bytes.
const maxSubjectRead = 4096

// headingOf returns what the page of a record calls itself: the subject of a message, else the
// title of the page. It is "" if t is another page, such as a list.
func headingOf(t *tagtree.Tree, e eventseer.Event) string {
	switch {
	case t.Page == nil || t.Page.URL != e.URL:
		return ""
	case match.IsArchive(e.URL):
		return subjectOf(t)
	}
	return t.Title()
}
