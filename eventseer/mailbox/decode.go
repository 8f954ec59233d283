package mailbox

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/emersion/go-message/charset"
	"golang.org/x/text/encoding/charmap"
)

// decodeTransfer decodes a transfer encoding (RFC 2045 section 6) tolerantly. Invalid codes of
// quoted-printable are unchanged, and base64 ends at the first byte that cannot be part of it, such
// as a list's footer. With an unknown encoding the body is unchanged. whole reports whether nothing
// was left out.
func decodeTransfer(encoding string, body []byte) (decoded []byte, whole bool) {
	switch strings.ToLower(strings.Trim(encoding, " \t\"';")) {
	case "quoted-printable":
		return decodeQuotedPrintable(body), true
	case "base64":
		return decodeBase64(body)
	}
	return body, true
}

func decodeQuotedPrintable(body []byte) []byte {
	out := make([]byte, 0, len(body))
	for len(body) > 0 {
		line, rest, ended := bytes.Cut(body, []byte("\n"))
		line = bytes.TrimRight(line, " \t\r")
		soft := bytes.HasSuffix(line, []byte("="))
		if soft {
			line = line[:len(line)-1]
		}
		out = appendQuoted(out, line)
		if ended && !soft {
			out = append(out, '\n')
		}
		body = rest
	}
	return out
}

func appendQuoted(out, line []byte) []byte {
	for i := 0; i < len(line); i++ {
		if line[i] == '=' && i+2 < len(line) {
			if code, err := hex.DecodeString(string(line[i+1 : i+3])); err == nil {
				out = append(out, code...)
				i += 2
				continue
			}
		}
		out = append(out, line[i])
	}
	return out
}

// decodeBase64 accepts several concatenated encoded texts, and missing padding.
func decodeBase64(body []byte) (decoded []byte, whole bool) {
	letters := make([]byte, 0, len(body))
	flush := func() {
		n := len(letters) / 4 * 4
		if len(letters)-n == 1 {
			letters = letters[:n] // a single letter is less than one byte
		}
		part, _ := base64.RawStdEncoding.DecodeString(string(letters)) // only letters
		decoded, letters = append(decoded, part...), letters[:0]
	}
	for _, c := range body {
		switch {
		case c >= 'A' && c <= 'Z', c >= 'a' && c <= 'z', c >= '0' && c <= '9', c == '+', c == '/':
			letters = append(letters, c)
		case c == '=':
			flush()
		case c != ' ' && c != '\t' && c != '\r' && c != '\n':
			flush()
			return decoded, false
		}
	}
	flush()
	return decoded, true
}

// decodeCharset decodes text from the charset a part names; for a missing or unknown one see
// decodeText.
func decodeCharset(label string, text []byte) string {
	switch label = strings.ToLower(strings.Trim(label, " \t\"'")); label {
	case "", "utf-8", "utf8", "us-ascii", "ascii", "iso-8859-1", "latin1": // the last two often mean windows-1252 in mails
		return decodeText(text)
	}
	r, err := charset.Reader(label, bytes.NewReader(text))
	if err != nil {
		return decodeText(text)
	}
	decoded, err := io.ReadAll(r)
	if err != nil {
		return decodeText(text)
	}
	return strings.ToValidUTF8(string(decoded), "\uFFFD")
}

// decodeText decodes bytes without a declared charset: as UTF-8 if they are valid, otherwise as
// windows-1252, as browsers do.
func decodeText(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	text, err := charmap.Windows1252.NewDecoder().Bytes(b)
	if err != nil {
		return strings.ToValidUTF8(string(b), "\uFFFD")
	}
	return string(text)
}
