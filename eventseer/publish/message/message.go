// Package message writes the mails that readers get, each as plain text and HTML: a link
// that signs in, a digest, and a test. Text from elsewhere is made harmless on the way.
package message

import (
	"bytes"
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	htmltemplate "html/template"
	"net/url"
	"strings"
	texttemplate "text/template"
	"time"
	"unicode/utf8"

	"github.com/eventseer/eventseer/eventseer"
)

// A Email is one mail, ready to be sent.
type Email struct {
	// ID is the Message-ID without its brackets, the same however often an email is sent.
	ID       string
	To       string // address
	At       time.Time
	Subject  string
	Text     string
	HTML     string
	ListID   string // "" of emails that no list sends, such as a sign-in
	ListName string
	// Unsubscribe is the https URL of RFC 8058's one-click POST, "" if there is none.
	Unsubscribe string
}

// ErrRefused means that an address takes no mail: another try is of no use.
var ErrRefused = errors.New("refused for good")

// A Mailer sends emails. Send returns nil only once a server or a file has taken the email
// permanently; ErrRefused where it never will; any other error leaves it open, and the email is
// sent again with the same ID.
type Mailer interface {
	Send(ctx context.Context, l Email) error
}

// A Site is what emails say of who sends them.
type Site struct {
	Name    string // "EventSeer"
	Base    string // URL, ending in "/"
	Contact string // of the operator
}

// Links are the ways on from an email. Functions of nothing known return "".
type Links struct {
	Page     string                                     // the digest as a page
	Lists    string                                     // where the reader changes lists
	LeaveAll string                                     // page of List-Unsubscribe for all lists
	Leave    func(list string) string                   // for one
	Vote     func(i eventseer.Item, useful bool) string // page with the button
	Event    func(id eventseer.EventID) string
	History  func(id eventseer.EventID) string
}

//go:embed templates/*.txt templates/*.html
var letterFiles embed.FS

var (
	letterTexts = texttemplate.Must(texttemplate.New("").Funcs(texttemplate.FuncMap{
		"wrap": wrapLetter, "rule": underlined, "isolate": isolated,
	}).ParseFS(letterFiles, "templates/*.txt"))
	letterPages = htmltemplate.Must(htmltemplate.ParseFS(letterFiles, "templates/*.html"))
)

// writeLetter fills in both parts of the email of a name.
func writeLetter(l *Email, name string, view any) error {
	var text, page bytes.Buffer
	if err := letterTexts.ExecuteTemplate(&text, name+".txt", view); err != nil {
		return fmt.Errorf("text of the %s letter: %w", name, err)
	}
	if err := letterPages.ExecuteTemplate(&page, name+".html", view); err != nil {
		return fmt.Errorf("page of the %s letter: %w", name, err)
	}
	l.Text, l.HTML = tidyText(text.String()), tidyText(page.String())
	return nil
}

// A letterHead is what every email says of its sender.
type letterHead struct {
	Site    string
	Home    string // "" where the site has no URL that can be linked
	Contact string
	Subject string
	To      string
}

func (s Site) head(to, subject string) letterHead {
	return letterHead{
		Site: cmp.Or(CleanLine(s.Name, maxLetterName), "EventSeer"), Home: webLink(s.Base), Contact: CleanLine(s.Contact, maxLetterTitle),
		Subject: CleanLine(subject, maxSubject), To: CleanLine(to, maxLetterTitle),
	}
}

// letterTime returns an instant in the format of emails, "" for the zero time.
func letterTime(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format("2 January 2006, 15:04 UTC")
}

// webLink returns a URL that an email may link to, else "": of the web, absolute, and not longer
// than maxLink.
func webLink(link string) string {
	if len(link) > maxLink || strings.ContainsFunc(link, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		return ""
	}
	u, err := url.Parse(link)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return ""
	}
	u.RawQuery = asciiQuery(u.RawQuery) // the one part that String leaves as it is
	return u.String()
}

// asciiQuery escapes the bytes of a query that are not ASCII, as browsers do.
func asciiQuery(q string) string {
	var b strings.Builder
	for i := range len(q) {
		if q[i] < utf8.RuneSelf {
			b.WriteByte(q[i])
		} else {
			fmt.Fprintf(&b, "%%%02X", q[i])
		}
	}
	return b.String()
}
