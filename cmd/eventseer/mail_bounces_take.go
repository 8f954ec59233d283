package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/mail"
	"strings"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/eventseer"
	"eventseer/eventseer/mailbox"
	"eventseer/eventseer/publish"
	"eventseer/eventseer/publish/mailer"
	"eventseer/internal/text"
)

// A bounced is told of letters that came back: a publish.Service.
type bounced interface {
	// Bounced ends mail to whoever got the letter of a Message-ID, and Gone to an
	// address; eventseer.ErrNotFound of none that it knows.
	Bounced(ctx context.Context, letter, why string) error
	Gone(ctx context.Context, address, why string) error
	// Leave ends the list of a token.
	Leave(ctx context.Context, token string) error
}

var _ bounced = (*publish.Service)(nil)

// What comes of a mail that came back.
const (
	bounceGone    = "gone"    // nothing more is sent to the address
	bounceKept    = "kept"    // another try may help
	bounceUnknown = "unknown" // no letter of ours
	bounceLeft    = "left"    // a list was left
)

// A bounceNote is what came of a mail.
type bounceNote struct {
	Result  string `json:"result"`
	Address string `json:"address,omitempty"`
	Letter  string `json:"letter,omitempty"` // Message-ID
	Detail  string `json:"detail,omitempty"`
}

func (b bounceNote) write(w io.Writer, format string) error {
	if format == "jsonl" {
		return app.WriteJSONLine(w, b)
	}
	line := fmt.Sprintf("%-7s  %s  %s  %s", b.Result, cmp.Or(b.Address, "-"), cmp.Or(b.Letter, "-"), b.Detail)
	_, err := fmt.Fprintln(w, strings.TrimRight(text.Printable(line), " "))
	return err
}

// A bounceTaker takes mails one after the other and tells what they say.
type bounceTaker struct {
	readers   bounced
	byAddress bool // believes mails that name no letter
	note      func(bounceNote) error

	mails, bad int
	results    map[string]int
	first      error // of the mails that are bad
}

// String sums up.
func (t *bounceTaker) String() string {
	return fmt.Sprintf("%s: %s, %d kept for another try, %s, %s, %d broken",
		text.Count(t.mails, "mail", "mails"), text.Count(t.results[bounceGone], "address is gone", "addresses are gone"), t.results[bounceKept],
		text.Count(t.results[bounceUnknown], "of no mail of ours", "of no mails of ours"), text.Count(t.results[bounceLeft], "list was left", "lists were left"), t.bad)
}

// takeAll takes mails; an error is one of the readers.
func (t *bounceTaker) takeAll(ctx context.Context, mails iter.Seq2[[]byte, error]) error {
	for raw, err := range mails {
		if err != nil {
			t.broken(err)
			continue
		}
		if err := t.take(ctx, raw); err != nil {
			return err
		}
	}
	return nil
}

// takeFolder takes the mails of a folder; its mark moves after what they say is kept.
func (t *bounceTaker) takeFolder(ctx context.Context, mails iter.Seq2[mailbox.Fetched, error], at *folderMark) error {
	return at.readOn(mails, func(m mailbox.Fetched, _ error) error {
		if m.Raw == nil {
			return nil
		}
		return t.take(ctx, m.Raw)
	})
}

func (t *bounceTaker) broken(err error) {
	t.mails++
	t.bad++
	if t.first == nil {
		t.first = err
	}
}

// take takes one mail.
func (t *bounceTaker) take(ctx context.Context, raw []byte) error {
	if token := leaveToken(raw); token != "" {
		t.mails++
		return t.leave(ctx, token)
	}
	found, err := mailer.ReadBounces(bytes.NewReader(raw))
	if err != nil {
		t.broken(err)
		return nil
	}
	t.mails++
	for _, b := range found {
		if err := t.tell(ctx, b); err != nil {
			return err
		}
	}
	return nil
}

// tell tells what became of one letter.
func (t *bounceTaker) tell(ctx context.Context, b mailer.Bounce) error {
	n := bounceNote{Result: bounceKept, Address: b.Address, Letter: b.MessageID, Detail: b.Detail}
	who, gone := b.MessageID, t.readers.Bounced
	if who == "" && t.byAddress {
		who, gone = b.Address, t.readers.Gone
	}
	switch {
	case who == "":
		n.Result = bounceUnknown
	case b.Permanent:
		n.Result = bounceGone
		if err := gone(ctx, who, b.Detail); errors.Is(err, eventseer.ErrNotFound) {
			n.Result = bounceUnknown
		} else if err != nil {
			return err
		}
	}
	return t.count(n)
}

// leave ends a list for a mail to mail-leave.
func (t *bounceTaker) leave(ctx context.Context, token string) error {
	n := bounceNote{Result: bounceLeft}
	if err := t.readers.Leave(ctx, token); errors.Is(err, eventseer.ErrNotFound) {
		n.Result, n.Detail = bounceUnknown, "it leaves no list"
	} else if err != nil {
		return err
	}
	return t.count(n)
}

func (t *bounceTaker) count(n bounceNote) error {
	if t.results == nil {
		t.results = map[string]int{}
	}
	t.results[n.Result]++
	return t.note(n)
}

// leaveToken is the token of a mail that a reader's mail program wrote to leave a list.
func leaveToken(raw []byte) string {
	m, err := mail.ReadMessage(bytes.NewReader(raw))
	if err != nil {
		return ""
	}
	return mailer.LeaveToken(m.Header.Get("Subject"))
}
