package eventseer

import (
	"errors"
	"time"
)

// A CorrectionKind is an editor's action on an event.
type CorrectionKind string

// Kinds of corrections.
const (
	EditCorrection  CorrectionKind = "edit"  // sets Field to Value, regardless of pages
	PinCorrection   CorrectionKind = "pin"   // keeps Field at its present value, Value
	MergeCorrection CorrectionKind = "merge" // Other is the same edition as Event and is merged into it
	SplitCorrection CorrectionKind = "split" // Pages belong to another edition, Other
	HideCorrection  CorrectionKind = "hide"  // removes Event from lists
	// ApartCorrection means that Event and Other are two editions. It changes no record, but the
	// pair is not proposed again and becomes a training example.
	ApartCorrection CorrectionKind = "apart"
)

// A Correction is an editor's change to an event. It takes precedence over pages, even ones read
// later, until it is undone. It names the event by id and by page, so that it is found in a rebuilt
// store. Corrections from several stores are merged by ID; one undone in any store is undone. Of
// two corrections of one field the later counts; if the times are equal, the greater ID.
type Correction struct {
	// ID is At in UTC and a hash of the rest, so sorting by ID sorts by time.
	ID    string         `json:"id"`
	Kind  CorrectionKind `json:"kind"`
	Event EventID        `json:"event"`
	// Page is the URL of the event when it was corrected; OtherPage is that of Other.
	Page string `json:"page"`
	// Field is the JSON name of the field, or "deadlines.KIND" for a deadline. Old is its previous
	// value.
	Field string `json:"field,omitempty"`
	Old   string `json:"old,omitempty"`
	Value string `json:"value,omitempty"` // "" clears the field
	// Other is the event that is merged into Event, or the event that Pages are split into.
	Other     EventID   `json:"other,omitempty"`
	OtherPage string    `json:"other_page,omitempty"`
	Pages     []string  `json:"pages,omitempty"`
	Who       string    `json:"who"`
	Why       string    `json:"why,omitempty"`
	At        time.Time `json:"at"`
	// Undone records who undid it and when; nil for a correction in force.
	Undone *Undo `json:"undone,omitempty"`
}

// An Undo records who undid a correction, when and why.
type Undo struct {
	Who string    `json:"who"`
	Why string    `json:"why,omitempty"`
	At  time.Time `json:"at"`
}

// EditorRule is the Provenance.Rule of values that an editor gave or pinned.
const EditorRule = "editor"

// Limits on a correction.
const (
	MaxCorrectionText  = 1000 // runes of Who, Why and Value, except topics
	MaxCorrectionPages = MaxPages
)

// ErrConflict means that the event has changed since the editor loaded it.
var ErrConflict = errors.New("it was changed meanwhile")
