package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/engine"
	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/mailbox/mailboxtest"
	"github.com/eventseer/eventseer/eventseer/publish"
	"github.com/eventseer/eventseer/eventseer/publish/account"
	"github.com/eventseer/eventseer/eventseer/publish/mailertest"
	"github.com/eventseer/eventseer/eventseer/publish/message"
)

// runMail runs a command line with settings and returns what it printed and its exit code.
func runMail(t *testing.T, settings map[string]string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	a := newTestApp(t)
	var out, talk bytes.Buffer
	a.Stdout, a.Stderr = &out, &talk
	home := a.Getenv
	a.Getenv = func(name string) string {
		if value, ok := settings[name]; ok {
			return value
		}
		return home(name)
	}
	code = run(context.Background(), append([]string{"mail"}, args...), a)
	return out.String(), talk.String(), code
}

// mailSettings are those to send by a test server.
func mailSettings(t *testing.T, s *mailertest.Server, tls string) map[string]string {
	t.Helper()
	dir := t.TempDir()
	ca, password := filepath.Join(dir, "ca.pem"), filepath.Join(dir, "password")
	for path, text := range map[string]string{ca: string(s.CA()), password: "hedge hog 7\n"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return map[string]string{
		"EVENTSEER_SMTP_SERVER": s.Addr(), "EVENTSEER_SMTP_TLS": tls, "EVENTSEER_SMTP_CA": ca, "EVENTSEER_SMTP_USER": "seer",
		"EVENTSEER_SMTP_PASSWORD_FILE": password, "EVENTSEER_MAIL_FROM": "EventSeer <seer@seer.example>", "EVENTSEER_BASE_URL": "https://seer.example/",
	}
}

func TestMailTest(t *testing.T) {
	s := mailertest.StartWith(t, mailertest.Options{TLS: mailertest.StartTLS, User: "seer", Password: "hedge hog 7"})
	settings := mailSettings(t, s, "starttls")
	stdout, stderr, code := runMail(t, settings, "test", "ann@home.example")
	if code != 0 || !strings.HasPrefix(stdout, s.Addr()+" accepted the mail to ann@home.example and responded: ") || stderr != "" {
		t.Fatalf("exit %d, stdout %q, stderr %q", code, stdout, stderr)
	}
	if l := s.Letters()[0]; !l.Secure || l.User != "seer" || l.Subject() != "Test of the mail of EventSeer" || l.Links()[0] != "https://seer.example/" {
		t.Errorf("delivered %+v", l)
	}
	_, stderr, code = runMail(t, settings, "test", "ann@home.example", "-v")
	if code != 0 || !strings.Contains(stderr, "> MAIL FROM:<seer@seer.example>") || !strings.Contains(stderr, "< 250 ") || strings.Contains(stderr, "hedge hog") {
		t.Errorf("exit %d, dialogue:\n%s", code, stderr)
	}
	s.Answer("gone@home.example", mailertest.Answer{Code: 550, Text: "5.1.1 nobody here"})
	_, stderr, code = runMail(t, settings, "test", "gone@home.example")
	if code != exitFailed || !strings.Contains(stderr, "nobody here") {
		t.Errorf("exit %d: %s", code, stderr)
	}
	settings["EVENTSEER_SMTP_PASSWORD_FILE"], settings["EVENTSEER_SMTP_PASSWORD"] = "", "wrong"
	_, stderr, code = runMail(t, settings, "test", "ann@home.example")
	if code != exitFailed || !strings.Contains(stderr, "refuses the login of seer") {
		t.Errorf("exit %d: %s", code, stderr)
	}
	settings["EVENTSEER_SMTP_TLS"] = "tls"
	_, stderr, code = runMail(t, settings, "test", "ann@home.example")
	if code != exitFailed || !strings.Contains(stderr, "does its port use TLS from the start") {
		t.Errorf("exit %d: %s", code, stderr)
	}
}

// signedIn makes a data directory with a reader who has a list, and returns it with the Message-ID of the
// confirmed mail.
func signedIn(t *testing.T, address string) (dir, letter string) {
	t.Helper()
	s := mailertest.Start(t)
	a := newTestApp(t)
	dir = t.TempDir()
	root := newRootCommand(a)
	if err := a.Configure(root.PersistentFlags()); err != nil {
		t.Fatal(err)
	}
	a.Config.Data, a.Config.SMTPServer, a.Config.SMTPTLS, a.Config.MailFrom = dir, s.Addr(), "none", "seer@seer.example"
	m, err := engine.NewMailer(a, "")
	if err != nil {
		t.Fatal(err)
	}
	p, err := publish.Open(t.Context(), publish.Options{Path: filepath.Join(dir, app.PublishFile), Mailer: m, Site: message.Site{Name: "EventSeer", Base: "https://seer.example/"}, Now: a.Now})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.RequestSignIn(t.Context(), "192.0.2.1", address, eventseer.List{Name: "Gardens", Query: "gardens", Rhythm: eventseer.Daily}); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Publish(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(s.Letters()) != 1 {
		t.Fatalf("%d letters, want the one that confirms", len(s.Letters()))
	}
	got := s.Letters()[0]
	link := got.Links()[0]
	if _, err := p.SignIn(t.Context(), link[strings.LastIndexAny(link, "/=")+1:]); err != nil {
		t.Fatalf("%s: %v", link, err)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	return dir, got.ID()
}

// userOf returns the only reader of a data directory.
func userOf(t *testing.T, dir string) account.User {
	t.Helper()
	p, err := publish.Open(t.Context(), publish.Options{Path: filepath.Join(dir, app.PublishFile), MustExist: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = p.Close() }()
	users, err := p.Users(t.Context())
	if err != nil || len(users) != 1 {
		t.Fatalf("%d users, %v", len(users), err)
	}
	return users[0]
}

func bounceOf(letter string) string {
	return "From: MAILER-DAEMON@mx.example\r\nTo: seer@seer.example\r\nSubject: Undelivered\r\nContent-Type: multipart/report; report-type=delivery-status; boundary=b\r\n\r\n" +
		"--b\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; mx.example\r\n\r\nFinal-Recipient: rfc822; ann@home.example\r\nAction: failed\r\nStatus: 5.1.1\r\n\r\n" +
		"--b\r\nContent-Type: text/rfc822-headers\r\n\r\nMessage-ID: <" + letter + ">\r\n\r\n--b--\r\n"
}

func TestMailBounces(t *testing.T) {
	dir, letter := signedIn(t, "ann@home.example")
	box := filepath.Join(t.TempDir(), "bounces.mbox")
	mails := "From - Sun Nov 22 09:30:00 2026\n" + strings.ReplaceAll(bounceOf("forged.1@seer.example"), "\r", "") + "\nFrom - Sun Nov 22 09:31:00 2026\nSubject: hello\n\nno bounce\n\n"
	if err := os.WriteFile(box, []byte(mails), 0o600); err != nil {
		t.Fatal(err)
	}
	stdout, stderr, code := runMail(t, nil, "bounces", "--data", dir, box)
	if code != 0 || !strings.HasPrefix(stdout, "unknown  ann@home.example  forged.1@seer.example  5.1.1\n") || !strings.Contains(stderr, "2 mails: 0 addresses are gone") {
		t.Errorf("forged: exit %d, %q, %q", code, stdout, stderr)
	}
	if u := userOf(t, dir); u.Refused != "" {
		t.Errorf("a forged mail ended mail to %s: %s", u.Address, u.Refused)
	}

	s := mailboxtest.Serve(t, mailboxtest.Plain)
	s.Append(t, "INBOX", bounceOf(letter))
	settings := map[string]string{"EVENTSEER_IMAP_SERVER": s.Addr, "EVENTSEER_IMAP_USER": mailboxtest.User, "EVENTSEER_IMAP_PASSWORD": mailboxtest.Password, "EVENTSEER_BOUNCE_FOLDER": "INBOX"}
	stdout, stderr, code = runMail(t, settings, "bounces", "--data", dir, "--insecure", "--format", "jsonl")
	if want := `{"result":"gone","address":"ann@home.example","letter":"` + letter + `","detail":"5.1.1"}` + "\n"; code != 0 || stdout != want {
		t.Errorf("exit %d, got %q, want %q; %s", code, stdout, want, stderr)
	}
	if u := userOf(t, dir); !strings.Contains(u.Refused, "5.1.1") {
		t.Errorf("mail to %s goes on: %q", u.Address, u.Refused)
	}
	if stdout, stderr, code := runMail(t, settings, "bounces", "--data", dir, "--insecure"); code != 0 || stdout != "" || !strings.Contains(stderr, "0 mails") {
		t.Errorf("read again: exit %d, %q, %q", code, stdout, stderr)
	}
	if _, stderr, code := runMail(t, nil, "bounces", "--data", dir); code != exitUsage || !strings.Contains(stderr, "bounce-folder") {
		t.Errorf("nothing to read: exit %d, %q", code, stderr)
	}
}
