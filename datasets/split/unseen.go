package split

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// UnseenTable holds facts of pages that no rule or label was made from. They were read on
// 2026-11-27 before any output of the program on them: lines of ten columns between tabs, see its
// first line. Topics and people stand there as digests, see FactDigest.
//
//go:embed unseen.tsv
var UnseenTable string

// NotScored is the value in UnseenTable for a fact about which readers may disagree.
const NotScored = "?"

// An UnseenPage is a line of UnseenTable. Lists are nil if the page does not have the fact; for a fact
// that is not scored the list is only NotScored.
type UnseenPage struct {
	URL, Part, Owner string   // Part is open or aside
	Cities           []string // spellings of the name of the event's city
	Country          string
	Submissions      []string // days of deadlines of kind abstract or submission, 2006-01-02
	Extensions       []string // "KIND DAY DAY": the current day and the previous one
	Topics           []string // digests
	People           []string // digests of the names of people with a role
	Others           []string // digests of names that count neither as right nor as wrong, such as those of speakers
}

// UnseenPages returns the lines of UnseenTable, in order.
func UnseenPages() ([]UnseenPage, error) {
	var out []UnseenPage
	for line := range strings.Lines(UnseenTable) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != 10 || f[1] != "open" && f[1] != "aside" {
			return nil, fmt.Errorf("unseen.tsv: %q must have ten columns, the second of which is open or aside", line)
		}
		p := UnseenPage{URL: f[0], Part: f[1], Owner: f[2], Country: f[4]}
		for i, to := range map[int]*[]string{3: &p.Cities, 5: &p.Submissions, 6: &p.Extensions, 7: &p.Topics, 8: &p.People, 9: &p.Others} {
			if f[i] != "" {
				*to = strings.Split(f[i], "|")
			}
		}
		out = append(out, p)
	}
	return out, nil
}

// FactDigest returns the digest that UnseenTable stores instead of a topic or name on the page url. It
// has 8 hexadecimal digits and is the same for texts of the same words in any order; case and accents are
// ignored.
func FactDigest(url, text string) string {
	text = strings.ToLower(strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Mn, r):
			return -1
		case r == 'ø' || r == 'Ø':
			return 'o'
		case r == 'ł' || r == 'Ł':
			return 'l'
		case r == 'ı':
			return 'i'
		}
		return r
	}, norm.NFD.String(text)))
	words := strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
	slices.Sort(words)
	sum := sha256.Sum256([]byte(url + "\x00" + strings.Join(slices.Compact(words), " ")))
	return hex.EncodeToString(sum[:4])
}
