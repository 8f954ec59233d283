package crawler

import (
	"fmt"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/webgraph"
)

// prose is a text of n words that no other seed gives.
func prose(seed uint64, n int) string {
	words := make([]string, n)
	for i := range words {
		seed = mixHash(seed + golden)
		words[i] = fmt.Sprintf("w%c%c%c", 'a'+seed%26, 'a'+seed>>8%26, 'a'+seed>>16%26)
	}
	return strings.Join(words, " ")
}

func TestFingerprints(t *testing.T) {
	long, other := prose(1, 200), prose(2, 200)
	for name, test := range map[string]struct {
		a, b       string
		same, near bool
	}{
		"case and marks":   {"Call for Papers: Logic!", "call FOR papers,\n\tlogic", true, true},
		"numbers":          {long + " 2026-05-01", long + " 2027 06 2", false, true},
		"months":           {"Events in January 2026", "Events in Dezember 1999", false, true},
		"a word changed":   {long + " alpha " + prose(3, 200), long + " beta " + prose(3, 200), false, true},
		"other text":       {long, other, false, false},
		"order":            {"b a", "a b", false, false},
		"joined words":     {"ab", "a b", false, false},
		"digits in a word": {"room a1", "room b2", false, true},
		"ideographs":       {"会議、論文", "会議 論文", true, true},
		"other ideographs": {"会議論文", "会議募集", false, false},
		"quotes":           {"«call» for “papers”…", "call for papers", true, true},
		"accents":          {"appel à communications", "appel a communications", false, false},
		"empty":            {"", " –\u00a0", true, true},
	} {
		a, b := fingerprintsOf(test.a), fingerprintsOf(test.b)
		if (a.same == b.same) != test.same || (a.near.Distance(b.near) <= webgraph.NearDistance) != test.near {
			t.Errorf("%s: same %v, want %v; distance %d, want near %v", name, a.same == b.same, test.same, a.near.Distance(b.near), test.near)
		}
	}
	if g := fingerprintsOf("Ein Märchen", "von 1001 Nächten 会議"); g.words != 7 {
		t.Errorf("%d words, want 7", g.words)
	}
	if fingerprintsOf("one", "two").same != fingerprintsOf("one two").same {
		t.Error("where a text is cut shows")
	}
}

// The counts of the planes are those of plain counters.
func TestVotesMajority(t *testing.T) {
	var v votes
	var plain [64]int
	for i := range uint64(1001) {
		h := mixHash(i)
		v.add(h)
		for b := range plain {
			plain[b] += int(h >> b & 1)
		}
	}
	var want webgraph.Fingerprint
	for b, n := range plain {
		if 2*n > 1001 {
			want |= 1 << b
		}
	}
	if got := v.majorityBits(); got != want {
		t.Errorf("%x, want %x", got, want)
	}
}

func FuzzFingerprints(f *testing.F) {
	f.Add("Call for papers 2026")
	f.Add("会議\xff")
	f.Add("0\xe2")
	f.Fuzz(func(t *testing.T, s string) {
		g := fingerprintsOf(s)
		if g.words > len(s) || fingerprintsOf(s) != g {
			t.Fatalf("%+v", g)
		}
		if fingerprintsOf(" "+s+"\n") != g {
			t.Fatal("white space around a text shows")
		}
	})
}

func BenchmarkFingerprints(b *testing.B) {
	text := prose(1, 1000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		fingerprintsOf("title", text)
	}
}

func BenchmarkSimhashOfWebgraph(b *testing.B) {
	text := prose(1, 1000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		webgraph.Simhash(text)
	}
}
