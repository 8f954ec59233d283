package main

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/spf13/pflag"
)

// TestReload: what can change while a process runs does, what cannot is named,
// and a broken file changes nothing.
func TestReload(t *testing.T) {
	dir := t.TempDir()
	file, list := filepath.Join(dir, "config.yaml"), filepath.Join(dir, "block.txt")
	write(t, list, "a.example\nb.example\n")
	write(t, file, "host-delay: 5s\n")
	flags := pflag.NewFlagSet("test", pflag.ContinueOnError)
	flags.String("config", file, "")
	var talk bytes.Buffer
	a := newTestApp(t)
	a.Stderr = &talk
	if err := a.Configure(flags); err != nil {
		t.Fatal(err)
	}
	blocks, err := a.Blocklist()
	if err != nil || blocks.BlockedReason("http://a.example/") != "" {
		t.Fatalf("a blocklist without a file: %v", err)
	}

	a.Config.Format = "table" // as of a command that offers formats: it has not changed
	write(t, file, "host-delay: 9s\nverbose: true\nblocklist: "+list+"\n")
	a.Reload()
	if blocks.BlockedReason("http://a.example/") == "" || a.Level.Level() != slog.LevelDebug {
		t.Errorf("blocklist or log level is not taken up: %s", &talk)
	}
	if !strings.Contains(talk.String(), "2 rules") || !strings.HasSuffix(strings.TrimSpace(talk.String()), "needs a restart: host-delay") {
		t.Errorf("reload says %s", &talk)
	}

	for _, broken := range []string{"spede: 3", "blocklist: absent.txt\nquiet: true"} {
		talk.Reset()
		write(t, file, broken)
		a.Reload()
		if blocks.BlockedReason("http://a.example/") == "" || a.Level.Level() != slog.LevelDebug || !strings.Contains(talk.String(), "nothing reloaded") {
			t.Errorf("a broken file: %s", &talk)
		}
	}
}

// TestReloadTurns: a service takes up what its turns read, a start's settings wait, and the
// configuration of the start stays as it was.
func TestReloadTurns(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config.yaml")
	write(t, file, "contact: ops@seer.example\n")
	flags := pflag.NewFlagSet("test", pflag.ContinueOnError)
	flags.String("config", file, "")
	a := newTestApp(t)
	a.Stderr = io.Discard
	if err := a.Configure(flags); err != nil {
		t.Fatal(err)
	}
	a.EnableTurnSettings()
	write(t, file, "contact: new@seer.example\nseeds: [https://conf.example/]\ncrawl: {strategy: hub, crawl-per-day: 50}\nmail: {mail-rate: 9}\n")
	said, err := a.Reload()
	if err != nil || !strings.Contains(said, "changed from the next turn of the crawl on: strategy, seeds, crawl-per-day;") || !strings.HasSuffix(said, "needs a restart: contact, mail-rate") {
		t.Errorf("reload says %q, %v", said, err)
	}
	turn := a.TurnConfig()
	if turn.Strategy != "hub" || turn.Seeds != "https://conf.example/" || turn.CrawlPerDay != 50 || turn.Contact != "ops@seer.example" || turn.MailRate != 120 || a.Config.Strategy != "eventseer" {
		t.Errorf("a turn has %+v", turn)
	}
	if said, err := a.Reload(); err != nil || strings.Contains(said, "next turn") {
		t.Errorf("a second time: %q, %v", said, err)
	}
	write(t, file, "crawl: {strategie: hub}\n")
	if _, err := a.Reload(); err == nil || !strings.Contains(err.Error(), `line 1: unknown key "strategie"; did you mean strategy?`) || a.TurnConfig().Strategy != "hub" {
		t.Errorf("a bad file: %v", err)
	}
}

// TestReloadService changes the config of a running service. The service finds the call of a new seed, makes
// no requests to a newly blocked host, and names the settings that wait for a restart.
func TestReloadService(t *testing.T) {
	t.Parallel()
	var secret atomic.Int32
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		switch r.URL.Path {
		case "/":
			fmt.Fprint(w, `<html><title>ZQX</title><body><h1>ZQX conference series</h1><p><a href="/cfp.html">Call for papers</a> <a href="/secret/cfp.html">Call for papers of members</a></p></body></html>`)
		case "/cfp.html":
			fmt.Fprint(w, localCall)
		case "/secret/cfp.html":
			secret.Add(1)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(site.Close)
	dir := t.TempDir()
	data, file, list := filepath.Join(dir, "data"), filepath.Join(dir, "config.yaml"), filepath.Join(dir, "block.txt")
	const first = "contact: ops@seer.example\nlisten: 127.0.0.1:0\nhosts: {allow-private: true, host-delay: 20ms, delay-factor: 0}\n"
	write(t, file, first)
	if err := os.Mkdir(data, 0o750); err != nil {
		t.Fatal(err)
	}
	service := startProcess(t, "serve", "--config", file, "--data", data, "--parts", "web,crawl")
	service.says(t, "there are no seeds")
	service.says(t, "http://127.0.0.1:")

	write(t, list, site.URL+"/secret/\n")
	write(t, file, strings.Replace(first, "ops@", "new@", 1)+"verbose: true\nblocklist: "+list+"\nseeds: ["+site.URL+"/]\ncrawl: {workers: 2}\n")
	said, _ := runToEnd(t, 0, "config", "reload", "--config", file, "--data", data)
	if want := "reloaded the blocklist (1 rules) and the log level DEBUG; changed from the next turn of the crawl on: workers, seeds; changed too, but needs a restart: contact\n"; said != want {
		t.Errorf("reload says\n%swant\n%s", said, want)
	}
	service.says(t, "crawling: ")
	out, talk := runToEnd(t, 0, "find", "--all", "--data", data, "--config", file)
	if !strings.Contains(out, "zqx-2027") || secret.Load() > 0 {
		t.Errorf("found\n%s%s, %d requests for what the blocklist closes\n%s", out, talk, secret.Load(), &service.talk)
	}

	write(t, file, "contact: ops@seer.example\nhost-dealy: 3s\n")
	if _, talk := runToEnd(t, exitFailed, "config", "reload", "--config", filepath.Join(dir, "none.yaml"), "--data", data); !strings.Contains(talk, "none.yaml") {
		t.Errorf("a config that is not there: %s", talk)
	}
	write(t, filepath.Join(dir, "own.yaml"), "data: "+data+"\n")
	if _, talk := runToEnd(t, exitFailed, "config", "reload", "--config", filepath.Join(dir, "own.yaml")); !strings.Contains(talk, `nothing reloaded: config `+file+`: line 2: unknown key "host-dealy"; did you mean host-delay?`) {
		t.Errorf("a broken config: %s", talk)
	}
	service.stop()
	service.ends(t, 0)
}

// TestImportBesideService imports seeds and sources while a service has them open, which fetches
// nothing here.
func TestImportBesideService(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	data, urls, feeds := filepath.Join(dir, "data"), filepath.Join(dir, "urls.txt"), filepath.Join(dir, "feeds.opml")
	write(t, urls, "https://society.example/calls\nno URL\n")
	write(t, feeds, `<opml version="2.0"><body><outline text="a" xmlUrl="https://blog.example/feed"/></body></opml>`)
	write(t, filepath.Join(dir, "records.jsonl"), `{"url":"https://icx.example/2027/","title":"International Conference on Examples","acronym":"ICX","year":2027}`+"\n")
	runToEnd(t, 0, "import", "jsonl", filepath.Join(dir, "records.jsonl"), "--data", data)
	runToEnd(t, 0, "monitor", "add", "https://first.example/", "--data", data)
	service := startProcess(t, "serve", "--data", data, "--parts", "web", "--listen", "127.0.0.1:0")
	service.says(t, "http://127.0.0.1:")
	for line, code := range map[string]int{"urls " + urls: exitPartly, "opml " + feeds: 0, "wikicfp databases": 0, "starting --fields astro": 0} {
		runToEnd(t, code, append(strings.Fields("import "+line), "--data", data)...)
	}
	watched, _ := runToEnd(t, 0, "monitor", "list", "--data", data)
	crawled, err := os.ReadFile(filepath.Join(data, "seeds.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range []string{"https://society.example/calls", "https://blog.example/feed", "http://www.wikicfp.com/cfp/rss?cat=databases", "https://www.iau.org/"} {
		if !strings.Contains(watched, u) || strings.Count(string(crawled), u+"\n") != 1 {
			t.Errorf("%s was imported beside the service; watched are\n%s, seeds are\n%s", u, watched, crawled)
		}
	}
}

// localCall is a call that models read without doubt.
const localCall = `<html><head><title>Call for Papers: ZQX 2027</title></head><body>
<h1>International Conference on Zonal Quixotics (ZQX 2027)</h1><p>14-17 June 2027, Oslo, Norway</p><h2>Call for papers</h2>
<p>We invite submissions of original research papers to ZQX 2027, the International Conference on Zonal Quixotics. Papers are reviewed by the programme committee and accepted papers are published in the proceedings.</p>
<h2>Topics of interest</h2><ul><li>Methods of quixotics</li><li>Evaluation and benchmarks</li><li>Applications in practice</li></ul>
<h2>Important dates</h2><ul><li>Paper submission: 15 February 2027</li><li>Notification of acceptance: 10 April 2027</li><li>Camera-ready version: 1 May 2027</li></ul>
<h2>Submission</h2><p>Papers of at most 12 pages are submitted electronically.</p></body></html>`
