package mailbox

import (
	"cmp"
	"fmt"
	"net/http"
	"time"

	"github.com/eventseer/eventseer/webgraph"

	"github.com/emersion/go-message/mail"
)

// maxLetters is the maximum number of messages extracted from one message.
const maxLetters = 500

// A mailMessage is a message to be read separately: one that was sent, or one nested in another.
type mailMessage struct {
	id, subject string // id is the Message-ID, "" if there is none
	date        time.Time
	addresses   []address // addresses in the header
	content
}

func newMailMessage(h *mail.Header) mailMessage {
	return mailMessage{id: messageID(h), subject: subject(h), date: sentTime(h), addresses: addressesOf(h), content: newContent(false)}
}

// removeAddresses removes the addresses of the header from the letter.
func (l *mailMessage) removeAddresses() {
	c := addressCensor(l.addresses)
	plain, html := c.withoutAddresses(l.plain.String()), c.withoutAddresses(l.html.String())
	l.plain.Reset()
	l.html.Reset()
	l.plain.WriteString(plain)
	l.html.WriteString(html)
	l.subject = c.withoutAddresses(l.subject)
}

// toPage returns the letter as a page.
func (l *mailMessage) toPage(url string) *webgraph.Page {
	page := &webgraph.Page{URL: url, Requested: url, Status: http.StatusOK, FetchedAt: l.date, Sent: l.date, Truncated: l.cut}
	l.fillPage(page, l.subject)
	return page
}

// toPages returns the pages of the nested letters, and its own unless it has no further text. There
// is at least one.
func (l *mailMessage) toPages(url string) []*webgraph.Page {
	letters := l.flattenNested(0)
	if len(letters) > maxLetters {
		letters = letters[:maxLetters]
		letters[0].cut = true
	}
	pages := make([]*webgraph.Page, len(letters))
	for i, inner := range letters {
		inner.removeAddresses()
		switch {
		case inner == l:
			pages[i] = inner.toPage(url)
		case inner.id != "":
			pages[i] = inner.toPage("mid:" + inner.id)
		default:
			pages[i] = inner.toPage(fmt.Sprintf("%s#%d", url, i+1))
		}
	}
	return pages
}

// flattenNested returns the letter, unless it has no text, and the nested ones, depth first.
func (l *mailMessage) flattenNested(depth int) []*mailMessage {
	if depth < maxDepth {
		l.splitDigest()
	}
	var inner []*mailMessage
	for i := range l.letters {
		next := &l.letters[i]
		if next.date.IsZero() {
			next.date = l.date
		}
		next.subject = cmp.Or(next.subject, l.subject)
		next.addresses = append(next.addresses, l.addresses...)
		inner = append(inner, next.flattenNested(depth+1)...)
	}
	if len(inner) > 0 && (l.isDigest || emptyRule.MatchString(withoutFooter(l.plain.String())) && emptyRule.MatchString(markup.ReplaceAllLiteralString(l.html.String(), ""))) {
		return inner
	}
	return append([]*mailMessage{l}, inner...)
}

// splitDigest moves the messages in the plain text to the nested letters.
func (l *mailMessage) splitDigest() {
	text := l.plain.String()
	if inner := digestOf(text); len(inner) > 0 {
		l.letters, l.isDigest = append(l.letters, inner...), true
		return
	}
	if above, inner, ok := findForwarded(text); ok {
		l.letters = append(l.letters, inner)
		l.plain.Reset()
		l.plain.WriteString(above)
	}
}
