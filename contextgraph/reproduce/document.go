package reproduce

import (
	"fmt"
	"strings"
)

// A Table is a part of a document that Rewrite writes.
type Table struct {
	Name string // in its marks
	Text string // Markdown, ending with a line feed
}

// marks returns the lines before and after the table of a name.
func marks(name string) (begin, end string) {
	return "<!-- " + name + ": written by eventseer lab reproduce -->\n", "<!-- end of " + name + " -->\n"
}

// Rewrite replaces the tables between their marks, which stand on lines of their own, and returns the document. It returns an
// error that names the first table whose marks are missing or not in pairs.
func Rewrite(document string, tables []Table) (string, error) {
	for _, t := range tables {
		begin, end := marks(t.Name)
		before, rest, ok := strings.Cut(document, begin)
		_, after, closed := strings.Cut(rest, end)
		if !ok || !closed || strings.Contains(after, begin) {
			return "", fmt.Errorf("the document has no place for the table %s, or several: write the lines %q and %q once", t.Name, strings.TrimSpace(begin), strings.TrimSpace(end))
		}
		document = before + begin + "\n" + t.Text + "\n" + end + after
	}
	return document, nil
}
