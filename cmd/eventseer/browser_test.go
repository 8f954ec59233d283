package main

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/engine"
	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/publish/mailertest"
	"github.com/eventseer/eventseer/eventseer/store"
	"github.com/eventseer/eventseer/eventseer/wrapper/collection"
	"github.com/eventseer/eventseer/internal/browsertest"
	"github.com/eventseer/eventseer/internal/freeport"
	"github.com/eventseer/eventseer/internal/nightly"

	"github.com/chromedp/chromedp"
)

// A fair is a service that real browsers visit: its data directory, its mail server, and
// a clock that runs and can be put forward.
type fair struct {
	t        *testing.T
	data     string
	port     string // of the service, over restarts
	server   *mailertest.Server
	settings map[string]string
	ahead    atomic.Int64 // nanoseconds
	*served
}

// opening is when the clock of fairs begins.
var opening = time.Date(2027, 1, 11, 12, 0, 0, 0, time.UTC)

// newFair prepares a service on a data directory, without starting it.
func newFair(t *testing.T, data string) *fair {
	t.Helper()
	browsertest.Need(t)
	f := &fair{t: t, data: data, port: freeport.Addr(t, "127.0.0.1"), server: mailertest.Start(t)}
	f.settings = map[string]string{
		"EVENTSEER_SMTP_SERVER": f.server.Addr(), "EVENTSEER_SMTP_TLS": "none", "EVENTSEER_MAIL_FROM": "EventSeer <seer@seer.example>",
		"EVENTSEER_BASE_URL": "http://" + f.port + "/",
	}
	return f
}

// start runs the service until stop, or the end of the test.
func (f *fair) start(args ...string) {
	f.t.Helper()
	a := newTestApp(f.t)
	began := time.Now()
	a.Now = func() time.Time { return opening.Add(time.Since(began) + time.Duration(f.ahead.Load())) }
	home := a.Getenv
	a.Getenv = func(name string) string {
		if value, ok := f.settings[name]; ok {
			return value
		}
		return home(name)
	}
	f.served = startServiceAs(f.t, a, f.data, append([]string{"--listen", f.port, "--contact", "ops@eventseer.example"}, args...)...)
	stop := f.stop
	f.stop = func() int { f.stop = func() int { return 0 }; return stop() }
	f.t.Cleanup(func() {
		if code := f.stop(); code != 0 {
			f.t.Errorf("serve exits with %d\n%s", code, f.talk)
		}
	})
}

// checkEach checks paths in looks, each path in one of them; by night each in all.
func checkEach(b *browsertest.Tab, looks []browsertest.Look, paths ...string) {
	if nightly.Enabled() {
		b.CheckIn(looks, paths...)
		return
	}
	for i, l := range looks {
		var some []string
		for n := i; n < len(paths); n += len(looks) {
			some = append(some, paths[n])
		}
		b.CheckIn([]browsertest.Look{l}, some...)
	}
}

// crawledFiles are the files of a crawl of the built-in web, which is made once: its data
// directory run/state and the record of its pages.
var crawledFiles = sync.OnceValues(func() (fstest.MapFS, error) {
	dir, err := os.MkdirTemp("", "eventseer-test-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }() // of the test
	var talk talkLog
	a := &app.App{Stdout: io.Discard, Stderr: &talk, Now: testNow, Getenv: func(name string) string { return map[string]string{"HOME": dir}[name] }}
	line := []string{"crawl", "--sim", "seed=1", "--budget", "80", "--run", filepath.Join(dir, "run"), "--record", filepath.Join(dir, "web.warc.gz"), "--data", filepath.Join(dir, "data")}
	if code := run(context.Background(), line, a); code != 0 {
		return nil, fmt.Errorf("crawl: exit %d\n%s", code, &talk)
	}
	files := fstest.MapFS{}
	return files, fs.WalkDir(os.DirFS(dir), ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(filepath.Join(dir, path))
		files[path] = &fstest.MapFile{Data: text, Mode: 0o600}
		return err
	})
})

// builtIn makes a data directory of a crawl of the built-in web. It adds an event whose deadline
// has moved and the wrapper of a site. It also returns a record of the crawled pages.
func builtIn(t *testing.T) (data, record string) {
	t.Helper()
	browsertest.Need(t)
	files, err := crawledFiles()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, files); err != nil {
		t.Fatal(err)
	}
	data, record = filepath.Join(dir, "run", "state"), filepath.Join(dir, "web.warc.gz")
	put(t, data, fairCall("2027-02-01", opening.AddDate(0, 0, -9)), fairCall("2027-02-15", opening.AddDate(0, 0, -2)))
	shelf, _ := engine.WrapperFiles(data)
	set, err := collection.OpenSet(shelf, collection.SetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range gardenPages(gardenTitles...) {
		page.FetchedAt = opening.AddDate(0, 0, -1)
		teach(t, set, page)
	}
	return data, record
}

// put keeps events in a data directory, one after another.
func put(t *testing.T, data string, events ...eventseer.Event) {
	t.Helper()
	at := opening
	st, err := store.Open(filepath.Join(data, app.StoreFile), store.Options{Now: func() time.Time { return at }})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		at = e.LastSeen
		clip := eventseer.Clip{ID: "c-" + string(e.Deadlines[0].Date), URL: e.URL, Title: e.Title, Summary: "Papers about " + strings.Join(e.Topics, ", ") + ".", Seen: at}
		if _, err := st.Put(t.Context(), e, []eventseer.Clip{clip}); err != nil {
			t.Fatal(err)
		}
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
}

// fairCall is a call with everything that an event page shows, due on a day.
func fairCall(due eventseer.Date, seen time.Time) eventseer.Event {
	day, err := time.Parse(time.DateOnly, string(due))
	if err != nil {
		panic(err) // a day of the tests
	}
	from := eventseer.Provenance{URL: "https://gardens.example/cfp", Path: "/html/body/p", Rule: "submission deadline", Snippet: "Paper submission deadline: " + string(due) + " (AoE)"}
	return eventseer.Event{
		URL: "https://gardens.example/cfp", Title: "International Conference on Gardens and Computing", Acronym: "GARD", Year: 2027, Kind: eventseer.Conference,
		EventStart: "2027-06-08", EventEnd: "2027-06-11", Location: &eventseer.Venue{City: "Trondheim", Country: "Norway", CountryCode: "NO", Text: "Trondheim, Norway"},
		Topics: []string{"Hedges", "Web crawling", "Digital libraries"}, Publisher: "ACM", CFPScore: .98, Confidence: .9,
		SubmissionURL: "https://submit.example/gard", FirstSeen: opening.AddDate(0, 0, -9), LastSeen: seen,
		Sources: map[string]eventseer.Provenance{"title": from, "location": {URL: from.URL, Snippet: "8-11 June 2027, Trondheim, Norway"}},
		Deadlines: []eventseer.Deadline{
			{Kind: eventseer.Submission, Date: due, Instant: day.Add(36*time.Hour - time.Second), TZ: "AoE", TZPrinted: "AoE", TZSource: eventseer.TZPrinted, Text: string(due) + " (AoE)", Source: from},
			{Kind: eventseer.Notification, Date: "2027-04-01", Text: "April 1, 2027", Source: from},
		},
	}
}

// clickOn presses what leads to no other page.
func clickOn(selector string) chromedp.Action[chromedp.Void] {
	return chromedp.Click(chromedp.CSS(selector))
}
