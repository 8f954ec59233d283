package frontier

import (
	"math/rand/v2"
	"testing"
	"unsafe"
)

// A table is a map from hash to slot.
func TestTable(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	want := map[uint64]tableEntry{}
	var tab table
	for range 50000 {
		hash := uint64(rnd.IntN(20000))
		if hash%2 == 0 {
			hash *= 0x9e3779b97f4a7c15 // some are spread, others are close together
		}
		at, seq, st := rnd.Uint64(), rnd.Uint64()>>4, linkState(1+rnd.IntN(int(standings)-1))
		tab.set(hash, at, seq, st)
		want[hash] = tableEntry{hash, at, seq<<4 | uint64(st)}
	}
	count := [standings]int{}
	for hash, s := range want {
		count[s.linkState()]++
		if got := tab.get(hash); got != s {
			t.Fatalf("%x: %v, want %v", hash, got, s)
		}
	}
	if tab.count != count {
		t.Errorf("%v, want %v", tab.count, count)
	}
	if s := tab.get(12345678); s != (tableEntry{}) {
		t.Errorf("never set: %v", s)
	}
	if n := unsafe.Sizeof(tableEntry{}); n != 24 {
		t.Errorf("a slot takes %d bytes", n)
	}
}
