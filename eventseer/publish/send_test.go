package publish

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/publish/message"
)

func TestSignInMailsGoAhead(t *testing.T) {
	w := newWorld(t)
	w.subscribe("ann@x.example", eventseer.List{Query: "crawling", Rhythm: eventseer.Immediate})
	w.store.put(call("a-2027", "Crawling", "2027-02-01"), eventseer.Change{New: true})
	if err := w.publishChanges(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := w.queueDigests(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := w.RequestSignIn(t.Context(), "x", "bob@x.example", eventseer.List{}); err != nil {
		t.Fatal(err)
	}
	w.publish()
	letters := w.mail.taken()
	if len(letters) != 2 || letters[0].To != "bob@x.example" {
		t.Errorf("order %v", subjects(letters))
	}
	for _, l := range letters {
		if !strings.HasSuffix(l.ID, "@seer.example") {
			t.Errorf("the Message-ID %s is not of the site's domain", l.ID)
		}
	}
}

func TestRetriesRefusalsAndBounces(t *testing.T) {
	w := newWorld(t)
	ctx := t.Context()
	ann, _ := w.subscribe("ann@x.example", eventseer.List{Query: "crawling", Rhythm: eventseer.Immediate})
	bob, _ := w.subscribe("bob@x.example", eventseer.List{Query: "crawling", Rhythm: eventseer.Immediate})
	var ids []string
	w.mail.fail = func(l message.Email) error {
		if l.To == "bob@x.example" {
			return fmt.Errorf("%w: no such mailbox", message.ErrRefused)
		}
		if ids = append(ids, l.ID); len(ids) < 3 {
			return errors.New("try later")
		}
		return nil
	}
	w.store.put(call("a-2027", "Crawling", "2027-02-01"), eventseer.Change{New: true})
	for range 4 {
		w.publish()
		w.until(w.clock.Add(6 * time.Minute))
	}
	letters := w.mail.taken()
	if len(letters) != 1 || len(ids) != 3 || ids[0] != ids[2] || letters[0].ID != ids[0] {
		t.Fatalf("sent %v after tries of %v", subjects(letters), ids)
	}
	if u, _ := w.Find(ctx, bob.ID); !strings.Contains(u.Refused, "no such mailbox") {
		t.Errorf("bob's address is %+v", u.Account)
	}
	w.store.put(call("b-2027", "Crawling", "2027-02-01"), eventseer.Change{New: true})
	w.publish()
	if got := subjects(w.mail.taken()); len(got) != 1 || !strings.HasPrefix(got[0], "ann") {
		t.Errorf("after bob's refusal: %v", got)
	}
	if err := w.EndMailByMessage(ctx, "<"+ids[0]+">", "mailbox is full for ever"); err != nil {
		t.Fatal(err)
	}
	if u, _ := w.Find(ctx, ann.ID); !strings.Contains(u.Refused, "full for ever") {
		t.Errorf("ann's address is %+v", u.Account)
	}
	// A stranger who knows an address sends a bounce that uses the address as a Message-ID.
	cleo, _ := w.subscribe("cleo@x.example", eventseer.List{Query: "crawling", Rhythm: eventseer.Daily})
	for _, forged := range []string{"victim@other.example", "cleo@x.example", "<cleo@x.example>", "CLEO@X.EXAMPLE", "<" + ids[0], ids[0] + "0", ""} {
		if err := w.EndMailByMessage(ctx, forged, "forged"); !errors.Is(err, eventseer.ErrNotFound) {
			t.Errorf("a bounce of %q: %v", forged, err)
		}
	}
	if u, _ := w.Find(ctx, cleo.ID); u.Refused != "" {
		t.Errorf("a stranger ended mail to %+v", u.Account)
	}
	for who, want := range map[string]error{"victim@other.example": eventseer.ErrNotFound, ids[1]: eventseer.ErrNotFound, "Cleo@x.example": nil} {
		if err := w.EndMailByAddress(ctx, who, "no such mailbox"); !errors.Is(err, want) {
			t.Errorf("the address %s is gone: %v, want %v", who, err, want)
		}
	}
	if u, _ := w.Find(ctx, cleo.ID); !strings.Contains(u.Refused, "no such mailbox") {
		t.Errorf("cleo's address is %+v", u.Account)
	}
	if got := w.Counters(); got.Sent != 2 || got.Retried != 2 || got.Refused != 3 {
		t.Errorf("counters %+v", got)
	}
}

func TestLetterIsGivenUpAfterDays(t *testing.T) {
	w := newWorld(t)
	w.subscribe("ann@x.example", eventseer.List{Query: "crawling", Rhythm: eventseer.Immediate})
	w.mail.fail = func(message.Email) error { return errors.New("try later") }
	w.store.put(call("a-2027", "Crawling", "2027-02-01"), eventseer.Change{New: true})
	for range 7 * 24 {
		w.publish()
		w.until(w.clock.Add(time.Hour))
	}
	if n, _ := w.CountWaiting(t.Context()); n != 0 || w.Counters().Lost != 1 {
		t.Errorf("%d letters wait, %+v", n, w.Counters())
	}
}

func TestRunSendsAtItsPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, func(o *Options) { o.PerMinute, o.Now = 10, time.Now })
		for i := range 12 {
			w.subscribe(fmt.Sprintf("r%d@x.example", i), eventseer.List{Query: "crawling", Rhythm: eventseer.Immediate})
		}
		w.store.put(call("a-2027", "Crawling", "2027-02-01"), eventseer.Change{New: true})
		begin := time.Now()
		var last time.Time
		w.mail.fail = func(message.Email) error { last = time.Now(); return nil }
		done := make(chan error)
		ctx, stop := contextOf(t)
		go func() { done <- w.Run(ctx) }()
		w.Wake()
		time.Sleep(10 * time.Minute)
		stop()
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		if took := last.Sub(begin); len(w.mail.taken()) != 12 || took < 60*time.Second || took > 120*time.Second {
			t.Errorf("12 letters at 10 a minute took %v", took)
		}
		if err := w.LastPassError(); err != nil {
			t.Error(err)
		}
	})
}

// TestLeftListsAreNotSent leaves a list while its mail waits.
func TestLeftListsAreNotSent(t *testing.T) {
	w := newWorld(t)
	a, lists := w.subscribe("ann@x.example", eventseer.List{Query: "crawling", Rhythm: eventseer.Immediate})
	w.mail.fail = func(message.Email) error { return errors.New("try later") }
	w.store.put(call("a-2027", "Crawling", "2027-02-01"), eventseer.Change{New: true})
	w.publish()
	if err := w.Unsubscribe(t.Context(), w.UnsubscribeToken(a.ID, lists[0].ID, 0)); err != nil {
		t.Fatal(err)
	}
	w.mail.fail = nil
	w.until(w.clock.Add(time.Hour))
	w.publish()
	if got := w.mail.taken(); len(got) > 0 {
		t.Errorf("sent %v", subjects(got))
	}
}
