package mailer

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/emersion/go-message"
)

// Limits on a returned mail.
const (
	maxReturned   = 4 << 20 // bytes of a mail
	maxReport     = 64 << 10
	maxReturners  = 50 // addresses in one mail
	maxPartsDeep  = 5
	maxPartsInOne = 50
	maxDetail     = 300 // bytes
)

// A Bounce is the failure to deliver a mail to an address.
type Bounce struct {
	// Address is the recipient's address. MessageID is the Message-ID of the mail without brackets. Each is
	// "" if the returned mail does not contain it.
	Address, MessageID string
	// Permanent means that the address will not accept mail later either.
	Permanent bool
	Detail    string // the server's response, in one line
}

// ReadBounces returns the bounces reported by one mail. It parses a delivery status notification (RFC 3464),
// a complaint (RFC 5965), or the text of a server that supports neither. Other mails, and reports of a delay,
// have no bounces. Such mails can be forged, so act on a bounce only if its MessageID is that of a mail that
// was sent.
func ReadBounces(r io.Reader) ([]Bounce, error) {
	e, err := readMessage(io.LimitReader(r, maxReturned))
	if err != nil {
		return nil, fmt.Errorf("returned mail: %w", err)
	}
	c := collector{header: e.Header}
	c.collectPart(e, 0)
	found := c.found
	if !c.reported {
		found = c.bouncesFromText()
	}
	for i := range found {
		found[i].MessageID = cmp.Or(found[i].MessageID, c.id)
		found[i].Detail = shortLine(found[i].Detail)
	}
	slices.SortStableFunc(found, func(a, b Bounce) int { return strings.Compare(a.Address, b.Address) })
	return slices.CompactFunc(found, func(a, b Bounce) bool { return a.Address == b.Address }), nil
}

// readMessage parses a mail. It accepts unknown charsets and encodings.
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

// A collector collects the bounces reported by the parts of a mail.
type collector struct {
	header   message.Header
	found    []Bounce
	reported bool   // true if a part is machine-readable; then the text is ignored
	id       string // Message-ID of the returned mail
	text     strings.Builder
	parts    int
}

func (c *collector) collectPart(e *message.Entity, depth int) {
	if c.parts++; c.parts > maxPartsInOne || depth > maxPartsDeep {
		return
	}
	kind, _, err := e.Header.ContentType()
	if err != nil {
		kind = "text/plain"
	}
	switch kind = strings.ToLower(kind); {
	case strings.HasPrefix(kind, "multipart/"):
		c.collectParts(e, depth)
	case kind == "message/delivery-status" || kind == "message/global-delivery-status":
		c.reported = true
		c.collectStatus(fieldGroups(boundedText(e.Body)))
	case kind == "message/disposition-notification" || kind == "message/global-disposition-notification":
		c.reported = true // a read receipt, not a bounce
	case kind == "message/feedback-report":
		c.reported = true
		c.collectComplaints(fieldGroups(boundedText(e.Body)))
	case kind == "message/rfc822", kind == "message/global", kind == "text/rfc822-headers", kind == "message/rfc822-headers", kind == "message/global-headers":
		c.recordReturned(boundedText(e.Body))
	case strings.HasPrefix(kind, "text/plain") && c.text.Len() < maxReport:
		c.text.WriteString(boundedText(e.Body) + "\n")
	}
}

func (c *collector) collectParts(e *message.Entity, depth int) {
	parts := e.MultipartReader()
	if parts == nil {
		return
	}
	for c.parts <= maxPartsInOne {
		part, err := parts.NextPart()
		if part == nil || err != nil && !message.IsUnknownCharset(err) && !message.IsUnknownEncoding(err) {
			return
		}
		c.collectPart(part, depth+1)
	}
}

// boundedText returns the first maxReport bytes of a part, up to the first decoding error.
func boundedText(r io.Reader) string {
	text, _ := io.ReadAll(io.LimitReader(r, maxReport))
	return strings.ToValidUTF8(string(text), "\ufffd")
}

// recordReturned records the Message-ID of the returned mail.
func (c *collector) recordReturned(text string) {
	if groups := fieldGroups(text); c.id == "" && len(groups) > 0 {
		c.id = bareID(groups[0].valueOf("Message-Id"))
	}
}

// bareID returns a Message-ID without brackets, or "" if it is invalid.
func bareID(text string) string {
	id := strings.Trim(strings.TrimSpace(text), "<>")
	if !messageID.MatchString(id) {
		return ""
	}
	return id
}

// shortLine returns at most maxDetail bytes of a text, in one line.
func shortLine(text string) string {
	text = singleLine(text)
	if len(text) > maxDetail {
		text = strings.ToValidUTF8(text[:maxDetail], "") + "…"
	}
	return text
}

// A field is a field of a header or of a group in a report.
type field struct{ name, value string }

type fields []field

// valueOf returns the value of the first field with a name, or "".
func (f fields) valueOf(name string) string {
	for _, field := range f {
		if strings.EqualFold(field.name, name) {
			return field.value
		}
	}
	return ""
}

// fieldGroups parses groups of fields separated by empty lines (RFC 3464, 2.1). Invalid lines are skipped.
func fieldGroups(text string) (groups []fields) {
	var group fields
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimRight(line, "\r")
		switch name, value, ok := strings.Cut(line, ":"); {
		case strings.TrimSpace(line) == "":
			if len(group) > 0 {
				groups = append(groups, group)
			}
			group = nil
		case (line[0] == ' ' || line[0] == '\t') && len(group) > 0:
			group[len(group)-1].value += " " + strings.TrimSpace(line)
		case ok && !strings.ContainsAny(name, " \t"):
			group = append(group, field{name, strings.TrimSpace(value)})
		}
	}
	if len(group) > 0 {
		groups = append(groups, group)
	}
	return groups
}

// diagnosis matches a reply code in a server's response.
var diagnosis = regexp.MustCompile(`\b([45]\d\d)\b`)

// collectStatus records the recipients that failed according to a delivery status notification.
func (c *collector) collectStatus(groups []fields) {
	for _, g := range groups {
		address := cmp.Or(reportAddress(g.valueOf("Original-Recipient")), reportAddress(g.valueOf("Final-Recipient")))
		if g.valueOf("Final-Recipient")+g.valueOf("Original-Recipient") == "" || len(c.found) >= maxReturners {
			continue
		}
		action, said := strings.ToLower(g.valueOf("Action")), g.valueOf("Diagnostic-Code")
		status := statusOf(g.valueOf("Status"))
		if action != "failed" && !(action == "" && strings.HasPrefix(status, "5")) {
			continue // delayed, delivered, relayed, expanded
		}
		// The status of the server that rejected the mail is more specific than that of the server that wrote
		// the report.
		nearer, code := codesIn(said)
		if nearer != "" && (status == "" || strings.HasSuffix(status, ".0.0")) {
			status = nearer
		}
		if status == "" && code >= 500 {
			status = "5.0.0"
		}
		c.found = append(c.found, Bounce{Address: address, Permanent: isAddressGone(status, code, said), Detail: strings.TrimSpace(g.valueOf("Status") + " " + said)})
	}
}

// codesIn returns the first enhanced status and reply code in a server's response, or "" and 0.
func codesIn(said string) (status string, code int) {
	if m := anyStatus.FindStringSubmatch(said); m != nil {
		status = m[1]
	}
	code, _ = strconv.Atoi(diagnosis.FindString(said))
	return status, code
}

// collectComplaints records complaints about unwanted mail, reported by readers' mail services.
func (c *collector) collectComplaints(groups []fields) {
	for _, g := range groups {
		kind := strings.ToLower(g.valueOf("Feedback-Type"))
		if kind != "abuse" && kind != "opt-out" {
			continue
		}
		c.found = append(c.found, Bounce{Address: reportAddress("rfc822;" + g.valueOf("Original-Rcpt-To")), Permanent: true, Detail: "complaint: " + kind})
	}
}

// reportAddress returns the address in "rfc822; ann@home.example", or "".
func reportAddress(value string) string {
	kind, address, ok := strings.Cut(value, ";")
	if kind = strings.ToLower(strings.TrimSpace(kind)); !ok || kind != "rfc822" && kind != "utf-8" && kind != "smtp" {
		return ""
	}
	address, err := asciiAddress(strings.Trim(strings.TrimSpace(address), "<>"))
	if err != nil {
		return ""
	}
	return address
}
