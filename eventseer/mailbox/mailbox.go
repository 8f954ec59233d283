// Package mailbox converts mails to pages. Mails are the messages of an mbox file, a maildir, a
// folder on an IMAP server or a page of a list's archive, or one message. Of the header only the
// subject, the date, the message's own id and whether it is a reply are used; addresses of senders
// and receivers are not stored.
package mailbox

import (
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/eventseer/eventseer/webgraph"

	"github.com/emersion/go-mbox"
)

// Limits on one message.
const (
	// MaxMessage is the maximum number of bytes read of a message.
	MaxMessage = 32 << 20
	// MaxText is the maximum length of a message's text, in bytes.
	MaxText = 1 << 20
	// MaxSubject is the maximum length of a subject, in runes.
	MaxSubject = 500
	maxDepth   = 8   // nesting of multiparts and messages
	maxParts   = 100 // parts of a message
)

// ErrMessage means that a message is damaged; the next one may be readable.
var ErrMessage = errors.New("broken message")

// boxError returns the error for message n.
func boxError(name string, n int, err error) error {
	if n == 1 && (errors.Is(err, mbox.ErrInvalidFormat) || errors.Is(err, io.EOF)) {
		return fmt.Errorf("%s:1: this is not an mbox: it must begin with a line such as \"From name Thu Jan  1 00:00:00 1970\"; a single message must be named FILE.eml", name)
	}
	return fmt.Errorf("%s: nothing after message %d can be read: %w; is the file complete?", name, n-1, err)
}

// A Reader converts mails to pages. The zero value makes one page of a message, including forwarded
// messages. It is safe for concurrent use.
type Reader struct {
	// Split makes a separate page of each nested message. For a digest (multipart/digest, RFC 1153) these are
	// its messages, for a forward the forwarded message and the text above it. The URL of such a page is its
	// Message-ID. Without one, it is the URL of the outer message followed by "#1", "#2" and so on.
	Split bool
}

// Messages yields the messages of the mbox file r in order. A broken message is yielded as an error
// with its file, number and line, and a page with only that name as its URL, and reading continues.
// Only an error of r itself, or a file that is not an mbox, ends the sequence.
func (reader Reader) Messages(r io.Reader, name string) iter.Seq2[*webgraph.Page, error] {
	return func(yield func(*webgraph.Page, error) bool) {
		for m, err := range boxMessages(r, name) {
			page := &webgraph.Page{URL: fmt.Sprintf("%s#%d", name, m.n)}
			if err != nil {
				yield(page, err)
				return
			}
			pages, err := reader.Message(m.raw)
			if err != nil && !yield(page, fmt.Errorf("%s:%d: message %d: %w; the other messages are read", name, m.line, m.n, err)) {
				return
			}
			for _, page := range pages {
				if !yield(page, nil) {
					return
				}
			}
		}
	}
}

// A boxMessage is the n-th message of an mbox, with the line where it begins.
type boxMessage struct {
	n, line int
	raw     io.Reader // valid until the next message is requested
}

// boxMessages yields the messages of an mbox in order. An error ends the sequence.
func boxMessages(r io.Reader, name string) iter.Seq2[boxMessage, error] {
	return func(yield func(boxMessage, error) bool) {
		quoted := newQuoter(r)
		box := mbox.NewReader(quoted)
		for n := 1; ; n++ {
			raw, err := box.NextMessage()
			if errors.Is(err, io.EOF) && n > 1 {
				if err = quoted.readFailure(); err == nil {
					return
				}
			}
			if err != nil {
				yield(boxMessage{n: n}, boxError(name, n, err))
				return
			}
			if !yield(boxMessage{n, quoted.nextSeparator(), raw}, nil) {
				return
			}
		}
	}
}

// Message reads one message, such as an .eml file, into at least one page. The page's URL is the
// value of X-Corpus-Id if the message has one, otherwise "mid:" and the Message-ID without its
// angle brackets, otherwise "mid:sha256:" and the digest of the message with bare line feeds and
// without blank lines at its end. Text is "Subject: …" and "Date: …", an empty line, and the plain
// text parts without the footer of a list; a message with more text in HTML has Body and the type
// text/html instead, with the subject as its title and first heading. Attachments are left out. The
// subject of a reply begins with a reply mark, which is added if missing. FetchedAt is the date the
// message was sent.
func (reader Reader) Message(r io.Reader) ([]*webgraph.Page, error) {
	raw, err := io.ReadAll(io.LimitReader(r, MaxMessage+1))
	if err != nil && len(raw) == 0 {
		return nil, err
	}
	cut := err != nil || len(raw) > MaxMessage
	raw = raw[:min(len(raw), MaxMessage)]
	e, err := readEntity(raw)
	if err != nil {
		return nil, err
	}
	header := e.mailHeader()
	l := newMailMessage(header)
	l.content = newContent(reader.Split)
	if err := l.collectParts(e, 0, "text/plain"); err != nil {
		return nil, fmt.Errorf("%w: %w: correct the boundary in its Content-Type", ErrMessage, err)
	}
	l.cut = l.cut || cut
	url := pageURL(header, l.id, raw)
	if !reader.Split {
		return []*webgraph.Page{l.toPage(url)}, nil
	}
	return l.toPages(url), nil
}

// Message reads one message into one page; see Reader.Message.
func Message(r io.Reader) (*webgraph.Page, error) {
	pages, err := Reader{}.Message(r)
	if err != nil {
		return nil, err
	}
	return pages[0], nil
}
