package webgraph

import "strings"

// Parsing a URL like browsers takes about 3 µs, and pages have hundreds of links, most of them plain.
// isCanonical reports whether s is certainly its own canonical form. FuzzCanonical compares it with the full
// parser.
func isCanonical(s string) bool {
	if len(s) > MaxURL {
		return false
	}
	rest, ok := strings.CutPrefix(s, "https://")
	if !ok {
		rest, ok = strings.CutPrefix(s, "http://")
	}
	slash := strings.IndexByte(rest, '/')
	return ok && slash > 0 && isPlainHost(rest[:slash]) && isPlainTarget(rest[slash:])
}

// isPlainHost accepts lower-case names of letters, digits and hyphens that are neither an IP address nor an
// internationalized name.
func isPlainHost(host string) bool {
	if len(host) > maxHost || strings.Contains(host, "xn--") {
		return false
	}
	start := 0 // of the current label
	for i := range len(host) {
		if !isHostByte(host[i]) {
			return false
		}
		if host[i] == '.' {
			if i == start || i-start > maxLabel {
				return false
			}
			start = i + 1
		}
	}
	n := len(host) - start
	return 0 < n && n <= maxLabel && 'a' <= host[start] && host[start] <= 'z'
}

// isPlainTarget accepts a path and query without anything to decode, encode or remove. They have no %
// except in canonical escapes, no segment that starts with a dot and no matrix parameters.
func isPlainTarget(target string) bool {
	path, query, asked := strings.Cut(target, "?")
	for i := range len(path) {
		switch c := path[i]; {
		case c == '/':
			if i+1 < len(path) && path[i+1] == '.' {
				return false
			}
		case c == '%' && isEscape(path[i:]):
		case !isPlain(c):
			return false
		}
	}
	if !asked {
		return true
	}
	for i := range len(query) {
		if c := query[i]; !isPlain(c) && c != '/' && c != '?' && !(c == '%' && isEscape(query[i:])) {
			return false
		}
	}
	return query != "" && !hasNoise(query)
}

// isPlain reports whether c stands for itself in paths and in queries.
func isPlain(c byte) bool {
	return isUnreserved(c) || strings.IndexByte("!$&()*+,=:@", c) >= 0
}

// isUnreserved reports whether c is an unreserved character (RFC 3986 §2.3).
func isUnreserved(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' ||
		c == '-' || c == '.' || c == '_' || c == '~'
}

// isEscape reports whether s begins with a percent-encoded byte in canonical form: in upper case, and of
// a byte that is not unreserved.
func isEscape(s string) bool {
	if len(s) < 3 || s[1] >= 'a' || s[2] >= 'a' {
		return false
	}
	c, ok := decodeHexPair(s)
	return ok && !isUnreserved(c)
}
