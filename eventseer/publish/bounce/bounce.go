// Package bounce reads bounced mails and ends mail to addresses that do not exist any more.
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

// Recipients handle bounced mails. publish.Service implements it.
type Recipients interface {
	// EndMailByMessage ends mail to the recipient of the mail with a Message-ID. Gone ends mail to an address. Both
	// return eventseer.ErrNotFound if it is unknown.
	EndMailByMessage(ctx context.Context, letter, why string) error
	EndMailByAddress(ctx context.Context, address, why string) error
	// Unsubscribe unsubscribes from the list of a token.
	Unsubscribe(ctx context.Context, token string) error
}

var _ Recipients = (*publish.Service)(nil)

// Values of Note.Result.
const (
	Gone    = "gone"    // no further mail is sent to the address
	Kept    = "kept"    // a temporary failure; another try may succeed
	Unknown = "unknown" // not a bounce of a mail that was sent
	Left    = "left"    // the mail unsubscribed from a list
)

// A Note is the result of one bounce or unsubscription.
type Note struct {
	Result  string `json:"result"`
	Address string `json:"address,omitempty"`
	Letter  string `json:"letter,omitempty"` // Message-ID
	Detail  string `json:"detail,omitempty"`
}

// A Processor reads bounced mails one after the other and handles them.
type Processor struct {
	Readers   Recipients
	ByAddress bool // also accept bounces that have an address but no Message-ID
	Note      func(Note) error

	Mails, Bad int
	results    map[string]int
	First      error // error of the first bad mail
}

// String returns a summary.
func (t *Processor) String() string {
	return fmt.Sprintf("%s: %s, %d kept for another try, %s, %s, %d unreadable",
		text.Count(t.Mails, "mail", "mails"), text.Count(t.results[Gone], "address is gone", "addresses are gone"), t.results[Kept],
		text.Count(t.results[Unknown], "for a mail that is not ours", "for mails that are not ours"), text.Count(t.results[Left], "list was left", "lists were left"), t.Bad)
}

// ProcessAll reads mails. It returns the first error of Readers or Note.
func (t *Processor) ProcessAll(ctx context.Context, mails iter.Seq2[[]byte, error]) error {
	for raw, err := range mails {
		if err != nil {
			t.countBroken(err)
			continue
		}
		if err := t.ProcessMail(ctx, raw); err != nil {
			return err
		}
	}
	return nil
}

func (t *Processor) countBroken(err error) {
	t.Mails++
	t.Bad++
	if t.First == nil {
		t.First = err
	}
}

// ProcessMail handles one mail. A mail that cannot be parsed is counted as bad.
func (t *Processor) ProcessMail(ctx context.Context, raw []byte) error {
	if token := unsubscribeToken(raw); token != "" {
		t.Mails++
		return t.unsubscribe(ctx, token)
	}
	found, err := mailer.ReadBounces(bytes.NewReader(raw))
	if err != nil {
		t.countBroken(err)
		return nil
	}
	t.Mails++
	for _, b := range found {
		if err := t.handleBounce(ctx, b); err != nil {
			return err
		}
	}
	return nil
}

// handleBounce handles one bounce and reports its result.
func (t *Processor) handleBounce(ctx context.Context, b mailer.Bounce) error {
	n := Note{Result: Kept, Address: b.Address, Letter: b.MessageID, Detail: b.Detail}
	who, gone := b.MessageID, t.Readers.EndMailByMessage
	if who == "" && t.ByAddress {
		who, gone = b.Address, t.Readers.EndMailByAddress
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
	return t.countNote(n)
}

// unsubscribe unsubscribes from a list by the token in a mail.
func (t *Processor) unsubscribe(ctx context.Context, token string) error {
	n := Note{Result: Left}
	if err := t.Readers.Unsubscribe(ctx, token); errors.Is(err, eventseer.ErrNotFound) {
		n.Result, n.Detail = Unknown, "it leaves no list"
	} else if err != nil {
		return err
	}
	return t.countNote(n)
}

func (t *Processor) countNote(n Note) error {
	if t.results == nil {
		t.results = map[string]int{}
	}
	t.results[n.Result]++
	return t.Note(n)
}

// unsubscribeToken returns the token of an unsubscription mail written by a reader's mail program, or "".
func unsubscribeToken(raw []byte) string {
	m, err := mail.ReadMessage(bytes.NewReader(raw))
	if err != nil {
		return ""
	}
	return mailer.UnsubscribeToken(m.Header.Get("Subject"))
}
