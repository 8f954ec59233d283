package warc

import (
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
)

// SURT returns the key under which web archives file a URL: the host's labels
// from the right, then path and query, all in lower case and without scheme,
// www, default port, fragment and last slash, the query's parts sorted, such as
// "org,example,conf)/cfp?id=1&year=2027". A URI that names no host is its own
// key. White space and control characters are percent-encoded.
func SURT(uri string) string {
	u, err := url.Parse(strings.TrimSpace(uri))
	if err != nil || u.Hostname() == "" {
		return oneWord(strings.ToLower(uri))
	}
	labels := strings.Split(strings.TrimSuffix(strings.ToLower(u.Hostname()), "."), ".")
	if len(labels) > 2 && isWWW(labels[0]) {
		labels = labels[1:]
	}
	key := u.Hostname()
	if net.ParseIP(key) == nil {
		slices.Reverse(labels)
		key = strings.Join(labels, ",")
	}
	if port := u.Port(); port != "" && !(u.Scheme == "http" && port == "80") && !(u.Scheme == "https" && port == "443") {
		key += ":" + port
	}
	path := u.EscapedPath()
	if len(path) > 1 {
		path = strings.TrimSuffix(path, "/")
	}
	if path == "" {
		path = "/"
	}
	key += ")" + path
	if u.RawQuery != "" {
		parts := strings.Split(u.RawQuery, "&")
		slices.Sort(parts)
		key += "?" + strings.Join(parts, "&")
	}
	return oneWord(strings.ToLower(key))
}

// isWWW reports whether a label is www, or www and digits.
func isWWW(label string) bool {
	rest, ok := strings.CutPrefix(label, "www")
	return ok && strings.Trim(rest, "0123456789") == ""
}

func oneWord(s string) string {
	if !strings.ContainsFunc(s, isBlank) {
		return s
	}
	var b strings.Builder
	for i := range len(s) {
		if c := s[i]; c <= ' ' || c == 0x7f {
			fmt.Fprintf(&b, "%%%02x", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

func isBlank(r rune) bool { return r <= ' ' || r == 0x7f }
