package name

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxAgree   = 24   // candidates compared with each other
	sameName   = 0.8  // share of common words from which two candidates are forms of one name
	agreeSlope = 0.06 // width of the gradual transition at sameName
	maxShared  = 64   // words of a name that are compared
)

// MostAgreed returns the index of the candidate whose name has the highest belief, and the sum of belief in all
// forms of that name. Forms of one name share the page's evidence, so a candidate is rated by its own
// belief and that of similar candidates. share(i, j) is the similarity of two candidates from 0 to 1. Only
// the maxAgree candidates with the highest belief are compared. Without candidates Agree returns -1 and 0.
func MostAgreed(belief []float64, share func(i, j int) float64) (int, float64) {
	top := LargestValues(belief, maxAgree)
	best, most, mass := -1, 0.0, 0.0
	for _, i := range top {
		sum, same := 0.0, 0.0
		for _, j := range top {
			f := share(i, j)
			if f >= sameName {
				same += belief[j]
			}
			if f == 0 { // most pairs share no word
				sum += belief[j] / (1 + unsharedWeight)
			} else {
				sum += belief[j] / (1 + math.Exp((sameName-f)/agreeSlope))
			}
		}
		if sum > most+1e-9 {
			best, most, mass = i, sum, same
		}
	}
	return best, mass
}

// unsharedWeight is the exponential of MostAgreed for two names without a common word. A share that is no
// constant makes the compiler round as it does there.
var unsharedWeight = func(share float64) float64 { return math.Exp((sameName - share) / agreeSlope) }(0)

// LargestValues returns the indexes of the n largest values in descending order. Of equal values the first
// comes first.
func LargestValues(belief []float64, n int) []int {
	var top []int
	for i, b := range belief {
		at := len(top)
		for at > 0 && belief[top[at-1]] < b {
			at--
		}
		if at < n {
			if len(top) < n {
				top = append(top, 0)
			}
			copy(top[at+1:], top[at:])
			top[at] = i
		}
	}
	return top
}

// SharedWords returns the similarity of two names, from 0 to 1. It is twice the number of their common
// words divided by the number of words of both. Words of b after the first 64 are ignored.
func SharedWords[T comparable](a, b []T) float64 {
	n, used := 0, uint64(0)
	for _, v := range a {
		for i, w := range b[:min(maxShared, len(b))] {
			if v == w && used&(1<<i) == 0 {
				used |= 1 << i
				n++
				break
			}
		}
	}
	return 2 * float64(n) / float64(max(1, len(a)+len(b)))
}

// IsAbbreviation reports whether an acronym abbreviates a name. All letters of the acronym must occur in the name
// in order. Each one must begin a word, be a capital, or follow a matched letter directly: FoRD is "Forum
// on Rivers and Dams".
func IsAbbreviation(acronym, name string) bool {
	var buf [maxAcronym]rune
	want := buf[:0]
	for _, r := range acronym {
		if unicode.IsLetter(r) {
			want = append(want, unicode.ToUpper(r))
		}
	}
	if len(want) < 2 || len(want) > maxAcronym || strings.IndexByte(name, ' ') < 0 {
		return false
	}
	// Bit n of reached is set if the first n letters have been found. Bit n of run is set if the last of
	// these was the previous rune.
	reached, run, begins := uint32(1), uint32(0), true
	var places ['Z' + 1]uint32 // by letter of ASCII: the bits of its places in want
	for n, w := range want {
		if w <= 'Z' {
			places[w] |= 1 << n
		}
	}
	for _, r := range name {
		from := run
		if begins || 'A' <= r && r <= 'Z' || r >= utf8.RuneSelf && unicode.IsUpper(r) {
			from |= reached
		}
		run = 0
		if r < utf8.RuneSelf {
			letter := 'a' <= r|0x20 && r|0x20 <= 'z'
			if letter {
				run = from & places[r&^0x20] << 1
			}
			begins = !letter && (r < '0' || r > '9')
		} else {
			u := unicode.ToUpper(r)
			for n, w := range want {
				if w == u && from&(1<<n) != 0 {
					run |= 2 << n
				}
			}
			begins = !unicode.IsLetter(r) && !unicode.IsDigit(r)
		}
		reached |= run
	}
	return reached&(1<<len(want)) != 0
}
