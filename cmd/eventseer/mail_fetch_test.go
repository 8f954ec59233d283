package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/eventseer/mailbox"
	"github.com/eventseer/eventseer/eventseer/mailbox/mailboxtest"
	"github.com/eventseer/eventseer/eventseer/mailbox/taker"
	"github.com/eventseer/eventseer/eventseer/store"

	"github.com/google/go-cmp/cmp"
)

// hedgeCall is a call for papers by mail; of each n another event.
func hedgeCall(n int) string {
	return fmt.Sprintf("From: Ann Green <ann@conf%d.example>\r\nDate: Mon, 11 Jan 2027 10:00:00 +0100\r\nMessage-ID: <call%d@conf.example>\r\n"+
		"Subject: [Gardens] Call for papers: BEDS%c 2027\r\n\r\n", n, n, 'A'+n) +
		strings.ReplaceAll(strings.Replace(gardenCall, "Second International Workshop on Gardens and Computing", fmt.Sprintf("BEDS%c 2027: International Workshop on %s", 'A'+n, bedTopics[n]), 1), "\n", "\r\n")
}

var bedTopics = []string{"Tulip Breeding", "Compost Chemistry", "Greenhouse Robotics", "Orchard Economics", "Moss Genomics", "Lawn Acoustics"}

// A mailClient runs mail fetch against a test server.
type mailClient struct {
	t    *testing.T
	app  *app.App
	args []string
}

func newMailClient(t *testing.T, s *mailboxtest.Server, how string) *mailClient {
	t.Helper()
	dir := t.TempDir()
	ca, password := filepath.Join(dir, "ca.pem"), filepath.Join(dir, "password")
	if err := os.WriteFile(ca, s.CA, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(password, []byte(mailboxtest.Password+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	a := newTestApp(t)
	home := a.Getenv
	a.Getenv = func(name string) string {
		if name == "EVENTSEER_IMAP_PASSWORD_FILE" {
			return password
		}
		return home(name)
	}
	args := []string{"mail", "fetch", "--data", filepath.Join(dir, "data"), "--server", s.Addr, "--user", mailboxtest.User, "--format", "jsonl", "--ca", ca}
	switch how {
	case mailboxtest.StartTLS:
		args = append(args, "--starttls")
	case mailboxtest.Plain:
		args = append(args, "--insecure")
	}
	return &mailClient{t, a, args}
}

// fetch runs the command and returns its exit code, the results for the messages, and its log.
func (c *mailClient) fetch(ctx context.Context, more ...string) (code int, lines []taker.Result, talk string) {
	c.t.Helper()
	a := *c.app
	var out, talked bytes.Buffer
	a.Stdout, a.Stderr = &out, &talked
	code = run(ctx, slices.Concat(c.args, more), &a)
	for dec := json.NewDecoder(&out); dec.More(); {
		var line taker.Result
		if err := dec.Decode(&line); err != nil {
			c.t.Fatalf("%v in %s", err, out.String())
		}
		lines = append(lines, line)
	}
	if strings.Contains(out.String()+talked.String(), mailboxtest.Password) {
		c.t.Error("the password is shown")
	}
	return code, lines, talked.String()
}

func toldOf(lines []taker.Result) (urls []string) {
	for _, line := range lines {
		urls = append(urls, strings.TrimSpace(line.Change+" "+line.URL))
	}
	return urls
}

func TestMailFetch(t *testing.T) {
	t.Parallel()
	for _, how := range []string{mailboxtest.TLS, mailboxtest.StartTLS, mailboxtest.Plain} {
		t.Run(how, func(t *testing.T) {
			s := mailboxtest.Serve(t, how)
			c := newMailClient(t, s, how)
			s.Append(t, "INBOX", hedgeCall(0), "no header", "Message-ID: <ask@x>\r\nSubject: sensor\r\n\r\nIt prints zero.\r\n")
			code, lines, talk := c.fetch(context.Background())
			if diff := cmp.Diff([]string{"new mid:call0@conf.example", "imap:INBOX#2", "mid:ask@x"}, toldOf(lines)); code != exitPartly || diff != "" {
				t.Errorf("first time: exit %d\n%s\n%s", code, diff, talk)
			}
			if code, lines, talk = c.fetch(context.Background()); code != 0 || lines != nil {
				t.Errorf("nothing new: exit %d, %v, %s", code, lines, talk)
			}
			s.Append(t, "INBOX", hedgeCall(1), hedgeCall(0))
			s.Create(t, "Lists")
			s.Append(t, "Lists", hedgeCall(2))
			code, lines, _ = c.fetch(context.Background(), "--folder", "INBOX", "--folder", "Lists")
			if diff := cmp.Diff([]string{"new mid:call1@conf.example", "known mid:call0@conf.example", "new mid:call2@conf.example"}, toldOf(lines)); code != 0 || diff != "" {
				t.Errorf("second time: exit %d\n%s", code, diff)
			}
			code, lines, _ = c.fetch(context.Background(), "--all")
			if code != exitPartly || len(lines) != 5 {
				t.Errorf("all again: exit %d, %v", code, toldOf(lines))
			}
			checkNoAddress(t, filepath.Join(c.args[3]), mailboxtest.User, "ann@conf0.example", "ann@conf1.example", "ann@conf2.example", mailboxtest.Password)
		})
	}
}

// checkNoAddress looks into every byte of a data directory.
func checkNoAddress(t *testing.T, dir string, addresses ...string) {
	t.Helper()
	files := 0
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files++
		text, err := os.ReadFile(path)
		for _, address := range addresses {
			if bytes.Contains(bytes.ToLower(text), []byte(strings.ToLower(address))) {
				t.Errorf("%s holds %s", path, address)
			}
		}
		return err
	})
	if err != nil || files == 0 {
		t.Errorf("%d files in %s, %v", files, dir, err)
	}
}

// TestMailFetchKilled is interrupted after each message in turn, before its mark is stored, and continues:
// nothing is lost, and repeated messages change nothing.
func TestMailFetchKilled(t *testing.T) {
	t.Parallel()
	s := mailboxtest.Serve(t, mailboxtest.TLS)
	c := newMailClient(t, s, mailboxtest.TLS)
	events := len(bedTopics)
	var want []string
	for n := range events {
		s.Append(t, "INBOX", hedgeCall(n))
		want = append(want, fmt.Sprintf("new mid:call%d@conf.example", n))
	}
	var got []string
	for n := range events {
		got = append(got, c.fetchUntil(n+1)...)
	}
	got = slices.DeleteFunc(got, func(told string) bool { return strings.HasPrefix(told, taker.ChangeKnown) })
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("what the runs made (-want +got):\n%s", diff)
	}
	code, lines, talk := c.fetch(context.Background())
	if code != 0 || len(lines) != events { // no mark was ever kept
		t.Errorf("at last: exit %d, %v\n%s", code, toldOf(lines), talk)
	}
	for _, line := range lines {
		if line.Change != taker.ChangeKnown {
			t.Errorf("%s again is %s", line.URL, line.Change)
		}
	}
	st, err := store.Open(filepath.Join(c.args[3], app.StoreFile), store.Options{MustExist: true})
	if err != nil {
		t.Fatal(err)
	}
	if st.Len() != events {
		t.Errorf("%d events, want %d", st.Len(), events)
	}
	for _, err := range st.Check() {
		t.Error(err)
	}
	if err := st.Close(); err != nil {
		t.Error(err)
	}
}

// fetchUntil runs the command as if it was killed after n messages: no mark is stored. It returns the output
// so far.
func (c *mailClient) fetchUntil(n int) (told []string) {
	c.t.Helper()
	a := *c.app
	root := newRootCommand(&a)
	ctx, kill := context.WithCancel(context.Background())
	defer kill()
	cmd, flags, err := root.Find(c.args)
	if err == nil {
		err = errors.Join(cmd.ParseFlags(flags), a.Configure(cmd.Flags()))
	}
	if err != nil {
		c.t.Fatal(err)
	}
	ca, _ := cmd.Flags().GetString("ca")
	server, folders, err := imapFolders(&a, mailFlags{server: c.args[5], user: mailboxtest.User, authorities: ca})
	if err != nil {
		c.t.Fatal(err)
	}
	r, err := newMailRun(ctx, &a)
	if err != nil {
		c.t.Fatal(err)
	}
	server.Reader = a.Mails
	marks, err := mailbox.ReadFolders(filepath.Join(a.Config.Data, "unwritable", app.MarksFile))
	if err != nil {
		c.t.Fatal(err)
	}
	out := &stopper{after: n, kill: kill}
	r.out = out
	if err := fetchFolder(ctx, r, server, marks.Folder(server, folders[0]), false); err == nil {
		c.t.Error("the mark is kept in no directory")
	}
	if err := a.Close(); err != nil {
		c.t.Fatal(err)
	}
	for dec := json.NewDecoder(&out.told); dec.More(); {
		var line taker.Result
		if err := dec.Decode(&line); err != nil {
			c.t.Fatal(err)
		}
		told = append(told, toldOf([]taker.Result{line})...)
	}
	return told
}

// A stopper ends a run when the lines of so many messages are written.
type stopper struct {
	after int
	kill  func()
	told  bytes.Buffer
}

func (k *stopper) Write(p []byte) (int, error) {
	if k.after -= bytes.Count(p, []byte("\n")); k.after <= 0 {
		k.kill()
	}
	return k.told.Write(p)
}

func TestMailFetchRefused(t *testing.T) {
	s := mailboxtest.Serve(t, mailboxtest.TLS)
	c := newMailClient(t, s, mailboxtest.TLS)
	for _, tt := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"no folder of that name", []string{"--folder", "Nowhere"}, exitFailed, "folder Nowhere"},
		{"no server", []string{"--server", ""}, exitUsage, "--server and --user"},
		{"wrong user", []string{"--user", "bob"}, exitFailed, "refuses the login of bob"},
		{"no certificates", []string{"--ca", os.DevNull}, exitUsage, "no certificate"},
		{"in the clear to others", []string{"--server", "mail.example:143", "--insecure"}, exitFailed, "not a loopback address"},
	} {
		code, _, talk := c.fetch(context.Background(), tt.args...)
		if code != tt.code || !strings.Contains(talk, tt.want) {
			t.Errorf("%s: exit %d: %s", tt.name, code, talk)
		}
	}
	c.app.Getenv = newTestApp(t).Getenv
	if code, _, talk := c.fetch(context.Background()); code != exitUsage || !strings.Contains(talk, "EVENTSEER_IMAP_PASSWORD") {
		t.Errorf("no password: exit %d: %s", code, talk)
	}
}

// TestSecretIsNotShown prints the configuration with a password in it.
func TestSecretIsNotShown(t *testing.T) {
	a := newTestApp(t)
	var out bytes.Buffer
	a.Stdout = &out
	a.Getenv = func(name string) string {
		return map[string]string{"HOME": t.TempDir(), "EVENTSEER_IMAP_PASSWORD": "hedge hog 7"}[name]
	}
	if code := run(context.Background(), []string{"config", "show"}, a); code != 0 {
		t.Fatalf("exit %d", code)
	}
	if strings.Contains(out.String(), "hedge hog") || !strings.Contains(out.String(), "imap-password: (set)") {
		t.Errorf("it shows %s", out.String())
	}
}
