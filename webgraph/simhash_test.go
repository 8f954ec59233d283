package webgraph

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func randomWords(rng *rand.Rand, n int) []string {
	words := make([]string, n)
	for i := range words {
		words[i] = fmt.Sprintf("word%d", rng.IntN(5000))
	}
	return words
}

func TestSimhashOfNearTexts(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	words := randomWords(rng, 2000)
	text := strings.Join(words, " ")
	f, n := Simhash(text)
	if n != 2000 {
		t.Errorf("%d words, want 2000", n)
	}
	if g, _ := Simhash("  " + strings.ToUpper(strings.ReplaceAll(text, " ", ",\n"))); g != f {
		t.Errorf("case or punctuation changes %x to %x", f, g)
	}
	words[700] = "changed"
	if g, _ := Simhash(strings.Join(words, " ")); f.Distance(g) > NearDistance {
		t.Errorf("one word of 2000 changes %d bits", f.Distance(g))
	}
	if g, _ := Simhash(strings.Join(randomWords(rng, 2000), " ")); f.Distance(g) < 15 {
		t.Errorf("another text differs in %d bits only", f.Distance(g))
	}
}

func TestSimhashOfShortTexts(t *testing.T) {
	seen := map[Fingerprint]string{}
	for _, s := range []string{"", "call", "call for", "call for papers", "call for papers now", "for papers now"} {
		f, n := Simhash(s)
		if n != len(strings.Fields(s)) {
			t.Errorf("%q has %d words", s, n)
		}
		if other, ok := seen[f]; ok {
			t.Errorf("%q and %q have one fingerprint", s, other)
		}
		seen[f] = s
	}
}

// TestNearIndex compares the index with a comparison of all pairs.
func TestNearIndex(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var x NearIndex
		var all []Fingerprint
		base := Fingerprint(rapid.Uint64().Draw(t, "base"))
		for range rapid.IntRange(0, 30).Draw(t, "n") {
			f := base
			for range rapid.IntRange(0, 6).Draw(t, "bits") {
				f ^= 1 << rapid.IntRange(0, 63).Draw(t, "bit")
			}
			want, distance := -1, NearDistance+1
			for i, g := range all {
				if d := f.Distance(g); i%2 == 0 && d < distance {
					want, distance = i, d
				}
			}
			if got, d := x.Nearest(f, func(n int) bool { return n%2 == 0 }); got != want || d != distance {
				t.Fatalf("nearest to %x is %d at %d, want %d at %d", f, got, d, want, distance)
			}
			if n := x.Add(f); n != len(all) {
				t.Fatalf("number %d, want %d", n, len(all))
			}
			all = append(all, f)
		}
	})
}

func FuzzSimhash(f *testing.F) {
	f.Add("Call for Papers: the workshop, 2027")
	f.Add("\xff\x00ß")
	f.Fuzz(func(t *testing.T, s string) {
		f, n := Simhash(s)
		if g, m := Simhash(s + "."); f != g || n != m {
			t.Errorf("a full stop changes %x (%d) to %x (%d)", f, n, g, m)
		}
	})
}

// 2026-11: about 60 MB/s on one core of the build machine.
func BenchmarkSimhash(b *testing.B) {
	text := strings.Join(randomWords(rand.New(rand.NewPCG(1, 2)), 2000), " ")
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Simhash(text)
	}
}
