package publish_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/mail"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
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
	// childSite is the URL of a page for clips. A child that has it publishes until it is killed.
	childSite = "EVENTSEER_TEST_PUBLISH_SITE"
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
	ctx, site := context.Background(), os.Getenv(childSite)
	if site == "" {
		s, err := open(dir, st, m, nil)
		if err != nil {
			return err
		}
		_, err = s.Publish(ctx)
		return err
	}
	s, err := open(dir, st, m, func(context.Context, string) (string, error) { return get(site) })
	if err != nil {
		return err
	}
	go func() { _ = s.RunArticles(ctx) }()
	return s.Run(ctx)
}

func get(url string) (string, error) {
	answer, err := http.Get(url)
	if err != nil {
		return "", err
	}
	defer func() { _ = answer.Body.Close() }() // read to its end
	text, err := io.ReadAll(answer.Body)
	return string(text), err
}

func open(dir string, st *store.Store, m message.Mailer, article func(context.Context, string) (string, error)) (*publish.Service, error) {
	return publish.Open(context.Background(), publish.Options{
		Article: article,
		Path:    filepath.Join(dir, "publish.db"), Store: st, Mailer: m, Now: func() time.Time { return day }, PerMinute: 1_000_000,
		Site: message.Site{Name: "EventSeer", Base: "https://seer.example/", Contact: "ops@seer.example"},
	})
}

// killWorld makes a data directory with readers who are to be notified of a call.
func killWorld(t *testing.T, readers int, sources map[string]eventseer.Provenance) string {
	t.Helper()
	dir := t.TempDir()
	st, err := store.Open(filepath.Join(dir, "store.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := open(dir, st, nil, nil)
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
		Deadlines: []eventseer.Deadline{{Kind: eventseer.Submission, Date: "2027-02-01"}}, Sources: sources,
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

func startChild(t *testing.T, dir, smtp string, more ...string) *exec.Cmd {
	t.Helper()
	child := exec.Command(os.Args[0], "-test.run=^$")
	child.Env = append(append(os.Environ(), childDir+"="+dir, childSMTP+"="+smtp), more...)
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
	dir := killWorld(t, readers, nil)
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

// TestKilledWhileReadingAnArticle kills the process while it waits for the page behind a row of a list, and again
// after the mail. The page is requested again, and the reader gets its passage once.
func TestKilledWhileReadingAnArticle(t *testing.T) {
	dir := killWorld(t, 1, map[string]eventseer.Provenance{"title": {URL: "https://hub.example/calls", Rule: eventseer.ListRule}})
	server := mailertest.Start(t)
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
	defer stop()
	requests := make(chan struct{}, 8)
	var n atomic.Int64
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests <- struct{}{}
		if n.Add(1) == 1 {
			<-r.Context().Done() // the process is killed
			return
		}
		_, _ = io.WriteString(w, "Papers on crawling at night are welcome.") // to a child of the test
	}))
	defer site.Close()
	kill := func(child *exec.Cmd) {
		t.Helper()
		if err := child.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = child.Wait() // killed
	}
	await := func() {
		t.Helper()
		select {
		case <-requests:
		case <-ctx.Done():
			t.Fatal("the page is not requested")
		}
	}
	child := startChild(t, dir, server.Addr(), childSite+"="+site.URL)
	await()
	kill(child)
	if got := server.Letters(); len(got) > 0 {
		t.Fatalf("%d letters before the page is read", len(got))
	}
	child = startChild(t, dir, server.Addr(), childSite+"="+site.URL)
	await()
	letters, err := server.Wait(ctx, 1)
	if err != nil {
		t.Fatal(err)
	}
	kill(child)
	if said := letters[0].Text(); !strings.Contains(said, "at night are welcome") {
		t.Errorf("no passage of the page in:\n%s", said)
	}
	if err := startChild(t, dir, server.Addr()).Wait(); err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{}
	for _, l := range server.Letters() { // a mail taken just before the kill may come again under its Message-ID
		ids[l.ID()] = true
	}
	if len(ids) != 1 || n.Load() != 2 {
		t.Errorf("mails %v, %d requests", ids, n.Load())
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
