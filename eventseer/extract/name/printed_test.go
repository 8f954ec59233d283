package name

import (
	"strings"
	"testing"

	"github.com/eventseer/eventseer/features/tagtree"
)

func TestReadPrinted(t *testing.T) {
	blocks := []tagtree.Block{
		{Text: "See https://www.frd2031.example/call?track=rivers, or write to chairs@dams-2031.example (not @ noon)."},
		{Text: "www.weir.example and @handle, x@ and @ "},
	}
	d := newDocument(&Page{
		URL: "https://www.host.example/a/", Blocks: blocks, Menu: make([]bool, 2), Head: []int{-1, -1}, Dates: func(int) [][2]int { return nil },
		Targets: []string{"https://host.example/own", "https://forms.example/?conf=frd31", "https://frdsite.example/"},
	}, newMemory())
	got := d.readAddresses()
	for part, want := range map[string]addressPlace{
		"frd": inText | inLink, "dams": inText, "weir": inText, "rivers": inText, "forms": inLink, "frdsite": inLink,
		"noon": 0, "handle": 0, "own": 0, "host": 0, "see": 0, "write": 0,
	} {
		if got[part] != want {
			t.Errorf("%s: %d, want %d", part, got[part], want)
		}
	}
	if whole, part := partsWith(got, "frds"); whole != 0 || part != inLink {
		t.Errorf("frds: %d %d", whole, part)
	}
	if whole, part := partsWith(got, "frd"); whole != inText|inLink || part != 0 {
		t.Errorf("frd: %d %d, too short to be a part of a word", whole, part)
	}
}

// TestReadPrintedBounds reads a page of addresses up to the limits.
func TestReadPrintedBounds(t *testing.T) {
	for _, s := range []string{strings.Repeat("@", 4000), strings.Repeat("://", 1300), strings.Repeat("www.", 1000), strings.Repeat("a@b ", 1000), "@", "://", "x@", "www."} {
		d := newDocument(&Page{Blocks: []tagtree.Block{{Text: s}}, Menu: []bool{false}, Head: []int{-1}, Dates: func(int) [][2]int { return nil }}, newMemory())
		if n := len(d.readAddresses()); n > maxPrintedParts {
			t.Errorf("%.10s: %d parts", s, n)
		}
	}
}
