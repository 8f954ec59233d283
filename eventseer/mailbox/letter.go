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

// A letter is a message to be read separately: one that was sent, or one nested in another.
type letter struct {
	id, subject string // id is the Message-ID, "" if there is none
	date        time.Time
	addresses   []address // addresses in the header
	content
}

func newLetter(h *mail.Header) letter {
	return letter{id: messageID(h), subject: subject(h), date: sent(h), addresses: addressesOf(h), content: newContent(false)}
}

// censor removes the addresses of the header from the letter.
func (l *letter) censor() {
	c := censor(l.addresses)
	plain, html := c.clean(l.plain.String()), c.clean(l.html.String())
	l.plain.Reset()
	l.html.Reset()
	l.plain.WriteString(plain)
	l.html.WriteString(html)
	l.subject = c.clean(l.subject)
}

// page returns the letter as a page.
func (l *letter) page(url string) *webgraph.Page {
	page := &webgraph.Page{URL: url, Requested: url, Status: http.StatusOK, FetchedAt: l.date, Truncated: l.cut}
	l.fill(page, l.subject)
	return page
}

// pages returns the pages of the nested letters, and its own unless it has no further text. There
// is at least one.
func (l *letter) pages(url string) []*webgraph.Page {
	letters := l.flatten(0)
	if len(letters) > maxLetters {
		letters = letters[:maxLetters]
		letters[0].cut = true
	}
	pages := make([]*webgraph.Page, len(letters))
	for i, inner := range letters {
		inner.censor()
		switch {
		case inner == l:
			pages[i] = inner.page(url)
		case inner.id != "":
			pages[i] = inner.page("mid:" + inner.id)
		default:
			pages[i] = inner.page(fmt.Sprintf("%s#%d", url, i+1))
		}
	}
	return pages
}

// flatten returns the letter, unless it has no text, and the nested ones, depth first.
func (l *letter) flatten(depth int) []*letter {
	if depth < maxDepth {
		l.takeApart()
	}
	var inner []*letter
	for i := range l.letters {
		next := &l.letters[i]
		if next.date.IsZero() {
			next.date = l.date
		}
		next.subject = cmp.Or(next.subject, l.subject)
		next.addresses = append(next.addresses, l.addresses...)
		inner = append(inner, next.flatten(depth+1)...)
	}
	if len(inner) > 0 && (l.isDigest || emptyRule.MatchString(withoutFooter(l.plain.String())) && emptyRule.MatchString(markup.ReplaceAllLiteralString(l.html.String(), ""))) {
		return inner
	}
	return append([]*letter{l}, inner...)
}

// takeApart moves the messages in the plain text to the nested letters.
func (l *letter) takeApart() {
	text := l.plain.String()
	if inner := digestOf(text); len(inner) > 0 {
		l.letters, l.isDigest = append(l.letters, inner...), true
		return
	}
	if above, inner, ok := forwardIn(text); ok {
		l.letters = append(l.letters, inner)
		l.plain.Reset()
		l.plain.WriteString(above)
	}
}
