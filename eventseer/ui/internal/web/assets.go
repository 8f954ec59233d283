package web

import (
	"embed"
	"strings"
)

// An asset is a file that is served under a path holding its checksum.
type asset struct {
	contentType string
	body        []byte
}

var contentTypes = map[string]string{
	".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml",
}

// squeeze takes the white space out of a style sheet that only people need. Our sheets
// have no strings that hold what it takes out, and comments are lines of their own.
func squeeze(css []byte) []byte {
	lines := strings.Split(string(css), "\n")
	for i, line := range lines {
		if lines[i] = strings.TrimSpace(line); strings.HasPrefix(lines[i], "/*") {
			lines[i] = ""
		}
	}
	return []byte(strings.NewReplacer("; }", "}", " { ", "{", " {", "{", " }", "}", "; ", ";", ": ", ":", ", ", ",").Replace(strings.Join(lines, "")))
}

//go:embed templates static
var Files embed.FS
