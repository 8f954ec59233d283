package mailbox

import (
	"regexp"
	"strings"
)

// minEncoded is how many lines of an encoded file make sure that it is one.
const minEncoded = 2

var (
	fileBegins   = regexp.MustCompile(`^begin(?:-base64)? [0-7]{3,4} \S`)
	armourBegins = regexp.MustCompile(`^-----BEGIN ([A-Z0-9 ]*(?:SIGNATURE|PUBLIC KEY BLOCK|CERTIFICATE|PRIVATE KEY))-----$`)
)

// withoutArmour drops files that stand in a text in letters that mean nothing:
// uuencoded ones (POSIX uuencode), signatures and keys (RFC 9580 section 6.2).
// One that does not end is dropped to the first line that cannot be part of it.
func withoutArmour(text string) string {
	if !strings.Contains(text, "begin") && !strings.Contains(text, "-----BEGIN ") {
		return text
	}
	lines := strings.Split(text, "\n")
	kept := lines[:0]
	for i := 0; i < len(lines); i++ {
		if n := armoured(lines[i:]); n > 0 {
			i += n - 1
			continue
		}
		kept = append(kept, lines[i])
	}
	return strings.Join(kept, "\n")
}

// armoured returns how many lines at the start are an encoded file, 0 for none.
func armoured(lines []string) int {
	first := strings.TrimRight(lines[0], " \r")
	if m := armourBegins.FindStringSubmatch(first); m != nil {
		for n, line := range lines[1:] {
			switch {
			case strings.TrimRight(line, " \r") == "-----END "+m[1]+"-----":
				return n + 2
			case len(line) > 80 || strings.Count(line, " ") > 4 && !field.MatchString(line):
				return n + 1
			}
		}
		return len(lines)
	}
	if !fileBegins.MatchString(first) {
		return 0
	}
	for n, line := range lines[1:] {
		line = strings.TrimRight(line, "\r")
		switch {
		case line == "end", line == "====":
			return n + 2
		case line == "`", line == " ", line == "":
		case strings.Contains(line, " ") && strings.ContainsAny(line, "abcdefghijklmnopqrstuvwxyz"), len(line) > 80:
			if n < minEncoded {
				return 0
			}
			return n + 1
		}
	}
	return len(lines)
}
