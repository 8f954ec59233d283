package mailertest

import (
	"context"
	"errors"
	"net/smtp"
	"net/textproto"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const sample = "From: seer@seer.example\r\nTo: ann@home.example\r\nSubject: =?utf-8?q?t=C3=A4st?=\r\nMessage-ID: <1@seer.example>\r\n" +
	"Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\nhttps://seer.example/in?t=3D1\r\n.\r\nend\r\n"

func send(s *Server, to string) error {
	return smtp.SendMail(s.Addr(), nil, "seer@seer.example", []string{to}, []byte(sample))
}

func waiting(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func TestServerKeeps(t *testing.T) {
	s := Start(t)
	if err := send(s, "ann@home.example"); err != nil {
		t.Fatal(err)
	}
	letters, err := s.Wait(waiting(t), 1)
	if err != nil {
		t.Fatal(err)
	}
	l := letters[0]
	if l.From != "seer@seer.example" || l.To[0] != "ann@home.example" || string(l.Raw) != sample {
		t.Errorf("kept %+v\n%s", l, l.Raw)
	}
	if l.Subject() != "täst" || l.ID() != "1@seer.example" || l.Text() != "https://seer.example/in?t=1\n.\nend\n" || l.Links()[0] != "https://seer.example/in?t=1" {
		t.Errorf("read as %q, %q, %q, %q", l.Subject(), l.ID(), l.Text(), l.Links())
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Wait(ctx, 2); !errors.Is(err, context.Canceled) {
		t.Errorf("waiting for a letter that does not come: %v", err)
	}
}

func TestServerAnswers(t *testing.T) {
	s := Start(t)
	released := make(chan struct{})
	close(released)
	for to, a := range map[string]Answer{
		"soon@home.example": {Code: 450, Times: 1}, "gone@home.example": {Code: 550, Text: "no such user"}, "full@home.example": {Code: 552, AtData: true},
		"before@home.example": {DropBefore: true}, "after@home.example": {DropAfter: true}, "held@home.example": {Hold: released},
	} {
		s.Answer(to, a)
	}
	for _, c := range []struct {
		to   string
		code int
		kept bool
	}{
		{"soon@home.example", 450, false},
		{"SOON@home.example", 0, true},
		{"gone@home.example", 550, false},
		{"full@home.example", 552, false},
		{"before@home.example", -1, false},
		{"after@home.example", -1, true},
		{"held@home.example", 0, true},
	} {
		s.Forget()
		err := send(s, c.to)
		var said *textproto.Error
		switch {
		case c.code == 0 && err != nil, c.code != 0 && err == nil:
			t.Errorf("%s: %v", c.to, err)
		case c.code > 0 && (!errors.As(err, &said) || said.Code != c.code):
			t.Errorf("%s: %v, want %d", c.to, err, c.code)
		case c.code == 550 && !strings.Contains(said.Msg, "no such user"):
			t.Errorf("%s: %v, want the text of the answer", c.to, err)
		}
		if kept := len(s.Letters()) == 1; kept != c.kept {
			t.Errorf("%s: kept %v, want %v", c.to, kept, c.kept)
		}
	}
}

// TestServerCloses holds a mail back for ever.
func TestServerCloses(t *testing.T) {
	s, err := Listen()
	if err != nil {
		t.Fatal(err)
	}
	s.Answer("ann@home.example", Answer{Hold: make(chan struct{})})
	sent := make(chan error)
	go func() { sent <- send(s, "ann@home.example") }()
	if _, err := s.Wait(waiting(t), 1); err != nil {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	<-sent // with or without an error: its answer raced with the end
}
