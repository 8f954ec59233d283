package publish

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/publish/account"
	"github.com/eventseer/eventseer/eventseer/publish/message"

	"github.com/google/go-cmp/cmp"
)

func subjects(letters []message.Email) (out []string) {
	for _, l := range letters {
		out = append(out, l.To+" "+l.Subject)
	}
	return out
}

func TestRhythms(t *testing.T) {
	w := newWorld(t) // a Sunday, 12:00
	w.subscribe("now@x.example", eventseer.List{Query: "crawling", Rhythm: eventseer.Immediate})
	w.subscribe("day@x.example", eventseer.List{Query: "crawling"})
	w.subscribe("week@x.example", eventseer.List{Query: "crawling", Rhythm: eventseer.Weekly})
	w.subscribe("quiet@x.example", eventseer.List{Query: "crawling", Rhythm: eventseer.Quiet})
	oslo, _ := w.subscribe("tokyo@x.example", eventseer.List{Query: "crawling"})
	oslo.Zone = "Asia/Tokyo" // 7:00 there is 22:00 UTC
	if err := w.SaveAccount(t.Context(), oslo); err != nil {
		t.Fatal(err)
	}
	put := func(id string) {
		w.store.put(call(id, "Crawling "+id, "2027-02-01"), eventseer.Change{New: true})
	}
	put("a-2027")
	var got []string
	for _, at := range []time.Time{noon, noon.Add(time.Hour), noon.Add(10 * time.Hour), noon.Add(19 * time.Hour), noon.Add(20 * time.Hour)} {
		w.until(at.Add(time.Minute))
		w.publish()
		for _, s := range subjects(w.mail.taken()) {
			got = append(got, at.Format("Mon 15 ")+s)
		}
	}
	put("b-2027")
	w.until(noon.Add(43*time.Hour + time.Minute))
	w.publish()
	for _, s := range subjects(w.mail.taken()) {
		got = append(got, "Tue "+s)
	}
	want := []string{
		`Sun 12 now@x.example 1 new call - "crawling"`, `Sun 22 tokyo@x.example 1 new call - "crawling"`,
		`Mon 07 day@x.example 1 new call - "crawling"`, `Mon 07 week@x.example 1 new call - "crawling"`,
		`Tue now@x.example 1 new call - "crawling"`, `Tue tokyo@x.example 1 new call - "crawling"`, `Tue day@x.example 1 new call - "crawling"`,
	}
	sortStrings(got, want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func sortStrings(all ...[]string) {
	for _, s := range all {
		for i := range s {
			for j := i; j > 0 && s[j] < s[j-1]; j-- {
				s[j], s[j-1] = s[j-1], s[j]
			}
		}
	}
}

func TestOneItemOnceOverListsAndSources(t *testing.T) {
	w := newWorld(t)
	ctx := t.Context()
	a, lists := w.subscribe("ann@x.example", eventseer.List{Query: "crawling", Name: "one"}, eventseer.List{Query: "spiders", Name: "two"})
	e := call("a-2027", "Crawling with spiders", "2027-02-01")
	w.store.put(e, eventseer.Change{New: true})
	w.store.put(call("b-2027", "Spiders that crawl: crawling", "2027-02-01"), eventseer.Change{New: true})
	w.publish()
	w.store.unite("b-2027", "a-2027")
	e.Topics = []string{"crawling spiders"}
	w.store.put(e, eventseer.Change{Fields: []eventseer.FieldChange{{Field: "topics", New: "crawling spiders"}}})
	w.publish()
	w.until(noon.Add(24 * time.Hour))
	w.publish()
	letters := w.mail.taken()
	if len(letters) != 1 || strings.Count(letters[0].Text, "Crawling with spiders") != 1 || !strings.Contains(letters[0].Subject, "2 new calls") {
		t.Fatalf("%v\n%s", subjects(letters), letters[0].Text)
	}
	for _, l := range lists {
		if _, total, err := w.Items(ctx, a.ID, l.ID, 0, 10); total != 2 || err != nil {
			t.Errorf("list %s has %d items, %v", l.Name, total, err)
		}
	}
	if items, total, _ := w.Items(ctx, a.ID, "", 0, 10); total != 2 || len(items) != 2 || items[0].Event != "b-2027" {
		t.Errorf("all lists have %d items, the newest is of %s", total, items[0].Event)
	}
}

func TestMovedDeadlines(t *testing.T) {
	w := newWorld(t)
	ctx := t.Context()
	w.subscribe("told@x.example", eventseer.List{Query: "crawling"})
	star, _ := w.subscribe("star@x.example")
	w.subscribe("other@x.example", eventseer.List{Query: "boats"})
	star.Stars = []eventseer.EventID{"b-2027"}
	if err := w.SaveAccount(ctx, star); err != nil {
		t.Fatal(err)
	}
	e := call("a-2027", "Crawling", "2027-02-01")
	w.store.put(e, eventseer.Change{New: true})
	w.until(noon.Add(24 * time.Hour))
	w.publish()
	w.mail.taken()
	w.store.put(call("b-2027", "Something else", "2027-02-01"), eventseer.Change{New: true})
	w.store.unite("b-2027", "a-2027")
	e.Deadlines = []eventseer.Deadline{{Kind: eventseer.Submission, Date: "2027-02-15", TZ: "AoE", ExtendedFrom: "2027-02-01"}}
	move := eventseer.Change{Fields: []eventseer.FieldChange{{Field: "deadlines.submission", Old: "2027-02-01 AoE", New: "2027-02-15 AoE"}}}
	w.store.put(e, move)
	w.store.put(e, move) // reported by another page too
	w.publish()
	if got := subjects(w.mail.taken()); len(got) != 1 || got[0] != "star@x.example 1 deadline moved" {
		t.Errorf("at once: %q", got)
	}
	w.until(noon.Add(48 * time.Hour))
	w.publish()
	letters := w.mail.taken()
	if got := subjects(letters); len(got) != 1 || !strings.HasPrefix(got[0], "told@x.example 1 deadline moved") {
		t.Fatalf("the day after: %q", got)
	}
	if !strings.Contains(letters[0].Text, "15 Feb 2027") {
		t.Errorf("the new day is not in the mail:\n%s", letters[0].Text)
	}
}

func TestCosmeticChangesAreNotTold(t *testing.T) {
	e := call("a-2027", "Crawling", "2027-02-01")
	e.Deadlines = append(e.Deadlines, eventseer.Deadline{Kind: eventseer.Notification, Date: "2027-03-09"})
	for _, f := range []eventseer.FieldChange{
		{Field: "deadlines.submission", Old: "2027-02-01", New: "2027-02-01 AoE"},
		{Field: "deadlines.submission", New: "2027-02-01 AoE"},
		{Field: "deadlines.submission", Old: "2027-01-01"},
		{Field: "deadlines.notification", Old: "2027-03-01", New: "2027-03-09"},
		{Field: "publisher", Old: "a", New: "b"},
	} {
		if got := movedDeadlines(e, eventseer.Change{Fields: []eventseer.FieldChange{f}}); len(got) > 0 {
			t.Errorf("%+v is told as %+v", f, got)
		}
	}
}

func TestReminders(t *testing.T) {
	w := newWorld(t)
	a, _ := w.subscribe("ann@x.example")
	a.Stars, a.Reminders = []eventseer.EventID{"a-2026", "none"}, []int{1, 7}
	if err := w.SaveAccount(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	w.store.put(call("a-2026", "Crawling", "2026-12-03"), eventseer.Change{New: true})
	var days []string
	for range 14 * 24 {
		w.until(w.clock.Add(time.Hour))
		w.publish()
		for range w.mail.taken() {
			days = append(days, w.clock.Format("2 Jan 15h"))
		}
	}
	// It closes on 4 December at 11:59:59 UTC.
	if diff := cmp.Diff([]string{"28 Nov 07h", "4 Dec 07h"}, days); diff != "" {
		t.Error(diff)
	}
}

func TestPauseAndSnooze(t *testing.T) {
	w := newWorld(t)
	ctx := t.Context()
	a, lists := w.subscribe("ann@x.example", eventseer.List{Query: "crawling"}, eventseer.List{Query: "boats"})
	lists[1].Snoozed = noon.Add(70 * time.Hour)
	if _, err := w.SaveList(ctx, lists[1]); err != nil {
		t.Fatal(err)
	}
	a.Paused = noon.Add(30 * time.Hour)
	if err := w.SaveAccount(ctx, a); err != nil {
		t.Fatal(err)
	}
	w.store.put(call("a-2027", "Crawling", "2027-02-01"), eventseer.Change{New: true})
	w.store.put(call("b-2027", "Boats", "2027-02-01"), eventseer.Change{New: true})
	var got []string
	for range 5 {
		w.until(w.clock.Add(24 * time.Hour))
		w.publish()
		for _, s := range subjects(w.mail.taken()) {
			got = append(got, w.clock.Format("2 ")+s)
		}
	}
	want := []string{`24 ann@x.example 1 new call - "crawling"`, `25 ann@x.example 1 new call - "boats"`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestLeaveAndReturn(t *testing.T) {
	w := newWorld(t)
	ctx := t.Context()
	a, lists := w.subscribe("anneliese@x.example", eventseer.List{Query: "crawling", Rhythm: eventseer.Immediate}, eventseer.List{Query: "boats"})
	put := func(id string) []message.Email {
		w.store.put(call(id, "Crawling "+id, "2027-02-01"), eventseer.Change{New: true})
		w.publish()
		return w.mail.taken()
	}
	letters := put("a-2027")
	if len(letters) != 1 || !strings.HasPrefix(letters[0].Unsubscribe, "https://seer.example/unsubscribe/") || letters[0].ListID != lists[0].ID+".clips.seer.example" {
		t.Fatalf("%+v", letters)
	}
	token := strings.TrimPrefix(letters[0].Unsubscribe, "https://seer.example/unsubscribe/")
	for range 2 {
		if err := w.Unsubscribe(ctx, token); err != nil {
			t.Fatal(err)
		}
	}
	leaving, err := w.Unsubscription(ctx, token)
	if err != nil || !leaving.Left || leaving.List.ID != lists[0].ID || leaving.Address != "a…e@x.example" {
		t.Errorf("%+v, %v", leaving, err)
	}
	if got := put("b-2027"); len(got) > 0 {
		t.Errorf("after leaving: %v", subjects(got))
	}
	if err := w.Resubscribe(ctx, token); err != nil {
		t.Fatal(err)
	}
	if got := put("c-2027"); len(got) != 1 {
		t.Errorf("after returning: %v", subjects(got))
	}
	all := w.UnsubscribeToken(a.ID, account.AllLists, 0)
	if err := w.Unsubscribe(ctx, all); err != nil {
		t.Fatal(err)
	}
	if have, _ := w.Lists(ctx, a.ID); len(have) > 0 {
		t.Errorf("lists after leaving all: %v", have)
	}
	w.until(w.clock.Add(time.Hour))
	if err := w.Resubscribe(ctx, all); err != nil {
		t.Fatal(err)
	}
	if have, _ := w.Lists(ctx, a.ID); len(have) != 2 {
		t.Errorf("lists after returning: %v", have)
	}
	if err := w.Unsubscribe(ctx, all); err != nil {
		t.Fatal(err)
	}
	w.until(w.clock.Add(account.LeftHolds + time.Hour))
	if err := w.RemoveExpired(ctx, w.clock); err != nil {
		t.Fatal(err)
	}
	if err := w.Resubscribe(ctx, all); !errors.Is(err, eventseer.ErrNotFound) {
		t.Errorf("30 days later: %v", err)
	}
	if err := w.RenewTokens(ctx, a.ID, ""); !errors.Is(err, eventseer.ErrNotFound) {
		t.Errorf("the account is still there: %v", err)
	}
}

func TestLongDigestSaysHowManyMore(t *testing.T) {
	w := newWorld(t)
	a, _ := w.subscribe("ann@x.example", eventseer.List{Query: "crawling"})
	for i := range eventseer.MaxDigestItems + 12 {
		w.store.put(call(fmt.Sprintf("a%03d-2027", i), fmt.Sprintf("Crawling %03d", i), "2027-02-01"), eventseer.Change{New: true})
	}
	w.until(noon.Add(24 * time.Hour))
	w.publish()
	letter := w.mail.taken()[0]
	d, err := w.Digest(t.Context(), linkIn(t, letter.Text, "d"))
	if err != nil || len(d.Sections) != 1 || d.Sections[0].More != 12 || len(d.Sections[0].Items) != eventseer.MaxDigestItems || d.Account != a.ID {
		t.Errorf("%v: %+v", err, d.Subject)
	}
}
