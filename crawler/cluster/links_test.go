package cluster

import (
	"reflect"
	"testing"

	"github.com/eventseer/eventseer/crawler"
)

func FuzzUnpackLinks(f *testing.F) {
	data, err := PackLinks([]crawler.Candidate{{URL: "https://x.example/", Score: 1, Anchor: "calls", Depth: 2, How: crawler.Forward}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte(`[{"URL":"HTTP://x"}]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		cs, err := UnpackLinks(data)
		if err != nil {
			return
		}
		again, err := PackLinks(cs)
		if err != nil || len(again) > MaxMessage {
			return
		}
		if back, err := UnpackLinks(again); err != nil || !reflect.DeepEqual(back, cs) {
			t.Errorf("%v became %v, %v", cs, back, err)
		}
	})
}
