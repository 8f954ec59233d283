package bounce

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/mailbox"

	"github.com/google/go-cmp/cmp"
)

// knownBounced knows mails, addresses and tokens of lists.
type knownBounced struct {
	known map[string]bool
	fails bool
	told  []string
}

var errReaders = errors.New("the disk is full")

func (k *knownBounced) EndMailByMessage(_ context.Context, letter, why string) error {
	return k.tell("bounced "+letter+": "+why, letter)
}

func (k *knownBounced) EndMailByAddress(_ context.Context, address, why string) error {
	return k.tell("gone "+address+": "+why, address)
}

func (k *knownBounced) Unsubscribe(_ context.Context, token string) error {
	return k.tell("leave "+token, token)
}

func (k *knownBounced) tell(what, who string) error {
	switch {
	case k.fails:
		return errReaders
	case !k.known[who]:
		return fmt.Errorf("%w: %s", eventseer.ErrNotFound, who)
	}
	k.told = append(k.told, what)
	return nil
}

func TestBounceTaker(t *testing.T) {
	anonymous := strings.Replace(bouncedMail("x@y"), "Message-ID: <x@y>", "X: y", 1)
	full := strings.Replace(bouncedMail("full.1@seer.example"), "5.1.1", "4.2.2", 1)
	box := "From - Sun Nov 22 09:30:00 2026\n" + strings.Join([]string{
		bouncedMail("ours.1@seer.example"), bouncedMail("theirs.1@y.example"), anonymous, full,
		"Subject: leave tok_1\n\n", "Subject: leave me alone\n\n", "Subject: leave tok_2\n\n", "no header\n",
	}, "\nFrom - Sun Nov 22 09:30:00 2026\n")
	box = strings.ReplaceAll(box, "\r\n", "\n")
	for _, byAddress := range []bool{false, true} {
		readers := &knownBounced{known: map[string]bool{"ours.1@seer.example": true, "ann@home.example": true, "tok_1": true}}
		var results []string
		taker := Processor{Readers: readers, ByAddress: byAddress, Note: func(n Note) error {
			results = append(results, n.Result)
			return nil
		}}
		if err := taker.ProcessAll(t.Context(), mailbox.RawMessages(strings.NewReader(box), "box")); err != nil {
			t.Fatal(err)
		}
		want, told := []string{"gone", "unknown", "unknown", "kept", "left", "unknown"}, []string{"bounced ours.1@seer.example: 5.1.1", "leave tok_1"}
		if byAddress {
			want[2], told = "gone", []string{told[0], "gone ann@home.example: 5.1.1", told[1]}
		}
		if d := cmp.Diff(want, results) + cmp.Diff(told, readers.told); d != "" {
			t.Errorf("by address %v:\n%s", byAddress, d)
		}
		if taker.Mails != 8 || taker.Bad != 1 {
			t.Errorf("%s", &taker)
		}
	}
	taker := Processor{Readers: &knownBounced{fails: true}, Note: func(Note) error { return nil }}
	if err := taker.ProcessAll(t.Context(), mailbox.RawMessages(strings.NewReader(box), "box")); !errors.Is(err, errReaders) {
		t.Errorf("readers that fail: %v", err)
	}
}

func bouncedMail(letter string) string {
	return "From: MAILER-DAEMON@mx.example\r\nTo: seer@seer.example\r\nSubject: Undelivered\r\nContent-Type: multipart/report; report-type=delivery-status; boundary=b\r\n\r\n" +
		"--b\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; mx.example\r\n\r\nFinal-Recipient: rfc822; ann@home.example\r\nAction: failed\r\nStatus: 5.1.1\r\n\r\n" +
		"--b\r\nContent-Type: text/rfc822-headers\r\n\r\nMessage-ID: <" + letter + ">\r\n\r\n--b--\r\n"
}
