package mailertest

import (
	"bytes"
	"io"
	"mime"
	"net/mail"
	"regexp"
	"strings"

	"github.com/emersion/go-message"
)

// A Letter is a delivered mail.
type Letter struct {
	From string   // of the envelope
	To   []string // of the envelope
	Raw  []byte   // as it came, with CRLF
	// User is the name used to log in, "" without a login. Secure reports that it came over TLS.
	User   string
	Secure bool
	// Connection numbers the connections of a server from 1.
	Connection int
}

// Header returns the email's header; an empty one of an email that is broken.
func (l Letter) Header() mail.Header {
	m, err := mail.ReadMessage(bytes.NewReader(l.Raw))
	if err != nil {
		return mail.Header{}
	}
	return m.Header
}

// Subject returns the subject decoded.
func (l Letter) Subject() string {
	raw := l.Header().Get("Subject")
	text, err := new(mime.WordDecoder).DecodeHeader(raw)
	if err != nil {
		return raw
	}
	return text
}

// ID returns the Message-ID without brackets.
func (l Letter) ID() string { return strings.Trim(l.Header().Get("Message-Id"), "<>") }

// Text returns the decoded part in plain text, "" if there is none.
func (l Letter) Text() string { return l.part("text/plain") }

// HTML returns the decoded part in HTML, "" if there is none.
func (l Letter) HTML() string { return l.part("text/html") }

var link = regexp.MustCompile(`https?://[^\s<>"]+`)

// Links returns the links of the text in order.
func (l Letter) Links() []string { return link.FindAllString(l.Text(), -1) }

// part returns the first part of a type.
func (l Letter) part(kind string) (text string) {
	letter, err := message.Read(bytes.NewReader(l.Raw))
	if err != nil {
		return ""
	}
	_ = letter.Walk(func(_ []int, part *message.Entity, err error) error { // a damaged email has no such part
		if err != nil || text != "" {
			return err
		}
		if is, _, err := part.Header.ContentType(); err != nil || is != kind {
			return err
		}
		body, err := io.ReadAll(part.Body)
		text = strings.ReplaceAll(string(body), "\r\n", "\n")
		return err
	})
	return text
}
