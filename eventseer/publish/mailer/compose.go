package mailer

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"net/mail"
	"net/url"
	"os"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/eventseer/eventseer/eventseer/publish/message"
	"github.com/eventseer/eventseer/internal/text"

	gomail "github.com/wneessen/go-mail"
	"golang.org/x/net/idna"
)

// Limits on header fields. A header line has at most 998 bytes (RFC 5322, 2.1.1), and text without a space
// cannot be folded.
const (
	maxURL     = 900 // bytes of a URL
	maxSubject = 400 // bytes of a subject; a longer one is cut
)

var (
	// messageID matches a valid Message-ID: a dot-atom on both sides.
	messageID = regexp.MustCompile(`^[A-Za-z0-9!#$%&'*+/=?^_{|}~.-]{1,150}@[A-Za-z0-9.-]{1,200}$`)
	listID    = regexp.MustCompile(`^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$`)
)

// composeMail returns the mail in its SMTP form and its envelope recipient. The addresses in o must be encoded.
// The same mail gives the same bytes, except for the time in a DKIM signature.
func (o Options) composeMail(l message.Email) (raw []byte, to string, err error) {
	if to, err = asciiAddress(l.To); err != nil {
		return nil, "", fmt.Errorf("letter %s: %w: %w", l.ID, message.ErrRefused, err)
	}
	m, err := o.newMessage(l, to)
	if err != nil {
		return nil, "", fmt.Errorf("letter %q: %w", l.ID, err)
	}
	var b bytes.Buffer
	if _, err := m.WriteTo(&b); err != nil {
		return nil, "", fmt.Errorf("letter %s: %w", l.ID, err)
	}
	if raw = b.Bytes(); o.Key != nil {
		if raw, err = o.Key.signMail(raw); err != nil {
			return nil, "", fmt.Errorf("letter %s: %w", l.ID, err)
		}
	}
	return raw, to, nil
}

func (o Options) newMessage(l message.Email, to string) (*gomail.Msg, error) {
	switch {
	case !messageID.MatchString(l.ID):
		return nil, errors.New("its ID is not a Message-ID")
	case l.At.IsZero():
		return nil, errors.New("it has no time")
	case l.Text == "":
		return nil, errors.New("it has no text")
	}
	sum := sha256.Sum256([]byte(l.ID))
	m := gomail.NewMsg(gomail.WithNoDefaultUserAgent(), gomail.WithBoundary("letter-"+hex.EncodeToString(sum[:12])))
	m.FromMailAddress(&mail.Address{Name: singleLine(o.From.Name), Address: o.From.Address})
	m.ToMailAddress(&mail.Address{Address: to})
	if o.ReplyTo.Address != "" {
		m.ReplyToMailAddress(&mail.Address{Name: singleLine(o.ReplyTo.Name), Address: o.ReplyTo.Address})
	}
	m.Subject(text.CutBytes(singleLine(l.Subject), maxSubject))
	m.SetMessageIDWithValue(l.ID)
	m.SetDateWithValue(l.At.UTC())
	m.SetGenHeader("Auto-Submitted", "auto-generated")
	m.SetGenHeader("X-Auto-Response-Suppress", "All")
	if err := o.setListHeader(m, l); err != nil {
		return nil, err
	}
	m.SetBodyString(gomail.TypeTextPlain, l.Text)
	if l.HTML != "" {
		m.AddAlternativeString(gomail.TypeTextHTML, l.HTML)
	}
	return m, nil
}

// setListHeader sets the header fields that identify the list and how to unsubscribe (RFC 2919, 2369, 8058).
func (o Options) setListHeader(m *gomail.Msg, l message.Email) error {
	if l.ListID != "" {
		if !listID.MatchString(l.ListID) || len(l.ListID) > 255 {
			return errors.New("its ListID is not a name such as list.site.example")
		}
		m.SetGenHeader(gomail.HeaderPrecedence, "bulk")
		m.SetGenHeaderPreformatted("List-Id", displayName(singleLine(l.ListName))+"<"+l.ListID+">")
	}
	if l.Unsubscribe == "" {
		return nil
	}
	u, err := url.Parse(l.Unsubscribe)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || len(l.Unsubscribe) > maxURL || !isASCII(l.Unsubscribe) || strings.ContainsAny(l.Unsubscribe, " <>") {
		return errors.New("its Unsubscribe is not a web URL")
	}
	leave := "<" + l.Unsubscribe + ">"
	if o.LeaveAddress != "" {
		leave += ", <mailto:" + o.LeaveAddress + "?subject=" + url.PathEscape(leaveWord+tokenOf(l.Unsubscribe)) + ">"
	}
	m.SetGenHeader(gomail.HeaderListUnsubscribe, leave)
	m.SetGenHeader(gomail.HeaderListUnsubscribePost, "List-Unsubscribe=One-Click")
	return nil
}

// leaveWord is the start of the subject of an unsubscription mail.
const leaveWord = "leave "

// UnsubscribeToken returns the token in the subject of an unsubscription mail to LeaveAddress, or "" for any other
// subject.
func UnsubscribeToken(subject string) string {
	token, ok := strings.CutPrefix(strings.TrimSpace(subject), leaveWord)
	if !ok || tokenOf(token) != token {
		return ""
	}
	return token
}

// tokenOf returns the part of a URL after the last "/" or "=", or "" if it cannot be used in a subject.
func tokenOf(url string) string {
	token := url[strings.LastIndexAny(url, "/=")+1:]
	if len(token) > maxAddress || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return ""
	}
	return token
}

// displayName returns a display name before an address in angle brackets. It is quoted if it is short and ASCII,
// otherwise in encoded words (RFC 2047), one per line.
func displayName(name string) string {
	if name == "" {
		return ""
	}
	if isASCII(name) && len(name) < 60 {
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(name) + `" `
	}
	// mime's encoder does not encode ASCII, not even commas and angle brackets next to a word that it
	// encodes.
	var words []string
	for name != "" {
		part := text.CutBytes(name, 45)
		words = append(words, "=?utf-8?b?"+base64.StdEncoding.EncodeToString([]byte(part))+"?=")
		name = name[len(part):]
	}
	return strings.Join(words, "\r\n ") + "\r\n "
}

// singleLine returns a text in one line, without control characters.
func singleLine(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToValidUTF8(s, "\ufffd"), func(r rune) bool {
		return r <= ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 || r == '\u2028' || r == '\u2029'
	}), " ")
}

// maxAddress is the maximum length of an address, in bytes (RFC 5321, 4.5.3.1.3).
const maxAddress = 254

var errAddress = errors.New("no mail address")

// asciiAddress returns an address with its domain in ASCII. A local part that is not ASCII is kept; such mail
// requires SMTPUTF8.
func asciiAddress(address string) (string, error) {
	parsed, err := mail.ParseAddress(bracketAddress(address))
	at := strings.LastIndexByte(address, '@')
	switch {
	case err != nil || parsed.Address != address || at < 1 || !utf8.ValidString(address):
		return "", fmt.Errorf("%q: %w", shortAddress(address), errAddress)
	case strings.ContainsFunc(address, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || strings.ContainsRune(`<>()",;:\[]`, r)
	}):
		return "", fmt.Errorf("%q: %w", shortAddress(address), errAddress)
	}
	domain, err := idna.Lookup.ToASCII(address[at+1:])
	if err != nil {
		return "", fmt.Errorf("%q: %w: the domain is invalid: %w", shortAddress(address), errAddress, err)
	}
	if address = address[:at+1] + domain; len(address) > maxAddress {
		return "", fmt.Errorf("%q: %w: it is longer than %d bytes", shortAddress(address), errAddress, maxAddress)
	}
	return address, nil
}

// shortAddress returns the beginning of an address for an error message.
func shortAddress(address string) string { return address[:min(len(address), maxAddress)] }

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r > 0x7e || r < 0x20 })
}

// helloName returns the host name for EHLO, or "localhost".
func helloName() string {
	name, err := os.Hostname()
	if err != nil || name == "" || !isASCII(name) || strings.ContainsAny(name, " <>@") {
		return "localhost"
	}
	return name
}
