package features

import (
	"fmt"
	"strings"
	"testing"
)

// oneSet returns a lexicon that has only one set.
func oneSet() lexicon { return make(lexicon, 1) }

func TestLexiconKeepsTheWordsInUse(t *testing.T) {
	x := oneSet()
	common := x.lookUp([]byte("papers"), english)
	for i := range 100 {
		x.lookUp(fmt.Appendf(nil, "rare%c%c", 'a'+i/26, 'a'+i%26), english)
		if got := x.lookUp([]byte("papers"), english); got != common {
			t.Fatalf("after %d rare words, the common one was made again", i+1)
		}
	}
}

func TestLexiconReplacesAWordWhenAllAreInUse(t *testing.T) {
	x := oneSet()
	for round := range 3 {
		for i := range 2 * wordPlaces {
			s := fmt.Sprintf("paper%c", 'a'+i)
			for range 2 {
				if w := x.lookUp([]byte(s), english); w.text != s || w.term != Stem(s) {
					t.Fatalf("round %d: look-up of %q gives %+v", round, s, w)
				}
			}
		}
	}
}

func TestSpellingTellsWordsApart(t *testing.T) {
	x := oneSet()
	long := strings.Repeat("a", packedBytes)
	for _, s := range []string{"a", "a\x00", "aa", long, long + "b", long + "c", long + "\x00", long[:8], long[:9], "é", "papers"} {
		for _, l := range []language{english, german, unknown} {
			if w := x.lookUp([]byte(s), l); w.text != s || w.language != l {
				t.Errorf("look-up of %q in language %d gives %q in language %d", s, l, w.text, w.language)
			}
		}
	}
}

// A text is read by the fast way and by the general one, which must agree on every word.
func TestSpellingAtEqualsReadLetters(t *testing.T) {
	texts := []string{
		"", "A", "Call for Papers", "ABCDEFGH", "ABCDEFGHi", "abcdefghijklmnop", "abcdefghijklmnopq", "don't", "dogs' ", "x'", "naïve", "a\u0301b",
		"[{@`", "a[b", "z{", "a\x00b", "a\x7fb", "\x80\xff", "Zürich", "abcdefgh'i", "abcdefghé",
	}
	for i := range 256 {
		texts = append(texts, "ab"+string([]byte{byte(i)})+"cdefghijkl")
	}
	for _, s := range texts {
		for i := range s {
			z := tokenizer{language: english}
			c, ok := spellingAt(s[i:], english)
			size := z.readLetters(s[i:])
			if !ok {
				continue
			}
			if want := spellingOf(z.buf, english); size != int(c.length) || c != want {
				t.Errorf("%q has the spelling %+v, but reading it letter by letter gives %+v of %d bytes", s[i:], c, want, size)
			}
		}
	}
	if c, ok := spellingAt("Papers 2027", english); !ok || c.length != 6 {
		t.Errorf("a plain word is not read by the fast way: %+v", c)
	}
}

func FuzzSpellingAt(f *testing.F) {
	f.Add("Call for Papers: naïve")
	f.Fuzz(func(t *testing.T, s string) {
		z := tokenizer{language: english}
		if c, ok := spellingAt(s, english); ok {
			size := z.readLetters(s)
			if want := spellingOf(z.buf, english); size != int(c.length) || c != want {
				t.Errorf("%q has the spelling %+v, but reading it letter by letter gives %+v", s, c, want)
			}
		}
	})
}

func TestTermIndex(t *testing.T) {
	x := newTermIndex(0)
	for round := range 2 {
		for i := range 1000 {
			s := fmt.Sprintf("term%d", i)
			hash := hashTerm(s)
			if i%3 == 0 {
				hash = 7 // terms with the same hash differ in their text
			}
			if got := x.add(s, hash); got != i {
				t.Fatalf("round %d: term %q has number %d, want %d", round, s, got, i)
			}
		}
	}
	if i, _ := x.find("other", 7); i >= 0 {
		t.Errorf("a term that was not added has number %d", i)
	}
}
