package series

import (
	"strconv"
	"strings"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/extract/pattern"
	"github.com/eventseer/eventseer/internal/text"
)

// WithoutYears removes years from a name, because the id contains the year.
func WithoutYears(s string) string {
	var kept []string
	for _, w := range strings.Fields(s) {
		if !isYear(strings.Trim(w, "().,:;'’[]")) {
			kept = append(kept, w)
		}
	}
	return strings.Join(kept, " ")
}

func isYear(w string) bool {
	n, err := strconv.Atoi(w)
	return err == nil && n >= firstYear && n <= lastYear
}

// firstYear and lastYear bound a number of four digits that counts as a year in a name.
const (
	firstYear = 1900
	lastYear  = 2199
)

// BareAcronym returns an acronym in folded form without the year or the number of the edition. It
// is "icx" for "ICX'27" in 2027 and for "ICX-4" with the title "4th Conference on X". It is "" for
// the name of an archive, see IsArchive.
func BareAcronym(e eventseer.Event) string {
	words := strings.Fields(text.FoldForComparison(WithoutYears(text.CutName(e.Acronym))))
	if len(words) == 0 || IsArchive(e.Acronym) {
		return ""
	}
	last := words[len(words)-1]
	letters := strings.TrimRight(last, "0123456789")
	number := last[len(letters):]
	if n, err := strconv.Atoi(number); err == nil && (letters != "" || len(words) > 1) {
		if len(number) >= 2 && e.Year > 0 && n == e.Year%100 || n == e.Year || n > 1 && n == Ordinal(e.Title) || isYear(number) {
			words[len(words)-1] = letters
		}
	}
	return strings.TrimSpace(strings.Join(words, " "))
}

// smallWords do not describe the subject of an event, in a title or in the subject of a mail.
var smallWords = text.WordSet(`a an and at by de del der des des die du el en et for fur in la las le les los of on para the to und with y
	international annual national conference conferences workshop workshops symposium congress meeting colloquium school
	call calls cfp papers paper participation contributions proposals deadline extended extension reminder final second
	announcement welcome home committee committees program programme registration submission submissions dates important
	accepted venue schedule organization organizers
	conferencia congreso taller simposio jornadas konferenz tagung conference colloque conferência simpósio oficina`)

// listTag matches the tag of a mailing list before a subject.
var listTag = pattern.Compile(`^\s*(\[[^\]]{1,40}\]\s*|(?i:(re|fwd?|aw):)\s*)+`)

// MaxTitleWords bounds the words of a title that are compared.
const MaxTitleWords = 60

// OwnTitle returns a title without the tag of a mailing list and the event with which it is held.
func OwnTitle(title string) string {
	title = listTag.ReplaceAllString(text.CutName(title), "")
	if own := heldWith.ReplaceAllString(title, ""); strings.TrimSpace(own) != "" {
		return own
	}
	return title
}

// IsSmallWord reports whether a normalized word does not describe the subject of an event.
func IsSmallWord(w string) bool { return smallWords[w] }

// IsSociety reports whether an acronym is that of a society rather than of an event.
func IsSociety(acronym string) bool { return societies[acronym] }

// IsOrdinal reports whether a normalized word is an ordinal or its tens.
func IsOrdinal(w string) bool { return ordinalOf(w) > 0 || tensWords[w] > 0 }

// ContentWords returns the words of a title that describe the event's subject, in order. It leaves
// out years, ordinals, small words, societies and the event it is held with.
func ContentWords(title string) (words []string) {
	for _, w := range strings.Fields(text.FoldForComparison(WithoutYears(OwnTitle(title)))) {
		if len(words) >= MaxTitleWords {
			break
		}
		if !smallWords[w] && !societies[w] && ordinalOf(w) == 0 {
			words = append(words, w)
		}
	}
	return words
}

// TitleWords is ContentWords as a set.
func TitleWords(title string) map[string]bool {
	return text.WordSet(strings.Join(ContentWords(title), " "))
}

// TitleSimilarity returns the share of common words of two titles (Dice's coefficient), and their number.
func TitleSimilarity(a, b map[string]bool) (share float64, both int) {
	if len(a) == 0 || len(b) == 0 {
		return 0, 0
	}
	for w := range a {
		if b[w] {
			both++
		}
	}
	return float64(2*both) / float64(len(a)+len(b)), both
}

// Ordinal returns the number of the edition at the beginning of a title, "10th" or "XXV"; 0 if
// there is none.
func Ordinal(title string) int {
	title = listTag.ReplaceAllString(text.CutName(title), "")
	words := strings.Fields(title)
	if len(words) > 2 && romanWord.MatchString(words[0]) {
		return romanValue(words[0])
	}
	tens := 0
	for i, w := range strings.Fields(text.FoldForComparison(title)) {
		if i >= MaxTitleWords {
			break
		}
		if n := tensWords[w]; n > 0 {
			tens = n
			continue
		}
		if n := ordinalOf(w); n > 0 {
			if n < 10 {
				n += tens
			}
			return n
		}
		tens = 0
	}
	return 0
}

var (
	ordinalWord  = pattern.Compile(`^(\d{1,3})(st|nd|rd|th|o|a|e|er|eme|as|os)$`)
	romanWord    = pattern.Compile(`^[IVX]{1,7}$`)
	tensWords    = map[string]int{"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60}
	ordinalWords = map[string]int{
		"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9,
		"tenth": 10, "eleventh": 11, "twelfth": 12, "thirteenth": 13, "fourteenth": 14, "fifteenth": 15, "sixteenth": 16,
		"seventeenth": 17, "eighteenth": 18, "nineteenth": 19, "twentieth": 20, "thirtieth": 30, "fortieth": 40, "fiftieth": 50,
	}
)

// ordinalOf returns the number of a normalized word that is an ordinal, or 0.
func ordinalOf(w string) int {
	if n := ordinalWords[w]; n > 0 {
		return n
	}
	if m := ordinalWord.FindStringSubmatch(w); m != nil {
		n, _ := strconv.Atoi(m[1]) // three digits at most
		return n
	}
	return 0
}

// romanValue returns the value of a Roman numeral of I, V and X.
func romanValue(s string) int {
	digits := map[rune]int{'I': 1, 'V': 5, 'X': 10}
	n, last := 0, 0
	for _, r := range s {
		d := digits[r]
		if n += d; last < d {
			n -= 2 * last
		}
		last = d
	}
	return n
}

// societies are acronyms of organizers, not of events.
var societies = text.WordSet("acm ieee ifip siam usenix springer lncs aaai sigchi siggraph sigops sigplan iet eai iaria iasted cfp papers")
