package features

import (
	"slices"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/internal/golden"
	"github.com/eventseer/eventseer/internal/warc"

	"github.com/eventseer/eventseer/features/tagtree"

	uax29 "github.com/clipperhouse/uax29/v2/words"
)

// tokensByRules returns the tokens of s, all of which is divided by the rules of UAX #29.
func tokensByRules(s string) (tokens []token) {
	z := tokenizer{language: english}
	end := 0
	it := uax29.FromString(s)
	for it.Next() {
		for i := max(it.Start(), end); i < it.End(); {
			i += z.readToken(s[i:], it.End()-i, func(t token) { tokens = append(tokens, t) })
			end = i
		}
	}
	return tokens
}

func tokensByParts(s string) (tokens []token) {
	z := tokenizer{language: english}
	z.forEachToken(s, func(t token) { tokens = append(tokens, t) })
	return tokens
}

// sameTokens reports whether two lists have the same words and numbers.
func sameTokens(a, b []token) bool {
	return slices.EqualFunc(a, b, func(a, b token) bool {
		return a.number == b.number && a.joined == b.joined && (a.word == nil) == (b.word == nil) &&
			(a.word == nil || a.word.text == b.word.text && a.word.term == b.word.term)
	})
}

func TestTextsAreDividedAsByTheRules(t *testing.T) {
	texts := []string{
		"", " ", "Call for Papers", "Zürich, 12–14 May 2027", "l’appel à communications: don't wait", "papers\u00a0due 1/2/2027 é 3",
		" \u0301abc d\u0301ef \u00adsoft hy\u00adphen", "2026年5月1日 投稿 締切 2026 年", "カタカナ ひらがな 論文募集 abc中def", "a.b é c_d e'f 3a", "\r\né\n a",
		"\U0001F1E9\U0001F1EA a é", "é", "é ", " é", "a\tb é\tc", strings.Repeat("né 12-", 50),
	}
	for p, err := range warc.Pages(golden.SharedPath(t, "corpora/pages/pages.warc.gz")) {
		if err != nil {
			t.Fatal(err)
		}
		tree, err := tagtree.Parse(p)
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range tree.Blocks() {
			texts = append(texts, b.Text)
		}
		if len(texts) > 20_000 {
			break
		}
	}
	for _, s := range texts {
		if !sameTokens(tokensByParts(s), tokensByRules(s)) {
			t.Errorf("%q is divided into other words than by UAX #29", s)
		}
	}
}

func FuzzDivide(f *testing.F) {
	f.Add("l’appel à 1/2/2027 é 投稿 \u0301a")
	f.Fuzz(func(t *testing.T, s string) {
		if got, want := tokensByParts(s), tokensByRules(s); !sameTokens(got, want) {
			t.Errorf("%q is divided into %v, but UAX #29 gives %v", s, got, want)
		}
	})
}

func TestYearsInEqualsAScanOfEachNumber(t *testing.T) {
	for _, s := range []string{
		"", "2027", "a2027", "2027b", "20270", "120270", "1999-2001", "x/2019/05/2020", "2", "20 2026", "1979 1980 2043 2044", "2026a2027b2028",
		"99992026 2026", "12 345 6789", strings.Repeat("2001 ", 9), "²⁰²⁷", "0002027",
	} {
		var want uint64
		for _, number := range strings.FieldsFunc(s, func(r rune) bool { return r < '0' || r > '9' }) {
			if y := valueOf(number); len(number) == 4 && isYear(y) {
				want |= 1 << (y - firstYear)
			}
		}
		if got := yearsIn(s); got != want {
			t.Errorf("years in %q: %b, want %b", s, got, want)
		}
	}
}

func TestShapesOfASCIIEqualThoseOfOtherTexts(t *testing.T) {
	for _, s := range []string{"", " ", "Ann Bee met ICX 2027", "\tICX'27\n9:30 x\vAnn\fBee\rC. Dee ", "> quoted Ann B. Cee", "a  b", "WS2027", "don't Go"} {
		var ascii, other shapeCounts
		ascii.addBlock(s)
		other.addBlock(s + " é") // a word without a shape
		a, b := ascii.featureValues(1), other.featureValues(1)
		if !slices.Equal(a, b) {
			t.Errorf("%q has the shapes %v, with another letter %v", s, a, b)
		}
	}
}
