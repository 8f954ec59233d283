package eventseer

import "github.com/eventseer/eventseer/internal/text"

// Redact is text.Redact: it removes e-mail addresses, also disguised ones, and telephone numbers
// from a page's text before it is stored.
func Redact(s string) string { return text.Redact(s) }
