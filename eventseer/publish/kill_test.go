package publish_test

import (
	"context"
	"fmt"
	"net/mail"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/publish"
	"github.com/eventseer/eventseer/eventseer/publish/mailer"
	"github.com/eventseer/eventseer/eventseer/publish/mailertest"
	"github.com/eventseer/eventseer/eventseer/publish/message"
	"github.com/eventseer/eventseer/eventseer/store"

	"go.uber.org/goleak"
)

// The environment of a child that publishes until it is killed.
const (
	childDir  = "EVENTSEER_TEST_PUBLISH_DIR"
	childSMTP = "EVENTSEER_TEST_PUBLISH_SMTP"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		if err := childMain(dir, os.Getenv(childSMTP)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	// Bleve's analysis workers run as long as the process.
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("github.com/blevesearch/bleve_index_api.AnalysisWorker"))
}

var day = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// childMain makes one pass: changes, digests, mails.
func childMain(dir, smtp string) error {
	st, err := store.Open(filepath.Join(dir, "store.db"), store.Options{})
	if err != nil {
		return err
	}
	from := mail.Address{Name: "EventSeer", Address: "seer@seer.example"}
	m, err := mailer.New(mailer.Options{Server: smtp, TLS: mailer.None, From: from})
	if err != nil {
		return err
	}
	s, err := open(dir, st, m)
	if err != nil {
		return err
	}
	_, err = s.Publish(context.Background())
	return err
}

func open(dir string, st *store.Store, m message.Mailer) (*publish.Service, error) {
	return publish.Open(context.Background(), publish.Options{
		Path: filepath.Join(dir, "publish.db"), Store: st, Mailer: m, Now: func() time.Time { return day }, PerMinute: 1_000_000,
		Site: message.Site{Name: "EventSeer", Base: "https://seer.example/", Contact: "ops@seer.example"},
	})
}

// killWorld makes a data directory with readers who are to be notified of a call.
func killWorld(t *testing.T, readers int) string {
	t.Helper()
	dir := t.TempDir()
	st, err := store.Open(filepath.Join(dir, "store.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := open(dir, st, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range readers {
		a, err := s.MakeUser(t.Context(), address(i))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.SaveList(t.Context(), eventseer.List{Account: a.ID, Query: "crawling", Rhythm: eventseer.Immediate}); err != nil {
			t.Fatal(err)
		}
	}
	_, err = st.Put(t.Context(), eventseer.Event{
		URL: "https://conf.example/cfp", Title: "Conference on Crawling", Acronym: "CCX", Year: 2027, LastSeen: day, FirstSeen: day,
		Deadlines: []eventseer.Deadline{{Kind: eventseer.Submission, Date: "2027-02-01"}},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

func address(i int) string { return fmt.Sprintf("reader%02d@x.example", i) }

func startChild(t *testing.T, dir, smtp string) *exec.Cmd {
	t.Helper()
	child := exec.Command(os.Args[0], "-test.run=^$")
	child.Env = append(os.Environ(), childDir+"="+dir, childSMTP+"="+smtp)
	child.Stderr = os.Stderr
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = child.Process.Kill() })
	return child
}

// TestKilledWhileSending kills the process again and again: at any moment, and just after the server has
// taken a mail and before it has confirmed it. Every reader has the mail, under one Message-ID; the process
// that could not know sends it once more, and no other mail is repeated.
func TestKilledWhileSending(t *testing.T) {
	const readers = 24
	dir := killWorld(t, readers)
	server := mailertest.Start(t)
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
	defer stop()
	never := make(chan struct{})
	defer close(never)
	held := map[string]bool{address(3): true, address(11): true, address(readers - 1): true}
	for to := range held {
		server.Answer(to, mailertest.Answer{Hold: never, Times: 1})
	}
	kills := 0
	for {
		child := startChild(t, dir, server.Addr())
		ended := make(chan error, 1)
		go func() { ended <- child.Wait() }()
		before := len(server.Letters())
		arrived := make(chan struct{})
		wait, enough := context.WithCancel(ctx)
		go func() {
			defer close(arrived)
			stopAt := before + 3 + kills%4
			for n := before + 1; n <= stopAt; n++ { // killed while the server holds a mail, or after some
				letters, err := server.Wait(wait, n)
				if err != nil || n > before && held[letters[n-1].To[0]] && times(letters[:n], letters[n-1].To[0]) == 1 {
					return
				}
			}
		}()
		select {
		case err := <-ended:
			enough()
			<-arrived
			if err != nil {
				t.Fatal(err)
			}
			checkDelivered(t, server.Letters(), readers, kills, held)
			s, err := publish.Open(ctx, publish.Options{Path: filepath.Join(dir, "publish.db"), MustExist: true})
			if err != nil {
				t.Fatal(err)
			}
			if broken := s.Check(); len(broken) > 0 {
				t.Errorf("after %d kills: %v", kills, broken)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			return
		case <-arrived:
			if err := child.Process.Kill(); err != nil { // SIGKILL
				t.Logf("it had ended: %v", err)
			}
			<-ended
			enough()
			kills++
		case <-ctx.Done():
			t.Fatalf("after %d kills %d letters came", kills, len(server.Letters()))
		}
	}
}

func times(letters []mailertest.Letter, to string) (n int) {
	for _, l := range letters {
		if l.To[0] == to {
			n++
		}
	}
	return n
}

func checkDelivered(t *testing.T, letters []mailertest.Letter, readers, kills int, held map[string]bool) {
	t.Helper()
	copies, ids := map[string]int{}, map[string]map[string]bool{}
	for _, l := range letters {
		to := l.To[0]
		copies[to]++
		if ids[to] == nil {
			ids[to] = map[string]bool{}
		}
		ids[to][l.ID()] = true
	}
	twice := 0
	for i := range readers {
		to := address(i)
		if len(ids[to]) != 1 {
			t.Errorf("%s has letters %v, want one", to, ids[to])
		}
		if held[to] && copies[to] != 2 {
			t.Errorf("%s, whose letter was taken but not acknowledged, has %d copies", to, copies[to])
		}
		twice += copies[to] - 1
	}
	if twice > kills {
		t.Errorf("%d letters came twice after %d kills", twice, kills)
	}
	t.Logf("%d readers, %d kills, %d copies with a Message-ID that was there already", readers, kills, twice)
	if kills < len(held) {
		t.Errorf("only %d kills", kills)
	}
}
