package main

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/publish"
	"github.com/eventseer/eventseer/eventseer/publish/mailertest"
)

// subjectsOfCalls name the calls of the test below: each has a reader who waits for it.
var subjectsOfCalls = []string{
	"glacier", "harbour", "meadow", "lantern", "copper", "willow", "falcon", "pebble", "marble", "saffron", "timber", "velvet",
	"walnut", "zephyr", "orchid", "nectar", "magnet", "jasper", "indigo", "hazel", "garnet", "ember", "dahlia", "cobalt",
}

// TestKillServe kills a whole service at random moments of crawling, indexing, matching and sending. In the
// end every call is stored and found, every reader has the mail about their call, and no mail was repeated
// more often than the process was killed.
func TestKillServe(t *testing.T) {
	t.Parallel()
	program, data := selfAs(t, "eventseer"), t.TempDir()
	site, asked := serveCalls(t)
	mails := mailertest.Start(t)
	makeReaders(t, data)
	seeds := filepath.Join(data, "seeds.txt")
	service := func() *exec.Cmd {
		cmd := exec.Command(program, "serve", "--data", data, "--listen", "127.0.0.1:0", "--seeds", seeds, "--contact", "ops@eventseer.example",
			"--allow-private", "--host-delay", "0s", "--dumps=false", "--quiet")
		cmd.Env = append(os.Environ(), "HOME="+data, "EVENTSEER_SMTP_SERVER="+mails.Addr(), "EVENTSEER_SMTP_TLS=none",
			"EVENTSEER_MAIL_FROM=Seer <seer@seer.example>", "EVENTSEER_BASE_URL=http://localhost/")
		return cmd
	}
	random, known := rand.New(rand.NewPCG(3, 4)), 0
	for n := range kills() {
		begun := known
		for ; known < len(subjectsOfCalls)*(n+1)/kills(); known++ {
			writeSeeds(t, seeds, site.URL, known+1)
		}
		cmd := service()
		cmd.Stderr = os.Stderr
		moment := time.Now().Add(time.Duration(random.Int64N(int64(2 * time.Second))))
		reached := func() bool { return time.Now().After(moment) }
		if known > begun { // while it reads its new calls, or sends the mails about them
			count := func() int { return int(asked.Load()) }
			if n%2 == 1 {
				count = func() int { return len(mails.Letters()) }
			}
			until := count() + 1 + random.IntN(known-begun)
			reached = func() bool { return count() >= until }
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		if !waitUntil(ended, reached) {
			t.Error("the service ended by itself")
			continue
		}
		time.Sleep(time.Duration(random.Int64N(int64(50 * time.Millisecond))))
		_ = cmd.Process.Kill() // SIGKILL
		<-ended
	}
	before := len(mails.Letters())
	finishService(t, service(), mails)
	t.Logf("%d kills; %d letters came before the last start, %d in all", kills(), before, len(mails.Letters()))
	checkLetters(t, mails.Letters(), kills())
	if code, out, talk := runCaptured(t, "check", "--data", data); code != 0 {
		t.Errorf("check: exit %d\n%s%s", code, out, talk)
	}
	for _, word := range subjectsOfCalls {
		if code, out, talk := runCaptured(t, "find", "--data", data, "--all", word); code != 0 || !strings.Contains(strings.ToLower(out), word) {
			t.Errorf("find %s: exit %d\n%s%s", word, code, out, talk)
		}
	}
}

// serveCalls serves a page for each call, at /cfp/ and its word, and counts the requests for each.
func serveCalls(t *testing.T) (site *httptest.Server, asked *atomic.Int64) {
	t.Helper()
	asked = new(atomic.Int64)
	cities := []string{"Oslo, Norway", "Lisbon, Portugal", "Kyoto, Japan", "Lima, Peru", "Nairobi, Kenya", "Ottawa, Canada"}
	site = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := slices.Index(subjectsOfCalls, strings.TrimPrefix(r.URL.Path, "/cfp/"))
		if n < 0 {
			http.NotFound(w, r)
			return
		}
		asked.Add(1)
		word := strings.ToUpper(subjectsOfCalls[n][:1]) + subjectsOfCalls[n][1:]
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<title>%[1]s 2027: call for papers</title><h1>Call for Papers</h1>
<h2>%[5]d%[6]s International Conference on %[2]s Computing (%[1]s 2027)</h2><p>%[3]d-%[4]d June 2027, %[7]s</p>
<p>We invite submissions of original papers on all topics of %[2]s computing, in theory and practice.</p>
<ul><li>Paper submission deadline: March %[3]d, 2027</li><li>Notification of acceptance: April 20, 2027</li></ul>`,
			strings.ToUpper(word), word, 1+n, 3+n, 11+n%9, "th", cities[n%len(cities)])
	}))
	t.Cleanup(site.Close)
	return site, asked
}

// makeReaders makes a reader for each call.
func makeReaders(t *testing.T, data string) {
	t.Helper()
	s, err := publish.Open(t.Context(), publish.Options{Path: filepath.Join(data, app.PublishFile), Now: func() time.Time { return time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC) }})
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range subjectsOfCalls {
		a, err := s.MakeUser(t.Context(), word+"@readers.example")
		if err == nil {
			_, err = s.SaveList(t.Context(), eventseer.List{Account: a.ID, Name: word, Query: word, Rhythm: eventseer.Immediate})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func writeSeeds(t *testing.T, path, site string, n int) {
	t.Helper()
	var b strings.Builder
	for _, word := range subjectsOfCalls[:n] {
		fmt.Fprintf(&b, "%s/cfp/%s\n", site, word)
	}
	write(t, path, b.String())
}

// finishService runs a service until all mails have arrived, and ends it normally.
func finishService(t *testing.T, cmd *exec.Cmd, mails *mailertest.Server) {
	t.Helper()
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	url := ""
	if lines := bufio.NewScanner(out); lines.Scan() {
		url = strings.TrimSuffix(lines.Text(), "/")
	}
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
	defer stop()
	for n := 1; ; n = len(mails.Letters()) + 1 {
		if unwritten(mails.Letters()) == "" {
			break
		}
		if _, err := mails.Wait(ctx, n); err != nil {
			t.Errorf("no letter about %s: %v", unwritten(mails.Letters()), err)
			break
		}
	}
	if resp, err := http.Get(url + "/healthz"); err != nil || resp.StatusCode != http.StatusOK {
		t.Errorf("GET %s/healthz: %v %v", url, resp, err)
	} else {
		_ = resp.Body.Close()
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("the service ends with %v", err)
	}
}

// unwritten names the calls whose readers have no mail.
func unwritten(letters []mailertest.Letter) string {
	got := map[string]bool{}
	for _, l := range letters {
		got[strings.TrimSuffix(l.To[0], "@readers.example")] = true
	}
	var none []string
	for _, word := range subjectsOfCalls {
		if !got[word] {
			none = append(none, word)
		}
	}
	return strings.Join(none, " ")
}

func checkLetters(t *testing.T, letters []mailertest.Letter, kills int) {
	t.Helper()
	ids, again := map[string]string{}, 0
	for _, l := range letters {
		word := strings.TrimSuffix(l.To[0], "@readers.example")
		switch known := ids[word]; known {
		case "":
			ids[word] = l.ID()
		case l.ID():
			again++
		default:
			t.Errorf("the reader of %s has two letters, %s and %s: %q", word, known, l.ID(), l.Subject())
		}
		if !strings.Contains(strings.ToLower(l.Text()), word) {
			t.Errorf("the letter to %s is not about it:\n%s", word, l.Text())
		}
	}
	if again > kills {
		t.Errorf("%d letters came again after %d kills", again, kills)
	}
}
