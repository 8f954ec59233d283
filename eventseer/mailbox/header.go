package mailbox

import (
	"bytes"
	"regexp"
	"strings"
	"time"

	"eventseer/internal/text"
	"eventseer/webgraph"

	"github.com/emersion/go-message/mail"
)

var (
	field     = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9-]*:`)
	replyMark = regexp.MustCompile(`(?i)^(?:\[[^\]]*\]\s*|\d{4}-\d\d-\d\d - )*(?:re|aw|antw|sv|fwd?|wg|tr|rv)(?:\[\d+\])?\s*:|\(fwd\)`)
)

// cleanHeader returns a message without the lines of its header that are
// neither a field nor the folded end of one.
func cleanHeader(raw []byte) (clean []byte) {
	folds := false // a folded line may follow
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

// pageURL is the name of a message of an id, or of the raw message where it has none.
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

// maxID bounds a Message-ID, in bytes.
const maxID = 512

// messageID is the message's own id without its brackets, "" of one that has none
// or one that can be no part of a URL. In place of one that holds an address of the
// header stands its digest.
func messageID(h *mail.Header) string {
	id := strings.Trim(strings.TrimSpace(h.Get("Message-Id")), "<>")
	if len(id) > maxID || strings.ContainsAny(id, " \t\x00") {
		return ""
	}
	if censor(addressesOf(h)).holdsOwn(id) {
		return string(webgraph.DigestOf([]byte(id)))
	}
	return id
}

// subject is the decoded subject. Archives such as pipermail take the mark of a
// reply away; it is put back where other fields tell of one.
func subject(h *mail.Header) string {
	s, err := h.Subject()
	if err != nil || !strings.Contains(h.Get("Subject"), "=?") {
		s = decodeText([]byte(h.Get("Subject")))
	}
	s = oneLine(s)
	if (h.Get("In-Reply-To") != "" || h.Get("References") != "") && !replyMark.MatchString(s) {
		s = strings.TrimSpace("Re: " + s)
	}
	return s
}

// sent is the date of the header, or zero where it has none that can be read.
func sent(h *mail.Header) time.Time {
	t, err := h.Date()
	if err != nil || t.Year() < 1970 || t.Year() > 9999 {
		return time.Time{}
	}
	return t.UTC()
}

// oneLine is a subject as we keep them.
func oneLine(s string) string {
	return text.CutRunes(strings.Join(strings.Fields(strings.ToValidUTF8(s, "\uFFFD")), " "), MaxSubject)
}
