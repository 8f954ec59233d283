package tagtree

import (
	"bytes"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"regexp"
	"strings"
)

// An element of HTML as it stands in real pages; "<" alone is no sign of
// markup, for mails write <name@host> and <http://host/>.
var markup = regexp.MustCompile(`(?i)<(?:!doctype|html|head|body|title|meta|link|script|style|base|frameset|iframe|map|noscript|div|p|a|br|hr|` +
	`table|tr|td|h[1-6]|ul|ol|li|dl|pre|span|font|center|b|i|em|strong|img|section|article|main|header|nav|form|blockquote)[\s/>]`)

// markupWindow is how much of a body is searched for markup.
const markupWindow = 64 << 10

// mediaType returns the type of a Content-Type header without parameters, in
// lower case, or "".
func mediaType(contentType string) string {
	if media, _, err := mime.ParseMediaType(contentType); err == nil {
		return media
	}
	media, _, _ := strings.Cut(contentType, ";")
	return strings.ToLower(strings.TrimSpace(media))
}

// checkText returns an error if body is no text. Servers often call text
// application/octet-stream and sometimes call pictures text/html, so known
// signatures of the body count most.
func checkText(media string, body []byte) error {
	sniffed := mediaType(http.DetectContentType(body))
	switch {
	case strings.HasPrefix(sniffed, "text/"):
		if isForeign(media) && !markup.Match(body[:min(len(body), markupWindow)]) {
			return fmt.Errorf("type %s is not supported: only HTML and plain text are read", media)
		}
		return nil
	case sniffed == "application/pdf":
		return errors.New("a PDF of which no text could be read")
	case sniffed != "application/octet-stream":
		return fmt.Errorf("body is %s, declared %q: only HTML and plain text are read", sniffed, media)
	case hasUTF16Mark(body):
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

func hasUTF16Mark(body []byte) bool {
	return bytes.HasPrefix(body, []byte{0xFE, 0xFF}) || bytes.HasPrefix(body, []byte{0xFF, 0xFE})
}

// isPlain reports whether a body is to be read line by line.
func isPlain(media, s string) bool {
	head := cut(s, markupWindow)
	if media == "text/plain" {
		start := strings.ToLower(strings.TrimSpace(cut(s, 200)))
		return !strings.HasPrefix(start, "<!doctype html") && !strings.HasPrefix(start, "<html")
	}
	return headerEnd(head) > 0 || !markup.MatchString(head)
}
