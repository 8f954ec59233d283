package extract

import (
	"strings"

	"github.com/eventseer/eventseer/eventseer"
)

// printedText cuts at most n bytes of a text for the record, and redacts them
// before the cut, which may halve an address.
func printedText(s string, n int) string {
	s = strings.TrimSpace(s)
	if more := clip(s, 2*n); len(more) < len(s) {
		s = more[:max(0, strings.LastIndexByte(more, ' '))]
	}
	return strings.TrimSpace(clip(redact(s), n))
}

// localMail matches an address without a domain, as pages of one department
// print it: ann@lab.
var localMail = compile(`\b[a-z][a-z0-9._-]*@[a-z][a-z0-9-]+\b`)

// redact is eventseer.Redact of running text, where no event has a name in
// lower case.
func redact(s string) string {
	return localMail.ReplaceAllString(eventseer.Redact(s), "…")
}

// redactRecord redacts the short fields of a record that keep the words of a
// page; longer ones are redacted where they are cut.
func redactRecord(e *eventseer.Event) {
	for _, s := range []*string{&e.Title, &e.Acronym, &e.Parent, &e.Publisher} {
		*s = eventseer.Redact(*s)
	}
	if src, ok := e.Sources["committee"]; ok {
		src.Snippet = withoutContacts(src.Snippet) // addresses without a domain too
		e.Sources["committee"] = src
	}
	for i := range e.Topics {
		e.Topics[i] = eventseer.Redact(e.Topics[i])
	}
	for i := range e.Deadlines {
		d := &e.Deadlines[i]
		d.Track = eventseer.Redact(d.Track)
	}
	for i := range e.Warnings {
		e.Warnings[i].Text = eventseer.Redact(e.Warnings[i].Text)
	}
}
