// Package message writes the mails to readers, as plain text and HTML: a sign-in link, a digest, and a test.
// Text from outside is sanitized.
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

// An Email is one mail that is ready to be sent.
type Email struct {
	// ID is the Message-ID without brackets. It is the same if the mail is sent again.
	ID       string
	To       string // address of the recipient
	At       time.Time
	Subject  string
	Text     string
	HTML     string
	ListID   string // "" for mails that no list sends, such as a sign-in
	ListName string
	// Unsubscribe is the https URL for RFC 8058's one-click POST, or "".
	Unsubscribe string
}

// ErrRefused means that an address permanently accepts no mail, so that another try is useless.
var ErrRefused = errors.New("refused for good")

// A Mailer sends mails. Send returns nil only once a server or a file has accepted the mail permanently. It
// returns an error that wraps ErrRefused if the address never will accept it. After any other error, the mail
// is sent again with the same ID.
type Mailer interface {
	Send(ctx context.Context, l Email) error
}

// A Site describes the sender of mails.
type Site struct {
	Name    string // name, such as "EventSeer"
	Base    string // URL, ending in "/"
	Contact string // contact of the operator
}

// Links are the links in a mail. Functions return "" if there is no such page.
type Links struct {
	Page     string                                     // the digest as a web page
	Lists    string                                     // page on which the reader changes lists
	LeaveAll string                                     // page to unsubscribe from all lists
	Leave    func(list string) string                   // page to unsubscribe from one list
	Vote     func(i eventseer.Item, useful bool) string // page with the button for a vote
	Event    func(id eventseer.EventID) string
	History  func(id eventseer.EventID) string
}

//go:embed templates/*.txt templates/*.html
var letterFiles embed.FS

var (
	letterTexts = texttemplate.Must(texttemplate.New("").Funcs(texttemplate.FuncMap{
		"wrap": wrapMail, "rule": underlinedHeading, "isolate": isolateRightToLeft,
	}).ParseFS(letterFiles, "templates/*.txt"))
	letterPages = htmltemplate.Must(htmltemplate.ParseFS(letterFiles, "templates/*.html"))
)

// writeMail sets text and HTML of a mail from the templates with the given name.
func writeMail(l *Email, name string, view any) error {
	var text, page bytes.Buffer
	if err := letterTexts.ExecuteTemplate(&text, name+".txt", view); err != nil {
		return fmt.Errorf("text of the %s mail: %w", name, err)
	}
	if err := letterPages.ExecuteTemplate(&page, name+".html", view); err != nil {
		return fmt.Errorf("page of the %s mail: %w", name, err)
	}
	l.Text, l.HTML = tidyText(text.String()), tidyText(page.String())
	return nil
}

// A mailHead is the part of a mail about its sender.
type mailHead struct {
	Site    string
	Home    string // "" if the site's URL cannot be linked
	Contact string
	Subject string
	To      string
}

func (s Site) newMailHead(to, subject string) mailHead {
	return mailHead{
		Site: cmp.Or(CleanLine(s.Name, maxLetterName), "EventSeer"), Home: webLink(s.Base), Contact: CleanLine(s.Contact, maxLetterTitle),
		Subject: CleanLine(subject, maxSubject), To: CleanLine(to, maxLetterTitle),
	}
}

// mailTime returns a time in the format of mails, or "" for the zero time.
func mailTime(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format("2 January 2006, 15:04 UTC")
}

// webLink returns a URL that a mail may link to: absolute, http or https, at most maxLink bytes. Otherwise it
// returns "".
func webLink(link string) string {
	if len(link) > maxLink || strings.ContainsFunc(link, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		return ""
	}
	u, err := url.Parse(link)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return ""
	}
	u.RawQuery = asciiQuery(u.RawQuery) // String does not escape the query
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
