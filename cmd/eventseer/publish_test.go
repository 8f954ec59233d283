package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/eventseer/publish/mailertest"
)

// callMail is a mailing list's message with a call.
func callMail(name, topic, deadline string) string {
	return "From ann@conf.example Mon Jan 11 10:00:00 2027\nFrom: Ann Green <ann@conf.example>\nDate: Mon, 11 Jan 2027 10:00:00 +0100\n" +
		"Message-ID: <" + name + "@conf.example>\nSubject: [Gardens] Call for papers: " + name + " 2027\n\nCall for papers\n\n" +
		strings.ToUpper(name) + " 2027: Second International Workshop on " + name + " and Computing\nLyon, France, 4-6 June 2027\n\n" +
		"We invite original papers on all aspects of " + topic + ".\n\nImportant dates\n Paper submission: " + deadline +
		"\n Notification of acceptance: 9 April 2027\n\nPapers of up to ten pages in PDF should be submitted. Each paper will be reviewed\n" +
		"by three members of the programme committee.\n\n"
}

// TestPublishByMail runs the whole path by the commands. A reader signs up, two calls come, the
// server rejects one for a while, and each reader has one mail in the end.
func TestPublishByMail(t *testing.T) {
	t.Parallel()
	server := mailertest.StartWith(t, mailertest.Options{TLS: mailertest.StartTLS, User: "seer", Password: "hedge hog 7"})
	settings := mailSettings(t, server, "starttls")
	dir := t.TempDir()
	clock := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	command := func(want int, args ...string) (stdout, stderr string) {
		t.Helper()
		a := newTestApp(t)
		var out, talk bytes.Buffer
		a.Stdout, a.Stderr, a.Now = &out, &talk, func() time.Time { return clock }
		home := a.Getenv
		a.Getenv = func(name string) string {
			if value, ok := settings[name]; ok {
				return value
			}
			return home(name)
		}
		if code := run(context.Background(), append(args, "--data", filepath.Join(dir, "data")), a); code != want {
			t.Fatalf("%v: exit %d\n%s%s", args, code, &out, &talk)
		}
		return out.String(), talk.String()
	}
	bring := func(mail string) {
		t.Helper()
		path := filepath.Join(dir, "list.mbox")
		if err := os.WriteFile(path, []byte(mail), 0o600); err != nil {
			t.Fatal(err)
		}
		command(0, "mail", "import", path)
	}
	bring(callMail("walls", "walls with computers", "1 March 2027"))
	command(0, "clip", "add", "hedges", "--mail", "ann@home.example", "--rhythm", "immediate", "--confirmed")
	command(0, "clip", "add", "hedges OR walls", "--mail", "bob@home.example", "--rhythm", "immediate", "--confirmed")
	command(0, "clip", "add", "hedges", "--mail", "new@home.example")
	server.Answer("bob@home.example", mailertest.Answer{Code: 450, Text: "try later", Times: 1})
	bring(callMail("hedges", "hedges with computers", "1 March 2027"))
	if _, talk := command(3, "publish"); !strings.Contains(talk, "1 mail waits") {
		t.Errorf("said %q", talk)
	}
	clock = clock.Add(2 * time.Minute)
	command(0, "publish")
	bring(callMail("hedges", "hedges with computers", "15 March 2027"))
	command(0, "publish")
	var got []string
	for _, l := range server.Letters() {
		got = append(got, l.To[0]+": "+l.Subject())
		if strings.Contains(l.Text(), "Walls") {
			t.Errorf("an old call is told:\n%s", l.Text())
		}
	}
	want := []string{
		"new@home.example: ", `ann@home.example: 1 new call - "hedges"`, `bob@home.example: 1 new call - "hedges OR walls"`,
		`ann@home.example: 1 deadline moved - "hedges"`, `bob@home.example: 1 deadline moved - "hedges OR walls"`,
	}
	if len(got) != len(want) || !strings.HasPrefix(got[0], want[0]) {
		t.Fatalf("got %q", got)
	}
	for _, w := range want[1:] {
		if !strings.Contains(strings.Join(got, "\n"), w) {
			t.Errorf("no %q in %q", w, got)
		}
	}
}
