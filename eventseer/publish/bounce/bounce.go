// Package bounce takes mails that came back and ends mail to addresses that are gone.
package bounce

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"net/mail"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/publish"
	"github.com/eventseer/eventseer/eventseer/publish/mailer"
	"github.com/eventseer/eventseer/internal/text"
)

// Recipients handle bounced mails: a publish.Service.
type Recipients interface {
	// Bounced ends mail to the recipient of the email with a Message-ID, and Gone to an address.
	// Both return eventseer.ErrNotFound if it is unknown.
	Bounced(ctx context.Context, letter, why string) error
	Gone(ctx context.Context, address, why string) error
	// Leave ends the list of a token.
	Leave(ctx context.Context, token string) error
}

var _ Recipients = (*publish.Service)(nil)

// What comes of a mail that came back.
const (
	Gone    = "gone"    // nothing more is sent to the address
	Kept    = "kept"    // another try may help
	Unknown = "unknown" // no email of ours
	Left    = "left"    // a list was left
)

// A Note is what came of a mail.
type Note struct {
	Result  string `json:"result"`
	Address string `json:"address,omitempty"`
	Letter  string `json:"letter,omitempty"` // Message-ID
	Detail  string `json:"detail,omitempty"`
}

// A Taker reads mails one after the other and reports their content.
type Taker struct {
	Readers   Recipients
	ByAddress bool // believes mails that name no email
	Note      func(Note) error

	Mails, Bad int
	results    map[string]int
	First      error // of the mails that are bad
}

// String sums up.
func (t *Taker) String() string {
	return fmt.Sprintf("%s: %s, %d kept for another try, %s, %s, %d broken",
		text.Count(t.Mails, "mail", "mails"), text.Count(t.results[Gone], "address is gone", "addresses are gone"), t.results[Kept],
		text.Count(t.results[Unknown], "of no mail of ours", "of no mails of ours"), text.Count(t.results[Left], "list was left", "lists were left"), t.Bad)
}

// TakeAll takes mails; an error is one of the readers.
func (t *Taker) TakeAll(ctx context.Context, mails iter.Seq2[[]byte, error]) error {
	for raw, err := range mails {
		if err != nil {
			t.broken(err)
			continue
		}
		if err := t.ReadMail(ctx, raw); err != nil {
			return err
		}
	}
	return nil
}

func (t *Taker) broken(err error) {
	t.Mails++
	t.Bad++
	if t.First == nil {
		t.First = err
	}
}

// ReadMail takes one mail.
func (t *Taker) ReadMail(ctx context.Context, raw []byte) error {
	if token := leaveToken(raw); token != "" {
		t.Mails++
		return t.leave(ctx, token)
	}
	found, err := mailer.ReadBounces(bytes.NewReader(raw))
	if err != nil {
		t.broken(err)
		return nil
	}
	t.Mails++
	for _, b := range found {
		if err := t.tell(ctx, b); err != nil {
			return err
		}
	}
	return nil
}

// tell reports the result for one email.
func (t *Taker) tell(ctx context.Context, b mailer.Bounce) error {
	n := Note{Result: Kept, Address: b.Address, Letter: b.MessageID, Detail: b.Detail}
	who, gone := b.MessageID, t.Readers.Bounced
	if who == "" && t.ByAddress {
		who, gone = b.Address, t.Readers.Gone
	}
	switch {
	case who == "":
		n.Result = Unknown
	case b.Permanent:
		n.Result = Gone
		if err := gone(ctx, who, b.Detail); errors.Is(err, eventseer.ErrNotFound) {
			n.Result = Unknown
		} else if err != nil {
			return err
		}
	}
	return t.count(n)
}

// leave ends a list for a mail to mail-leave.
func (t *Taker) leave(ctx context.Context, token string) error {
	n := Note{Result: Left}
	if err := t.Readers.Leave(ctx, token); errors.Is(err, eventseer.ErrNotFound) {
		n.Result, n.Detail = Unknown, "it leaves no list"
	} else if err != nil {
		return err
	}
	return t.count(n)
}

func (t *Taker) count(n Note) error {
	if t.results == nil {
		t.results = map[string]int{}
	}
	t.results[n.Result]++
	return t.Note(n)
}

// leaveToken returns the token of a mail that a reader's mail program wrote to leave a list.
func leaveToken(raw []byte) string {
	m, err := mail.ReadMessage(bytes.NewReader(raw))
	if err != nil {
		return ""
	}
	return mailer.LeaveToken(m.Header.Get("Subject"))
}
