//go:build !race

package dictionary

import (
	"os"
	"slices"
	"testing"
)

// Reading 18 MB takes ten seconds with the race detector, and no goroutines.

// The packages of Debian, where they are installed.
const (
	realMyThes  = "/usr/share/mythes/th_en_US_v2.dat"
	realWordNet = "/usr/share/wordnet"
)

func TestRealThesauri(t *testing.T) {
	for _, c := range []struct {
		name, path string
		o          Options
		want       map[string]string
	}{
		{"mythes-en-us", realMyThes, Options{MyThes: []string{realMyThes}}, map[string]string{"lecture": "talk", "sponsors": "patron"}},
		{"wordnet-base", realWordNet + "/data.noun", Options{WordNet: realWordNet}, map[string]string{"lecture": "talk", "sponsors": "patron", "artificial intelligence": "ai"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := os.Stat(c.path); err != nil {
				t.Skipf("no %s: apt-get install %s", c.path, c.name)
			}
			d, bad := open(t, c.o)
			if len(bad) > 0 {
				t.Errorf("%d bad lines, first %s", len(bad), bad[0])
			}
			t.Logf("%d headwords", len(d.thesaurus.synonyms))
			for term, want := range c.want {
				got := d.Synonyms(term)
				if t.Logf("%s: %q", term, got); !slices.Contains(got, want) {
					t.Errorf("Synonyms(%q) = %q, want %q among them", term, got, want)
				}
			}
		})
	}
}
