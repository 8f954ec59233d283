package htmltree

import (
	"bytes"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"regexp"
	"strings"

	"github.com/eventseer/eventseer/internal/text"
	"github.com/eventseer/eventseer/webgraph"
)

// markup matches a tag of HTML as it occurs on real pages. A "<" alone is not enough, because mails
// contain <name@host> and <http://host/>.
var markup = regexp.MustCompile(`(?i)<(?:!doctype|html|head|body|title|meta|link|script|style|base|frameset|iframe|map|noscript|div|p|a|br|hr|` +
	`table|tr|td|h[1-6]|ul|ol|li|dl|pre|span|font|center|b|i|em|strong|img|section|article|main|header|nav|form|blockquote)[\s/>]`)

// MarkupWindow is the number of bytes of a body that are searched for tags.
const MarkupWindow = 64 << 10

// MediaType returns the type of a Content-Type header without parameters, in
// lower case, or "".
func MediaType(contentType string) string {
	if media, _, err := mime.ParseMediaType(contentType); err == nil {
		return media
	}
	media, _, _ := strings.Cut(contentType, ";")
	return strings.ToLower(strings.TrimSpace(media))
}

// checkText returns an error if body is not text. Servers often call text application/octet-stream
// and sometimes call pictures text/html, so known signatures in the body take precedence.
func checkText(media string, body []byte) error {
	sniffed := MediaType(http.DetectContentType(body))
	switch {
	case strings.HasPrefix(sniffed, "text/"):
		if isForeign(media) && !markup.Match(body[:min(len(body), MarkupWindow)]) {
			return fmt.Errorf("type %s is not supported: only HTML and plain text are read", media)
		}
		return nil
	case sniffed == "application/pdf":
		return errors.New("no text could be read from the PDF")
	case sniffed != "application/octet-stream":
		return fmt.Errorf("body is %s, declared %q: only HTML and plain text are read", sniffed, media)
	case strings.HasPrefix(markOf(body), "utf-16"):
		return nil
	}
	head := body[:min(len(body), 1024)]
	if zeros := bytes.Count(head, []byte{0}); zeros > 0 && !strings.HasPrefix(media, "text/") || zeros > len(head)/10 && !markup.Match(bytes.ReplaceAll(head, []byte{0}, nil)) {
		return fmt.Errorf("body is binary (%d of its first %d bytes are zero), declared %q: only HTML and plain text are read", zeros, len(head), media)
	}
	if media == "" || strings.HasPrefix(media, "text/") || strings.HasSuffix(media, "xml") || markup.Match(head) {
		return nil
	}
	return fmt.Errorf("body is binary, declared %q: only HTML and plain text are read", media)
}

// isForeign reports whether media names something that is never a page.
func isForeign(media string) bool {
	top, _, _ := strings.Cut(media, "/")
	switch top {
	case "image", "audio", "video", "font", "model":
		return media != "image/svg+xml"
	}
	switch media {
	case "application/pdf", "application/zip", "application/postscript", "text/css",
		"application/javascript", "text/javascript", "application/json":
		return true
	}
	return false
}

// isPlain reports whether a body is plain text, which is read line by line.
func isPlain(media, s string) bool {
	head := text.CutBytes(s, MarkupWindow)
	if start := strings.TrimLeft(head, spaceBytes); media != "text/plain" && len(start) > 14 &&
		(equalName(start[:9], "<!doctype") && byteClass[start[9]]&isSpaceByte != 0 || equalName(start[:5], "<html") && byteClass[start[5]]&endsTagName != 0) {
		return false // as most pages begin
	}
	if media == "text/plain" {
		start := strings.ToLower(strings.TrimSpace(text.CutBytes(s, 200)))
		return !strings.HasPrefix(start, "<!doctype html") && !strings.HasPrefix(start, "<html")
	}
	return MailHeaderEnd(head) > 0 || !markup.MatchString(head)
}

// ContentText returns a page's text as UTF-8 and whether it is plain text. If it is not text, the error says
// why.
func ContentText(p *webgraph.Page) (s string, plain bool, err error) {
	if p.Text != "" {
		return text.CutBytes(p.Text, MaxBody), true, nil
	}
	body := p.Body[:min(len(p.Body), MaxBody)]
	media := MediaType(p.Header.Get("Content-Type"))
	if err := checkText(media, body); err != nil {
		return "", false, err
	}
	s = Decode(body, p.Header.Get("Content-Type"))
	return s, isPlain(media, s), nil
}

// headerLine matches a field of a mail header (RFC 5322, section 2.2), knownField one that every mail
// has. onlySubject matches a header with a single field.
var (
	headerLine  = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9-]{1,40}:(?:[ \t]|$)`)
	onlySubject = regexp.MustCompile(`(?i)^\s*subject:`)
	knownField  = regexp.MustCompile(`(?i)^(?:from|to|subject|date|reply-to|sender|message-id|received|return-path|newsgroups|mime-version|cc):`)
)

const maxHeader = 200 // largest number of lines of a mail header

// MailHeaderEnd returns the offset in bytes at which the mail header at the start of s ends. It is
// 0 unless s begins with at least two mail header fields, or with a subject and an empty line.
func MailHeaderEnd(s string) int {
	known, end := 0, 0
	rest := strings.TrimLeft(s, "\r\n\t \ufeff")
	end = len(s) - len(rest)
	for i := 0; i < maxHeader && rest != ""; i++ {
		line, tail, _ := strings.Cut(rest, "\n")
		folded := i > 0 && line != "" && (line[0] == ' ' || line[0] == '\t') && strings.TrimSpace(line) != ""
		mbox := i == 0 && strings.HasPrefix(line, "From ")
		if !folded && !mbox && !headerLine.MatchString(line) {
			break
		}
		if knownField.MatchString(line) {
			known++
		}
		end += len(rest) - len(tail)
		rest = tail
	}
	alone := onlySubject.MatchString(s) && (strings.HasPrefix(rest, "\n") || strings.HasPrefix(rest, "\r\n"))
	if known < 2 && !alone {
		return 0
	}
	return end
}
