package features

import (
	"bytes"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWithReach(t *testing.T) {
	plain := Read(tree(t, "<p>gardens and roses"))
	d := plain.WithReach(Reach{
		Call: 0.5, Types: map[string]float64{"cfp": 0.25, "weblog": 0.75, "unknown": 1},
		Within: []float64{0.25, 0.75, 0.5}, Away: nil,
	})
	v := fit(t, Options{Blocks: []string{Body, Context}}, nil, d)
	got := map[string]float64{}
	x := v.Vector(d)
	for i, ix := range x.Index {
		if name := v.Name(int(ix)); name[:4] != "body" {
			got[name] = x.Value[i]
		}
	}
	within := sumsOf([]float64{0.75, 0.5, 0.25})
	want := map[string]float64{
		"context:call": 0.5, "context:type_cfp": 0.25, "context:type_weblog": 0.75,
		"context:within_best": 0.75, "context:within_second": 0.5, "context:within_best_three": 0.5,
	}
	for i, sum := range linkSums[3:] {
		want["context:within_"+sum] = float64(float32(within[3+i]))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if n := v.Vector(plain).Len(); n != 2 {
		t.Errorf("without a reach %d components, want the 2 words", n)
	}
	if v.Size() != v.Terms()+len(contextNames) || v.Name(v.Size()) != "" {
		t.Errorf("%d components of %d terms and %d features", v.Size(), v.Terms(), len(contextNames))
	}
	b, err := v.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	again, err := DecodeVectorizer(b)
	if err != nil {
		t.Fatal(err)
	}
	if y := again.Vector(d); !slices.Equal(x.Index, y.Index) || !slices.Equal(x.Value, y.Value) {
		t.Errorf("after a round trip %v, before %v", y, x)
	}
	b[bytes.Index(b, []byte(denseBlocks[contextBlock].digest()))] ^= 1
	if _, err := DecodeVectorizer(b); err == nil {
		t.Error("other features of the context: no error")
	}
}
