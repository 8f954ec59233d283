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

// maxSubject is the maximum length of a message's subject, in bytes.
const maxSubject = 200

// withSubject returns a record of a message whose subject announces an extension with the subject appended to
// the texts of its submission deadlines. So these texts announce the extension too. Other records are
// returned unchanged.
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

// subjectOf returns the first line of a message's page that contains a letter. Archives without subjects
// begin with the text, and many texts begin with a line of signs.
func subjectOf(t *tagtree.Tree) string {
	first := ""
	for line := range strings.SplitSeq(text.CutBytes(t.Text(), maxSubjectRead), "\n") {
		if line = text.OneLine(line, maxSubject); strings.IndexFunc(line, unicode.IsLetter) >= 0 {
			return line
		} else if first == "" {
			first = line
		}
	}
	return first
}

// maxSubjectRead is the number of bytes that are searched for the first line.
const maxSubjectRead = 4096

// headingOf returns the heading of a record's page: the subject of a message, otherwise the title of the
// page. It is "" if t is another page, such as a list.
func headingOf(t *tagtree.Tree, e eventseer.Event) string {
	switch {
	case t.Page == nil || t.Page.URL != e.URL:
		return ""
	case match.IsArchive(e.URL):
		return subjectOf(t)
	}
	return t.Title()
}
