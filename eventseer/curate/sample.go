package curate

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/eventseer/eventseer/eventseer"
)

// sampledOneIn is the number of events for each one in the sample.
const sampledOneIn = 20

// IsSampled reports whether an event is in the sample whose fields editors check, one event in 20. A
// hash of the ID decides, independently of errors and readers, so the share of correct fields
// estimates that of all events.
func IsSampled(id eventseer.EventID) bool { return SampleRank(id)%sampledOneIn == 0 }

// SampleRank orders the events of the sample for checking. The first few in this order are a random
// sample too.
func SampleRank(id eventseer.EventID) uint32 {
	sum := sha256.Sum256([]byte("sample\n" + id))
	return binary.BigEndian.Uint32(sum[:])
}

// UncheckedFields returns the main fields of an event that no editor has pinned or corrected, with the
// values that readers see. They are the name, the first day, the country, and the first deadline of
// papers or abstracts without a track.
func UncheckedFields(e eventseer.Event) (fields []eventseer.FieldChange) {
	add := func(name string, source eventseer.Provenance) {
		if value, err := FieldValue(e, name); err == nil && value != "" && source.Rule != eventseer.EditorRule && e.Sources[name].Rule != eventseer.EditorRule {
			fields = append(fields, eventseer.FieldChange{Field: name, New: value})
		}
	}
	for _, name := range []string{"title", "event_start", "location"} {
		add(name, e.Sources[name])
	}
	for _, d := range e.Deadlines {
		if d.Kind.IsSubmission() && d.Track == "" {
			add(d.Field(), d.Source)
			break
		}
	}
	return fields
}
