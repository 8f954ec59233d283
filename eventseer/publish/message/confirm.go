package message

import (
	"cmp"
	"errors"
	"strings"
	"time"

	"github.com/eventseer/eventseer/eventseer"
)

// LinkHolds is how long the link in a confirmation mail is valid.
const LinkHolds = 24 * time.Hour

// A confirmView is the content of a confirmation mail.
type confirmView struct {
	mailHead
	Link  string
	List  string // name of the list, "" for a sign-in without a list
	Query string
	Sends string
	Asked string
	Until string
}

// NewConfirmation returns the mail with a sign-in link. If l has a query, using the link also confirms the list
// (double opt-in). The link is valid for LinkHolds after at.
func NewConfirmation(s Site, to, link string, l eventseer.List, at time.Time) (Email, error) {
	v := confirmView{Link: webLink(link), Asked: mailTime(at), Until: mailTime(at.Add(LinkHolds))}
	if v.Link == "" {
		return Email{}, errors.New("confirmation mail: its link is not a web URL; is base-url set?")
	}
	subject := "Sign in to "
	if l.Query != "" {
		v.Query = withoutAutoLinks(CleanLine(l.Query, maxConfirmQuery))
		v.List = cmp.Or(withoutAutoLinks(CleanLine(l.Name, maxLetterName)), v.Query)
		v.Sends = cmp.Or(rhythmWords[l.Rhythm], "at most one mail a day")
		subject = "Confirm your list at "
	}
	v.mailHead = s.newMailHead(to, subject)
	v.Subject += " " + v.Site
	letter := Email{To: to, At: at, Subject: v.Subject}
	return letter, writeMail(&letter, "confirm", v)
}

// maxConfirmQuery is the maximum length of the query in a confirmation mail, in runes. It is short because a
// stranger may have the mail sent to another person's address.
const maxConfirmQuery = 160

// withoutAutoLinks returns a text of the same appearance that mail programs do not turn into links. So strangers
// cannot send links through confirmation mails.
func withoutAutoLinks(s string) string {
	const wordJoiner = "\u2060"
	return strings.NewReplacer(".", "."+wordJoiner, ":", ":"+wordJoiner, "/", "/"+wordJoiner, "@", "@"+wordJoiner).Replace(s)
}

// rhythmWords describe how often a list sends mail. An unknown rhythm counts as daily.
var rhythmWords = map[eventseer.Rhythm]string{
	eventseer.Immediate: "a mail as soon as something is found", eventseer.Weekly: "at most one mail a week",
	eventseer.Quiet: "no mail; new items are on your page and in the feed of the list",
}

// A testView is the content of a test mail.
type testView struct {
	mailHead
	At string
}

// NewTestMail returns a mail that tests delivery.
func NewTestMail(s Site, to string, at time.Time) (Email, error) {
	v := testView{mailHead: s.newMailHead(to, "Test of the mail of"), At: mailTime(at)}
	v.Subject += " " + v.Site
	letter := Email{To: to, At: at, Subject: v.Subject}
	return letter, writeMail(&letter, "test", v)
}
