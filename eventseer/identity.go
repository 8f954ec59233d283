package eventseer

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// maxSlug bounds the part of an EventID made from a title, in bytes.
const maxSlug = 60

// MakeID names the edition e is a record of: the folded acronym with the year
// ("icx-2027"), else the title's words with the year, else a hash of the URL.
// The same record always gives the same id, of at most 80 bytes of [a-z0-9-].
// Two editions may share it (two conferences of one acronym): a store that
// holds another event under the id appends a number.
func MakeID(e Event) EventID {
	year := ""
	if e.Year > 0 {
		year = "-" + strconv.Itoa(e.Year)
	}
	name := slug(bareYear(e.Acronym))
	if name == "" {
		name = slug(bareYear(e.Title))
	}
	switch {
	case name == "":
		return EventID("page-" + hash(e.URL))
	case year == "":
		return EventID(name + "-" + hash(e.URL))
	}
	return EventID(name + year)
}

// hash returns 16 hexadecimal digits of a string's SHA-256.
func hash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:8])
}

// fold returns s without case, marks and surplus space, for comparing what
// pages print.
func fold(s string) string {
	var b strings.Builder
	space := false
	for _, r := range norm.NFKD.String(s) {
		switch {
		case unicode.Is(unicode.Mn, r):
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			if space && b.Len() > 0 {
				b.WriteByte(' ')
			}
			space = false
			b.WriteRune(unicode.ToLower(r))
		default:
			space = true
		}
	}
	return b.String()
}

// slug returns the ASCII letters and digits of s in words joined by "-".
func slug(s string) string {
	words := strings.FieldsFunc(fold(s), func(r rune) bool { return r > unicode.MaxASCII || r == ' ' })
	out := strings.Join(words, "-")
	if len(out) > maxSlug {
		out = out[:maxSlug]
		if i := strings.LastIndexByte(out, '-'); i > 0 {
			out = out[:i]
		}
	}
	return out
}

// bareYear drops years from a name: they stand in the id once.
func bareYear(s string) string {
	words := strings.Fields(s)
	var kept []string
	for _, w := range words {
		if n, err := strconv.Atoi(strings.Trim(w, "().,'’")); err == nil && n >= 1900 && n < 2200 {
			continue
		}
		kept = append(kept, w)
	}
	return strings.Join(kept, " ")
}

// SameEdition reports whether two records speak of the same edition of the
// same event: same year, and the same acronym with a similar title or the same
// days, or the same title. Other years are other editions, and a workshop is
// never the conference it is held at. One page may list many events, so the
// page alone says little. It is symmetric.
func SameEdition(a, b Event) bool {
	if a.Year != 0 && b.Year != 0 && a.Year != b.Year {
		return false
	}
	if (a.Kind == Workshop) != (b.Kind == Workshop) && a.Kind != "" && b.Kind != "" {
		return false
	}
	sameDays := a.EventStart != "" && a.EventStart == b.EventStart
	otherDays := a.EventStart != "" && b.EventStart != "" && !sameDays
	like := similarity(a.Title, b.Title)
	acronymA, acronymB := slug(bareYear(a.Acronym)), slug(bareYear(b.Acronym))
	samePage := a.URL != "" && a.URL == b.URL
	switch {
	case acronymA != "" && acronymA == acronymB:
		if a.Year == 0 || b.Year == 0 {
			return samePage || sameDays || like >= sameTitle
		}
		return samePage || sameDays || like >= likeTitle || !otherDays && (short(a.Title) || short(b.Title))
	case acronymA != "" && acronymB != "":
		return sameDays && like >= sameTitle
	case samePage:
		return like >= likeTitle
	}
	return like >= sameTitle && (sameDays || !otherDays && a.Year != 0 && a.Year == b.Year)
}

// likeTitle and sameTitle are the shares of words two titles have in common
// that make them similar and the same.
const (
	likeTitle = 0.4
	sameTitle = 0.8
)

// short reports whether a title is little more than an acronym, so that it
// cannot contradict another.
func short(title string) bool { return len(strings.Fields(bareYear(title))) <= 2 }

// similarity is the share of the words of two titles that both have (Dice's
// coefficient), years and small words left out.
func similarity(a, b string) float64 {
	wa, wb := titleWords(a), titleWords(b)
	if len(wa) == 0 || len(wb) == 0 {
		return 0
	}
	both := 0
	for w := range wa {
		if wb[w] {
			both++
		}
	}
	return float64(2*both) / float64(len(wa)+len(wb))
}

func titleWords(s string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(fold(bareYear(s))) {
		switch w {
		case "the", "on", "of", "and", "for", "in", "a", "international", "conference", "workshop", "symposium", "annual":
		default:
			m[w] = true
		}
	}
	return m
}
