package clip

import (
	"strings"
	"testing"

	"eventseer/eventseer"

	"github.com/google/go-cmp/cmp"
)

func TestClips(t *testing.T) {
	x := extractor(t, "[a]\nengine\nengines\n[b]\nnoise", Options{})
	got := x.Clips(parse(t, `<h1>Call</h1><p>Papers on engines without noise are welcome. `+strings.Repeat("And so on and on, ", 60)+`.</p>`))
	if len(got) != 1 || runeLen(got[0].Summary) > eventseer.MaxSnippet || got[0].Title != "Call" || got[0].Path != "html/body/p" {
		t.Errorf("clips %+v", got)
	}
	want := []eventseer.Keyword{{List: "a", Term: "engine"}, {List: "a", Term: "engines"}, {List: "b", Term: "noise"}}
	if diff := cmp.Diff(want, got[0].Keywords); diff != "" {
		t.Errorf("keywords (-want +got):\n%s", diff)
	}
}
