package sortedlinks_test

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/eventseer/eventseer/crawler/backlink/sortedlinks"
)

// The key of a page leads back to its URL, and the keys of a scope are one range.
func TestPrefix(t *testing.T) {
	for url, want := range map[string]string{
		"https://www.conf.org:8080/2027/?x=1": "org,conf,www,):8080/2027/?x=1",
		"conf.org/":                           "org,conf,)/",
		"http://192.0.2.7/a:b":                "192.0.2.7,)/a:b",
		"http://[2001:db8::1]:80/x":           "[2001:db8::1],):80/x",
		"http://[2001:db8::1]/":               "[2001:db8::1],)/",
		"http://localhost/":                   "localhost,)/",
	} {
		key := sortedlinks.AppendPrefix(nil, url)
		if string(key) != want {
			t.Errorf("%s: key %q, want %q", url, key, want)
		}
		back, ok := sortedlinks.URLOfPrefix(key)
		if !ok || string(sortedlinks.AppendPrefix(nil, back)) != want {
			t.Errorf("%s comes back as %q", url, back)
		}
	}
	if _, ok := sortedlinks.URLOfPrefix([]byte("org,conf")); ok {
		t.Error("a URL of a key without its host's end")
	}
}

type number int

func (n number) ComesBefore(m number) bool { return n < m }

// A heap whose least element grows by turns gives the sorted order of all.
func TestSiftDown(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for n := range 40 {
		heap, want := make([]number, n), make([]number, n)
		for i := range heap {
			heap[i] = number(random.IntN(30))
		}
		copy(want, heap)
		slices.Sort(want)
		for i := n/2 - 1; i >= 0; i-- {
			sortedlinks.SiftDown(heap, i)
		}
		for _, next := range want {
			if heap[0] != next {
				t.Fatalf("%d comes before %d, of %v", heap[0], next, want)
			}
			heap[0] = 1 << 20
			sortedlinks.SiftDown(heap, 0)
		}
	}
}

// FuzzEntry decodes any bytes without a panic. Decoded entries are encoded and decoded again.
func FuzzEntry(f *testing.F) {
	f.Add(sortedlinks.AppendEntry(sortedlinks.AppendEntry(nil, 0, []byte("org,a,)/"), []byte("v")), 4, []byte("org,b,)/"), nil))
	f.Fuzz(func(t *testing.T, entries []byte) {
		var key, last, again []byte
		for n := 0; len(entries) > 0; n++ {
			var value []byte
			var err error
			before := len(entries)
			key, value, entries, err = sortedlinks.CutEntry(key, entries)
			if err != nil {
				return
			}
			if len(entries) >= before {
				t.Fatal("an entry without bytes")
			}
			shared := sortedlinks.CommonPrefix(last, key)
			if !bytes.Equal(last[:shared], key[:shared]) || shared < min(len(last), len(key)) && last[shared] == key[shared] {
				t.Fatalf("%q and %q share %d bytes", last, key, shared)
			}
			again = sortedlinks.AppendEntry(again[:0], shared, key, value)
			k, v, rest, err := sortedlinks.CutEntry(bytes.Clone(last), again)
			if err != nil || len(rest) > 0 || !bytes.Equal(k, key) || !bytes.Equal(v, value) {
				t.Fatalf("%q %q comes back as %q %q, %v", key, value, k, v, err)
			}
			last = append(last[:0], key...)
		}
	})
}
