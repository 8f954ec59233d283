// Package mailbox turns mails into pages: the messages of an mbox file, or one
// message. Of the header only the subject, the date and the message's own id
// are kept; the addresses of senders and receivers are not.
package mailbox

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"strings"
	"time"

	"eventseer/webgraph"

	"github.com/emersion/go-mbox"
	"github.com/emersion/go-message"
	_ "github.com/emersion/go-message/charset" // lets go-message decode all charsets
	"github.com/emersion/go-message/mail"
)

// Limits on what a message may bring.
const (
	// MaxMessage is the size a message is read up to, in bytes.
	MaxMessage = 32 << 20
	// MaxText bounds the text taken from a message, in bytes.
	MaxText = 1 << 20
	// MaxSubject bounds the subject, in runes.
	MaxSubject = 500
	maxDepth   = 8   // of multiparts in multiparts
	maxParts   = 100 // of a message
)

// ErrMessage says that a message is broken; the next one may be sound.
var ErrMessage = errors.New("broken message")

// Messages yields the messages of the mbox file r in order. A broken message
// is yielded as an error that names it by name and number, with a page that
// holds no more than that name as its URL, and reading goes on. Only an error
// of r itself, or a file that is no mbox, ends the sequence.
func Messages(r io.Reader, name string) iter.Seq2[*webgraph.Page, error] {
	return func(yield func(*webgraph.Page, error) bool) {
		box := mbox.NewReader(newQuoter(r))
		for n := 1; ; n++ {
			raw, err := box.NextMessage()
			if errors.Is(err, io.EOF) {
				return
			}
			place := fmt.Sprintf("%s#%d", name, n)
			if err != nil {
				yield(&webgraph.Page{URL: place}, fmt.Errorf("read mbox %s after message %d: %w", name, n-1, err))
				return
			}
			page, err := Message(raw)
			if err != nil {
				page, err = &webgraph.Page{URL: place}, fmt.Errorf("message %d of %s: %w", n, name, err)
			}
			if !yield(page, err) {
				return
			}
		}
	}
}

// Message reads one message, such as an .eml file. The page's URL is the value
// of X-Corpus-Id where the message has one, else "mid:" and the Message-ID,
// else "mid:" and a digest. Text is "Subject: …", an empty line, and the plain
// text parts; a message of HTML only has Body and the type text/html instead,
// with the subject as its title. FetchedAt is the date the message was sent.
func Message(r io.Reader) (*webgraph.Page, error) {
	raw, err := io.ReadAll(io.LimitReader(r, MaxMessage+1))
	if err != nil {
		return nil, err
	}
	cut := len(raw) > MaxMessage
	if cut {
		raw = raw[:MaxMessage]
	}
	entity, err := message.Read(bytes.NewReader(raw))
	if err != nil && !message.IsUnknownCharset(err) && !message.IsUnknownEncoding(err) {
		return nil, fmt.Errorf("%w: %w", ErrMessage, err)
	}
	if entity.Header.Len() == 0 {
		return nil, fmt.Errorf("%w: it has no header", ErrMessage)
	}
	var c content
	if err := c.collect(entity, 0); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMessage, err)
	}
	header := mail.Header{Header: entity.Header}
	url := pageURL(&header, raw)
	page := &webgraph.Page{
		URL: url, Requested: url, Status: http.StatusOK,
		FetchedAt: sent(&header), Truncated: cut || c.cut,
	}
	c.fill(page, subject(&header))
	return page, nil
}

func pageURL(h *mail.Header, raw []byte) string {
	if id := strings.TrimSpace(h.Get("X-Corpus-Id")); id != "" {
		return id
	}
	id := strings.Trim(strings.TrimSpace(h.Get("Message-Id")), "<>")
	if id == "" || len(id) > 512 || strings.ContainsAny(id, " \t\x00") {
		id = string(webgraph.DigestOf(raw))
	}
	return "mid:" + id
}

func subject(h *mail.Header) string {
	s, err := h.Subject()
	if err != nil {
		s = decodeText([]byte(h.Get("Subject")))
	}
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "\uFFFD")), " ")
	if runes := []rune(s); len(runes) > MaxSubject {
		s = string(runes[:MaxSubject])
	}
	return s
}

// sent is the date of the header, or zero where it has none that can be read.
func sent(h *mail.Header) time.Time {
	t, err := h.Date()
	if err != nil || t.Year() < 1970 || t.Year() > 9999 {
		return time.Time{}
	}
	return t.UTC()
}
