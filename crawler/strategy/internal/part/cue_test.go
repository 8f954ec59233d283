package part

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLinkCue(t *testing.T) {
	tests := []struct {
		name, anchor, target string
		want                 LinkEvidence
	}{
		{"call by anchor", "Call for Papers", "http://x.example/a", LinkEvidence{Worth: 1}},
		{"call by path", "here", "http://x.example/cfp.html", LinkEvidence{Worth: 1}},
		{"call run together", "", "http://x.example/callforpapers.php", LinkEvidence{Worth: 1}},
		{"german call", "Aufruf zur Einreichung", "http://x.example/b", LinkEvidence{Worth: 1}},
		{"dates", "Important dates", "http://x.example/d", LinkEvidence{Worth: 0.5}},
		{"call to sponsors", "Call for sponsors", "http://x.example/e", LinkEvidence{Worth: 0.7}},
		{"event by year", "home", "http://x.example/2014/", LinkEvidence{Worth: 0.25}},
		{"event by host", "", "http://conference2019.example/", LinkEvidence{Worth: 0.25}},
		{"list", "Upcoming events", "http://x.example/list", LinkEvidence{List: true}},
		{"hotel", "Hotels", "http://x.example/stay", LinkEvidence{Worth: -0.3}},
		{"nothing", "My cat", "http://x.example/cat", LinkEvidence{}},
		{"no URL", "cfp", "::", LinkEvidence{Worth: 1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, LinkEvidenceOf(tt.anchor, tt.target)); diff != "" {
				t.Errorf("linkCue(%q, %q) (-want +got):\n%s", tt.anchor, tt.target, diff)
			}
		})
	}
}

func TestSplit(t *testing.T) {
	got := SplitWords("Call-For/papers2027?ID=é9 ")
	want := []string{"call", "for", "papers", "2027", "id", "é", "9"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("split (-want +got):\n%s", diff)
	}
}

func BenchmarkLinkCue(b *testing.B) {
	for b.Loop() {
		LinkEvidenceOf("Call for papers and important dates", "http://www.conference.example/2027/authors/submission.html")
	}
}
