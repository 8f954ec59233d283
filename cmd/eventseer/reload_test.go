package main

import (
	"bytes"
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
