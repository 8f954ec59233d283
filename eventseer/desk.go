package eventseer

import (
	"context"
	"errors"
	"time"
)

// ErrDeskFull means that too many notes wait for the operator to take another.
var ErrDeskFull = errors.New("too many reports wait for the operator; please come back later")

// A NoteKind is what a visitor wants of the operator.
type NoteKind string

// The kinds of notes.
const (
	ErrorReport NoteKind = "error"   // something of an event is wrong
	Submitted   NoteKind = "submit"  // a page that the crawler is to visit in its next turn
	Suggested   NoteKind = "suggest" // a page to look at, in which no call was found
	Removal     NoteKind = "removal" // of a person or a page
	Appeal      NoteKind = "appeal"  // against a warning shown with an event
)

// A Note is what a visitor tells the operator. It holds no address of the visitor.
type Note struct {
	ID    string    `json:"id"` // set by the desk
	Kind  NoteKind  `json:"kind"`
	At    time.Time `json:"at"`
	Event EventID   `json:"event,omitempty"`
	URL   string    `json:"url,omitempty"`
	Field string    `json:"field,omitempty"` // of the event, its JSON name
	Text  string    `json:"text,omitempty"`  // at most MaxNote runes
	Done  time.Time `json:"done,omitzero"`
	// Answer is what the operator did: "queued", "rejected: …".
	Answer string `json:"answer,omitempty"`
}

// Limits of a Desk.
const (
	MaxNote     = 2000   // runes of Note.Text
	MaxNotes    = 10_000 // that wait
	MaxNoteDone = 10_000 // settled ones kept, the newest
)

// A Desk keeps notes for the operator. It is safe for concurrent use.
type Desk interface {
	// Leave keeps a note; the same note of the same day once. ErrDeskFull.
	Leave(ctx context.Context, n Note) error
	// Notes returns those that wait, or those settled, oldest first, at most limit.
	Notes(ctx context.Context, done bool, limit int) ([]Note, error)
	// Settle says what became of a note; ErrNotFound.
	SettleNote(ctx context.Context, id, answer string, at time.Time) error
}
