package mailer

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"
)

// A field is one of a header, or of a group of fields in a report.
type field struct{ name, value string }

type fields []field

// value is that of the first field of a name.
func (f fields) value(name string) string {
	for _, field := range f {
		if strings.EqualFold(field.name, name) {
			return field.value
		}
	}
	return ""
}

// fieldGroups reads groups of fields that empty lines divide (RFC 3464, 2.1). Lines that
// are no fields are passed over.
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

// diagnosis is the code in what a server said to another.
var diagnosis = regexp.MustCompile(`\b([45]\d\d)\b`)

// status takes the recipients of a delivery status notification that a letter did not
// reach.
func (c *collector) status(groups []fields) {
	for _, g := range groups {
		address := cmp.Or(reportAddress(g.value("Original-Recipient")), reportAddress(g.value("Final-Recipient")))
		if g.value("Final-Recipient")+g.value("Original-Recipient") == "" || len(c.found) >= maxReturners {
			continue
		}
		action, said := strings.ToLower(g.value("Action")), g.value("Diagnostic-Code")
		status := statusOf(g.value("Status"))
		if action != "failed" && !(action == "" && strings.HasPrefix(status, "5")) {
			continue // delayed, delivered, relayed, expanded
		}
		// The status of the server that turned the letter away says more than that of
		// the one that wrote the report.
		nearer, code := codesIn(said)
		if nearer != "" && (status == "" || strings.HasSuffix(status, ".0.0")) {
			status = nearer
		}
		if status == "" && code >= 500 {
			status = "5.0.0"
		}
		c.found = append(c.found, Bounce{Address: address, Permanent: gone(status, code, said), Detail: strings.TrimSpace(g.value("Status") + " " + said)})
	}
}

// codesIn returns the first status and code of what a server said, "" and 0 of none.
func codesIn(said string) (status string, code int) {
	if m := anyStatus.FindStringSubmatch(said); m != nil {
		status = m[1]
	}
	code, _ = strconv.Atoi(diagnosis.FindString(said))
	return status, code
}

// complaint takes what a reader's mail service says of unwanted mail.
func (c *collector) complaint(groups []fields) {
	for _, g := range groups {
		kind := strings.ToLower(g.value("Feedback-Type"))
		if kind != "abuse" && kind != "opt-out" {
			continue
		}
		c.found = append(c.found, Bounce{Address: reportAddress("rfc822;" + g.value("Original-Rcpt-To")), Permanent: true, Detail: "complaint: " + kind})
	}
}

// reportAddress is the address of "rfc822; ann@home.example", "" of none.
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
