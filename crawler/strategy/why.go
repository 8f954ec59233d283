package strategy

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"eventseer/crawler"
)

// because makes the Why of a candidate: a line for people, at most
// crawler.MaxWhy bytes of valid UTF-8, cut between characters.
func because(format string, args ...any) string {
	s := strings.ToValidUTF8(fmt.Sprintf(format, args...), "\uFFFD")
	if len(s) <= crawler.MaxWhy {
		return s
	}
	n := crawler.MaxWhy
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// unit brings a number that another part gave into the range from 0 to 1; NaN
// becomes 0.
func unit(x float64) float64 {
	if math.IsNaN(x) {
		return 0
	}
	return max(0, min(x, 1))
}
