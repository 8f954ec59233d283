package mailbox

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"html"
	"io"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/eventseer/eventseer/internal/text"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/emersion/go-message"
	"github.com/emersion/go-message/mail"
	"github.com/emersion/go-message/textproto"
)

// content collects the readable parts of a message.
type content struct {
	plain, html strings.Builder
	parts       *int // number of parts of the message and nested ones, so far
	cut         bool // true if something was omitted because of a limit

	split    bool          // true if nested messages become separate letters
	letters  []mailMessage // nested messages, if split is set
	isDigest bool          // true if the remaining parts are a digest
}

func newContent(split bool) content { return content{parts: new(int), split: split} }

// collectParts walks the entity depth first. Of a truncated part the text read so far is used; the parts
// after it in a broken multipart are lost. An entity without a type has the given one (RFC 2046
// section 5.1.5).
func (c *content) collectParts(e entity, depth int, given string) error {
	*c.parts++
	if depth > maxDepth || *c.parts > maxParts {
		c.cut = true
		return nil
	}
	mediaType, params := e.mediaType(given)
	if !strings.HasPrefix(mediaType, "multipart/") || params["boundary"] == "" {
		c.collectLeaf(e, depth, mediaType, params)
		return nil
	}
	inner := "text/plain"
	if mediaType == "multipart/digest" {
		inner, c.isDigest = "message/rfc822", true
	}
	parts := textproto.NewMultipartReader(e.body, params["boundary"])
	for *c.parts <= maxParts {
		part, err := parts.NextPart()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			c.cut = true
			if c.plain.Len()+c.html.Len()+len(c.letters) == 0 {
				return err
			}
			return nil
		}
		if err := c.collectParts(entity{message.Header{Header: part.Header}, part}, depth+1, inner); err != nil {
			return err
		}
	}
	c.cut = true
	return nil
}

func (c *content) collectLeaf(e entity, depth int, mediaType string, params map[string]string) {
	if disposition, _, _ := e.header.ContentDisposition(); disposition == "attachment" && mediaType != "message/rfc822" {
		return
	}
	switch {
	case mediaType == "message/rfc822":
		c.addForwarded(e, depth)
	case mediaType == "text/html":
		addText(&c.html, c.readPart(e, params["charset"], MaxText-c.html.Len()))
	case mediaType == "text/plain", strings.HasPrefix(mediaType, "multipart/"): // a multipart without a boundary
		text := c.readPart(e, params["charset"], MaxText-c.plain.Len())
		if strings.EqualFold(params["format"], "flowed") {
			text = joinFlowed(text, strings.EqualFold(params["delsp"], "yes"))
		}
		addText(&c.plain, withoutEncodedFiles(text))
	}
}

// addForwarded adds a nested message: as a separate letter, or as its subject and text. An unreadable
// one is left out.
func (c *content) addForwarded(e entity, depth int) {
	body, whole := e.decodedBody()
	inner, err := parseEntity(bytes.TrimLeft(body, "\r\n"))
	c.cut = c.cut || err != nil || !whole
	if err != nil {
		return
	}
	header := inner.mailHeader()
	into := c
	if c.split {
		l := newMailMessage(header)
		l.parts, l.split = c.parts, true
		into = &l.content
		defer func() { c.letters = append(c.letters, l) }()
	} else if s := subject(header); s != "" {
		addText(&c.plain, "Subject: "+s+"\n")
	}
	if err := into.collectParts(inner, depth+1, "text/plain"); err != nil {
		c.cut = true
	}
}

func addText(b *strings.Builder, text string) {
	if b.Len() > 0 && text != "" {
		b.WriteString("\n")
	}
	b.WriteString(text)
}

// readPart returns up to limit bytes of a part as text.
func (c *content) readPart(e entity, charset string, limit int) string {
	body, whole := e.decodedBody()
	decoded := decodeCharset(charset, body)
	kept := text.CutBytes(decoded, max(limit, 0))
	c.cut = c.cut || !whole || len(kept) < len(decoded)
	return strings.ReplaceAll(kept, "\r\n", "\n")
}

// fillPage sets the text of the page, or the HTML if there is no text.
func (c *content) fillPage(page *webgraph.Page, subject string) {
	text := withoutFooter(c.plain.String())
	if c.html.Len() > 0 && hasOmittedText(text, c.html.String()) {
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
	page.Text += "\n" + text
	page.Body = []byte(page.Text)
}

// Limits for a stub. The text part next to an HTML part is a stub if it has few words, for example a
// reference to another program. It has fewer than maxStub words and less than one in stubShare of the words
// of the HTML part.
const (
	maxStub   = 40
	stubShare = 3
)

var markup = regexp.MustCompile(`(?s)<style.*?</style>|<!--.*?-->|<[^>]*>`)

// hasOmittedText reports whether the HTML of a message contains text that its plain text omits.
func hasOmittedText(text, inHTML string) bool {
	words := len(strings.Fields(text))
	return words == 0 || words < maxStub && len(strings.Fields(markup.ReplaceAllLiteralString(inHTML, " "))) >= stubShare*words
}

// joinFlowed joins the lines of a flowed text (RFC 3676 section 4).
func joinFlowed(text string, delSp bool) string {
	var b strings.Builder
	soft, softQuote := false, 0 // whether the last line continues in the next one, and its depth of quoting
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

// maxHeader is the maximum length of a message's header, in bytes.
const maxHeader = 1 << 20

// An entity is a message or a part of one: its header, and its body as sent. go-message would
// decode the body and fail on invalid encodings.
type entity struct {
	header message.Header
	body   io.Reader
}

// readEntity reads the header of a message. Lines in it that are not fields are skipped.
func readEntity(raw []byte) (entity, error) {
	e, err := parseEntity(raw)
	if err != nil {
		e, err = parseEntity(cleanHeader(raw))
	}
	switch {
	case err != nil:
		return e, fmt.Errorf("%w: %w: correct its header", ErrMessage, err)
	case e.header.Len() == 0:
		return e, fmt.Errorf("%w: it has no header: add at least a line \"Subject: …\" and an empty line", ErrMessage)
	}
	return e, nil
}

func parseEntity(raw []byte) (entity, error) {
	body := bytes.NewReader(raw)
	r := bufio.NewReader(body)
	if end := headerEnd(raw); end > maxHeader {
		return entity{}, fmt.Errorf("its header has %d bytes, more than %d", end, maxHeader)
	}
	header, err := textproto.ReadHeader(r)
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return entity{message.Header{Header: header}, r}, err
}

// headerEnd returns the length of the header at the beginning of raw, in bytes.
func headerEnd(raw []byte) int {
	for at := 0; ; {
		n := bytes.IndexByte(raw[at:], '\n')
		if n < 0 {
			return len(raw)
		}
		if len(bytes.TrimRight(raw[at:at+n], "\r")) == 0 {
			return at
		}
		at += n + 1
	}
}

// mediaType returns the type in the header, otherwise the given one.
func (e entity) mediaType(given string) (mediaType string, params map[string]string) {
	if said, p, err := e.header.ContentType(); err == nil && said != "" && e.header.Has("Content-Type") {
		return said, p
	}
	return given, nil
}

// decodedBody returns the body of an entity that is not a multipart.
func (e entity) decodedBody() (body []byte, whole bool) {
	sent, err := io.ReadAll(e.body)
	body, whole = decodeTransfer(e.header.Get("Content-Transfer-Encoding"), sent)
	return body, whole && err == nil
}

func (e entity) mailHeader() *mail.Header { return &mail.Header{Header: e.header} }
