package extract

import (
	"github.com/eventseer/eventseer/eventseer/extract/date"
	"github.com/eventseer/eventseer/eventseer/extract/pattern"
	"github.com/eventseer/eventseer/internal/text"
)

const (
	maxBlocks     = 20_000        // blocks read per page
	maxBlockBytes = date.MaxBytes // bytes read per block
)

var yearPattern = date.YearPattern

func clip(s string, n int) string { return text.Cut(s, n) }

func wordSet(words string) map[string]bool { return text.WordSet(words) }

func compile(expr string) *pattern.Pattern { return pattern.Compile(expr) }

func ideograph(r rune) bool { return date.Ideograph(r) }
