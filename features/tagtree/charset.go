package tagtree

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"eventseer/webgraph"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding/charmap"
)

// decode returns body as valid UTF-8: by its byte order mark, else the charset
// of the Content-Type header, else the page's own declaration, else a guess.
// UTF-8 that is declared as something else is seen and kept.
func decode(body []byte, contentType string) string {
	name := charsetOf(body, contentType)
	singleByte := strings.HasPrefix(name, "windows-") || strings.HasPrefix(name, "iso-8859")
	if name == "utf-8" || name == "replacement" || singleByte && utf8.Valid(body) {
		return repair(bytes.TrimPrefix(body, []byte("\ufeff")))
	}
	enc, _ := charset.Lookup(name)
	out, err := enc.NewDecoder().Bytes(body)
	if err != nil {
		return repair(body)
	}
	return strings.TrimPrefix(strings.ToValidUTF8(string(out), "\ufffd"), "\ufeff")
}

// repair reads bytes that are no UTF-8: as Windows-1252 where a single such
// byte stands between ASCII letters, else as U+FFFD, one for each run.
func repair(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	var out strings.Builder
	out.Grow(len(b) + len(b)/8)
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r != utf8.RuneError || n > 1 {
			out.Write(b[i : i+n])
			i += n
			continue
		}
		end := i + 1
		for end < len(b) && b[end] >= utf8.RuneSelf && !utf8.FullRune(b[end:]) || end < len(b) && invalidAt(b[end:]) {
			end++
		}
		if end == i+1 && end < len(b) && b[i] >= 0xA0 {
			out.WriteRune(charmap.Windows1252.DecodeByte(b[i]))
		} else {
			out.WriteRune(utf8.RuneError)
		}
		i = end
	}
	return out.String()
}

func invalidAt(b []byte) bool {
	r, n := utf8.DecodeRune(b)
	return r == utf8.RuneError && n == 1
}

// cut returns s cut to at most n bytes, never inside a rune.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// cutRunes returns the first n runes of s.
func cutRunes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// Source returns the markup or text of a page as valid UTF-8, decoded as Parse
// does: Text where the page has one, else Body.
func Source(p *webgraph.Page) string {
	if p.Text != "" {
		return strings.ToValidUTF8(p.Text, "\ufffd")
	}
	return decode(p.Body, p.Header.Get("Content-Type"))
}
