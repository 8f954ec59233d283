package wrapper

import "eventseer/eventseer"

// maxContact is the length of the longest way to reach a person, in bytes.
const maxContact = 320

// kept returns the first n bytes of a text as files keep it: without addresses and
// telephone numbers of people.
func kept(text string, n int) string { return clip(eventseer.Redact(clip(text, n+maxContact)), n) }
