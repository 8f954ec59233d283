package tagtree

import (
	"net/url"
	"path"
	"slices"
	"strings"

	"eventseer/internal/text"
	"eventseer/webgraph"
)

// Limits on a pattern. What a URL has beyond them is left out of it.
const (
	maxPatternSegments = 16
	maxPatternKeys     = 16
	maxPatternSegment  = 64 // bytes of a segment, a key or a value that stays
)

// What makes a segment a slug: as many words, or bytes.
const (
	slugWords = 4
	slugBytes = 30
)

// URLPattern returns what URLs of one template are expected to share, such as
// "conf.example/talks/#/*.html?id=#": the host, the segments of the path and the
// keys of the query in their order, sorted. Numbers are "#", so that 2012, 2012-05
// and 10.1 are; titles and hashes are "*". Names of index pages, the scheme and the
// fragment are left out. It is "" of what is no web address.
func URLPattern(rawURL string) string { return splitURL(rawURL).String() }

// A splitPattern is a pattern in parts.
type splitPattern struct {
	host  string
	dirs  []string
	leaf  string // the last segment, "" of the root
	end   string // the extension of the leaf with its dot, or "/"
	query string
}

func (p splitPattern) String() string {
	if p.host == "" {
		return ""
	}
	s := p.host + "/" + strings.Join(append(slices.Clip(p.dirs), p.leaf), "/")
	if p.leaf != "" {
		s += p.end
	}
	if p.query != "" {
		s += "?" + p.query
	}
	return s
}

func splitURL(rawURL string) splitPattern {
	canonical, err := webgraph.Canonical(rawURL)
	if err != nil {
		return splitPattern{}
	}
	u, err := url.Parse(canonical)
	if err != nil {
		return splitPattern{}
	}
	p := splitPattern{host: u.Host, query: queryPattern(u.Query())}
	segments := strings.Split(strings.TrimPrefix(u.Path, "/"), "/")
	if last := len(segments) - 1; segments[last] == "" || isIndexName(segments[last]) {
		segments, p.end = segments[:last], "/"
	} else if ext := path.Ext(segments[last]); isExtension(ext) {
		segments[last], p.end = strings.TrimSuffix(segments[last], ext), strings.ToLower(ext)
	}
	segments = segments[:min(len(segments), maxPatternSegments)]
	for i, s := range segments {
		segments[i] = generalised(s)
	}
	if n := len(segments); n > 0 {
		p.dirs, p.leaf = segments[:n-1], segments[n-1]
	}
	return p
}

func queryPattern(query url.Values) string {
	keys := make([]string, 0, len(query))
	for key := range query {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	keys = keys[:min(len(keys), maxPatternKeys)]
	for i, key := range keys {
		keys[i] = text.Cut(key, maxPatternSegment) + "=" + generalised(query.Get(key))
	}
	return strings.Join(keys, "&")
}

// isIndexName reports whether a file is what its folder shows.
func isIndexName(name string) bool {
	base, ext, _ := strings.Cut(strings.ToLower(name), ".")
	switch base {
	case "index", "default", "home":
		return ext == "" || isExtension("."+ext)
	}
	return false
}

// isExtension reports whether a suffix, with its dot, is a file's type.
func isExtension(ext string) bool {
	if len(ext) < 2 || len(ext) > 6 {
		return false
	}
	letters := false
	for _, c := range []byte(ext[1:]) {
		if !isLetter(c) && !isASCIIDigit(c) {
			return false
		}
		letters = letters || isLetter(c)
	}
	return letters
}

// generalised returns a segment or a value without what is one page's own.
func generalised(s string) string {
	words := strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune("-_+ .,~", r) })
	switch {
	case !hasLetter(s):
		return numbersOut(s)
	case len(words) >= slugWords, len(s) >= slugBytes, isHash(s):
		return "*"
	}
	return text.Cut(numbersOut(s), maxPatternSegment)
}

func hasLetter(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return r >= 0x80 || isLetter(byte(r)) })
}

// numbersOut writes "#" for each run of digits, and of digits with one mark between.
func numbersOut(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if !isASCIIDigit(s[i]) {
			b.WriteByte(s[i])
			continue
		}
		b.WriteByte('#')
		for i+1 < len(s) && (isASCIIDigit(s[i+1]) ||
			strings.IndexByte(".-_,", s[i+1]) >= 0 && i+2 < len(s) && isASCIIDigit(s[i+2])) {
			i++
		}
	}
	return b.String()
}

// The least length of a hash, and how often it goes from letters to digits or back.
const (
	hashBytes    = 8
	hashSwitches = 3
)

// isHash reports whether a word is a hexadecimal number or an identifier such as
// those that programs give.
func isHash(s string) bool {
	if len(s) < hashBytes {
		return false
	}
	switches := 0
	for i := range len(s) {
		switch {
		case !isLetter(s[i]) && !isASCIIDigit(s[i]) && s[i] != '-':
			return false
		case i > 0 && isASCIIDigit(s[i]) != isASCIIDigit(s[i-1]):
			switches++
		}
	}
	return switches >= hashSwitches
}

func isASCIIDigit(c byte) bool { return '0' <= c && c <= '9' }
