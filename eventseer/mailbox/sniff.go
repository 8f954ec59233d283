package mailbox

import (
	"bytes"
	"strings"
)

// SniffLen is how many bytes of a file IsMbox and IsMessage need to see.
const SniffLen = 8 << 10

// IsMbox reports whether a file that begins with b is an mbox: whether its
// first line is a separator.
func IsMbox(b []byte) bool {
	line, _, _ := bytes.Cut(bytes.TrimLeft(b, "\r\n"), []byte("\n"))
	return separator.Match(line)
}

// sureFields are those that mails have and other files with colons have not.
var sureFields = map[string]bool{
	"from": true, "to": true, "subject": true, "date": true, "message-id": true, "received": true,
	"return-path": true, "mime-version": true, "newsgroups": true, "x-corpus-id": true, "delivered-to": true,
}

// IsMessage reports whether a file that begins with b is one message: whether
// it begins with header fields, at least two of them such as mails have, and,
// as far as b goes, nothing else before an empty line.
func IsMessage(b []byte) bool {
	known := 0
	for n := 0; len(b) > 0; n++ {
		line, rest, whole := bytes.Cut(b, []byte("\n"))
		line = bytes.TrimSuffix(line, []byte("\r"))
		switch {
		case !whole || len(line) == 0:
			return known >= 2
		case n > 0 && (line[0] == ' ' || line[0] == '\t'):
		case !field.Match(line):
			return false
		default:
			name, _, _ := strings.Cut(string(line), ":")
			if sureFields[strings.ToLower(name)] {
				known++
			}
		}
		b = rest
	}
	return known >= 2
}
