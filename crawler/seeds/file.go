package seeds

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/eventseer/eventseer/internal/text"
	"github.com/eventseer/eventseer/webgraph"
)

// Limits of a file of seeds.
const (
	MaxFile = 32 << 20 // bytes; a longer file is refused
	maxLine = 64 << 10 // bytes of one line
)

// A BadLine is a line of a file of seeds, or an argument, that is no URL to crawl.
type BadLine struct {
	File string // "" for an argument of the command line
	Line int    // from 1; 0 for an argument
	Text string
}

// Error says where the line is, what it holds, and what was perhaps meant.
func (b BadLine) Error() string {
	place := "seed"
	if b.File != "" {
		place = fmt.Sprintf("seeds %s: line %d:", b.File, b.Line)
	}
	message := fmt.Sprintf("%s %q is no http or https URL", place, text.OneLine(b.Text, 80))
	if url := meantURL(b.Text); url != "" {
		message += "; did you mean " + url + "?"
	}
	return message
}

// meantURL returns the URL that a text without a scheme stands for, "" if it looks like
// none.
func meantURL(s string) string {
	host, _, _ := strings.Cut(s, "/")
	if !strings.Contains(host, ".") || strings.ContainsAny(s, " <>\"\t:@") {
		return ""
	}
	url, err := webgraph.Canonical("https://" + s)
	if err != nil {
		return ""
	}
	return url
}

// ReadFile reads seeds, one a line, in their order; a line that begins with # is a
// comment, and so is what follows a blank and a #. A byte-order mark and Windows line ends
// are no part of them. A URL that stands in it twice is read once. bad are the lines that
// are no URLs. A file of HTML, one of more than MaxFile bytes and one with a line of more
// than 64 KB are errors.
func ReadFile(path string) (urls []string, bad []BadLine, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, fmt.Errorf("seeds: %w", err)
	}
	defer func() { _ = f.Close() }() // read only: nothing to lose
	lines := bufio.NewScanner(io.LimitReader(f, MaxFile+1))
	lines.Buffer(nil, maxLine)
	known := map[string]bool{}
	n, size := 1, 0
	for ; lines.Scan(); n++ {
		if size += len(lines.Bytes()) + 1; size > MaxFile {
			return nil, nil, fmt.Errorf("seeds %s: line %d: the file has more than %d MB; split it", path, n, MaxFile>>20)
		}
		line := strings.TrimSpace(strings.TrimPrefix(lines.Text(), "\ufeff"))
		if at := strings.Index(line, " #"); at > 0 {
			line = strings.TrimSpace(line[:at])
		}
		if line == "" || line[0] == '#' {
			continue
		}
		if line[0] == '<' {
			return nil, nil, fmt.Errorf("seeds %s: line %d: this is a page in HTML or XML, not a list of URLs, one a line; `eventseer extract %s` reads a page, `eventseer import opml` a list of feeds", path, n, path)
		}
		url, err := webgraph.Canonical(line)
		switch {
		case err != nil:
			bad = append(bad, BadLine{path, n, line})
		case !known[url]:
			known[url] = true
			urls = append(urls, line)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, nil, fmt.Errorf("seeds %s: line %d: %w; a seed is a URL a line", path, n, err)
	}
	return urls, bad, nil
}
