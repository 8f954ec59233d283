package eventseer

import (
	"errors"
	"time"
)

// A CorrectionKind is what an editor does to an event.
type CorrectionKind string

// The kinds of corrections.
const (
	EditCorrection  CorrectionKind = "edit"  // Field has Value, whatever is read
	PinCorrection   CorrectionKind = "pin"   // Field stays as it was: Value
	MergeCorrection CorrectionKind = "merge" // Other is the same edition as Event, which goes on
	SplitCorrection CorrectionKind = "split" // Pages are of another edition, Other
	HideCorrection  CorrectionKind = "hide"  // Event is not listed
	// ApartCorrection means that Event and Other are two editions. It changes no record: the pair
	// is asked for no more, and is an example.
	ApartCorrection CorrectionKind = "apart"
)

// A Correction is what an editor says of an event. It comes before whatever pages say, also what is
// read of them later, until it is undone. It names its event by id and by page, so that it finds it
// in a store made again. Corrections of several stores are united: each is told by its ID, one that
// is undone anywhere is undone, and of two of one field the later counts, of equal times that of
// the greater ID.
type Correction struct {
	// ID is At in UTC and a hash of the rest: sorted by ID, corrections are in order of time.
	ID    string         `json:"id"`
	Kind  CorrectionKind `json:"kind"`
	Event EventID        `json:"event"`
	// Page is the URL of the event when it was corrected; OtherPage that of Other.
	Page string `json:"page"`
	// Field is the JSON name of the field, "deadlines.KIND" of a deadline. Old is what it had.
	Field string `json:"field,omitempty"`
	Old   string `json:"old,omitempty"`
	Value string `json:"value,omitempty"` // "" for a field that is to be empty
	// Other is the event that is merged into Event, or what Pages of Event become.
	Other     EventID   `json:"other,omitempty"`
	OtherPage string    `json:"other_page,omitempty"`
	Pages     []string  `json:"pages,omitempty"`
	Who       string    `json:"who"`
	Why       string    `json:"why,omitempty"`
	At        time.Time `json:"at"`
	// Undone says who undid it and when; nil for one that counts.
	Undone *Undo `json:"undone,omitempty"`
}

// An Undo says by whom, when and why a correction was undone.
type Undo struct {
	Who string    `json:"who"`
	Why string    `json:"why,omitempty"`
	At  time.Time `json:"at"`
}

// EditorRule is the Provenance.Rule of values that an editor gave or pinned.
const EditorRule = "editor"

// Limits of a correction.
const (
	MaxCorrectionText  = 1000 // runes of Who, Why and Value, topics apart
	MaxCorrectionPages = MaxPages
)

// ErrConflict means that what is to be corrected has changed since it was looked at.
var ErrConflict = errors.New("it was changed meanwhile")
