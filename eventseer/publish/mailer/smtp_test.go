package mailer

import (
	"bytes"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/mail"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/eventseer/eventseer/eventseer/publish/mailertest"
	"github.com/eventseer/eventseer/eventseer/publish/message"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var day = time.Date(2026, 11, 22, 9, 30, 0, 0, time.UTC)

func letter(to string) message.Email {
	return message.Email{
		ID: "d1.ann@seer.example", To: to, At: day, Subject: "2 new calls: Web crawling", Text: "Two calls.\n\n-- \nEventSeer\n", HTML: "<p>Two calls.</p>\n",
		ListID: "l1.lists.seer.example", ListName: "Web crawling", Unsubscribe: "https://seer.example/leave/tok_1",
	}
}

func sender(s *mailertest.Server) Options {
	return Options{Server: s.Addr(), TLS: None, From: mail.Address{Name: "EventSeer", Address: "seer@seer.example"}, Timeout: time.Minute}
}

// open returns a mailer that ends with its test.
func open(t testing.TB, o Options) *SMTP {
	t.Helper()
	m, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

func TestSend(t *testing.T) {
	s := mailertest.Start(t)
	o := sender(s)
	o.ReplyTo, o.LeaveAddress = mail.Address{Name: "Crew", Address: "crew@seer.example"}, "leave@seer.example"
	answer, err := open(t, o).Deliver(t.Context(), letter("ann@home.example"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(answer, "OK") {
		t.Errorf("answer %q", answer)
	}
	got := s.Letters()[0]
	if got.From != "seer@seer.example" || !slices.Equal(got.To, []string{"ann@home.example"}) {
		t.Errorf("envelope from %s to %s", got.From, got.To)
	}
	for name, want := range map[string]string{
		"From": `"EventSeer" <seer@seer.example>`, "To": "<ann@home.example>", "Reply-To": `"Crew" <crew@seer.example>`,
		"Subject": "2 new calls: Web crawling", "Message-Id": "<d1.ann@seer.example>", "Date": "Sun, 22 Nov 2026 09:30:00 +0000",
		"List-Id":               `"Web crawling" <l1.lists.seer.example>`,
		"List-Unsubscribe":      "<https://seer.example/leave/tok_1>, <mailto:leave@seer.example?subject=leave%20tok_1>",
		"List-Unsubscribe-Post": "List-Unsubscribe=One-Click", "Precedence": "bulk", "Auto-Submitted": "auto-generated", "Mime-Version": "1.0",
	} {
		if have := got.Header()[name]; len(have) != 1 || have[0] != want {
			t.Errorf("%s: %q, want %q", name, have, want)
		}
	}
	if l := letter(""); got.Text() != l.Text || got.HTML() != l.HTML {
		t.Errorf("text %q, html %q", got.Text(), got.HTML())
	}
}

// TestSendSame checks that a mail sent again is the same, byte for byte.
func TestSendSame(t *testing.T) {
	s := mailertest.Start(t)
	m := open(t, sender(s))
	for range 3 {
		if err := m.Send(t.Context(), letter("ann@home.example")); err != nil {
			t.Fatal(err)
		}
	}
	letters := s.Letters()
	if len(letters) != 3 || !bytes.Equal(letters[0].Raw, letters[1].Raw) || !bytes.Equal(letters[0].Raw, letters[2].Raw) {
		t.Error("the same letter has other bytes")
	}
	if n := s.Connections(); n != 1 {
		t.Errorf("%d connections for 3 letters, want 1", n)
	}
}

func TestSecurity(t *testing.T) {
	const user, password = "seer", "hedge hog 7"
	for _, how := range []string{mailertest.Plain, mailertest.StartTLS, mailertest.TLS} {
		for _, mechanism := range []string{"PLAIN", "LOGIN", "CRAM-MD5", "SCRAM-SHA-256"} {
			t.Run(how+"/"+mechanism, func(t *testing.T) {
				t.Parallel()
				s := mailertest.StartWith(t, mailertest.Options{TLS: how, User: user, Password: password, Mechanisms: []string{mechanism}})
				o := sender(s)
				o.TLS, o.User, o.Password, o.Roots = how, user, password, x509.NewCertPool()
				var said bytes.Buffer
				o.Dialogue = &said
				o.Roots.AppendCertsFromPEM(s.CA())
				if err := open(t, o).Send(t.Context(), letter("ann@home.example")); err != nil {
					t.Fatalf("%v\n%s", err, &said)
				}
				if l := s.Letters()[0]; l.User != user || l.Secure != (how != mailertest.Plain) {
					t.Errorf("came from %q, secure %v", l.User, l.Secure)
				}
				if strings.Contains(said.String(), password) || strings.Contains(said.String(), "aGVkZ2UgaG9nIDc") {
					t.Errorf("the dialogue shows the password:\n%s", &said)
				}
				o.Password = "another"
				err := open(t, o).Send(t.Context(), letter("ann@home.example"))
				if err == nil || !strings.Contains(err.Error(), "refuses the login of seer") || errors.Is(err, message.ErrRefused) {
					t.Errorf("wrong password: %v", err)
				}
			})
		}
	}
}

func TestInsecure(t *testing.T) {
	plain := mailertest.Start(t)
	secured := mailertest.StartWith(t, mailertest.Options{TLS: mailertest.StartTLS})
	for name, o := range map[string]Options{
		"no STARTTLS":       {Server: plain.Addr(), TLS: StartTLS},
		"no TLS there":      {Server: plain.Addr(), TLS: TLS},
		"unknown authority": {Server: secured.Addr(), TLS: StartTLS},
	} {
		o.From, o.Timeout = mail.Address{Address: "seer@seer.example"}, time.Minute
		if err := open(t, o).Send(t.Context(), letter("ann@home.example")); !errors.Is(err, ErrInsecure) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := New(Options{Server: "mail.example:25", TLS: None, From: mail.Address{Address: "seer@seer.example"}}); !errors.Is(err, ErrInsecure) {
		t.Errorf("in the clear to another host: %v", err)
	}
	if n := len(plain.Letters()) + len(secured.Letters()); n > 0 {
		t.Errorf("%d letters were sent", n)
	}
}

func TestAnswers(t *testing.T) {
	s := mailertest.Start(t)
	m := open(t, sender(s))
	for i, c := range []struct {
		answer        mailertest.Answer
		sent, refused bool
		says          string
	}{
		{answer: mailertest.Answer{}, sent: true},
		{answer: mailertest.Answer{Code: 550, Text: "no such user"}, refused: true, says: "no such user"},
		{answer: mailertest.Answer{Code: 450}, says: "450"},
		{answer: mailertest.Answer{Code: 421, Text: "too many letters"}, says: "421"},
		{answer: mailertest.Answer{Code: 530, Text: "log in first"}, says: "530"},
		{answer: mailertest.Answer{Code: 550, Text: "5.7.1 we do not relay for you"}, says: "relay"},
		{answer: mailertest.Answer{Code: 552, Text: "5.2.2 mailbox full"}, says: "full"},
		{answer: mailertest.Answer{Code: 554, Text: "5.7.0 looks like spam", AtData: true}, says: "spam"},
		{answer: mailertest.Answer{Code: 550, AtData: true, Text: "no such user"}, refused: true},
		{answer: mailertest.Answer{Code: 451, AtData: true}, says: "451"},
		{answer: mailertest.Answer{DropBefore: true}, says: "the letter"},
		{answer: mailertest.Answer{DropAfter: true}, says: "the letter"},
		{answer: mailertest.Answer{}, sent: true},
	} {
		to := fmt.Sprintf("a%d@home.example", i)
		s.Answer(to, c.answer)
		err := m.Send(t.Context(), letter(to))
		if sent := err == nil; sent != c.sent || errors.Is(err, message.ErrRefused) != c.refused {
			t.Errorf("%+v: %v", c.answer, err)
		}
		if err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: %v lacks %q", c.answer, err, c.says)
		}
	}
}

// TestReconnect breaks the connection between two mails: the second one is still sent, once.
func TestReconnect(t *testing.T) {
	for name, brk := range map[string]func(l *connection){
		"closed": func(l *connection) { _ = l.conn.Close() },
	} {
		s := mailertest.Start(t)
		m := open(t, sender(s))
		for range 2 {
			if err := m.Send(t.Context(), letter("ann@home.example")); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			brk(m.line)
		}
		if n, c := len(s.Letters()), s.Connections(); n != 2 || c != 2 {
			t.Errorf("%s: %d letters over %d connections, want 2 over 2", name, n, c)
		}
	}
}

func TestIdle(t *testing.T) {
	s := mailertest.Start(t)
	o := sender(s)
	o.Idle = -1
	m := open(t, o)
	for range 3 {
		if err := m.Send(t.Context(), letter("ann@home.example")); err != nil {
			t.Fatal(err)
		}
	}
	if n := s.Connections(); n != 3 {
		t.Errorf("%d connections, want 3", n)
	}
}

// TestCancelled cancels a mail whose server does not respond.
func TestCancelled(t *testing.T) {
	s := mailertest.Start(t)
	s.Answer("ann@home.example", mailertest.Answer{Hold: make(chan struct{})})
	m := open(t, sender(s))
	ctx, cancel := context.WithCancel(t.Context())
	sent := make(chan error)
	go func() { sent <- m.Send(ctx, letter("ann@home.example")) }()
	if _, err := s.Wait(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	waiting, stop := context.WithCancel(t.Context())
	stop()
	if err := m.Send(waiting, letter("bea@home.example")); !errors.Is(err, context.Canceled) {
		t.Errorf("a second letter meanwhile: %v", err)
	}
	cancel()
	if err := <-sent; !errors.Is(err, context.Canceled) || errors.Is(err, message.ErrRefused) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestSilent is a server that accepts the connection and sends nothing.
func TestSilent(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	o := Options{Server: l.Addr().String(), TLS: None, From: mail.Address{Address: "seer@seer.example"}, Timeout: 50 * time.Millisecond}
	if err := open(t, o).Send(t.Context(), letter("ann@home.example")); err == nil || errors.Is(err, message.ErrRefused) {
		t.Errorf("a silent server: %v", err)
	}
}

func TestConcurrent(t *testing.T) {
	s := mailertest.Start(t)
	m := open(t, sender(s))
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			if err := m.Send(t.Context(), letter(fmt.Sprintf("a%d@home.example", i))); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	to := map[string]int{}
	for _, l := range s.Letters() {
		to[l.To[0]]++
	}
	if len(to) != 20 || len(s.Letters()) != 20 {
		t.Errorf("%d letters to %d addresses, want 20", len(s.Letters()), len(to))
	}
}

func TestInternational(t *testing.T) {
	wide := mailertest.Start(t)
	ascii := mailertest.StartWith(t, mailertest.Options{OnlyASCII: true})
	for _, s := range []*mailertest.Server{wide, ascii} {
		o := sender(s)
		o.From = mail.Address{Name: "Überblick, \"Größen\"", Address: "seer@bücher.example"}
		l := letter("ann@bücher.example")
		l.Subject, l.ListName = "3 neue Aufrufe: Größen 会议 "+strings.Repeat("ä", 100), "Größen 会议"
		if err := open(t, o).Send(t.Context(), l); err != nil {
			t.Fatal(err)
		}
		got := s.Letters()[0]
		if got.To[0] != "ann@xn--bcher-kva.example" || got.From != "seer@xn--bcher-kva.example" || got.Subject() != l.Subject {
			t.Errorf("from %s to %s: %q", got.From, got.To, got.Subject())
		}
		if from, err := mail.ParseAddress(got.Header().Get("From")); err != nil || from.Name != o.From.Name {
			t.Errorf("From %v, %v", from, err)
		}
		if bytes.ContainsFunc(got.Raw, func(r rune) bool { return r > 0x7e }) {
			t.Errorf("bytes above ASCII:\n%s", got.Raw)
		}
		for line := range strings.SplitSeq(string(got.Raw), "\r\n") {
			if len(line) > 200 {
				t.Errorf("a line of %d bytes: %s", len(line), line)
			}
		}
	}
	if err := open(t, sender(wide)).Send(t.Context(), letter("änn@bücher.example")); err != nil {
		t.Errorf("SMTPUTF8: %v", err)
	}
	if err := open(t, sender(ascii)).Send(t.Context(), letter("änn@bücher.example")); !errors.Is(err, message.ErrRefused) {
		t.Errorf("no SMTPUTF8: %v", err)
	}
}
