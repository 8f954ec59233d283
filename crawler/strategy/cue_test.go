package strategy

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLinkCue(t *testing.T) {
	tests := []struct {
		name, anchor, target string
		want                 cue
	}{
		{"call by anchor", "Call for Papers", "http://x.example/a", cue{worth: 1}},
		{"call by path", "here", "http://x.example/cfp.html", cue{worth: 1}},
		{"call run together", "", "http://x.example/callforpapers.php", cue{worth: 1}},
		{"german call", "Aufruf zur Einreichung", "http://x.example/b", cue{worth: 1}},
		{"dates", "Important dates", "http://x.example/d", cue{worth: 0.5}},
		{"call to sponsors", "Call for sponsors", "http://x.example/e", cue{worth: 0.7}},
		{"event by year", "home", "http://x.example/2014/", cue{worth: 0.25}},
		{"event by host", "", "http://conference2019.example/", cue{worth: 0.25}},
		{"list", "Upcoming events", "http://x.example/list", cue{list: true}},
		{"hotel", "Hotels", "http://x.example/stay", cue{worth: -0.3}},
		{"nothing", "My cat", "http://x.example/cat", cue{}},
		{"no URL", "cfp", "::", cue{worth: 1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, linkCue(tt.anchor, tt.target), cmp.AllowUnexported(cue{})); diff != "" {
				t.Errorf("linkCue(%q, %q) (-want +got):\n%s", tt.anchor, tt.target, diff)
			}
		})
	}
}

func TestSplit(t *testing.T) {
	got := split("Call-For/papers2027?ID=é9 ")
	want := []string{"call", "for", "papers", "2027", "id", "é", "9"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("split (-want +got):\n%s", diff)
	}
}

func BenchmarkLinkCue(b *testing.B) {
	for b.Loop() {
		linkCue("Call for papers and important dates", "http://www.conference.example/2027/authors/submission.html")
	}
}
