package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/engine"
	"github.com/eventseer/eventseer/crawler/monitor"

	"github.com/google/go-cmp/cmp"
)

// A society is a site on loopback with a list of calls, their pages and a feed, all of
// which change.
type society struct {
	*httptest.Server

	mu     sync.Mutex // guards below
	calls  []string   // names on the list
	dates  map[string]string
	feed   []string
	gone   bool
	moved  map[string]redirected // by path
	asked  []string              // since last taken
	before func()                // runs before each answer
}

type redirected struct {
	to     string
	status int
}

func newSociety(t *testing.T) *society {
	s := &society{calls: []string{"alpha", "beta"}, dates: map[string]string{}}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *society) set(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

// takeRequests returns the requests since the last call, with the status of the responses.
func (s *society) takeRequests() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	asked := strings.Join(s.asked, " ")
	s.asked = nil
	return asked
}

func (s *society) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.before != nil {
		s.before()
	}
	if r, ok := s.moved[r.URL.Path]; ok {
		w.Header().Set("Location", r.to)
		w.WriteHeader(r.status)
		return
	}
	kind, body := "text/html", ""
	switch path := strings.Trim(r.URL.Path, "/"); {
	case path == "calls" && !s.gone:
		body = "<title>Calls of the society</title><h1>Calls for papers</h1><p><a href=/about>About us</a><ul>"
		for _, c := range s.calls {
			body += fmt.Sprintf("<li><a href=/cfp/%s>%s 2027: call for papers</a>, deadline in March", c, c)
		}
	case path == "feed":
		kind = "application/rss+xml"
		body = "<?xml version='1.0'?><rss version='2.0'><channel><title>News</title>"
		for _, c := range s.feed {
			body += fmt.Sprintf("<item><title>%s 2027: call for papers</title><link>%s/cfp/%s</link></item>", c, s.URL, c)
		}
		body += "</channel></rss>"
	case strings.HasPrefix(path, "cfp/"):
		name := strings.TrimPrefix(path, "cfp/")
		date := s.dates[name]
		if date == "" {
			date = "March 1, 2027"
		}
		body = fmt.Sprintf(`<title>Call for Papers: Workshop on %[1]s Matters (%[1]s 2027)</title>
<h1>Call for Papers</h1><h2>Workshop on %[1]s Matters (%[1]s 2027)</h2><p>June 3-4, 2027, Oslo, Norway</p>
<p>We invite submissions of original papers on all topics of %[1]s and related matters, in theory and practice.</p>
<ul><li>Paper submission deadline: %[2]s</li><li>Notification of acceptance: April 20, 2027</li></ul>`, name, date)
	case path == "about":
		body = "<title>About us</title><p>We are a society of people who like calls and nothing else at all, since long ago."
	}
	status := http.StatusOK
	tag := fmt.Sprintf(`"%x"`, len(body))
	switch {
	case body == "":
		status = http.StatusNotFound
	case r.Header.Get("If-None-Match") == tag:
		status, body = http.StatusNotModified, ""
	}
	if r.URL.Path != "/robots.txt" {
		s.asked = append(s.asked, fmt.Sprintf("%s:%d", r.URL.Path, status))
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Etag", tag)
	w.WriteHeader(status)
	_, _ = w.Write([]byte(body))
}

// A monitored data directory is visited by a clock that tests set.
type monitored struct {
	t    *testing.T
	data string
	now  time.Time
}

func (m *monitored) run(args ...string) (code int, stdout, stderr string) {
	m.t.Helper()
	var out bytes.Buffer
	var talk talkLog
	a := newTestApp(m.t)
	a.Stdout, a.Stderr, a.Now = &out, &talk, func() time.Time { return m.now }
	code = run(context.Background(), append(args, "--data", m.data), a)
	return code, out.String(), talk.String()
}

// pass makes one pass and returns path and fate from its lines.
func (m *monitored) pass(args ...string) string {
	m.t.Helper()
	code, out, talk := m.run(append([]string{
		"monitor", "--contact", "ops@eventseer.example", "--allow-private", "--host-delay", "0s", "--workers", "1", "--format", "jsonl", "--progress", "none",
	}, args...)...)
	if code != 0 {
		m.t.Fatalf("monitor exits with %d:\n%s", code, talk)
	}
	var lines []string
	for dec := json.NewDecoder(strings.NewReader(out)); dec.More(); {
		var v engine.Visited
		if err := dec.Decode(&v); err != nil {
			m.t.Fatal(err)
		}
		_, path, _ := strings.Cut(strings.TrimPrefix(v.URL, "http://"), "/")
		line := "/" + path + ":" + v.Fate
		if v.Alarm != nil {
			line += "!" + string(v.Alarm.Kind)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, " ")
}

// TestMonitor watches a site for some months. New calls are found by the new links on its list and
// its feed, extensions reach the store, an unchanged page costs an answer 304, and a list that
// falls silent or disappears raises an alarm once.
func TestMonitor(t *testing.T) {
	t.Parallel()
	site := newSociety(t)
	m := &monitored{t: t, data: t.TempDir(), now: time.Date(2027, 1, 4, 9, 0, 0, 0, time.UTC)}
	expect := func(what, want, got string) {
		t.Helper()
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s, %s (-want +got):\n%s", m.now.Format(time.DateOnly), what, diff)
		}
	}
	later := func(days int) { m.now = m.now.AddDate(0, 0, days) }
	if code, _, talk := m.run("monitor", "add", site.URL+"/calls", site.URL+"/feed"); code != 0 {
		t.Fatal(talk)
	}
	expect("first pass", "/calls:changed /cfp/alpha:changed /cfp/beta:changed /feed:changed", m.pass())
	expect("asked", "/calls:200 /about:200 /cfp/alpha:200 /cfp/beta:200 /feed:200", site.takeRequests())

	expect("nothing is due", "", m.pass())
	expect("asked", "", site.takeRequests())
	if runs, err := os.ReadDir(filepath.Join(m.data, "runs")); err != nil || len(runs) != 1 {
		t.Errorf("a pass that visits nothing leaves a record: %v, %v", runs, err)
	}

	later(20)
	site.set(func() {
		site.calls = append(site.calls, "gamma")
		site.feed = []string{"delta"}
		site.dates["alpha"] = "March 15, 2027"
	})
	got := m.pass()
	expect("asked", "/calls:200 /cfp/gamma:200 /feed:200 /cfp/delta:200 /cfp/alpha:200 /cfp/beta:304", site.takeRequests())
	expect("what is new", "/calls:changed /cfp/gamma:changed /feed:changed /cfp/delta:changed /cfp/alpha:changed /cfp/beta:unchanged", got)
	_, out, _ := m.run("find", "--all", "--format", "jsonl", "")
	if !strings.Contains(out, `"date":"2027-03-15","extended_from":"2027-03-01"`) {
		t.Errorf("the extension is not in the store:\n%s", out)
	}

	m.now = time.Date(2027, 2, 28, 23, 0, 0, 0, time.UTC) // the day before beta's deadline
	if got := m.pass("--budget", "9", "--policy", "freshness"); !strings.Contains(got, "/cfp/beta:unchanged") {
		t.Errorf("before the deadline: %s", got)
	}
	site.takeRequests()

	for i := range 5 { // the list is lively, and then it is not
		later(30)
		site.set(func() { site.calls = append(site.calls, fmt.Sprintf("call%d", i)) })
		m.pass()
	}
	alarms := ""
	for range 16 {
		later(60)
		for _, line := range strings.Fields(m.pass()) {
			if strings.HasPrefix(line, "/calls:") {
				alarms += strings.TrimPrefix(line, "/calls:unchanged") + ","
			}
		}
	}
	if !strings.HasPrefix(alarms, ",") || !strings.HasSuffix(alarms, "!silent,!silent,") {
		t.Errorf("alarms while the list is silent: %s", alarms)
	}
	_, out, _ = m.run("monitor", "status", "--format", "json")
	var status monitorStatus
	if err := json.Unmarshal([]byte(out), &status); err != nil || len(status.Alarms) == 0 || status.Sources["feed"] != 1 || status.Sources["index"] != 1 {
		t.Errorf("status: %v\n%s", err, out)
	}
	site.set(func() { site.calls = append(site.calls, "omega") })
	later(60)
	if got := m.pass(); !strings.Contains(got, "/calls:changed ") || !strings.Contains(got, "/cfp/omega:changed") {
		t.Errorf("when it speaks again: %s", got)
	}
	site.set(func() { site.gone = true })
	later(60)
	m.pass()
	later(60)
	if got := m.pass(); !strings.Contains(got, "/calls:gone!gone") {
		t.Errorf("when it is gone: %s", got)
	}
	if code, out, talk := m.run("check"); code != 0 || !strings.Contains(out, "monitor.db: clean") {
		t.Errorf("check exits with %d: %s%s", code, out, talk)
	}
	if code, out, talk := m.run("crawl", "why", site.URL+"/calls"); code != 0 || !strings.Contains(out, "watched   index, by operator; due ") {
		t.Errorf("why exits with %d:\n%s%s", code, out, talk)
	}
	if code, out, _ := m.run("monitor", "list", "--format", "csv"); code != 0 || strings.Count(out, "\n") < 10 {
		t.Errorf("list exits with %d:\n%s", code, out)
	}
}

// TestCrawlRegisters checks that a crawl makes sources of the pages it finds, each with a version. A monitor
// continues from there, and does not visit links that the crawl has left.
func TestCrawlRegisters(t *testing.T) {
	t.Parallel()
	site := newSociety(t)
	site.calls = []string{"alpha", "beta", "gamma", "delta"}
	m := &monitored{t: t, data: t.TempDir(), now: time.Date(2027, 1, 4, 9, 0, 0, 0, time.UTC)}
	code, _, talk := m.run("crawl", site.URL+"/calls", site.URL+"/about", "--budget", "4", "--strategy", "breadth-first", "--lists", "off",
		"--contact", "ops@eventseer.example", "--allow-private", "--host-delay", "0s", "--workers", "1", "--quiet")
	if code != 0 {
		t.Fatal(talk)
	}
	crawled := site.takeRequests()
	m.now = m.now.AddDate(0, 0, 70)
	got := m.pass()
	if diff := cmp.Diff("/calls:200 /about:200 /cfp/alpha:200 /cfp/beta:200", crawled); diff != "" {
		t.Errorf("crawled (-want +got):\n%s", diff)
	}
	if !strings.Contains(got, "/cfp/alpha:unchanged") || !strings.Contains(got, "/cfp/beta:unchanged") || strings.Contains(got+site.takeRequests(), "gamma") {
		t.Errorf("monitored: %s", got)
	}
}

// TestMonitorKilled kills passes at any time: in the end everything was visited, each source has its version,
// and nothing is damaged.
func TestMonitorKilled(t *testing.T) {
	t.Parallel()
	site := newSociety(t)
	for i := range 30 {
		site.calls = append(site.calls, fmt.Sprintf("call%d", i))
	}
	data := t.TempDir()
	args := func(verb ...string) []string {
		return append(verb, "--data", data, "--quiet", "--progress", "none")
	}
	live := []string{"--contact", "ops@eventseer.example", "--allow-private", "--host-delay", "1ms"}
	program := selfAs(t, "eventseer")
	if out, err := exec.Command(program, args("monitor", "add", site.URL+"/calls")...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	killed, asked := 0, 0
	for _, after := range []int{1, 3, 5, 8, 13} {
		cmd := exec.Command(program, args(append([]string{"monitor"}, live...)...)...)
		n := 0
		var started error
		site.set(func() { // no answer before the process is known
			started = cmd.Start()
			site.before = func() {
				if n++; n == after {
					_ = cmd.Process.Kill() // it may have ended
				}
			}
		})
		if started != nil {
			t.Fatal(started)
		}
		if cmd.Wait() != nil {
			killed++
		}
	}
	site.set(func() { site.before = nil })
	if out, err := exec.Command(program, args(append([]string{"monitor"}, live...)...)...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	asked = len(strings.Fields(site.takeRequests()))
	db, err := monitor.Open(data, monitor.Options{MustExist: true})
	if err != nil {
		t.Fatal(err)
	}
	sources, err := db.Sources()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sources {
		if v, err := db.Versions(s.URL); err != nil || len(v) != 1 || s.Visited == 0 {
			t.Errorf("%s: %d visits, %d versions, %v", s.URL, s.Visited, len(v), err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d passes killed, %d sources, %d answers", killed, len(sources), asked)
	if killed < 3 || len(sources) != 33 {
		t.Errorf("%d passes killed; %d sources, want the list and its 32 calls", killed, len(sources))
	}
	if out, err := exec.Command(program, "check", "--data", data).CombinedOutput(); err != nil {
		t.Errorf("check: %v\n%s", err, out)
	}
}
