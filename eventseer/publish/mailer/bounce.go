package mailer

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/emersion/go-message"
)

// Limits on what a returned mail may bring.
const (
	maxReturned   = 4 << 20 // bytes
	maxReport     = 64 << 10
	maxReturners  = 50 // addresses in one mail
	maxPartsDeep  = 5
	maxPartsInOne = 50
	maxDetail     = 300 // bytes
)

// A Bounce says that a letter did not reach an address.
type Bounce struct {
	// Address is the one that was written to, MessageID that of the letter without
	// brackets; each "" where the mail does not say it.
	Address, MessageID string
	// Permanent says that the address takes no mail, now and later.
	Permanent bool
	Detail    string // what the server said, in one line
}

// ReadBounces returns what one mail says of letters that did not arrive: a delivery
// status notification (RFC 3464), a complaint (RFC 5965), or the text of a server that
// knows neither. A mail that is none of these, and a report of a mere delay, has no
// bounces. Anybody can write such a mail: whoever acts on one should know the letter by
// its MessageID.
func ReadBounces(r io.Reader) ([]Bounce, error) {
	e, err := readMessage(io.LimitReader(r, maxReturned))
	if err != nil {
		return nil, fmt.Errorf("returned mail: %w", err)
	}
	c := collector{header: e.Header}
	c.walk(e, 0)
	found := c.found
	if !c.reported {
		found = c.fromText()
	}
	for i := range found {
		found[i].MessageID = cmp.Or(found[i].MessageID, c.id)
		found[i].Detail = shortLine(found[i].Detail)
	}
	slices.SortStableFunc(found, func(a, b Bounce) int { return strings.Compare(a.Address, b.Address) })
	return slices.CompactFunc(found, func(a, b Bounce) bool { return a.Address == b.Address }), nil
}

// readMessage is lenient with charsets and encodings that nobody knows.
func readMessage(r io.Reader) (*message.Entity, error) {
	e, err := message.ReadWithOptions(r, &message.ReadOptions{MaxHeaderBytes: maxReport})
	if e != nil && (message.IsUnknownCharset(err) || message.IsUnknownEncoding(err)) {
		err = nil
	}
	if err == nil && e.Header.Len() == 0 {
		err = errors.New("it has no header")
	}
	return e, err
}

// A collector gathers what the parts of a mail say.
type collector struct {
	header   message.Header
	found    []Bounce
	reported bool   // a part is made for programs; the text is not looked at
	id       string // Message-ID of the letter that comes back
	text     strings.Builder
	parts    int
}

func (c *collector) walk(e *message.Entity, depth int) {
	if c.parts++; c.parts > maxPartsInOne || depth > maxPartsDeep {
		return
	}
	kind, _, err := e.Header.ContentType()
	if err != nil {
		kind = "text/plain"
	}
	switch kind = strings.ToLower(kind); {
	case strings.HasPrefix(kind, "multipart/"):
		c.walkAll(e, depth)
	case kind == "message/delivery-status" || kind == "message/global-delivery-status":
		c.reported = true
		c.status(fieldGroups(limited(e.Body)))
	case kind == "message/disposition-notification" || kind == "message/global-disposition-notification":
		c.reported = true // somebody has read a letter: nothing bounced
	case kind == "message/feedback-report":
		c.reported = true
		c.complaint(fieldGroups(limited(e.Body)))
	case kind == "message/rfc822", kind == "message/global", kind == "text/rfc822-headers", kind == "message/rfc822-headers", kind == "message/global-headers":
		c.returned(limited(e.Body))
	case strings.HasPrefix(kind, "text/plain") && c.text.Len() < maxReport:
		c.text.WriteString(limited(e.Body) + "\n")
	}
}

func (c *collector) walkAll(e *message.Entity, depth int) {
	parts := e.MultipartReader()
	if parts == nil {
		return
	}
	for c.parts <= maxPartsInOne {
		part, err := parts.NextPart()
		if part == nil || err != nil && !message.IsUnknownCharset(err) && !message.IsUnknownEncoding(err) {
			return
		}
		c.walk(part, depth+1)
	}
}

// limited is the beginning of a part. What cannot be decoded ends it.
func limited(r io.Reader) string {
	text, _ := io.ReadAll(io.LimitReader(r, maxReport))
	return strings.ToValidUTF8(string(text), "\ufffd")
}

// returned takes the Message-ID of the letter that comes back.
func (c *collector) returned(text string) {
	if groups := fieldGroups(text); c.id == "" && len(groups) > 0 {
		c.id = bareID(groups[0].value("Message-Id"))
	}
}

// bareID is a Message-ID without brackets, "" of none.
func bareID(text string) string {
	id := strings.Trim(strings.TrimSpace(text), "<>")
	if !messageID.MatchString(id) {
		return ""
	}
	return id
}

// shortLine is the beginning of a text, in one line.
func shortLine(text string) string {
	text = plain(text)
	if len(text) > maxDetail {
		text = strings.ToValidUTF8(text[:maxDetail], "") + "…"
	}
	return text
}
