package mailer

import (
	"bytes"
	"mime"
	"net/mail"
	"slices"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/eventseer/publish/mailertest"
)

// FuzzCompose checks that nothing in a mail becomes a field of its header, and that texts come out unchanged.
func FuzzCompose(f *testing.F) {
	f.Add("subject", "list", "text\n", "<p>")
	f.Add("x\r\nBcc: y@z.example", "l\"\\ist", "From x\n.\n..\n", "")
	f.Add("\x00\xff\u2028", strings.Repeat("й", 90), "\r\n\r\r\n", strings.Repeat("a ", 2000))
	o := Options{From: mail.Address{Name: "EventSeer", Address: "seer@seer.example"}, LeaveAddress: "leave@seer.example"}
	fields := []string{"Auto-Submitted", "Content-Type", "Date", "From", "List-Id", "List-Unsubscribe", "List-Unsubscribe-Post", "Message-Id", "Mime-Version", "Precedence", "Subject", "To", "X-Auto-Response-Suppress"}
	f.Fuzz(func(t *testing.T, subject, list, text, html string) {
		l := letter("ann@home.example")
		l.Subject, l.ListName, l.Text, l.HTML = subject, list, text, html
		raw, _, err := o.composeMail(l)
		if text == "" {
			if err == nil {
				t.Error("a letter without text")
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		m, err := mail.ReadMessage(bytes.NewReader(raw))
		if err != nil {
			t.Fatal(err)
		}
		if html == "" {
			m.Header["Content-Transfer-Encoding"] = nil
			delete(m.Header, "Content-Transfer-Encoding")
		}
		for name, values := range m.Header {
			if !slices.Contains(fields, name) || len(values) != 1 {
				t.Errorf("field %s: %q", name, values)
			}
		}
		got := mailertest.Letter{Raw: raw}
		if lines(got.Text()) != lines(text) {
			t.Errorf("text %q, want %q", got.Text(), text)
		}
		for line := range bytes.SplitSeq(raw, []byte("\r\n")) {
			if len(line) > 998 || bytes.ContainsAny(line, "\r\n\x00") || bytes.ContainsFunc(line, func(r rune) bool { return r > 0x7e }) {
				t.Errorf("line %q", line)
			}
		}
		if again, _, err := o.composeMail(l); err != nil || !bytes.Equal(again, raw) {
			t.Error("another writing differs")
		}
	})
}

// TestListNames: a name in front of List-Id is read as it was written, whatever it holds, and so is
// a subject up to its bound. No line is longer than mail allows.
func TestListNames(t *testing.T) {
	for _, name := range []string{
		"Web crawling", `Calls on "webs", <spiders> & co.; (all) \ a:b@c`, `Deadlines, of "conferences" on crawling; and <of> retrieval: all`,
		strings.Repeat("w", 59), strings.Repeat("w", 60), strings.Repeat("Ω", 1000), strings.Repeat(":", 1000), strings.Repeat("crawl,", 400), strings.Repeat("й", 80), "Größen, „und“ <mehr>", "=?utf-8?q?x?= " + strings.Repeat("y", 60),
	} {
		l := letter("ann@home.example")
		l.ListName, l.Subject = name, name
		raw, _, err := Options{From: mail.Address{Address: "seer@seer.example"}}.composeMail(l)
		if err != nil {
			t.Fatal(err)
		}
		m, err := mail.ReadMessage(bytes.NewReader(raw))
		if err != nil {
			t.Fatal(err)
		}
		subject, err := new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject"))
		if err != nil || !strings.HasPrefix(name, subject) && !strings.Contains(name, "=?") || len(subject) < min(len(name), maxSubject-1) && !strings.Contains(name, "=?") {
			t.Errorf("subject %.50q is read as %.50q: %v", name, subject, err)
		}
		field := m.Header.Get("List-Id")
		a, err := mail.ParseAddress(strings.Replace(field, "<"+l.ListID+">", "<a@list.example>", 1))
		if err != nil || strings.TrimSpace(a.Name) != name || !strings.HasSuffix(field, "<"+l.ListID+">") {
			t.Errorf("%.50q is written as %.200q and read as %.50q: %v", name, field, a, err)
		}
		for line := range bytes.SplitSeq(raw, []byte("\r\n")) {
			if len(line) > 998 {
				t.Errorf("%.50q: a line of %d bytes", name, len(line))
			}
		}
	}
}

// lines leaves out what ends lines, which mail changes.
func lines(s string) string { return strings.NewReplacer("\r", "", "\n", "").Replace(s) }
