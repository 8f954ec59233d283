package seeds

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/eventseer/eventseer/internal/text"
	"github.com/eventseer/eventseer/webgraph"
)

// Limits on a file of seeds.
const (
	MaxFile  = 32 << 20 // maximum bytes of a file
	maxLine  = 64 << 10 // bytes of one line
	maxShown = 80       // bytes shown of an invalid line
)

// A BadLine is a line of a file of seeds, or a command-line argument, that is not an http or https URL.
type BadLine struct {
	File string // name of the file, "" for an argument
	Line int    // line number from 1, 0 for an argument
	Text string
}

// Error returns a message with the position and text of the line and, if possible, the URL that was probably
// meant.
func (b BadLine) Error() string {
	place := "seed"
	if b.File != "" {
		place = fmt.Sprintf("seeds %s: line %d:", b.File, b.Line)
	}
	message := fmt.Sprintf("%s %q is not an http or https URL", place, text.OneLine(b.Text, maxShown))
	if url := guessURL(b.Text); url != "" {
		message += "; did you mean " + url + "?"
	}
	return message
}

// guessURL returns the URL that a text without a scheme probably stands for, or "".
func guessURL(s string) string {
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

// checkText returns an error if line n has control characters.
func checkText(line string, n int) error {
	switch at := strings.IndexFunc(line, func(r rune) bool { return r < ' ' && r != '\t' && r != '\r' && r != '\f' || r == 0x7f }); {
	case at < 0:
		return nil
	case line[at] == 0 && n == 1 && len(line) > 1 && (strings.HasPrefix(line, "\xff\xfe") || strings.HasPrefix(line, "\xfe\xff")):
		return fmt.Errorf("line %d: the file is in UTF-16; save it as UTF-8", n)
	default:
		return fmt.Errorf("line %d: this is not text, byte %d is 0x%02x; a list of seeds has one URL per line", n, at+1, line[at])
	}
}

// ReadFile reads the seeds in a file, as Read does.
func ReadFile(path string) (urls []string, bad []BadLine, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, fmt.Errorf("seeds: %w", err)
	}
	defer func() { _ = f.Close() }() // opened for reading only
	return Read(f, path)
}

// Read reads seeds, one per line, in order and without duplicates. A line that begins with # is a comment.
// The rest of a line after a tab, or after a blank and a #, is a comment too. A byte-order mark and Windows
// line ends are accepted. bad are the lines that are not URLs. An HTML page, binary data, more than MaxFile
// bytes and a line of more than 64 KB are errors, which have name and the line number.
func Read(r io.Reader, name string) (urls []string, bad []BadLine, err error) {
	lines := bufio.NewScanner(io.LimitReader(r, MaxFile+1))
	lines.Buffer(nil, maxLine)
	known := map[string]bool{}
	n, size := 1, 0
	for ; lines.Scan(); n++ {
		if size += len(lines.Bytes()) + 1; size > MaxFile {
			return nil, nil, fmt.Errorf("seeds %s: line %d: the file has more than %d MB; split it", name, n, MaxFile>>20)
		}
		if err := checkText(lines.Text(), n); err != nil {
			return nil, nil, fmt.Errorf("seeds %s: %w", name, err)
		}
		line := strings.TrimSpace(strings.TrimPrefix(lines.Text(), "\ufeff"))
		line, _, _ = strings.Cut(line, "\t")
		if at := strings.Index(line, " #"); at > 0 {
			line = line[:at]
		}
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		if line[0] == '<' && len(urls) == 0 {
			return nil, nil, fmt.Errorf("seeds %s: line %d: this is a page in HTML or XML, not a list with one URL per line; `eventseer extract %s` reads a page, `eventseer import opml` a list of feeds", name, n, name)
		}
		url, err := webgraph.Canonical(line)
		switch {
		case err != nil:
			bad = append(bad, BadLine{name, n, line})
		case !known[url]:
			known[url] = true
			urls = append(urls, line)
		}
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return nil, nil, fmt.Errorf("seeds %s: line %d: it is longer than %d KB; a list of seeds has one URL per line", name, n, maxLine>>10)
	} else if err != nil {
		return nil, nil, fmt.Errorf("seeds %s: line %d: %w; a list of seeds has one URL per line", name, n, err)
	}
	return urls, bad, nil
}
