package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/engine"
	"github.com/eventseer/eventseer/crawler/backlink/backlinktest"
	"github.com/eventseer/eventseer/webgraph"
)

// askBacklinks runs `backlinks` with a config and returns exit code, result and
// talk.
func askBacklinks(t *testing.T, dir, config string, more ...string) (code int, result, talk string) {
	t.Helper()
	path := filepath.Join(dir, "config.yaml")
	if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	a := newTestApp(t)
	var out, err bytes.Buffer
	a.Stdout, a.Stderr = &out, &err
	given := []string{"backlinks", "https://conf.org/2027/cfp", "--config", path, "--data", filepath.Join(dir, "data"), "--contact", "me@site.example", "--format", "csv"}
	code = run(context.Background(), append(given, more...), a)
	return code, out.String(), err.String()
}

func wantText(t *testing.T, what, text string, wanted ...string) {
	t.Helper()
	for _, w := range wanted {
		if !strings.Contains(text, w) {
			t.Errorf("%s lacks %q:\n%s", what, w, text)
		}
	}
}

// Configured providers are queried in order, each with its own price. A provider that fails is named without
// its key, and nothing is paid for twice.
func TestBacklinksOfProviders(t *testing.T) {
	const target = "https://conf.org/2027/cfp"
	wiki := backlinktest.NewMediaWiki(t, backlinktest.Options{Links: []webgraph.Link{{Source: "Conferences", Target: target}}})
	moz := backlinktest.NewMoz(t, backlinktest.Options{Key: "open-sesame", Links: []webgraph.Link{
		{Source: "https://list.net/", Target: target, Anchor: "CFP"}, {Source: "https://home.edu/~ann/", Target: target, Anchor: "call"},
	}})
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "key"), []byte("open-sesame\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	config := fmt.Sprintf(`backlinks:
  providers:
    - {type: mediawiki, name: wiki, url: %q, pause: 0s}
    - {type: moz, url: %q, key-file: %q, pause: 0s}
`, wiki.URL, moz.URL, filepath.Join(dir, "key"))
	code, result, talk := askBacklinks(t, dir, config)
	if code != 0 {
		t.Fatalf("exit code %d:\n%s", code, talk)
	}
	wantText(t, "the result", result, backlinktest.WikiPage("Conferences")+",", ",wiki,prefix,unknown,", "https://list.net/,"+target+",CFP,", ",moz,prefix,unknown,,false,false,", ",1\n")
	wantText(t, "the talk", talk, "3 links from 3 providers: 3 calls, cost 2, 0 answers from the cache")
	asked := wiki.Calls() + moz.Calls()
	if code, _, talk = askBacklinks(t, dir, config); code != 0 || wiki.Calls()+moz.Calls() != asked {
		t.Errorf("exit code %d, %d calls more", code, wiki.Calls()+moz.Calls()-asked)
	}
	wantText(t, "the talk", talk, "3 links from 3 providers: 0 calls, cost 0, 2 answers from the cache")

	wiki.Always(backlinktest.Status(http.StatusTooManyRequests, "60", "slow down"))
	moz.Always(backlinktest.Echo(http.StatusUnauthorized))
	code, _, talk = askBacklinks(t, dir, config, "--scope", "host")
	if code != exitPartly { // our own links answered
		t.Errorf("exit code %d, want %d", code, exitPartly)
	}
	wantText(t, "the talk", talk, "backlinks from wiki: busy", "backlinks from moz: key", "2 of 3 providers failed")
	if strings.Contains(talk, "sesame") {
		t.Errorf("the key is shown:\n%s", talk)
	}
	if code, _, talk = askBacklinks(t, dir, config, "--scope", "domain", "--provider", "wiki"); code != exitFailed {
		t.Errorf("exit code %d, want %d", code, exitFailed)
	}
	wantText(t, "the talk", talk, "it rests until 2027-01-11T12:01:00Z")
}

// --verify fetches the sources politely: robots.txt is obeyed, the delay is kept, and the result counts for
// the provider.
func TestBacklinksVerify(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var times []time.Time
	mux := http.NewServeMux()
	mux.HandleFunc("/robots.txt", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "User-agent: *\nDisallow: /private/\n")
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		times = append(times, time.Now())
		mu.Unlock()
		w.Header().Set("Content-Type", "text/html")
		if r.URL.Path == "/good" {
			fmt.Fprint(w, `<a href="https://conf.org/2027/cfp">the call</a>`)
		}
	})
	site := httptest.NewServer(mux)
	defer site.Close()
	dir := t.TempDir()
	var list strings.Builder
	list.WriteString("source\ttarget\n")
	for _, path := range []string{"good", "bad", "private/x"} {
		fmt.Fprintf(&list, "%s/%s\thttps://conf.org/2027/cfp\n", site.URL, path)
	}
	links := filepath.Join(dir, "links.tsv")
	if err := os.WriteFile(links, []byte(list.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	code, result, talk := askBacklinks(t, dir, "host-delay: 300ms\n", "--backlinks", links, "--verify", "--allow-private")
	if code != 0 {
		t.Fatalf("exit code %d:\n%s", code, talk)
	}
	wantText(t, "the result", result, "/good,https://conf.org/2027/cfp,,,links-file,prefix,yes,", "/bad,https://conf.org/2027/cfp,,,links-file,prefix,no,", "prefix,unreachable,", "robots.txt")
	if len(times) != 2 || times[1].Sub(times[0]) < 250*time.Millisecond {
		t.Errorf("pages were asked for at %v; want two, 300 ms apart", times)
	}
}

// A live crawl queries the providers of the configuration, after the links file of the command
// line. A replay queries only that file.
func TestProvidersOfAWeb(t *testing.T) {
	dir := t.TempDir()
	links := filepath.Join(dir, "links.tsv")
	if err := os.WriteFile(links, []byte("source\ttarget\nhttp://a.example/\thttp://b.example/\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	a := newTestApp(t)
	defer func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	}()
	list, err := app.ParseProviders([]byte("[{type: edges, file: " + links + "}, {type: mediawiki, name: w, url: 'http://127.0.0.1:1/api.php'}, {type: searxng, name: s, url: 'http://127.0.0.1:1/'}]"))
	if err != nil {
		t.Fatal(err)
	}
	a.Config.Contact, a.Config.Robots, a.Config.Render, a.Config.Providers = "me@site.example", "google", "off", list
	for sim, want := range map[string]string{"": "links-file edges w s", "seed=1": "links-file"} {
		w, err := engine.OpenWeb(t.Context(), a, engine.CrawlOptions{Backlinks: links, Sim: sim})
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, s := range w.Sources {
			names = append(names, s.Name())
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("web %q asks %s, want %s", sim, got, want)
		}
	}
	if s, err := engine.OpenSearX(a); s == nil || err != nil {
		t.Errorf("%v, %v", s, err)
	}
	for variable, key := range map[string]string{"": "from the file", "EVENTSEER_BACKLINKS_OUR_WIKI_KEY": "from the environment"} {
		path := filepath.Join(dir, "key")
		if err := os.WriteFile(path, []byte("from the file\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		a.Getenv = func(name string) string {
			if name == variable {
				return key
			}
			return ""
		}
		if got, err := app.ProviderKey(a, app.ProviderConfig{Type: "moz", Name: "our.wiki", KeyFile: path}); got != key || err != nil {
			t.Errorf("key %q, %v; want %q", got, err, key)
		}
	}
}
