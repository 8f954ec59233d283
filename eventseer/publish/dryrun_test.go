package publish

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/publish/message"

	"github.com/google/go-cmp/cmp"
)

// TestDryRunChangesNothing compares every record before and after.
func TestDryRunChangesNothing(t *testing.T) {
	w := newWorld(t)
	w.subscribe("ann@x.example", eventseer.List{Query: "crawling"}, eventseer.List{Query: "boats", Rhythm: eventseer.Immediate})
	if err := w.RequestSignIn(t.Context(), "x", "bob@x.example", eventseer.List{Query: "crawling"}); err != nil {
		t.Fatal(err)
	}
	w.store.put(call("a-2027", "Crawling", "2027-02-01"), eventseer.Change{New: true})
	w.until(noon.Add(24 * time.Hour))
	all := func() map[string]string {
		records := map[string]string{}
		w.eachRecord(func(bucket string, k, v []byte) { records[bucket+" "+string(k)] = string(v) })
		return records
	}
	before := all()
	var box fakeMailer
	for range 2 {
		d, err := w.DryRun(t.Context(), &box)
		if err != nil || d.Sent != 2 || d.Items != 1 || d.Digests != 1 {
			t.Fatalf("%+v, %v", d, err)
		}
	}
	if diff := cmp.Diff(before, all()); diff != "" {
		t.Error(diff)
	}
	dry := box.taken()
	w.publish()
	sent := w.mail.taken()
	if len(sent) != 2 || len(dry) != 4 || dry[0].ID != sent[0].ID || dry[1].Subject != sent[1].Subject {
		t.Errorf("dry %v, sent %v", subjects(dry), subjects(sent))
	}
	box.fail = func(message.Email) error { return errors.New("disk full") }
	w.store.put(call("b-2027", "Boats", "2027-02-01"), eventseer.Change{New: true})
	if _, err := w.DryRun(t.Context(), &box); err == nil || !strings.Contains(err.Error(), "disk full") {
		t.Errorf("a mailer that fails: %v", err)
	}
}

func TestQueueIsShownAndSteered(t *testing.T) {
	w := newWorld(t)
	ctx := t.Context()
	w.subscribe("anneliese@x.example", eventseer.List{Query: "crawling", Rhythm: eventseer.Immediate})
	w.mail.fail = func(message.Email) error { return errors.New("try\r\nlater") }
	w.store.put(call("a-2027", "Crawling", "2027-02-01"), eventseer.Change{New: true})
	w.publish()
	letters, err := w.WaitingMails(ctx, 10)
	if err != nil || len(letters) != 1 || letters[0].Address != "a…e@x.example" || letters[0].Error != "try later" || !letters[0].Next.After(w.clock) {
		t.Fatalf("%+v %v", letters, err)
	}
	w.mail.fail = nil
	if err := w.RetryMail(ctx, letters[0].ID); err != nil {
		t.Fatal(err)
	}
	if d := w.publish(); d.Sent != 1 {
		t.Errorf("%+v", d)
	}
	if err := w.DropMail(ctx, letters[0].ID); !errors.Is(err, eventseer.ErrNotFound) {
		t.Errorf("drop what is sent: %v", err)
	}
}
