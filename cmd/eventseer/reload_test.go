package main

import (
	"bytes"
	"io"
	"log/slog"
	"path/filepath"
	"strings"
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
	if err != nil || blocks.Blocked("http://a.example/") != "" {
		t.Fatalf("a blocklist without a file: %v", err)
	}

	a.Config.Format = "table" // as of a command that offers formats: it has not changed
	write(t, file, "host-delay: 9s\nverbose: true\nblocklist: "+list+"\n")
	a.Reload()
	if blocks.Blocked("http://a.example/") == "" || a.Level.Level() != slog.LevelDebug {
		t.Errorf("blocklist or log level is not taken up: %s", &talk)
	}
	if !strings.Contains(talk.String(), "2 rules") || !strings.HasSuffix(strings.TrimSpace(talk.String()), "next start only: host-delay") {
		t.Errorf("reload says %s", &talk)
	}

	for _, broken := range []string{"spede: 3", "blocklist: absent.txt\nquiet: true"} {
		talk.Reset()
		write(t, file, broken)
		a.Reload()
		if blocks.Blocked("http://a.example/") == "" || a.Level.Level() != slog.LevelDebug || !strings.Contains(talk.String(), "nothing reloaded") {
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
	a.UseTurns()
	write(t, file, "contact: new@seer.example\nseeds: [https://conf.example/]\ncrawl: {strategy: hub, crawl-per-day: 50}\nmail: {mail-rate: 9}\n")
	said, err := a.Reload()
	if err != nil || !strings.Contains(said, "from the next turn on: strategy, seeds, crawl-per-day;") || !strings.HasSuffix(said, "next start only: contact, mail-rate") {
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
