// Package mailbox turns mails into pages: the messages of an mbox file, or one
// message. Of the header only the subject, the date, the message's own id and
// whether it is a reply are kept; the addresses of senders and receivers are not.
package mailbox

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"

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
	maxDepth   = 8   // of multiparts and messages in each other
	maxParts   = 100 // of a message
)

// ErrMessage says that a message is broken; the next one may be sound.
var ErrMessage = errors.New("broken message")

// Messages yields the messages of the mbox file r in order. A broken message
// is yielded as an error that names it by file, number and line, with a page
// that holds no more than that name as its URL, and reading goes on. Only an
// error of r itself, or a file that is no mbox, ends the sequence.
func Messages(r io.Reader, name string) iter.Seq2[*webgraph.Page, error] {
	return func(yield func(*webgraph.Page, error) bool) {
		quoted := newQuoter(r)
		box := mbox.NewReader(quoted)
		for n := 1; ; n++ {
			raw, err := box.NextMessage()
			if errors.Is(err, io.EOF) && n > 1 {
				if err = quoted.failure(); err == nil {
					return
				}
			}
			page := &webgraph.Page{URL: fmt.Sprintf("%s#%d", name, n)}
			if err != nil {
				yield(page, boxError(name, n, err))
				return
			}
			line := quoted.nextSeparator()
			if message, err := Message(raw); err != nil {
				ok := yield(page, fmt.Errorf("%s:%d: message %d: %w; the other messages are read", name, line, n, err))
				if !ok {
					return
				}
			} else if !yield(message, nil) {
				return
			}
		}
	}
}

// boxError says why there is no message n.
func boxError(name string, n int, err error) error {
	if n == 1 && (errors.Is(err, mbox.ErrInvalidFormat) || errors.Is(err, io.EOF)) {
		return fmt.Errorf("%s:1: no mbox: it must begin with a line such as \"From name Thu Jan  1 00:00:00 1970\"; name a single message FILE.eml", name)
	}
	return fmt.Errorf("%s: cannot be read on after message %d: %w; is the file complete?", name, n-1, err)
}

// Message reads one message, such as an .eml file. The page's URL is the value
// of X-Corpus-Id where the message has one, else "mid:" and the Message-ID
// without its angle brackets, else "mid:sha256:" and the digest of the message
// with bare line feeds and without blank lines at its end. Text is "Subject: …"
// and "Date: …", an empty line, and the plain text parts; a message of HTML
// only has Body and the type text/html instead, with the subject as its title
// and first heading. Forwarded messages are part of the text, attachments are
// not. The subject of a reply begins with a mark of replies, if need be with
// one of ours. FetchedAt is the date the message was sent.
func Message(r io.Reader) (*webgraph.Page, error) {
	raw, err := io.ReadAll(io.LimitReader(r, MaxMessage+1))
	if err != nil && len(raw) == 0 {
		return nil, err
	}
	cut := err != nil || len(raw) > MaxMessage
	if len(raw) > MaxMessage {
		raw = raw[:MaxMessage]
	}
	entity, err := readEntity(raw)
	if err != nil {
		return nil, err
	}
	var c content
	if err := c.collect(entity, 0, "text/plain"); err != nil {
		return nil, fmt.Errorf("%w: %w: repair the boundary in its Content-Type", ErrMessage, err)
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

// readEntity reads the header of a message. Lines in it that are no fields are
// passed over.
func readEntity(raw []byte) (*message.Entity, error) {
	entity, err := message.Read(bytes.NewReader(raw))
	if broken(err) {
		entity, err = message.Read(bytes.NewReader(cleanHeader(raw)))
	}
	if broken(err) {
		return nil, fmt.Errorf("%w: %w: repair its header", ErrMessage, err)
	}
	if entity.Header.Len() == 0 {
		return nil, fmt.Errorf("%w: it has no header: give it at least a line \"Subject: …\" and an empty line", ErrMessage)
	}
	return entity, nil
}

// broken reports whether an error of go-message means that nothing can be read.
func broken(err error) bool {
	return err != nil && !message.IsUnknownCharset(err) && !message.IsUnknownEncoding(err)
}
