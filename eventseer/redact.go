package eventseer

import "github.com/eventseer/eventseer/internal/text"

// Redact is text.Redact: a text that is kept as a page prints it without e-mail addresses,
// also disguised ones, and telephone numbers.
func Redact(s string) string { return text.Redact(s) }
