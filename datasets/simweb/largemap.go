package simweb

import (
	"iter"
	"math/bits"
	"sort"
)

// mix64 is the finalizer of splitmix64 (Steele, Lea and Flood 2014).
func mix64(h uint64) uint64 {
	h = (h ^ h>>30) * 0xBF58476D1CE4E5B9
	h = (h ^ h>>27) * 0x94D049BB133111EB
	return h ^ h>>31
}

// keyed returns a number for the parts that is as good as random.
func keyed(seed uint64, parts ...uint64) uint64 {
	h := mix64(seed + 0x9E3779B97F4A7C15)
	for _, p := range parts {
		h = mix64(h ^ (p+0x9E3779B97F4A7C15)*0xD6E8FEB86659FD93)
	}
	return h
}

// A permutation maps the numbers below n one to one onto themselves: a Feistel
// network of four rounds on the smallest even number of bits that holds them,
// walked until it comes back below n (Black and Rogaway 2002, section 3).
type permutation struct {
	n    uint64
	half int // bits of each side
	keys [4]uint64
}

func newPermutation(n int, key uint64) permutation {
	p := permutation{n: uint64(n), half: (bits.Len64(uint64(max(n-1, 1))) + 1) / 2}
	for i := range p.keys {
		p.keys[i] = keyed(key, uint64(i))
	}
	return p
}

func (p *permutation) forward(x int) int {
	v, mask := uint64(x), uint64(1)<<p.half-1
	for {
		l, r := v>>p.half, v&mask
		for _, k := range p.keys {
			l, r = r, l^mix64(r^k)&mask
		}
		if v = l<<p.half | r; v < p.n {
			return int(v)
		}
	}
}

func (p *permutation) inverse(x int) int {
	v, mask := uint64(x), uint64(1)<<p.half-1
	for {
		l, r := v>>p.half, v&mask
		for i := len(p.keys) - 1; i >= 0; i-- {
			l, r = r^mix64(l^p.keys[i])&mask, l
		}
		if v = l<<p.half | r; v < p.n {
			return int(v)
		}
	}
}

// rank maps x below m to m·(x/m)⁴, which never decreases. Of m links that take the numbers below m,
// rank y is the target of about y^-0.75 (Zipf's law), and those links lie side by side. Integers
// make it the same on all machines.
func rank(x, m int) int {
	square := uint64(x) * uint64(x) / uint64(m)
	return int(square * square / uint64(m))
}

// firstRank is the smallest x below m with rank(x, m) >= y, else m.
func firstRank(y, m int) int {
	return sort.Search(m, func(x int) bool { return rank(x, m) >= y })
}

// A scatter sends links from the numbers below m to the numbers below n, each
// as often as its rank says.
type scatter struct{ from, to permutation }

func newScatter(m, n int, key uint64) scatter {
	return scatter{newPermutation(m, keyed(key, 1)), newPermutation(n, keyed(key, 2))}
}

// target returns where the link of x leads.
func (s *scatter) target(x int) int {
	return s.to.forward(rank(s.from.forward(x), int(s.from.n)) * int(s.to.n) / int(s.from.n))
}

// sources yields all x of target y.
func (s *scatter) sources(y int) iter.Seq[int] {
	return func(yield func(x int) bool) {
		m, n := int(s.from.n), int(s.to.n)
		y := s.to.inverse(y)
		// The ranks r with r·n/m == y.
		lo, hi := (y*m+n-1)/n, ((y+1)*m+n-1)/n
		for x, end := firstRank(lo, m), firstRank(hi, m); x < end; x++ {
			if !yield(s.from.inverse(x)) {
				return
			}
		}
	}
}
