package mailer

import (
	"bytes"
	"errors"
	"io"
	"net/mail"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/eventseer/publish/mailertest"
	"github.com/eventseer/eventseer/eventseer/publish/message"

	"github.com/emersion/go-mbox"
)

func TestMbox(t *testing.T) {
	path := filepath.Join(t.TempDir(), "dry.mbox")
	o := Options{From: mail.Address{Name: "EventSeer", Address: "seer@seer.example"}}
	texts := []string{"From the crew\n>From quoted\n\nFrom seer@seer.example Sun Nov 22 09:30:00 2026\nend\n", "two\n", "three, after a crash\n"}
	for i, text := range texts {
		m, err := OpenMbox(path, o)
		if err != nil {
			t.Fatal(err)
		}
		l := letter("ann@home.example")
		l.Text, l.HTML = text, ""
		if err := m.Send(t.Context(), l); err != nil {
			t.Fatal(err)
		}
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
		if i == 1 { // as if the next mail had been interrupted
			f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := f.WriteString("From seer@seer.example Sun Nov 22 09:30:00 2026\nSubject: bro"); err != nil {
				t.Fatal(err)
			}
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	got := boxTexts(t, path)
	want := []string{texts[0], texts[1], "", texts[2]}
	if len(got) != len(want) {
		t.Fatalf("%d letters, want %d", len(got), len(want))
	}
	for i := range want {
		// go-mbox takes one ">" off lines of "From " only: it reads mboxo.
		if strings.ReplaceAll(got[i], ">>From", ">From") != want[i] {
			t.Errorf("letter %d: %q, want %q", i, got[i], want[i])
		}
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v: others can read links that sign in", info.Mode(), err)
	}
}

// boxTexts are the texts of an mbox as go-mbox reads it.
func boxTexts(t *testing.T, path string) (texts []string) {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	box := mbox.NewReader(bytes.NewReader(raw))
	for {
		r, err := box.NextMessage()
		if errors.Is(err, io.EOF) {
			return texts
		}
		if err != nil {
			t.Fatal(err)
		}
		m, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, mailertest.Letter{Raw: m}.Text())
	}
}

// TestHostileLetters puts forbidden text into every field of a mail.
func TestHostileLetters(t *testing.T) {
	s := mailertest.Start(t)
	m := open(t, sender(s))
	const evil = "x\r\nBcc: all@home.example\r\n\r\n<script>\x00\u2028\u202e"
	for name, change := range map[string]func(l *message.Email){
		"to":          func(l *message.Email) { l.To = "ann@home.example\r\nRCPT TO:<bea@home.example>" },
		"two":         func(l *message.Email) { l.To = "ann@home.example, bea@home.example" },
		"no to":       func(l *message.Email) { l.To = "" },
		"name":        func(l *message.Email) { l.To = "Ann <ann@home.example>" },
		"id":          func(l *message.Email) { l.ID = evil },
		"no id":       func(l *message.Email) { l.ID = "" },
		"list":        func(l *message.Email) { l.ListID = evil },
		"unsubscribe": func(l *message.Email) { l.Unsubscribe = "https://seer.example/>,<mailto:x@y.example" },
		"script":      func(l *message.Email) { l.Unsubscribe = "javascript:alert(1)" },
		"no time":     func(l *message.Email) { l.At = time.Time{} },
		"no text":     func(l *message.Email) { l.Text = "" },
	} {
		l := letter("ann@home.example")
		change(&l)
		if err := m.Send(t.Context(), l); err == nil {
			t.Errorf("%s: sent", name)
		}
	}
	if n := len(s.Letters()); n > 0 {
		t.Fatalf("%d hostile letters were sent", n)
	}
	l := letter("ann@home.example")
	l.Subject, l.ListName, l.Text = evil, evil+strings.Repeat("й", 80), "\x00.\r\n.\r\nQUIT\r\n"+strings.Repeat("x", 5000)
	if err := m.Send(t.Context(), l); err != nil {
		t.Fatal(err)
	}
	got := s.Letters()[0]
	header := got.Header()
	if header.Get("Bcc") != "" || len(header["Subject"]) != 1 || strings.ContainsAny(got.Subject(), "\r\n\x00") {
		t.Errorf("header %v", header)
	}
	if !strings.Contains(got.Text(), "QUIT\nxxx") {
		t.Errorf("text %q", got.Text())
	}
	for line := range strings.SplitSeq(string(got.Raw), "\r\n") {
		if len(line) > 998 {
			t.Errorf("a line of %d bytes", len(line))
		}
	}
}
