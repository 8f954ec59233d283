package extract

import (
	"strings"

	"github.com/eventseer/eventseer/eventseer"
)

// printedText returns at most n bytes of a text for a record, redacted. It redacts before it cuts, since
// cutting could split an address.
func printedText(s string, n int) string {
	s = strings.TrimSpace(s)
	if more := cutToBytes(s, 2*n); len(more) < len(s) {
		s = more[:max(0, strings.LastIndexByte(more, ' '))]
	}
	return strings.TrimSpace(cutToBytes(redact(s), n))
}

// localMail matches a mail address without a domain, as pages of a department print it: ann@lab.
var localMail = compilePattern(`\b[a-z][a-z0-9._-]*@[a-z][a-z0-9-]+\b`)

// redact is eventseer.Redact for running text. It also removes addresses without a domain, since no event
// has such a name in lower case.
func redact(s string) string {
	return localMail.ReplaceAllString(eventseer.Redact(s), "…")
}

// redactRecord redacts the short fields of a record with text of the page. Longer ones are redacted when
// they are cut.
func redactRecord(e *eventseer.Event) {
	for _, s := range []*string{&e.Title, &e.Acronym, &e.Parent, &e.Publisher} {
		*s = eventseer.Redact(*s)
	}
	if src, ok := e.Sources["committee"]; ok {
		src.Snippet = withoutContacts(src.Snippet) // includes addresses without a domain
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
