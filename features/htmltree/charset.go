package htmltree

import (
	"bytes"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/eventseer/eventseer/webgraph"

	"golang.org/x/net/html"
	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding/charmap"
)

// Decode returns body as valid UTF-8. The encoding is that of the byte order mark, else of the
// Content-Type header, else of the page's own declaration, else a guess. UTF-8 is recognized even if
// another encoding is declared.
func Decode(body []byte, contentType string) string {
	name := charsetOf(body, contentType)
	singleByte := strings.HasPrefix(name, "windows-") || strings.HasPrefix(name, "iso-8859")
	if name == "utf-8" || name == "replacement" || singleByte && utf8.Valid(body) {
		return repairUTF8(bytes.TrimPrefix(body, []byte("\ufeff")))
	}
	enc, _ := charset.Lookup(name)
	out, err := enc.NewDecoder().Bytes(body)
	if err != nil {
		return repairUTF8(body)
	}
	return strings.TrimPrefix(strings.ToValidUTF8(string(out), "\ufffd"), "\ufeff")
}

// repairUTF8 converts bytes that are not UTF-8: as Windows-1252 if a single such byte is between ASCII
// letters, otherwise to one U+FFFD for each run.
func repairUTF8(b []byte) string {
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

// SourceText returns the HTML or plain text of a page as valid UTF-8, decoded like by Parse. It is Text if
// the page has one, else Body.
func SourceText(p *webgraph.Page) string {
	if p.Text != "" {
		return strings.ToValidUTF8(p.Text, "\ufffd")
	}
	return Decode(p.Body, p.Header.Get("Content-Type"))
}

// metaWindow is the number of bytes of a body that are searched for a declaration. Browsers examine 1,024
// bytes but also use a later element.
const metaWindow = 64 << 10

// faultRate is the minimum number of non-ASCII letters per invalid byte in a body that counts as UTF-8.
const faultRate = 4

var (
	// headerCharset also matches in headers with errors: a quote that is not closed, a parameter given
	// twice, an extra semicolon.
	headerCharset = regexp.MustCompile(`(?i)[;,\s]charset\s*=\s*["']?\s*([^\s;,"']{1,40})`)
	// metaCharset implements "extracting a character encoding from a meta element" (HTML §2.5.3).
	metaCharset = regexp.MustCompile(`(?i)charset[\t\n\f\r ]*=[\t\n\f\r ]*(?:"([^"]*)"|'([^']*)'|([^"'\t\n\f\r ;][^\t\n\f\r ;]*))`)
	xmlEncoding = regexp.MustCompile(`^<\?xml[^>]{0,200}?[\t\n\r ]encoding[\t\n\r ]*=[\t\n\r ]*["']([^"'>]{1,40})["']`)
	// jisEscape matches the beginning of a run of Japanese or half-width letters in ISO-2022-JP.
	jisEscape = regexp.MustCompile("\x1b(?:\\$[@B]|\\([IJ])")
)

// charsetOf returns the name of a body's encoding by the encoding sniffing algorithm of HTML (§13.2.3.2),
// extended by declarations that a parser finds later.
func charsetOf(body []byte, contentType string) string {
	if name := markOf(body); name != "" {
		return name
	}
	zeros := bytes.IndexByte(body[:min(len(body), 1024)], 0) >= 0
	if m := headerCharset.FindStringSubmatch(contentType); m != nil {
		if name := nameOf(m[1]); name != "" && (zeros || !strings.HasPrefix(name, "utf-16")) {
			return name
		}
	}
	if zeros {
		if name := utf16WithoutMark(body); name != "" {
			return name
		}
	}
	if name := declaredEncoding(body[:min(len(body), metaWindow)]); name != "" {
		return name
	}
	return guessEncoding(body)
}

// nameOf returns the name of the encoding with a label, "" if there is none.
func nameOf(label string) string {
	_, name := charset.Lookup(label)
	if name == "x-user-defined" {
		return "windows-1252" // x-user-defined is a placeholder for scripts, not a text encoding
	}
	return name
}

// markOf returns the encoding of a byte order mark, "" without one.
func markOf(body []byte) string {
	switch {
	case bytes.HasPrefix(body, []byte("\xef\xbb\xbf")):
		return "utf-8"
	case bytes.HasPrefix(body, []byte("\xfe\xff")):
		return "utf-16be"
	case bytes.HasPrefix(body, []byte("\xff\xfe")):
		return "utf-16le"
	}
	return ""
}

// utf16WithoutMark returns the UTF-16 encoding of a body that begins with "<" and has no byte order mark, "" if
// it is not UTF-16.
func utf16WithoutMark(body []byte) string {
	switch {
	case len(body) < 4:
	case body[0] == '<' && body[1] == 0 && body[2] != 0 && body[3] == 0:
		return "utf-16le"
	case body[0] == 0 && body[1] == '<' && body[2] == 0 && body[3] != 0:
		return "utf-16be"
	}
	return ""
}

// declaredEncoding returns the encoding of the first meta element that names one, otherwise of the XML
// declaration, "" if there is none. Comments, scripts and the like are skipped.
func declaredEncoding(head []byte) string {
	for z := html.NewTokenizer(bytes.NewReader(head)); ; {
		switch z.Next() {
		case html.ErrorToken:
			if m := xmlEncoding.FindSubmatch(head); m != nil {
				return correctDeclared(nameOf(string(m[1])))
			}
			return ""
		case html.StartTagToken, html.SelfClosingTagToken:
			tag, hasAttr := z.TagName()
			if string(tag) != "meta" || !hasAttr {
				continue
			}
			if name := nameOf(metaLabel(z)); name != "" {
				return correctDeclared(name)
			}
		}
	}
}

// correctDeclared corrects a declaration of UTF-16 that was read as ASCII, which cannot be true.
func correctDeclared(name string) string {
	if strings.HasPrefix(name, "utf-16") {
		return "utf-8"
	}
	return name
}

// metaLabel returns the encoding label in the current meta element of z: that of charset, or of content
// if http-equiv is content-type.
func metaLabel(z *html.Tokenizer) string {
	seen := map[string]string{}
	for more := true; more; {
		var key, value []byte
		key, value, more = z.TagAttr()
		if _, again := seen[string(key)]; !again {
			seen[string(key)] = string(value)
		}
	}
	if label, ok := seen["charset"]; ok {
		return label
	}
	m := metaCharset.FindStringSubmatch(seen["content"])
	if m == nil || !strings.EqualFold(seen["http-equiv"], "content-type") {
		return ""
	}
	return m[1] + m[2] + m[3]
}

// guessEncoding returns the encoding of a body that does not declare one. It is UTF-8 if valid except for a
// few bytes and an incomplete end, Japanese by its escapes, else the encoding of most old pages.
func guessEncoding(body []byte) string {
	body = body[:len(body)-partialLength(body)]
	letters, faults := 0, 0
	for i := 0; i < len(body); {
		if body[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, n := utf8.DecodeRune(body[i:])
		if r == utf8.RuneError && n == 1 {
			faults++
		} else {
			letters++
		}
		i += n
	}
	switch {
	case faults > 0 && letters < faultRate*faults:
		return "windows-1252"
	case letters+faults == 0 && jisEscape.Match(body):
		return "iso-2022-jp"
	}
	return "utf-8"
}

// partialLength returns the length of an incomplete character at the end of b, in bytes.
func partialLength(b []byte) int {
	for n := 1; n <= min(len(b), utf8.UTFMax-1); n++ {
		if tail := b[len(b)-n:]; utf8.RuneStart(tail[0]) {
			if utf8.FullRune(tail) {
				return 0
			}
			return n
		}
	}
	return 0
}
