package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/internal/eventstest"
)

// wrkScript requests the paths of a file one after the other, and prints figures that wrk's own report lacks.
const wrkScript = `
local paths, at = {}, 0
for line in io.lines(os.getenv("PATHS")) do paths[#paths + 1] = line end
function request()
  at = at % #paths + 1
  return wrk.format(nil, paths[at])
end
function done(summary, latency)
  local e = summary.errors
  print(string.format("@ %.2f %.2f %.0f %d", latency:percentile(50) / 1000, latency:percentile(95) / 1000,
    summary.requests / summary.duration * 1e6, e.connect + e.read + e.write + e.status + e.timeout))
end
`

// A load requests pages of a service and measures their times.
type load struct {
	t      *testing.T
	url    string
	script string
	events []eventseer.Event
	rand   *rand.Rand
	asked  map[string]bool // queries, none of which comes twice
}

func newLoad(t *testing.T, url string) *load {
	t.Helper()
	l := &load{t: t, url: url, script: filepath.Join(t.TempDir(), "paths.lua"), rand: rand.New(rand.NewPCG(1, 2)), asked: map[string]bool{}}
	l.events = eventstest.Events(measureSeed, *measureEvents, time.Now())
	write(t, l.script, wrkScript)
	return l
}

// timedGet returns how long a page takes, and its body.
func timedGet(t *testing.T, address string) (time.Duration, []byte) {
	t.Helper()
	start := time.Now()
	resp, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK && resp.StatusCode != http.StatusNotFound {
		t.Fatalf("%s: %s, %v", address, resp.Status, err)
	}
	_ = resp.Body.Close() // read to its end
	return time.Since(start), body
}

var eventPath = regexp.MustCompile(`href="(/e/[a-z0-9-]+)"`)

// firstPages requests one page of each type, and another one that is not cached.
func (l *load) firstPages() {
	_, body := timedGet(l.t, l.url+"/search?q=learning")
	found := eventPath.FindAllSubmatch(body, 2)
	if len(found) < 2 {
		l.t.Fatal("a search for learning finds no two events")
	}
	series := eventstest.Series(measureSeed)
	pages := [][2]string{
		{"/?1", "/?2"}, {"/search?all=1", "/search?all=1&page=2"}, {"/search?q=learning&all=1", "/search?q=systems&all=1"},
		{string(found[0][1]), string(found[1][1])}, {string(found[0][1]) + "/history", string(found[1][1]) + "/history"},
		{"/s/" + series[0].ID, "/s/" + series[1].ID}, {"/calendar", "/calendar?month=2027-02"}, {"/timeline", "/timeline?page=2"},
		{"/map", "/map?q=learning"}, {"/new", "/new?before=5000"}, {"/changes", "/changes?of=deadlines"},
		{"/suggest?q=de", "/suggest?q=le"}, {"/suggest?q=dee", "/suggest?q=lea"}, {"/sitemap.xml", "/sitemap/2.xml"},
		{"/search.ics?q=learning", "/search.ics?q=systems"}, {"/search.atom", "/search.atom?q=systems"},
		{"/api/v1/events.json?q=learning", "/api/v1/events.json?q=systems"},
	}
	for _, p := range pages {
		first, body := timedGet(l.t, l.url+p[0])
		again, _ := timedGet(l.t, l.url+p[0])
		other, _ := timedGet(l.t, l.url+p[1])
		l.t.Logf("%-34s %7d bytes, first %8.1f ms, again %5.1f ms, %s %.1f ms", p[0], len(body), ms(first), ms(again), p[1], ms(other))
	}
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// queryKinds are the sorts of queries that seekers ask, as one of a kind is made.
var queryKinds = []struct {
	name string
	make func(l *load, e eventseer.Event) string
}{
	{"word", func(l *load, e eventseer.Event) string { return l.word(e) + " -" + l.rare() }},
	{"two words", func(l *load, e eventseer.Event) string { return l.word(e) + " " + l.word(l.event()) + " -" + l.rare() }},
	{"phrase", func(l *load, e eventseer.Event) string { return `"` + l.topic(e) + `" -` + l.rare() }},
	{"acronym", func(_ *load, e eventseer.Event) string { return e.Acronym }},
	{"acronym and year", func(_ *load, e eventseer.Event) string { return fmt.Sprint(e.Acronym, " ", e.Year) }},
	{"misspelt word", func(l *load, e eventseer.Event) string { return l.misspelt(l.word(e)) + l.rare()[:1] }},
	{"facts", func(l *load, e eventseer.Event) string {
		return fmt.Sprintf("where:europe due<%dd rank:core>=B", 10+l.rand.IntN(3000))
	}},
	{"word and facts", func(l *load, e eventseer.Event) string {
		return fmt.Sprintf("%s where:europe due<%dd", l.word(e), 10+l.rand.IntN(3000))
	}},
	{"list of five", func(l *load, e eventseer.Event) string {
		return fmt.Sprintf(`"%s" OR "%s" OR %s OR %s OR "%s"`, l.topic(e), l.topic(l.event()), l.word(e), l.word(l.event()), l.topic(l.event()))
	}},
}

func (l *load) event() eventseer.Event { return l.events[l.rand.IntN(len(l.events))] }

func (l *load) topic(e eventseer.Event) string {
	if len(e.Topics) == 0 {
		return "learning"
	}
	return strings.ToLower(e.Topics[l.rand.IntN(len(e.Topics))])
}

func (l *load) word(e eventseer.Event) string {
	words := strings.Fields(l.topic(e))
	return words[l.rand.IntN(len(words))]
}

// rare is a word that hardly an event has: with it, no query comes twice.
func (l *load) rare() string { return strings.ToLower(l.event().Acronym) }

func (l *load) misspelt(word string) string {
	if len(word) < 5 {
		return word + "qx"
	}
	i := 1 + l.rand.IntN(len(word)-2)
	return word[:i] + word[i+1:i+2] + word[i:i+1] + word[i+2:]
}

// path is that of another search of a kind: half of them of all calls, not of open ones.
func (l *load) path(kind int) string {
	for try := 0; ; try++ {
		q := queryKinds[kind].make(l, l.event())
		path := "/search?q=" + url.QueryEscape(q)
		if l.rand.IntN(2) == 0 {
			path += "&all=1"
		}
		if try > 100 || !l.asked[path] {
			l.asked[path] = true
			return path
		}
	}
}

// kinds measures the times of searches of each kind with one client.
func (l *load) kinds() {
	for kind := range queryKinds {
		var took []time.Duration
		for range 100 {
			d, _ := timedGet(l.t, l.url+l.path(kind))
			took = append(took, d)
		}
		slices.Sort(took)
		l.t.Logf("100 different searches, %-17s p50 %6.1f ms, p95 %6.1f ms, longest %6.1f ms", queryKinds[kind].name+":", ms(took[50]), ms(took[95]), ms(took[99]))
	}
}

// home holds the home page, three times in turn, against a bare handler of its bytes.
func (l *load) home() {
	_, body := timedGet(l.t, l.url+"/")
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		l.t.Fatal(err)
	}
	bare := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(body)
	})}
	defer func() { _ = bare.Close() }()
	go func() { _ = bare.Serve(listener) }()
	for _, clients := range []int{1, 50} {
		for range 3 {
			ours := l.wrk("home page", l.url, clients, []string{"/"})
			peer := l.wrk("bare handler of its size", "http://"+listener.Addr().String(), clients, []string{"/"})
			l.t.Logf("home page of %d bytes, %d clients: %.2f of the bare handler's requests a second", len(body), clients, ours/peer)
		}
	}
}

// queries measures searches that never repeat, and some hundred that do.
func (l *load) queries() {
	var again []string
	for range 30 {
		for kind := range queryKinds {
			again = append(again, l.path(kind))
		}
	}
	for _, clients := range []int{1, 50} {
		var paths []string
		for len(paths) < 40_000 {
			paths = append(paths, l.path(len(paths)%len(queryKinds)))
		}
		profiled := l.profile()
		l.wrk("different searches", l.url, clients, paths)
		profiled()
		l.wrk("the same 270 searches", l.url, clients, again)
	}
}

// profile takes the processor's profile of the service until the returned function is
// called, where -measure-profile names a file for it.
func (l *load) profile() (stop func()) {
	if *measureProfile == "" {
		return func() {}
	}
	done := make(chan error, 1)
	go func() {
		socket := filepath.Join(*measureDir, app.AdminSocket)
		client := http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", socket)
		}}}
		resp, err := client.Get(fmt.Sprintf("http://socket/debug/pprof/profile?seconds=%.0f", measureFor.Seconds()))
		if err != nil {
			done <- err
			return
		}
		defer func() { _ = resp.Body.Close() }() // read to its end
		profile, err := io.ReadAll(resp.Body)
		done <- errors.Join(err, os.WriteFile(*measureProfile, profile, 0o600))
	}()
	return func() {
		if err := <-done; err != nil {
			l.t.Fatal(err)
		}
	}
}

// wrk requests paths in turn for some time and returns the requests per second.
func (l *load) wrk(what, base string, clients int, paths []string) float64 {
	l.t.Helper()
	file := filepath.Join(l.t.TempDir(), "paths")
	write(l.t, file, strings.Join(paths, "\n")+"\n")
	cmd := exec.CommandContext(l.t.Context(), "wrk", "-t1", fmt.Sprint("-c", clients), "-d", fmt.Sprintf("%.0fs", measureFor.Seconds()), "--timeout", "30s", "-s", l.script, base)
	cmd.Env = append(os.Environ(), "PATHS="+file)
	out, err := cmd.CombinedOutput()
	if err != nil {
		l.t.Fatalf("wrk: %v\n%s", err, out)
	}
	_, line, _ := strings.Cut(string(out), "\n@ ")
	var p50, p95, rate float64
	var failed int
	if _, err := fmt.Sscan(line, &p50, &p95, &rate, &failed); err != nil {
		l.t.Fatalf("wrk: %v\n%s", err, out)
	}
	l.t.Logf("wrk, %2d clients, %-25s p50 %8.2f ms, p95 %8.2f ms, %6.0f/s, %d failed", clients, what+":", p50, p95, rate, failed)
	return rate
}
