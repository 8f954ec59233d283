package eventseer

import (
	"context"
	"strings"
	"time"

	"github.com/eventseer/eventseer/internal/text"
)

// A PageText is the main text of one page as it was read at a time.
type PageText struct {
	URL string `json:"url"`
	// Text has a block a line, of at most MaxPageText bytes; a heading begins with HeadingMark.
	// What else can be read on the page, such as its menus, is after a RestMark. E-mail addresses
	// and telephone numbers are taken out, as Redact does.
	Text string    `json:"text"`
	Seen time.Time `json:"seen,omitzero"`
}

// HeadingMark begins the line of a heading in a PageText, and RestMark the part of it that is
// not main text.
const (
	HeadingMark = "# "
	RestMark    = "\f"
)

// Main returns the main text without the rest of the page.
func (t PageText) Main() string {
	main, _, _ := strings.Cut(t.Text, RestMark)
	return main
}

// Bounds of texts.
const (
	MaxPageText     = 256 << 10 // bytes of one page
	MaxDocumentText = 256 << 10 // bytes of all pages of an event that words are looked for in
	MaxTexts        = 30        // pages of an event whose texts are read
)

// A TextStore keeps the texts of pages. It is safe for concurrent use.
type TextStore interface {
	// Texts returns the texts of the pages of an event, those of calls first, at most MaxTexts.
	// They are as before a time, or the newest if it is zero. A page of which none is kept is left
	// out; so is one that cannot be read, which the error names beside the others.
	Texts(ctx context.Context, id EventID, before time.Time) ([]PageText, error)
}

// CutPageText returns a text within MaxPageText, cut at the end of a line, or of a
// character in a line that is longer.
func CutPageText(s string) string {
	if len(s) <= MaxPageText {
		return s
	}
	s = text.Cut(s, MaxPageText)
	if i := strings.LastIndexByte(s, '\n'); i > len(s)/2 {
		return s[:i]
	}
	return s
}

// RedactLines is Redact of each line of a text, so that one line with an address does not
// make the whole text be searched.
func RedactLines(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for line := range strings.Lines(s) {
		if len(line) > maxRedacted { // of a page without lines
			for len(line) > maxRedacted {
				part := text.Cut(line, maxRedacted)
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

// maxRedacted is how many bytes of a line are redacted at once.
const maxRedacted = 16 << 10

// SearchedTexts returns texts in the form in which they are searched and passages are shown. They
// are within MaxDocumentText together, and without the names of the committee unless people are
// published.
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
		if t.Text = text.Cut(t.Text, left); t.Text == "" {
			continue
		}
		left -= len(t.Text)
		out = append(out, t)
	}
	return out
}

// minName is the length in bytes from which a name is taken out of texts.
const minName = 5

// replacerOf returns a replacer that removes the names of people from a text, nil without people.
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
