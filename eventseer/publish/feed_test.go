package publish

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/internal/bolt"
)

func contextOf(t *testing.T) (context.Context, context.CancelFunc) {
	t.Helper()
	return context.WithCancel(t.Context())
}

func TestFeedsAndVotes(t *testing.T) {
	var labels []string
	w := newWorld(t, func(o *Options) {
		o.Label = func(_ context.Context, url string, useful bool, _ time.Time) error {
			labels = append(labels, url)
			return nil
		}
	})
	ctx := t.Context()
	a, lists := w.subscribe("ann@x.example", eventseer.List{Query: "crawling", Rhythm: eventseer.Quiet})
	w.store.put(call("a-2027", "Crawling", "2027-02-01"), eventseer.Change{New: true, Page: "https://conf.example/cfp"})
	w.publish()
	token, err := w.FeedToken(ctx, a.ID, lists[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	list, items, err := w.Feed(ctx, token)
	if err != nil || list.ID != lists[0].ID || len(items) != 1 || items[0].Source != "https://conf.example/cfp" {
		t.Fatalf("feed %+v %+v %v", list, items, err)
	}
	vote := w.VoteToken(items[0])
	for _, useful := range []int{1, -1} {
		if i, err := w.Vote(ctx, vote, useful); err != nil || i.Useful != useful {
			t.Fatalf("vote %+v %v", i, err)
		}
	}
	votes, err := w.Votes(ctx)
	if err != nil || len(votes) != 1 || votes[0].Useful != -1 || len(labels) != 2 {
		t.Errorf("votes %+v, labels %v, %v", votes, labels, err)
	}
	if err := w.RenewTokens(ctx, a.ID, lists[0].ID); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{token, vote, token[:len(token)-1] + "x", "", "f~~", strings.Repeat("f", 1000), "f~" + a.ID + "-" + lists[0].ID + "~"} {
		if _, _, err := w.Feed(ctx, bad); !errors.Is(err, eventseer.ErrNotFound) {
			t.Errorf("feed of %q: %v", bad, err)
		}
	}
	var input *eventseer.InputError
	if _, err := w.Vote(ctx, vote, 7); !errors.As(err, &input) {
		t.Errorf("a vote of 7: %v", err)
	}
}

func TestSaveListSaysWhatIsWrong(t *testing.T) {
	w := newWorld(t)
	ctx := t.Context()
	a, lists := w.subscribe("ann@x.example", eventseer.List{Query: "crawling"})
	b, _ := w.subscribe("bob@x.example")
	for name, l := range map[string]eventseer.List{
		"no words": {Query: "-crawling"}, "empty": {}, "bad field": {Query: "foo:bar"}, "open quote": {Query: `"a`},
		"long": {Query: strings.Repeat("a ", 600)}, "name of lines": {Query: "a", Name: "x\r\nBcc: y"},
		"long name": {Query: "a", Name: strings.Repeat("x", 81)}, "rhythm": {Query: "a", Rhythm: "hourly"},
		"without": {Query: "a", Without: make([]string, 201)}, "snoozed": {Query: "a", Snoozed: noon.AddDate(9, 0, 0)},
	} {
		l.Account = a.ID
		var input *eventseer.InputError
		if _, err := w.SaveList(ctx, l); !errors.As(err, &input) {
			t.Errorf("%s: %v", name, err)
		}
	}
	stolen := lists[0]
	stolen.Account = b.ID
	if _, err := w.SaveList(ctx, stolen); !errors.Is(err, eventseer.ErrNotFound) {
		t.Errorf("somebody else's list: %v", err)
	}
	if err := w.RemoveList(ctx, b.ID, lists[0].ID); !errors.Is(err, eventseer.ErrNotFound) {
		t.Errorf("somebody else's list: %v", err)
	}
	for range eventseer.MaxListsAnAccount - 1 {
		if _, err := w.SaveList(ctx, eventseer.List{Account: a.ID, Query: "a"}); err != nil {
			t.Fatal(err)
		}
	}
	var input *eventseer.InputError
	if _, err := w.SaveList(ctx, eventseer.List{Account: a.ID, Query: "a"}); !errors.As(err, &input) {
		t.Errorf("one list more: %v", err)
	}
}

func TestSaveAccountSaysWhatIsWrong(t *testing.T) {
	w := newWorld(t)
	a, _ := w.subscribe("ann@x.example")
	for name, change := range map[string]func(*eventseer.Account){
		"zone": func(a *eventseer.Account) { a.Zone = "Mars/Olympus" }, "local": func(a *eventseer.Account) { a.Zone = "Local" },
		"path": func(a *eventseer.Account) { a.Zone = "../etc/passwd" }, "pause": func(a *eventseer.Account) { a.Paused = noon.AddDate(9, 0, 0) },
		"reminder": func(a *eventseer.Account) { a.Reminders = []int{0} }, "reminders": func(a *eventseer.Account) { a.Reminders = []int{61} },
		"star": func(a *eventseer.Account) { a.Stars = []eventseer.EventID{"x\x00y"} },
	} {
		b := a
		change(&b)
		var input *eventseer.InputError
		if err := w.SaveAccount(t.Context(), b); !errors.As(err, &input) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestForgetLeavesNothing looks for the reader in the bytes of the file.
func TestForgetLeavesNothing(t *testing.T) {
	w := newWorld(t)
	ctx := t.Context()
	a, _ := w.subscribe("anneliese+calls@x.example", eventseer.List{Query: "crawling", Name: "my secret list", Rhythm: eventseer.Immediate})
	a.Stars = []eventseer.EventID{"a-2027"}
	if err := w.SaveAccount(ctx, a); err != nil {
		t.Fatal(err)
	}
	w.store.put(call("a-2027", "Crawling", "2027-02-01"), eventseer.Change{New: true})
	if err := w.RequestSignIn(ctx, "x", "anneliese+calls@x.example", eventseer.List{}); err != nil {
		t.Fatal(err)
	}
	w.publish()
	token := linkIn(t, w.mail.taken()[0].Text, "signin")
	if _, err := w.SignIn(ctx, token); err != nil {
		t.Fatal(err)
	}
	if n := w.inFile("anneliese"); n == 0 {
		t.Error("the reader is in no byte of the file to begin with")
	}
	if err := w.DeleteAccount(ctx, a.ID); err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{"anneliese", "secret list"} {
		if n := w.inFile(s); n > 0 {
			t.Errorf("the file still has %q %d times, in pages that are free", s, n)
		}
	}
	if err := w.DeleteAccount(ctx, a.ID); !errors.Is(err, eventseer.ErrNotFound) {
		t.Errorf("forgotten twice: %v", err)
	}
	if n := w.matcher.Len(); n != 0 {
		t.Errorf("%d lists are still matched", n)
	}
	w.eachRecord(func(bucket string, k, v []byte) {
		for _, s := range []string{"anneliese", "secret"} {
			if bytes.Contains(v, []byte(s)) || bytes.Contains(k, []byte(s)) {
				t.Errorf("%s still has %q: %s", bucket, k, v)
			}
		}
		if bucket != "audit" && (bytes.Contains(k, []byte(a.ID)) || bytes.Contains(v, []byte(a.ID))) {
			t.Errorf("%s still has %q: %s", bucket, k, v)
		}
	})
}

// inFile counts a text in the bytes of the file.
func (w *world) inFile(text string) int {
	w.t.Helper()
	data, err := os.ReadFile(w.path)
	if err != nil {
		w.t.Fatal(err)
	}
	return bytes.Count(data, []byte(text))
}

// A reader is forgotten during a read of the file. The bytes go with a later pass.
func TestForgetWhileSomebodyReads(t *testing.T) {
	w := newWorld(t)
	var a eventseer.Account
	for name, read := range map[string]func(){
		"a page": func() {
			err := w.db.Read(t.Context(), func(*bolt.Tx) error { return w.DeleteAccount(t.Context(), a.ID) })
			if err != nil {
				t.Error(err)
			}
		},
		"a backup": func() {
			snapshots, err := bolt.TakeSnapshots(nil, w.Database())
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(w.DeleteAccount(t.Context(), a.ID), snapshots[0].Close()); err != nil {
				t.Error(err)
			}
		},
	} {
		a, _ = w.subscribe("anneliese@x.example")
		read()
		if w.inFile("anneliese") == 0 {
			t.Errorf("%s: the pages it may read are overwritten", name)
		}
		w.publish()
		if n := w.inFile("anneliese"); n > 0 {
			t.Errorf("%s: %d times in the file after the next pass", name, n)
		}
	}
}

func TestNothingOfTheStoreBeforeIsTold(t *testing.T) {
	w := newWorld(t)
	w.store.put(call("a-2027", "Crawling", "2027-02-01"), eventseer.Change{New: true})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(w.path); err != nil {
		t.Fatal(err)
	}
	w.open()
	w.subscribe("ann@x.example", eventseer.List{Query: "crawling", Rhythm: eventseer.Immediate})
	w.publish()
	w.store.put(call("b-2027", "More crawling", "2027-02-01"), eventseer.Change{New: true})
	w.store.put(call("c-2026", "Crawling that is over", "2026-02-01"), eventseer.Change{New: true})
	w.publish()
	letters := w.mail.taken()
	if len(letters) != 1 || !strings.Contains(letters[0].Text, "More crawling") || strings.Contains(letters[0].Subject, "2") {
		t.Errorf("got %v", subjects(letters))
	}
}

func TestTokensOutliveTheProcess(t *testing.T) {
	w := newWorld(t)
	a, lists := w.subscribe("ann@x.example", eventseer.List{Query: "crawling"})
	token, err := w.FeedToken(t.Context(), a.ID, lists[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	w.open()
	if _, _, err := w.Feed(t.Context(), token); err != nil {
		t.Errorf("after a restart: %v", err)
	}
}
