package features

import (
	"fmt"
	"strings"
	"testing"
)

func TestShapes(t *testing.T) {
	for _, tt := range []struct {
		text               string
		events, names, all int // names of events and people, blocks of events
		times              int
	}{
		{"ICX 2027 in Turku", 1, 0, 1, 0},
		{"ICX'27, ICX27 and icx 2027", 1, 0, 1, 0}, // one event, one block
		{"(ICX 2027)\nOWL-2026\nICX 2028", 2, 0, 3, 0},
		{"WoLF 2027", 1, 0, 1, 0},
		{"May 2027", 0, 0, 0, 0},
		{"ICX 1927, ICX 99", 0, 0, 0, 0},
		{"Ann Bee, Carl D. Eff and Gus", 0, 2, 0, 0},
		{"ann bee", 0, 0, 0, 0},
		{"9:30 opening\n14:00-15:00 talk\nratio 1:2", 0, 0, 0, 2},
	} {
		got := structureOf(ReadText(tt.text))
		for name, want := range map[string]float64{
			"event_names": scaledCount(tt.events, 50), "event_blocks": scaledCount(tt.all, 50),
			"names": scaledCount(tt.names, 100), "time_blocks": scaledCount(tt.times, 50),
		} {
			if !near6(got[name], want) {
				t.Errorf("%q: %s is %.3f, want %.3f", tt.text, name, got[name], want)
			}
		}
	}
}

func TestShapeShares(t *testing.T) {
	got := structureOf(ReadText("ICX 2027\nAnn Bee\n10:15 talk\n> quoted"))
	for name, want := range map[string]float64{
		"event_share": 0.25, "name_share": 0.25, "time_share": 0.25, "quoted_blocks": scaledCount(1, 50),
	} {
		if !near6(got[name], want) {
			t.Errorf("%s is %v, want %v", name, got[name], want)
		}
	}
}

func TestEventsAreBounded(t *testing.T) {
	var s strings.Builder
	for i := range 2 * maxEvents {
		fmt.Fprintf(&s, "A%c%c%cX 2027\n", 'A'+i%26, 'A'+i/26%26, 'A'+i/676)
	}
	s.WriteString(strings.Repeat("A", 1000) + " 2027\n")
	var c shapeCounts
	for line := range strings.Lines(s.String()) {
		c.addBlock(line)
	}
	if len(c.events) != maxEvents || c.eventBlocks != 2*maxEvents {
		t.Errorf("%d events in %d blocks, want %d in %d", len(c.events), c.eventBlocks, maxEvents, 2*maxEvents)
	}
}

// Each test of a word looks at it once.
func FuzzShapes(f *testing.F) {
	f.Add("ICX'27, (OWL 2026): Ann B. Cee 9:30")
	f.Add("’27 A’27 '")
	f.Fuzz(func(t *testing.T, s string) {
		var c shapeCounts
		c.addBlock(s)
		for i, x := range c.featureValues(1) {
			if x < 0 || x > float64(len(s)+1) {
				t.Errorf("%s of %q is %v", shapeNames[i], s, x)
			}
		}
	})
}
