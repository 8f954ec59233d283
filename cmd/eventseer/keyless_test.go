package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/engine"
)

// TestKeylessProviders checks which providers live crawls query under several configurations. By default they are
// those without keys, within limits, and there are none without a contact, in a private network or with an empty list.
func TestKeylessProviders(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		config  string
		sources string
		why     string
	}{
		"default":     {"contact: me@site.example\n", "wikipedia marginalia", "on by default"},
		"absent list": {"contact: me@site.example\nbacklinks: {backlink-ttl: 10d}\n", "wikipedia marginalia", "on by default"},
		"empty list":  {"contact: me@site.example\nbacklinks: {providers: []}\n", "", "empty list"},
		"private":     {"contact: me@site.example\nallow-private: true\n", "", "private network"},
		"configured":  {"contact: me@site.example\nbacklinks: {providers: [{type: searxng, name: s, url: 'http://127.0.0.1:1/'}]}\n", "s", "backlinks.providers"},
		"no contact":  {"workers: 2\n", "", "contact: you@example.org"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "config.yaml")
			if err := os.WriteFile(path, []byte(c.config), 0o600); err != nil {
				t.Fatal(err)
			}
			a := newTestApp(t)
			defer func() {
				if err := a.Close(); err != nil {
					t.Error(err)
				}
			}()
			root := newRootCommand(a)
			cmd, _, err := root.Find([]string{"crawl"})
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.ParseFlags([]string{"--config", path}); err != nil {
				t.Fatal(err)
			}
			if err := a.Configure(cmd.Flags()); err != nil {
				t.Fatal(err)
			}
			list, why := a.Config.BacklinkProviders()
			if !strings.Contains(why, c.why) {
				t.Errorf("the explanation is %q; want it to contain %q", why, c.why)
			}
			sources, err := engine.OpenProviders(a, list)
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, s := range sources {
				names = append(names, s.Name())
				if c.why == "on by default" && (s.Limits.Pause < 1e9 || s.Limits.CallsPerDay == 0) {
					t.Errorf("%s has the limits %+v; want a pause of a second or more and a limit per day", s.Name(), s.Limits)
				}
			}
			if got := strings.Join(names, " "); got != c.sources {
				t.Errorf("the providers are %q; want %q", got, c.sources)
			}
		})
	}
	if got := app.ProviderList(nil).String(); got != "null" {
		t.Errorf("an absent list is written %q", got)
	}
}

// TestWATExample runs the commands of doc/operating.md on its example: an index of a WAT file is built and queried.
func TestWATExample(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	edges, config := filepath.Join(dir, "calls.edges"), filepath.Join(dir, "config.yaml")
	code, _, stderr := runCaptured(t, "backlinks", "index", "../../doc/examples/links.wat", "-o", edges)
	if code != 0 {
		t.Fatalf("exit code %d:\n%s", code, stderr)
	}
	wantText(t, "the messages", stderr, "3 links, which lead to 2 pages", "2 links within a site")
	if err := os.WriteFile(config, []byte("backlinks: {providers: [{type: edges, file: "+edges+"}]}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := runCaptured(t, "backlinks", "https://conf.example/2027/cfp", "--config", config, "--data", filepath.Join(dir, "data"), "--format", "csv")
	if code != 0 {
		t.Fatalf("exit code %d:\n%s", code, stderr)
	}
	wantText(t, "the result", stdout, "https://list.example/calls,https://conf.example/2027/cfp,\"CONF 2027, call for papers\"", "https://people.example/ann/,https://conf.example/2027/cfp,I review for CONF")
}
