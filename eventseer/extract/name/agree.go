package name

import (
	"math"
	"strings"
	"unicode"
)

const (
	maxAgree   = 24   // candidates compared with one another
	sameName   = 0.8  // the share of words that two forms of a name have in common
	agreeSlope = 0.06 // how sharp that bound is
	maxShared  = 64   // words of a name that are compared
)

// Agree returns the candidate with the greatest belief, and the belief in all forms of its name. Forms of
// one name share the page's evidence for it, so the name is chosen by the belief in all its forms. The
// function share says how much of two candidates is the same, 0 to 1. Only the maxAgree most believed are
// compared. Without candidates it returns -1.
func Agree(belief []float64, share func(i, j int) float64) (int, float64) {
	top := MostBelieved(belief, maxAgree)
	best, most, mass := -1, 0.0, 0.0
	for _, i := range top {
		sum, same := 0.0, 0.0
		for _, j := range top {
			f := share(i, j)
			if f >= sameName {
				same += belief[j]
			}
			sum += belief[j] / (1 + math.Exp((sameName-f)/agreeSlope))
		}
		if sum > most+1e-9 {
			best, most, mass = i, sum, same
		}
	}
	return best, mass
}

// MostBelieved returns the indexes of the n largest values, largest first, of equals the
// first.
func MostBelieved(belief []float64, n int) []int {
	var top []int
	for i, b := range belief {
		at := len(top)
		for at > 0 && belief[top[at-1]] < b {
			at--
		}
		if at < n {
			top = append(top[:at], append([]int{i}, top[at:]...)...)
			top = top[:min(n, len(top))]
		}
	}
	return top
}

// SharedWords returns twice the number of common words of two names over the words of both, 0 to 1.
// Words after the 64th of b are not shared.
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

// Spells reports whether a name spells an acronym. Its letters, in order, begin words of the name,
// follow such a letter in its word, or are capitals in it: FoRD is "Forum on Rivers and Dams".
func Spells(acronym, name string) bool {
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
	// Bit n of reached is set when the first n letters have been found, of run
	// when the last of them was the rune before.
	reached, run, begins := uint32(1), uint32(0), true
	for _, r := range name {
		upper := unicode.IsUpper(r)
		from := run
		if begins || upper {
			from |= reached
		}
		run = 0
		if from != 0 {
			u := unicode.ToUpper(r)
			for n, w := range want {
				if w == u && from&(1<<n) != 0 {
					run |= 2 << n
				}
			}
		}
		reached |= run
		begins = !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}
	return reached&(1<<len(want)) != 0
}
