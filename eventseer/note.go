package eventseer

import (
	"context"
	"errors"
	"time"
)

// ErrDeskFull means that too many notes wait for the operator to accept another.
var ErrDeskFull = errors.New("too many reports wait for the operator; please come back later")

// A NoteKind is the subject of a visitor's note to the operator.
type NoteKind string

// Kinds of notes.
const (
	ErrorReport NoteKind = "error"   // an error in an event
	Submitted   NoteKind = "submit"  // a page for the crawler to visit in its next run
	Suggested   NoteKind = "suggest" // a page to review, in which no call was found
	Removal     NoteKind = "removal" // request to remove a person or a page
	Appeal      NoteKind = "appeal"  // against a warning shown with an event
)

// A Note is a visitor's message to the operator. It does not contain the visitor's address.
type Note struct {
	ID    string    `json:"id"` // assigned by the desk
	Kind  NoteKind  `json:"kind"`
	At    time.Time `json:"at"`
	Event EventID   `json:"event,omitempty"`
	URL   string    `json:"url,omitempty"`
	Field string    `json:"field,omitempty"` // JSON name of the event's field
	Text  string    `json:"text,omitempty"`  // at most MaxNote runes
	Done  time.Time `json:"done,omitzero"`
	// Answer is what the operator did: "queued", "rejected: …".
	Answer string `json:"answer,omitempty"`
}

// Limits on a Desk.
const (
	MaxNote     = 2000   // runes of Note.Text
	MaxNotes    = 10_000 // maximum number of open notes
	MaxNoteDone = 10_000 // maximum number of closed notes; older ones are deleted
)

// A NoteStore stores notes for the operator. It is safe for concurrent use.
type NoteStore interface {
	// StoreNote stores a note; equal notes of one day are stored once. It returns ErrDeskFull if there
	// are too many.
	StoreNote(ctx context.Context, n Note) error
	// Notes returns open or closed notes, oldest first, at most limit.
	Notes(ctx context.Context, done bool, limit int) ([]Note, error)
	// CloseNote closes a note with the operator's answer. It returns ErrNotFound if there is no such note.
	CloseNote(ctx context.Context, id, answer string, at time.Time) error
}
