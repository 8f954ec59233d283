package mailer

import (
	"regexp"
	"strings"
)

var (
	bouncers = regexp.MustCompile(`(?i)mailer-daemon|postmaster|mail delivery (sub)?system|\bmailserver\b`)
	returns  = regexp.MustCompile(`(?i)undeliver|returned mail|delivery (status|failure|failed|has failed)|failure notice|could not be delivered|mail (delivery )?failed|unzustellbar|non remis|rejected`)
	delays   = regexp.MustCompile(`(?i)will be retried|still (being|trying)|will (keep|continue) trying|do(es)? not need to resend|has not yet been delivered|\bdelayed\b`)
	// copies matches the start of a copy of the mail.
	copies  = regexp.MustCompile(`(?im)^[-\s>*]*(this is a copy of|below this line is a copy|-+ ?(original|returned|undelivered) message|-+ ?message header|original message headers)`)
	copyID  = regexp.MustCompile(`(?im)^[ >]*message-id:\s*<([^<>\s]{3,350})>`)
	spotted = regexp.MustCompile(`[^\s<>()\[\]:;,"']+@[^\s<>()\[\]:;,"']+\.[^\s<>()\[\]:;,"'.]+`)
	// addressUnknown matches phrases without a code by which servers say that an address does not exist.
	addressUnknown = regexp.MustCompile(`(?i)user unknown|unknown user|no such (user|mailbox|address)|does not exist|doesn't exist|unrouteable address|no mailbox here|recipient rejected|address rejected|permanent (fatal )?error|not found`)
)

// bouncesFromText returns the bounces in the text of servers that send no report: exim, qmail, old sendmail and
// others. It ignores mails that are not about a returned mail from a mail daemon.
func (c *collector) bouncesFromText() []Bounce {
	failed := c.header.Get("X-Failed-Recipients")
	from := c.header.Get("From") + " " + c.header.Get("Return-Path")
	text := c.text.String()
	switch {
	case failed == "" && !returns.MatchString(c.subject()):
		return nil
	case failed == "" && !bouncers.MatchString(from) && strings.TrimSpace(c.header.Get("Return-Path")) != "<>":
		return nil
	case strings.EqualFold(c.header.Get("Auto-Submitted"), "auto-replied") && failed == "" && !bouncers.MatchString(from):
		return nil // an out-of-office reply
	}
	if m := copyID.FindStringSubmatch(text); m != nil && c.id == "" {
		c.id = bareID(m[1])
	}
	if at := copies.FindStringIndex(text); at != nil {
		text = text[:at[0]]
	}
	if delays.MatchString(text) {
		return nil
	}
	if failed == "" {
		return c.bouncesIn(text)
	}
	var found []Bounce
	for address := range strings.SplitSeq(failed, ",") {
		address, err := asciiAddress(strings.TrimSpace(address))
		if err != nil || len(found) >= maxReturners {
			continue
		}
		about := text
		if _, after, ok := strings.Cut(text, address); ok {
			about = after
		}
		b, ok := judgeAddress(address, about, "")
		if !ok {
			b = Bounce{Address: address, Permanent: addressUnknown.MatchString(text), Detail: about}
		}
		found = append(found, b)
	}
	return found
}

// subject returns the decoded subject of the mail.
func (c *collector) subject() string {
	text, err := c.header.Text("Subject")
	if err != nil {
		return c.header.Get("Subject")
	}
	return text
}

// aboutLines is the number of lines after an address that are taken to refer to it.
const aboutLines = 6

// bouncesIn returns bounces for addresses in a text, judged by the text around them.
func (c *collector) bouncesIn(text string) (found []Bounce) {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		for _, spot := range spotted.FindAllString(line, maxReturners) {
			address, err := asciiAddress(spot)
			if err != nil || len(found) >= maxReturners || c.isOurs(address) {
				continue
			}
			if b, ok := judgeAddress(address, textAbout(lines, i, address), strings.Join(lines[max(0, i-2):i], " ")); ok {
				found = append(found, b)
			}
		}
	}
	return found
}

// isOurs reports whether an address belongs to the sender or recipient of the bounce mail itself.
func (c *collector) isOurs(address string) bool {
	for _, name := range []string{"From", "To", "Return-Path", "Delivered-To", "X-Original-To"} {
		if strings.Contains(strings.ToLower(c.header.Get(name)), strings.ToLower(address)) {
			return true
		}
	}
	return false
}

// textAbout returns the text from an address in line i to the next address, at most aboutLines lines.
func textAbout(lines []string, i int, address string) string {
	_, text, _ := strings.Cut(lines[i], address)
	for _, line := range lines[i+1 : min(len(lines), i+1+aboutLines)] {
		if other := spotted.FindString(line); other != "" && other != address {
			break
		}
		text += "\n" + line
	}
	return text
}

// judgeAddress returns the bounce of an address by the text after and before it. ok is false if the text does not
// report one.
func judgeAddress(address, after, before string) (b Bounce, ok bool) {
	b = Bounce{Address: address, Detail: strings.TrimLeft(after, ">):;, \t\r\n")}
	status, code := codesIn(after)
	switch {
	case status != "" || code > 0:
		b.Permanent = isAddressGone(status, code, after)
		return b, true
	case addressUnknown.MatchString(after) || addressUnknown.MatchString(before):
		b.Permanent = true
		return b, true
	}
	return b, false
}
