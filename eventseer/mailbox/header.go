package mailbox

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/eventseer/eventseer/internal/text"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/emersion/go-message/mail"
)

var (
	field     = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9-]*:`)
	replyMark = regexp.MustCompile(`(?i)^(?:\[[^\]]*\]\s*|\d{4}-\d\d-\d\d - )*(?:re|aw|antw|sv|fwd?|wg|tr|rv)(?:\[\d+\])?\s*:|\(fwd\)`)
)

// cleanHeader returns a message without the header lines that are neither a field nor its folded
// continuation.
func cleanHeader(raw []byte) (clean []byte) {
	folds := false // true if a folded line may follow
	for rest := raw; len(rest) > 0; {
		line, tail, _ := bytes.Cut(rest, []byte("\n"))
		line = bytes.TrimSuffix(line, []byte("\r"))
		if len(line) == 0 {
			return append(clean, rest...)
		}
		if folded := line[0] == ' ' || line[0] == '\t'; !folded || !folds {
			folds = field.Match(line)
		}
		if folds {
			clean = append(append(clean, line...), "\r\n"...)
		}
		rest = tail
	}
	return append(clean, "\r\n"...)
}

// pageURL returns the URL of a message with an id, otherwise that of the raw message.
func pageURL(h *mail.Header, id string, raw []byte) string {
	if id := strings.TrimSpace(h.Get("X-Corpus-Id")); id != "" {
		return id
	}
	if id == "" {
		bare := bytes.TrimRight(bytes.ReplaceAll(raw, []byte("\r\n"), []byte("\n")), "\n")
		id = string(webgraph.DigestOf(bare))
	}
	return "mid:" + id
}

// maxID is the maximum length of a Message-ID, in bytes.
const maxID = 512

// messageID returns the message's own id without its brackets. It returns "" if the message has none or one
// that cannot be part of a URL. An id that contains an address of the header is replaced by its digest.
func messageID(h *mail.Header) string {
	id := strings.Trim(strings.TrimSpace(h.Get("Message-Id")), "<>")
	if len(id) > maxID || strings.ContainsAny(id, " \t\x00") {
		return ""
	}
	if addressCensor(addressesOf(h)).containsAddress(id) {
		return string(webgraph.DigestOf([]byte(id)))
	}
	return id
}

// subject returns the decoded subject. Archives such as pipermail remove the reply mark; it is
// restored if other fields show that the message is a reply.
func subject(h *mail.Header) string {
	s, err := h.Subject()
	if err != nil || !strings.Contains(h.Get("Subject"), "=?") {
		s = decodeText([]byte(h.Get("Subject")))
	}
	s = foldSpaces(s)
	if (h.Get("In-Reply-To") != "" || h.Get("References") != "") && !replyMark.MatchString(s) {
		s = strings.TrimSpace("Re: " + s)
	}
	return s
}

// sentTime returns the date of the header, or the zero time if there is no valid one.
func sentTime(h *mail.Header) time.Time {
	t, err := h.Date()
	if err != nil || t.Year() < 1970 || t.Year() > 9999 {
		return time.Time{}
	}
	return t.UTC()
}

// foldSpaces returns a subject in one line, as it is stored.
func foldSpaces(s string) string {
	return text.CutRunes(strings.Join(strings.Fields(strings.ToValidUTF8(s, "\uFFFD")), " "), MaxSubject)
}

// personal are the header fields with names and addresses of senders and receivers.
var personal = [...]string{
	"From", "Sender", "Reply-To", "To", "Cc", "Bcc", "Resent-From", "Resent-Sender", "Resent-To", "Resent-Cc", "Return-Path",
	"Errors-To", "Delivered-To", "Envelope-To", "X-Original-To", "X-Original-Sender", "X-Original-From", "X-Sender", "X-Envelope-From",
	"Disposition-Notification-To", "Mail-Followup-To", "Mail-Reply-To", "Apparently-To", "X-X-Sender",
}

const (
	// maxAddresses is the maximum number of addresses of a header that are searched in the text.
	maxAddresses = 64
	// maxLocal and maxDomain are the maximum lengths of the parts of an address (RFC 5321 section 4.5.3.1).
	maxLocal, maxDomain = 64, 255
)

// printedAddress matches an address in the form of headers or archives.
var printedAddress = regexp.MustCompile(`([\pL\pN.!#$%&'*+/=?^_{|}~-]+)(?:@| at )((?:[\pL\pN_-]+\.)*[\pL\pN_-]+)`)

// An address is the parts before and after the "@", in lower case.
type address struct{ local, domain string }

// addressesOf returns the addresses of a header.
func addressesOf(h *mail.Header) (addresses []address) {
	for _, name := range personal {
		for _, value := range h.Values(name) {
			for _, m := range printedAddress.FindAllStringSubmatch(strings.ToLower(value), maxAddresses) {
				if a := (address{m[1], m[2]}); len(addresses) < maxAddresses && len(a.local) <= maxLocal && len(a.domain) <= maxDomain && !slices.Contains(addresses, a) {
					addresses = append(addresses, a)
				}
			}
		}
	}
	return addresses
}

// An addressCensor removes the addresses of a message's header from its text. It converts those that an
// archive has obfuscated as "name at host", so that later code can recognise them.
type addressCensor []address

// addressPattern returns a pattern for the addresses that may be in a text, or nil if there are none.
func (c addressCensor) addressPattern(text string) *regexp.Regexp {
	text = strings.ToLower(text)
	var forms []string
	for _, a := range c {
		if strings.Contains(text, a.local) && strings.Contains(text, a.domain) {
			forms = append(forms, regexp.QuoteMeta(a.local)+`(?:@|%40| at | \(at\) |\(at\)|\[at\]| \[at\] )`+regexp.QuoteMeta(a.domain))
		}
	}
	if len(forms) == 0 {
		return nil
	}
	return regexp.MustCompile(`(?i)(?:` + strings.Join(forms, "|") + `)`)
}

var hiddenAddress = regexp.MustCompile(`((?:<|&lt;|[Mm]ail: ?|mailto:)[\w.+-]+) at ((?:[\w-]+\.)+[a-zA-Z]{2,})`)

// withoutAddresses returns a text without the addresses.
func (c addressCensor) withoutAddresses(text string) string {
	if strings.Contains(text, " at ") {
		text = hiddenAddress.ReplaceAllString(text, "$1@$2")
	}
	if own := c.addressPattern(text); own != nil {
		text = own.ReplaceAllLiteralString(text, "…")
	}
	return text
}

// containsAddress reports whether a text contains an address of the header.
func (c addressCensor) containsAddress(text string) bool {
	own := c.addressPattern(text)
	return own != nil && own.MatchString(text)
}
