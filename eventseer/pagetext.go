package eventseer

import (
	"context"
	"strings"
	"time"

	"github.com/eventseer/eventseer/internal/text"
)

// A PageText is the main text of one page at the time it was read.
type PageText struct {
	URL string `json:"url"`
	// Text has one line for each block, at most MaxPageText bytes in total. A heading begins with
	// HeadingMark. Other text of the page, such as its menus, follows after RestMark. E-mail
	// addresses and telephone numbers are removed by Redact.
	Text string    `json:"text"`
	Seen time.Time `json:"seen,omitzero"`
}

// HeadingMark is the start of a heading's line in a PageText. RestMark is the start of the part that is not
// main text.
const (
	HeadingMark = "# "
	RestMark    = "\f"
)

// Main returns the main text without the rest of the page.
func (t PageText) Main() string {
	main, _, _ := strings.Cut(t.Text, RestMark)
	return main
}

// Limits on texts.
const (
	MaxPageText     = 256 << 10 // bytes of one page
	MaxDocumentText = 256 << 10 // bytes of all pages of an event that are searched
	MaxTexts        = 30        // maximum number of pages of an event whose texts are read
)

// A TextStore stores the texts of pages. It is safe for concurrent use.
type TextStore interface {
	// Texts returns the texts of the pages of an event, calls first, at most MaxTexts. They are the last ones
	// stored before a time, or the newest if the time is zero. Pages without a stored text are omitted.
	// Damaged texts are omitted too, and the error names their pages.
	Texts(ctx context.Context, id EventID, before time.Time) ([]PageText, error)
}

// CutPageText returns a text cut to MaxPageText bytes at the end of a line, or of a character if
// the line is longer.
func CutPageText(s string) string {
	if len(s) <= MaxPageText {
		return s
	}
	s = text.CutBytes(s, MaxPageText)
	if i := strings.LastIndexByte(s, '\n'); i > len(s)/2 {
		return s[:i]
	}
	return s
}

// RedactLines applies Redact to each line of a text, so that an address in one line does not slow
// down the whole text.
func RedactLines(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for line := range strings.Lines(s) {
		if len(line) > maxRedacted { // a page without line breaks
			for len(line) > maxRedacted {
				part := text.CutBytes(line, maxRedacted)
				if i := strings.LastIndexByte(part, ' '); i > len(part)/2 {
					part = part[:i]
				}
				b.WriteString(Redact(part))
				line = line[len(part):]
			}
		}
		b.WriteString(Redact(line))
	}
	return b.String()
}

// maxRedacted is the number of bytes of a line that are redacted at once.
const maxRedacted = 16 << 10

// SearchedTexts returns texts in the form that is searched and shown. Together they have at most
// MaxDocumentText bytes. If people is false, names in committee are removed.
func SearchedTexts(texts []PageText, committee []Person, people bool) []PageText {
	var names *strings.Replacer
	if !people {
		names = replacerOf(committee)
	}
	left := MaxDocumentText
	var out []PageText
	for _, t := range texts {
		if names != nil {
			t.Text = names.Replace(t.Text)
		}
		if t.Text = text.CutBytes(t.Text, left); t.Text == "" {
			continue
		}
		left -= len(t.Text)
		out = append(out, t)
	}
	return out
}

// minName is the minimum length in bytes of a name to be removed from texts.
const minName = 5

// replacerOf returns a replacer that removes the names of people from a text. It returns nil if there is no
// name to remove.
func replacerOf(people []Person) *strings.Replacer {
	var pairs []string
	for _, p := range people[:min(len(people), MaxCommittee)] {
		if len(p.Name) >= minName {
			pairs = append(pairs, p.Name, text.Redacted)
		}
	}
	if pairs == nil {
		return nil
	}
	return strings.NewReplacer(pairs...)
}
