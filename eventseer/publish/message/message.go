// Package message writes the mails that readers get, each as plain text and HTML: a link
// that signs in, a digest, and a test. Text from elsewhere is made harmless on the way.
package message

import (
	"context"
	"errors"
	"time"

	"eventseer/eventseer"
)

// A Email is one mail, ready to be sent.
type Email struct {
	// ID is the Message-ID without its brackets, the same however often a letter is
	// sent.
	ID       string
	To       string // address
	At       time.Time
	Subject  string
	Text     string
	HTML     string
	ListID   string // "" of letters that no list sends, such as a sign-in
	ListName string
	// Unsubscribe is the https URL of RFC 8058's one-click POST, "" of none.
	Unsubscribe string
}

// ErrRefused says that an address takes no mail: another try is of no use.
var ErrRefused = errors.New("refused for good")

// A Mailer sends letters. Send returns nil only once a server or a file has taken
// the letter for good; ErrRefused where it never will; any other error leaves it
// open, and the letter is sent again with the same ID.
type Mailer interface {
	Send(ctx context.Context, l Email) error
}

// A Site is what letters say of who sends them.
type Site struct {
	Name    string // "EventSeer"
	Base    string // URL, ending in "/"
	Contact string // of the operator
}

// Links are the ways on from a letter. Functions of nothing known return "".
type Links struct {
	Page     string                                     // the digest as a page
	Lists    string                                     // where the reader changes lists
	LeaveAll string                                     // page of List-Unsubscribe for all lists
	Leave    func(list string) string                   // for one
	Vote     func(i eventseer.Item, useful bool) string // page with the button
	Event    func(id eventseer.EventID) string
	History  func(id eventseer.EventID) string
}
