package extract

import (
	"strings"
	"testing"
)

// misreadAs returns s after its UTF-8 was read as Latin-1 n times.
func misreadAs(s string, n int) string {
	for range n {
		var b strings.Builder
		for i := range len(s) {
			b.WriteRune(rune(s[i]))
		}
		s = b.String()
	}
	return s
}

func TestMend(t *testing.T) {
	for n := 1; n <= 4; n++ {
		for _, test := range []struct{ s, want string }{
			{"June 15 " + misreadAs("–", n) + " 18", "June 15 – 18"},
			{misreadAs("•", n) + " Paper due", "Paper due"},
			{"Zürich in Île-de-France, São Paulo", "Zürich in Île-de-France, São Paulo"},
		} {
			got := fixMisread(test.s)
			if len(got) != len(test.s) {
				t.Errorf("%q: %d bytes became %d", test.s, len(test.s), len(got))
			}
			if got = strings.Join(strings.Fields(got), " "); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		}
	}
}

// TestMisreadDash reads a range of days whose dash was read in another charset.
func TestMisreadDash(t *testing.T) {
	e, _ := newTestExtractor().Extract(parse(t, "p.txt", "International Workshop on River Dams (RDX 2027)\nJune 15 ¨C 18, 2027\nOslo, Norway\n\nImportant dates\n\nPaper submission: March 1, 2027\n"))
	if e.EventStart != "2027-06-15" || e.EventEnd != "2027-06-18" {
		t.Errorf("from %s to %s", e.EventStart, e.EventEnd)
	}
}

func TestMisreadMarks(t *testing.T) {
	bullet, dash := misreadAs("•", 4), misreadAs("–", 4)
	e, _ := newTestExtractor().Extract(parse(t, "p.txt", "International Workshop on River Dams (RDX 2027)\nJune 15 "+dash+" 18, 2027\nOslo, Norway\n\nImportant dates\n\n"+bullet+" Paper submission: March 1, 2027\n"))
	if e.EventStart != "2027-06-15" || e.EventEnd != "2027-06-18" {
		t.Errorf("event on %s to %s", e.EventStart, e.EventEnd)
	}
	if len(e.Deadlines) != 1 || e.Deadlines[0].Date != "2027-03-01" {
		t.Errorf("deadlines %+v", e.Deadlines)
	}
}
