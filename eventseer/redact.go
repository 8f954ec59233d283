package eventseer

import "github.com/eventseer/eventseer/internal/text"

// Redact is text.Redact. It removes telephone numbers and e-mail addresses, also disguised ones, from a
// page's text before the text is stored.
func Redact(s string) string { return text.Redact(s) }
