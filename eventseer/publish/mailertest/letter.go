package mailertest

import (
	"bytes"
	"encoding/base64"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"regexp"
	"strings"
)

// A Letter is one that was delivered.
type Letter struct {
	From string   // of the envelope
	To   []string // of the envelope
	Raw  []byte   // as it came, with CRLF
	// User is who logged in, "" of nobody. Secure says that it came over TLS.
	User   string
	Secure bool
	// Connection numbers the connections of a server from 1.
	Connection int
}

// Header returns the letter's header; an empty one of a letter that is broken.
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

// Text returns the part in plain text, decoded; "" of none.
func (l Letter) Text() string { return l.part("text/plain") }

// HTML returns the part in HTML, decoded; "" of none.
func (l Letter) HTML() string { return l.part("text/html") }

var link = regexp.MustCompile(`https?://[^\s<>"]+`)

// Links returns the links of the text in order.
func (l Letter) Links() []string { return link.FindAllString(l.Text(), -1) }

// part returns the first part of a type.
func (l Letter) part(kind string) string {
	m, err := mail.ReadMessage(bytes.NewReader(l.Raw))
	if err != nil {
		return ""
	}
	return partOf(m.Header.Get("Content-Type"), m.Header.Get("Content-Transfer-Encoding"), m.Body, kind)
}

func partOf(contentType, encoding string, body io.Reader, kind string) string {
	is, params, err := mime.ParseMediaType(contentType)
	switch {
	case err != nil:
		return ""
	case is == kind:
		return decoded(encoding, body)
	case !strings.HasPrefix(is, "multipart/"):
		return ""
	}
	parts := multipart.NewReader(body, params["boundary"])
	for {
		p, err := parts.NextRawPart()
		if err != nil {
			return ""
		}
		if text := partOf(p.Header.Get("Content-Type"), p.Header.Get("Content-Transfer-Encoding"), p, kind); text != "" {
			return text
		}
	}
}

func decoded(encoding string, body io.Reader) string {
	switch strings.ToLower(encoding) {
	case "quoted-printable":
		body = quotedprintable.NewReader(body)
	case "base64":
		body = base64.NewDecoder(base64.StdEncoding, body)
	}
	text, err := io.ReadAll(body)
	if err != nil {
		return ""
	}
	return strings.ReplaceAll(string(text), "\r\n", "\n")
}
