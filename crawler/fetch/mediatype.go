package fetch

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
)

// sniffLen is the number of bytes examined to detect the type of a body. The PDF signature may be
// anywhere in its first 1,024 bytes.
const sniffLen = 1024

// isUnreadable reports whether no reader supports a declared type. Gzip archives and JSON are read,
// because they may contain sitemaps and feeds.
func isUnreadable(declared string) bool {
	switch declared {
	case "", "text/html", "application/xhtml+xml", "text/plain", "application/pdf", "application/x-pdf",
		"application/xml", "text/xml", "application/rss+xml", "application/atom+xml", "application/rdf+xml",
		"application/x-rss+xml", "text/rss+xml", "text/rss", "text/atom+xml",
		"application/gzip", "application/x-gzip", "application/json", "application/feed+json":
		return false
	}
	return true
}

// checkBodyType examines the beginning of a body whose declared type is supported. It reports whether the
// body is a PDF, and returns an error if it is not readable text, whatever its declared type.
func checkBodyType(declared string, head []byte) (pdf bool, unread error) {
	found := detectType(head)
	saysPDF := strings.HasSuffix(declared, "pdf")
	switch {
	case len(head) == 0, strings.HasPrefix(found, "text/"):
		return saysPDF && bytes.Contains(head, []byte("%PDF-")), nil
	case found == "application/pdf", saysPDF && found == "application/octet-stream":
		return true, nil
	case found == "application/x-gzip":
		return false, nil // a sitemap, or later rejected by readList
	case declared != "" && found == "application/octet-stream":
		return false, nil // text may contain unusual bytes, and UTF-16 does not look like text
	case declared == "":
		return false, fmt.Errorf("content without a declared type looks like %s, which is not read", found)
	}
	return false, fmt.Errorf("content declared as %s is %s, which is not read", declared, found)
}

// detectType returns the type of a body from its first bytes: that of a word processor, otherwise the
// one that browsers would detect.
func detectType(head []byte) string {
	switch {
	case bytes.HasPrefix(head, []byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")):
		return "application/msword (or another old Office file)"
	case bytes.HasPrefix(head, []byte("PK\x03\x04")) && bytes.Contains(head, []byte("word/")):
		return "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
	case bytes.HasPrefix(head, []byte("PK\x03\x04")) && bytes.Contains(head, []byte("application/vnd.oasis.opendocument.text")):
		return "application/vnd.oasis.opendocument.text"
	case bytes.HasPrefix(head, []byte("{\\rtf")):
		return "application/rtf"
	}
	found, _, _ := strings.Cut(http.DetectContentType(head), ";")
	return found
}
