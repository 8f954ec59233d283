package publish

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/publish/account"
	"github.com/eventseer/eventseer/eventseer/publish/message"
	"github.com/eventseer/eventseer/eventseer/publish/records"
	"github.com/eventseer/eventseer/internal/bolt"
)

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// A fakeStore is an outbox in memory.
type fakeStore struct {
	eventseer.Store
	mu      sync.Mutex
	events  map[eventseer.EventID]eventseer.Event
	clips   map[eventseer.EventID][]eventseer.Clip
	into    map[eventseer.EventID]eventseer.EventID
	texts   map[eventseer.EventID][]eventseer.PageText
	changes []eventseer.Change
}

func newFakeStore() *fakeStore {
	return &fakeStore{
		events: map[eventseer.EventID]eventseer.Event{}, clips: map[eventseer.EventID][]eventseer.Clip{},
		into: map[eventseer.EventID]eventseer.EventID{}, texts: map[eventseer.EventID][]eventseer.PageText{},
	}
}

func (f *fakeStore) put(e eventseer.Event, c eventseer.Change, clips ...eventseer.Clip) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.events[e.ID] = e
	f.clips[e.ID] = append(f.clips[e.ID], clips...)
	c.Event, c.Seq = e.ID, uint64(len(f.changes)+1)
	f.changes = append(f.changes, c)
}

func (f *fakeStore) unite(lost, kept eventseer.EventID) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.events, lost)
	f.into[lost] = kept
	f.changes = append(f.changes, eventseer.Change{Event: lost, Into: kept, Seq: uint64(len(f.changes) + 1)})
}

func (f *fakeStore) Event(_ context.Context, id eventseer.EventID) (eventseer.Event, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if to, ok := f.into[id]; ok {
		id = to
	}
	e, ok := f.events[id]
	if !ok {
		return e, eventseer.ErrNotFound
	}
	return e, nil
}

func (f *fakeStore) Clips(_ context.Context, id eventseer.EventID) ([]eventseer.Clip, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.clips[id]), nil
}

func (f *fakeStore) Events(context.Context) iter.Seq2[eventseer.Event, error] {
	return func(yield func(eventseer.Event, error) bool) {
		f.mu.Lock()
		all := maps.Clone(f.events)
		f.mu.Unlock()
		for _, id := range slices.Sorted(maps.Keys(all)) {
			if !yield(all[id], nil) {
				return
			}
		}
	}
}

func (f *fakeStore) History(_ context.Context, id eventseer.EventID) (of []eventseer.Change, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range f.changes {
		if c.Event == id {
			of = append(of, c)
		}
	}
	return of, nil
}

func (f *fakeStore) Outbox(_ context.Context, after uint64) iter.Seq2[eventseer.Change, error] {
	return func(yield func(eventseer.Change, error) bool) {
		f.mu.Lock()
		all := slices.Clone(f.changes)
		f.mu.Unlock()
		for _, c := range all {
			if c.Seq > after && !yield(c, nil) {
				return
			}
		}
	}
}

// A fakeMailer stores mails. fail, if not nil, is the result of a try.
type fakeMailer struct {
	mu      sync.Mutex
	letters []message.Email
	fail    func(message.Email) error
}

func (m *fakeMailer) Send(_ context.Context, l message.Email) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fail != nil {
		if err := m.fail(l); err != nil {
			return err
		}
	}
	m.letters = append(m.letters, l)
	return nil
}

// taken returns the mails sent since the last call.
func (m *fakeMailer) taken() []message.Email {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := m.letters
	m.letters = nil
	return all
}

// A world is a service with a clock, a store and a mailer.
type world struct {
	*Service
	t     *testing.T
	clock time.Time
	store *fakeStore
	mail  *fakeMailer
	path  string
}

func newWorld(t *testing.T, change ...func(*Options)) *world {
	t.Helper()
	w := &world{t: t, clock: noon, store: newFakeStore(), mail: &fakeMailer{}, path: filepath.Join(t.TempDir(), "publish.db")}
	w.open(change...)
	t.Cleanup(func() {
		for _, err := range w.Check() {
			t.Error(err)
		}
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

func (w *world) open(change ...func(*Options)) {
	w.t.Helper()
	o := Options{
		Path: w.path, Store: w.store, Mailer: w.mail, Now: func() time.Time { return w.clock },
		Site: message.Site{Name: "EventSeer", Base: "https://seer.example/", Contact: "ops@seer.example"},
		Hour: 7, Weekday: time.Monday, PerMinute: 1_000_000,
	}
	for _, f := range change {
		f(&o)
	}
	s, err := Open(w.t.Context(), o)
	if err != nil {
		w.t.Fatal(err)
	}
	w.Service = s
}

func (w *world) publish() PassCounts {
	w.t.Helper()
	d, err := w.Publish(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	return d
}

func (w *world) until(at time.Time) { w.clock = at }

// subscribe makes an account with lists.
func (w *world) subscribe(address string, lists ...eventseer.List) (eventseer.Account, []eventseer.List) {
	w.t.Helper()
	a, err := w.MakeUser(w.t.Context(), address)
	if err != nil {
		w.t.Fatal(err)
	}
	for i := range lists {
		lists[i].Account = a.ID
		if lists[i], err = w.SaveList(w.t.Context(), lists[i]); err != nil {
			w.t.Fatal(err)
		}
		w.clock = w.clock.Add(time.Second)
	}
	return a, lists
}

func call(id, title string, due string, topics ...string) eventseer.Event {
	return eventseer.Event{
		ID: eventseer.EventID(id), Title: title, URL: "https://conf.example/" + id, Topics: topics, FirstSeen: noon,
		Deadlines: []eventseer.Deadline{{Kind: eventseer.Submission, Date: eventseer.Date(due), TZ: "AoE"}},
	}
}

func linkIn(t *testing.T, text, path string) string {
	t.Helper()
	_, rest, ok := strings.Cut(text, "https://seer.example/"+path+"/")
	if !ok {
		t.Fatalf("no link to %s in:\n%s", path, text)
	}
	return rest[:strings.IndexFunc(rest+" ", func(r rune) bool { return strings.ContainsRune(" \n\r<>?\"", r) })]
}

func TestDoubleOptIn(t *testing.T) {
	w := newWorld(t)
	ctx := t.Context()
	if err := w.RequestSignIn(ctx, "192.0.2.1", "Ann@Uni.example", eventseer.List{Query: "crawling", Rhythm: eventseer.Immediate}); err != nil {
		t.Fatal(err)
	}
	w.store.put(call("a-2027", "Conference on Crawling", "2027-02-01"), eventseer.Change{New: true})
	w.publish()
	letters := w.mail.taken()
	if len(letters) != 1 || letters[0].To != "Ann@uni.example" {
		t.Fatalf("before the reader said yes there are letters %v", letters)
	}
	token := linkIn(t, letters[0].Text, "signin")
	if users, _ := w.Users(ctx); len(users) != 0 {
		t.Fatalf("an account is there before the reader said yes: %v", users)
	}
	for range 2 {
		address, list, err := w.SignInRequest(ctx, token)
		if err != nil || address != "Ann@uni.example" || list.Query != "crawling" {
			t.Fatalf("peek: %q %v %v", address, list, err)
		}
	}
	session, err := w.SignIn(ctx, token)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.SignIn(ctx, token); !errors.Is(err, eventseer.ErrNotFound) {
		t.Errorf("the link works twice: %v", err)
	}
	a, err := w.Account(ctx, session)
	if err != nil || a.Confirmed.IsZero() {
		t.Fatalf("account %+v, %v", a, err)
	}
	w.store.put(call("b-2027", "Crawling again", "2027-03-01"), eventseer.Change{New: true})
	w.publish()
	if letters = w.mail.taken(); len(letters) != 1 || !strings.Contains(letters[0].Text, "Crawling again") || strings.Contains(letters[0].Text, "Conference on Crawling") {
		t.Fatalf("got %v", letters)
	}
	if err := w.SignOut(ctx, session); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Account(ctx, session); !errors.Is(err, account.ErrSignedOut) {
		t.Errorf("after signing out: %v", err)
	}
}

func TestAskIsLimited(t *testing.T) {
	w := newWorld(t)
	ctx := t.Context()
	for i := range account.MaxMailsPerAddress {
		if err := w.RequestSignIn(ctx, "192.0.2.1", "ann@uni.example", eventseer.List{}); err != nil {
			t.Fatalf("try %d: %v", i, err)
		}
	}
	if err := w.RequestSignIn(ctx, "192.0.2.9", "ANN@uni.example", eventseer.List{}); !errors.Is(err, eventseer.ErrTooMany) {
		t.Errorf("one more: %v", err)
	}
	if err := w.RequestSignIn(ctx, "192.0.2.9", "ann+7@uni.example", eventseer.List{}); !errors.Is(err, eventseer.ErrTooMany) {
		t.Errorf("one more into the same inbox: %v", err)
	}
	if err := w.RequestSignIn(ctx, "192.0.2.9", "+ann@uni.example", eventseer.List{}); err != nil {
		t.Errorf("another inbox: %v", err)
	}
	for i := range account.MaxMailsPerClient - account.MaxMailsPerAddress {
		if err := w.RequestSignIn(ctx, "192.0.2.1", fmt.Sprintf("bob%d@uni.example", i), eventseer.List{}); err != nil {
			t.Fatalf("address %d: %v", i, err)
		}
	}
	if err := w.RequestSignIn(ctx, "192.0.2.1", "eve@uni.example", eventseer.List{}); !errors.Is(err, eventseer.ErrTooMany) {
		t.Errorf("one asker more: %v", err)
	}
	w.until(noon.Add(25 * time.Hour))
	if err := w.RequestSignIn(ctx, "192.0.2.1", "ann@uni.example", eventseer.List{}); err != nil {
		t.Errorf("the day after: %v", err)
	}
}

// Many askers together cannot fill the file or have us write to the whole world.
func TestAskIsLimitedForAll(t *testing.T) {
	w := newWorld(t)
	w.db.NoSync = true
	ask := func(i int) error {
		return w.RequestSignIn(t.Context(), fmt.Sprintf("2001:db8:%x::", i), fmt.Sprintf("bob%d@uni.example", i), eventseer.List{})
	}
	for i := range account.MaxMailsInAll {
		if err := ask(i); err != nil {
			t.Fatalf("asker %d: %v", i, err)
		}
	}
	if err := ask(account.MaxMailsInAll); !errors.Is(err, eventseer.ErrTooMany) {
		t.Errorf("one more: %v", err)
	}
	w.until(noon.Add(time.Hour))
	if err := ask(account.MaxMailsInAll); err != nil {
		t.Errorf("the hour after: %v", err)
	}
	w.until(noon.Add(26 * time.Hour))
	if err := w.RemoveExpired(t.Context(), w.clock); err != nil {
		t.Fatal(err)
	}
	for _, bucket := range [][]byte{records.SigninBucket, records.QueueBucket, records.RequestBucket} {
		err := w.db.Read(t.Context(), func(tx *bolt.Tx) error {
			for k := range records.WithPrefix(tx, bucket, nil) {
				return fmt.Errorf("%s still has %q", bucket, k)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}

func TestLinkRunsOut(t *testing.T) {
	w := newWorld(t)
	if err := w.RequestSignIn(t.Context(), "x", "ann@uni.example", eventseer.List{}); err != nil {
		t.Fatal(err)
	}
	w.publish()
	token := linkIn(t, w.mail.taken()[0].Text, "signin")
	w.until(noon.Add(message.LinkHolds))
	if _, err := w.SignIn(t.Context(), token); !errors.Is(err, eventseer.ErrNotFound) {
		t.Errorf("an old link: %v", err)
	}
}

func TestParseAddress(t *testing.T) {
	for text, want := range map[string]string{
		"ann@uni.example": "ann@uni.example", " Ann@UNI.example ": "Ann@uni.example", "ann@bücher.example": "ann@xn--bcher-kva.example",
		"ann": "", "ann@localhost": "", "ann@uni.example\r\nBcc: x@y.example": "", "Ann <ann@uni.example>": "", "a@b@c.example": "",
		"ann@[192.0.2.1]": "", `"a b"@uni.example`: "", strings.Repeat("a", 65) + "@uni.example": "", "ann@uni.example,bob@uni.example": "",
		"": "", "@uni.example": "", "ann@": "", "ann@-.example": "",
	} {
		got, err := account.ParseAddress(text)
		var input *eventseer.InputError
		if got != want || want == "" && !errors.As(err, &input) {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
}

func FuzzParseAddress(f *testing.F) {
	f.Add("ann@uni.example")
	f.Add("ann@bücher.example\r\n")
	f.Fuzz(func(t *testing.T, text string) {
		address, err := account.ParseAddress(text)
		if err != nil {
			return
		}
		if strings.ContainsAny(address, "\r\n \t<>,;") || len(address) > records.MaxAddress || strings.Count(address, "@") != 1 {
			t.Errorf("%q gives %q", text, address)
		}
		if again, err := account.ParseAddress(address); err != nil || again != address {
			t.Errorf("%q is then %q, %v", address, again, err)
		}
	})
}

// Addresses and the key of all tokens are private to the user of the process.
func TestFileIsPrivate(t *testing.T) {
	w := newWorld(t)
	info, err := os.Stat(w.path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v (%v)", info.Mode(), err)
	}
}
