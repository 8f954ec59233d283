package main

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/admin"
)

// A monitor that stays ends at an interrupt, also while nothing is due. Its visits are stored, and another
// monitor continues from there.
func TestMonitorStays(t *testing.T) {
	t.Parallel()
	site := newSociety(t)
	m := &monitored{t: t, data: t.TempDir(), now: time.Date(2027, 1, 4, 9, 0, 0, 0, time.UTC)}
	if code, _, talk := m.run("monitor", "add", site.URL+"/calls"); code != 0 {
		t.Fatal(talk)
	}
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	go func() {
		defer interrupt()
		for began := time.Now(); time.Since(began) < patience; time.Sleep(10 * time.Millisecond) {
			var s admin.CrawlStatus
			if err := admin.AskAdmin(ctx, m.data, "/status", &s); err == nil && s.Links["fetched"] == 4 { // the list and the pages it links to
				return
			}
		}
	}()
	var out bytes.Buffer
	var talk talkLog
	a := newTestApp(t)
	a.Stdout, a.Stderr = &out, &talk
	a.Now = func() time.Time { return m.now }
	code := run(ctx, []string{"monitor", "--time", "2h", "--data", m.data, "--contact", "ops@eventseer.example", "--allow-private",
		"--host-delay", "0s", "--workers", "1", "--format", "jsonl", "--progress", "none"}, a)
	if code != exitInterrupted || !strings.Contains(out.String(), "/calls\"") || !strings.Contains(talk.String(), "the same command continues") {
		t.Errorf("exit code %d, want %d:\n%s%s", code, exitInterrupted, out.String(), talk.String())
	}
	m.now = m.now.AddDate(0, 0, 60)
	if got := m.pass(); !strings.Contains(got, "/calls:unchanged") || !strings.Contains(got, "/cfp/alpha:unchanged") {
		t.Errorf("afterwards: %s", got)
	}
	if code, out, talk := m.run("check"); code != 0 {
		t.Errorf("check exits with %d: %s%s", code, out, talk)
	}
}
