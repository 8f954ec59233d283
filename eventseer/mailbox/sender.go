package mailbox

import (
	"regexp"
	"slices"
	"strings"

	"github.com/emersion/go-message/mail"
)

// personal are the fields that name senders and receivers.
var personal = [...]string{
	"From", "Sender", "Reply-To", "To", "Cc", "Bcc", "Resent-From", "Resent-Sender", "Resent-To", "Resent-Cc", "Return-Path",
	"Errors-To", "Delivered-To", "Envelope-To", "X-Original-To", "X-Original-Sender", "X-Original-From", "X-Sender", "X-Envelope-From",
	"Disposition-Notification-To", "Mail-Followup-To", "Mail-Reply-To", "Apparently-To", "X-X-Sender",
}

const (
	// maxAddresses bounds the addresses of a header that are looked for in its text.
	maxAddresses = 64
	// maxLocal and maxDomain bound the parts of an address (RFC 5321 section 4.5.3.1).
	// What is longer is none.
	maxLocal, maxDomain = 64, 255
)

// printedAddress is an address as headers have it, or as archives write it.
var printedAddress = regexp.MustCompile(`([\pL\pN.!#$%&'*+/=?^_{|}~-]+)(?:@| at )((?:[\pL\pN_-]+\.)*[\pL\pN_-]+)`)

// An address is what stands before and after its "@", in lower case.
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

// A censor takes out the addresses of a message's header, wherever they stand in
// it, and shows those that an archive has hidden as "name at host" for what they
// are, so that whoever keeps a piece of the text can leave them out.
type censor []address

// in returns what matches those of the addresses that may be in a text, nil if
// there are none.
func (c censor) in(text string) *regexp.Regexp {
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

// clean returns a text without the addresses.
func (c censor) clean(text string) string {
	if strings.Contains(text, " at ") {
		text = hiddenAddress.ReplaceAllString(text, "$1@$2")
	}
	if own := c.in(text); own != nil {
		text = own.ReplaceAllLiteralString(text, "…")
	}
	return text
}

// holdsOwn reports whether a text holds an address of the header.
func (c censor) holdsOwn(text string) bool {
	own := c.in(text)
	return own != nil && own.MatchString(text)
}
