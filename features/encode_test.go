package features

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestEncodeAndDecode(t *testing.T) {
	d := Read(tree(t, "<title>Owl call</title><h1>Owls</h1><p>Call for papers on owlets by 12 May 2026"))
	for _, v := range []*Vectorizer{
		fit(t, Thesis(), reference(t, "#N 9\nowl\t2\npaper\t3\n"), d),
		fit(t, Options{Blocks: []string{Title, Anchors, Structure}, Keep: 3}, nil, d),
		func() *Vectorizer { o := Default(); o.MinDocs = 1; return fit(t, o, nil, d) }(),
	} {
		b, err := v.AppendBinary([]byte("head"))
		if err != nil {
			t.Fatal(err)
		}
		got, err := DecodeVectorizer(b[len("head"):])
		if err != nil {
			t.Fatal(err)
		}
		again, _ := got.AppendBinary([]byte("head"))
		if !bytes.Equal(b, again) {
			t.Errorf("second encoding differs")
		}
		if diff := cmp.Diff(v.Vector(d), got.Vector(d)); diff != "" {
			t.Errorf("vector (-want +got):\n%s", diff)
		}
		for cut := 4; cut < len(b); cut++ {
			if _, err := DecodeVectorizer(b[4:cut]); err == nil {
				t.Fatalf("no error for %d of %d bytes", cut-4, len(b)-4)
			}
		}
		if _, err := DecodeVectorizer(append(b[4:], 0)); err == nil {
			t.Error("no error for a byte too many")
		}
	}
	if _, err := DecodeVectorizer([]byte{99, 1, 0}); err == nil {
		t.Error("no error for an unknown version")
	}
}

func FuzzDecodeVectorizer(f *testing.F) {
	d := ReadText("owl call paper owlet")
	for _, o := range []Options{{Blocks: []string{Body}}, {Blocks: []string{Body, Structure}, Bigrams: true, Normalize: true}} {
		b, _ := fit(f, o, nil, d).AppendBinary(nil)
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		v, err := DecodeVectorizer(b)
		if err != nil {
			return
		}
		again, _ := v.AppendBinary(nil)
		w, err := DecodeVectorizer(again)
		if err != nil {
			t.Fatalf("what was decoded cannot be encoded and decoded: %v", err)
		}
		x := v.Vector(d)
		if diff := cmp.Diff(x, w.Vector(d)); diff != "" {
			t.Fatal(diff)
		}
		for i, ix := range x.Index {
			if int(ix) >= v.Size() || v.Name(int(ix)) == "" || i > 0 && ix <= x.Index[i-1] {
				t.Fatalf("index %v of %d", x.Index, v.Size())
			}
		}
	})
}

func FuzzReadText(f *testing.F) {
	f.Add("Call for Papers: 12.05.2026, don’t 1/2/2026 x_y Zu\u0308rich")
	f.Fuzz(func(t *testing.T, s string) {
		d := ReadText(s)
		for _, term := range d.Terms(Body) {
			if term == "" || len(term) > maxTermBytes {
				t.Fatalf("term %q", term)
			}
		}
	})
}
