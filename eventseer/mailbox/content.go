package mailbox

import (
	"errors"
	"html"
	"io"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"eventseer/webgraph"

	"github.com/emersion/go-message"
	"github.com/emersion/go-message/mail"
	"golang.org/x/text/encoding/charmap"
)

// content gathers the readable parts of a message.
type content struct {
	plain, html strings.Builder
	parts       int
	cut         bool // something was left out at a limit
}

// collect walks the entity depth first. A part that breaks off keeps what was
// read; the parts after it in a broken multipart are lost. An entity that does
// not say its type is of the given one (RFC 2046 section 5.1.5).
func (c *content) collect(e *message.Entity, depth int, mediaType string) error {
	c.parts++
	if depth > maxDepth || c.parts > maxParts {
		c.cut = true
		return nil
	}
	var params map[string]string
	if said, p, err := e.Header.ContentType(); err == nil && said != "" && e.Header.Has("Content-Type") {
		mediaType, params = said, p
	}
	if parts := e.MultipartReader(); parts != nil && params["boundary"] != "" {
		inner := "text/plain"
		if mediaType == "multipart/digest" {
			inner = "message/rfc822"
		}
		for c.parts <= maxParts {
			part, err := parts.NextPart()
			switch {
			case errors.Is(err, io.EOF):
				return nil
			case broken(err):
				c.cut = true
				if c.plain.Len()+c.html.Len() == 0 {
					return err
				}
				return nil
			}
			if err := c.collect(part, depth+1, inner); err != nil {
				return err
			}
		}
		c.cut = true
		return nil
	}
	return c.leaf(e, depth, mediaType, params)
}

func (c *content) leaf(e *message.Entity, depth int, mediaType string, params map[string]string) error {
	if disposition, _, _ := e.Header.ContentDisposition(); disposition == "attachment" && mediaType != "message/rfc822" {
		return nil
	}
	switch {
	case mediaType == "message/rfc822":
		return c.forwarded(e, depth)
	case mediaType == "text/html":
		add(&c.html, c.read(e.Body, MaxText-c.html.Len()))
	case mediaType == "text/plain", strings.HasPrefix(mediaType, "multipart/"): // one without a boundary
		text := c.read(e.Body, MaxText-c.plain.Len())
		if strings.EqualFold(params["format"], "flowed") {
			text = unflow(text, strings.EqualFold(params["delsp"], "yes"))
		}
		add(&c.plain, withoutArmour(text))
	}
	return nil
}

// forwarded adds a message within the message: its subject and its text. One
// that cannot be read is left out.
func (c *content) forwarded(e *message.Entity, depth int) error {
	inner, err := message.Read(e.Body)
	if broken(err) {
		c.cut = true
		return nil
	}
	header := mail.Header{Header: inner.Header}
	if s := subject(&header); s != "" {
		add(&c.plain, "Subject: "+s+"\n")
	}
	return c.collect(inner, depth+1, "text/plain")
}

func add(b *strings.Builder, text string) {
	if b.Len() > 0 && text != "" {
		b.WriteString("\n")
	}
	b.WriteString(text)
}

// read takes up to limit bytes of a part as text. A part whose encoding breaks
// is kept up to there.
func (c *content) read(r io.Reader, limit int) string {
	body, err := io.ReadAll(io.LimitReader(r, int64(max(limit, 0))+1))
	if err != nil {
		c.cut = true
	}
	if len(body) > limit {
		body, c.cut = wholeRunes(body[:max(limit, 0)]), true
	}
	return strings.ReplaceAll(decodeText(body), "\r\n", "\n")
}

// wholeRunes drops a rune that was cut at the end of b.
func wholeRunes(b []byte) []byte {
	for n := 1; n < utf8.UTFMax && n <= len(b); n++ {
		if tail := b[len(b)-n:]; utf8.RuneStart(tail[0]) {
			if !utf8.FullRune(tail) {
				return b[:len(b)-n]
			}
			break
		}
	}
	return b
}

// decodeText reads bytes whose charset nobody says: UTF-8 where they are valid,
// else windows-1252, as browsers do.
func decodeText(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	text, err := charmap.Windows1252.NewDecoder().Bytes(b)
	if err != nil {
		return strings.ToValidUTF8(string(b), "\uFFFD")
	}
	return string(text)
}

// fill puts the text into the page, whose date is set, or the HTML where there is no text.
func (c *content) fill(page *webgraph.Page, subject string) {
	if strings.TrimSpace(c.plain.String()) == "" && c.html.Len() > 0 {
		page.Header = http.Header{"Content-Type": {"text/html; charset=utf-8"}}
		subject = html.EscapeString(subject)
		page.Body = []byte("<title>" + subject + "</title>\n<h1>" + subject + "</h1>\n" + c.html.String())
		return
	}
	page.Header = http.Header{"Content-Type": {"text/plain; charset=utf-8"}}
	page.Text = "Subject: " + subject + "\n"
	if !page.FetchedAt.IsZero() {
		page.Text += "Date: " + page.FetchedAt.Format(time.RFC1123Z) + "\n"
	}
	page.Text += "\n" + c.plain.String()
	page.Body = []byte(page.Text)
}

// unflow joins the lines of a flowed text (RFC 3676 section 4).
func unflow(text string, delSp bool) string {
	var b strings.Builder
	soft, softQuote := false, 0 // the last line goes on in the next one
	for i, line := range strings.Split(text, "\n") {
		rest := strings.TrimLeft(line, ">")
		quote := len(line) - len(rest)
		rest = strings.TrimPrefix(rest, " ") // space-stuffing
		signature := rest == "-- "
		joined := soft && quote == softQuote && !signature
		if !joined {
			if i > 0 {
				b.WriteByte('\n')
			}
			if quote > 0 {
				b.WriteString(strings.Repeat(">", quote) + " ")
			}
		}
		soft, softQuote = strings.HasSuffix(rest, " ") && !signature, quote
		if soft && delSp {
			rest = strings.TrimSuffix(rest, " ")
		}
		b.WriteString(rest)
	}
	return b.String()
}
