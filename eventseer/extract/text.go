package extract

import (
	"strings"
	"unicode/utf8"

	"github.com/eventseer/eventseer/eventseer/extract/date"
	"github.com/eventseer/eventseer/eventseer/extract/pattern"
	"github.com/eventseer/eventseer/internal/text"
)

const (
	maxBlocks     = 20_000        // blocks read per page
	maxBlockBytes = date.MaxBytes // bytes read per block
)

var yearPattern = date.YearPattern

func cutToBytes(s string, n int) string { return text.CutBytes(s, n) }

func wordSet(words string) map[string]bool { return text.WordSet(words) }

func compilePattern(expr string) *pattern.Pattern { return pattern.Compile(expr) }

func isIdeograph(r rune) bool { return date.IsIdeograph(r) }

// appendLower appends strings.ToLower(s) to b.
func appendLower(b []byte, s string) []byte {
	before := len(b)
	for i := range len(s) {
		c := s[i]
		if c >= utf8.RuneSelf {
			return append(b[:before], strings.ToLower(s)...)
		}
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		b = append(b, c)
	}
	return b
}
