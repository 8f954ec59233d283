package features

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWords(t *testing.T) {
	for _, c := range []struct {
		lang, text string
		want       []Word
	}{
		{"en", "Calls for Papers, 2027!", []Word{{"calls", "call", 0, 5}, {"for", "for", 6, 9}, {"papers", "paper", 10, 16}, {"2027", "2027", 18, 22}}},
		{"de", "Die Einreichungen", []Word{{"die", "die", 0, 3}, {"einreichungen", "einreich", 4, 17}}},
		{"fr", "l’appel à réponses", []Word{{"l'appel", "appel", 0, 9}, {"à", "a", 10, 12}, {"réponses", "repons", 13, 22}}},
		{"zh", "会议2027", []Word{{"会", "会", 0, 3}, {"议", "议", 3, 6}, {"2027", "2027", 6, 10}}},
		{"", "", nil},
		{"en", "--- ??? ", nil},
	} {
		var got []Word
		for w := range Words(c.text, c.lang) {
			got = append(got, w)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("Words(%q, %q) (-want +got):\n%s", c.text, c.lang, diff)
		}
	}
}

func TestWordsStops(t *testing.T) {
	for w := range Words("one, two é three", "en") {
		if w.Text != "one" {
			t.Fatalf("went on to %q", w.Text)
		}
		break
	}
}

func TestStemIn(t *testing.T) {
	for _, c := range [][3]string{
		{"submissions", "en", "submiss"}, {"the", "en", "the"}, {"einreichungen", "de", "einreich"}, {"статьи", "en", "стат"}, {"", "en", ""},
	} {
		if got := StemIn(c[0], c[1]); got != c[2] {
			t.Errorf("StemIn(%q, %q) = %q, want %q", c[0], c[1], got, c[2])
		}
	}
}

func FuzzWords(f *testing.F) {
	f.Add("Calls for Papers, 2027!", "en")
	f.Add("l’appel 会议 Ελλάδα a\xffb", "fr")
	f.Fuzz(func(t *testing.T, s, lang string) {
		last := 0
		for w := range Words(s, lang) {
			if w.Start < last || w.End <= w.Start || w.End > len(s) || w.Stem == "" || w.Text == "" {
				t.Fatalf("word %+v after %d in %q", w, last, s)
			}
			last = w.End
		}
	})
}
