package mailbox

import (
	"bufio"
	"regexp"
	"slices"
	"strings"

	"github.com/emersion/go-message"
	"github.com/emersion/go-message/mail"
	"github.com/emersion/go-message/textproto"
)

// A plain digest (RFC 1153, as Mailman, LISTSERV and Majordomo write it) holds
// messages, each after a line of hyphens and with a header of its own. There are
// at least two, since a single one may as well be a message that is quoted.
const (
	minDigest       = 2
	maxInnerHeader  = 40 // lines of the header of a message in a text
	maxHeaderOffset = 3  // empty lines above it
)

var hyphens = regexp.MustCompile(`^-{25,80}\s*$`)

// digestOf returns the messages of a plain digest, none where the text is none.
func digestOf(text string) []letter {
	if !strings.Contains(text, "-------------------------") {
		return nil
	}
	lines := strings.Split(text, "\n")
	var letters []letter
	open := false // a letter is being read, from the line start on
	start := 0
	end := func(at int) {
		if open {
			l := &letters[len(letters)-1]
			l.plain.WriteString(strings.Trim(strings.Join(lines[start:at], "\n"), "\n") + "\n")
		}
		open = false
	}
	for i := 0; i < len(lines); i++ {
		if !hyphens.MatchString(lines[i]) {
			continue
		}
		header, n := innerHeader(lines[i+1:])
		switch {
		case n == 0:
			below := lines[i+1 : min(len(lines), i+2+maxHeaderOffset)]
			if open && slices.ContainsFunc(below, func(line string) bool { return digestEnd.MatchString(strings.TrimSpace(line)) }) {
				end(i)
			}
		case isWhole(header):
			end(i)
			letters = append(letters, newLetter(header))
			i += n
			open, start = true, i+1
		case digestFooter.MatchString(header.Get("Subject")):
			end(i)
		}
	}
	end(len(lines))
	if len(letters) < minDigest {
		return nil
	}
	return letters
}

var (
	digestEnd    = regexp.MustCompile(`(?i)^(?:end of .*(?:digest|volume|vol\b|issue)|.*\bdigest\b.*\bends?\b)`)
	digestFooter = regexp.MustCompile(`(?i)\bdigest\b.*\bfooter\b`)
)

// isWhole reports whether a header says who wrote, and when or of what.
func isWhole(h *mail.Header) bool {
	return h.Has("From") && (h.Has("Subject") || h.Has("Date"))
}

// innerHeader reads the header of a message in a text, which begins within the
// first lines and goes to an empty line, and returns it with the number of lines
// to its end, 0 where there is none.
func innerHeader(lines []string) (*mail.Header, int) {
	at := 0
	for at < len(lines) && at < maxHeaderOffset && strings.TrimSpace(lines[at]) == "" {
		at++
	}
	var raw strings.Builder
	n := at
	for ; n < len(lines) && n-at < maxInnerHeader; n++ {
		line := strings.TrimRight(lines[n], " \t\r")
		folded := n > at && line != "" && (line[0] == ' ' || line[0] == '\t')
		if line == "" || !folded && !field.MatchString(line) {
			break
		}
		raw.WriteString(line + "\r\n")
	}
	if n == at || n < len(lines) && strings.TrimSpace(lines[n]) != "" {
		return nil, 0
	}
	header, err := textproto.ReadHeader(bufio.NewReader(strings.NewReader(raw.String() + "\r\n")))
	if err != nil {
		return nil, 0
	}
	return &mail.Header{Header: message.Header{Header: header}}, n
}
