package features

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestEncodeAndDecode(t *testing.T) {
	d := Read(tree(t, "<title>Owl call</title><h1>Owls</h1><p>Call for papers on owlets by 12 May 2026"), "owl papers")
	for _, v := range []*Vectorizer{
		fit(t, ThesisOptions(), reference(t, "#N 9\nowl\t2\npaper\t3\n"), d),
		fit(t, Options{Blocks: []string{Title, Menu, Structure}, Keep: 3}, nil, d),
		fit(t, Options{Blocks: []string{Body, Chars, Anchors}, NGrams: 3, Weights: Counts}, nil, d),
		func() *Vectorizer { o := DefaultOptions(); o.MinDocs = 1; return fit(t, o, nil, d) }(),
		fit(t, Options{Blocks: []string{Body}, MinDocs: 1}, nil, d).WithPassages(2, 1000),
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
}

// TestFormat holds the bytes against the comment on vectorizerVersion.
func TestFormat(t *testing.T) {
	docs := []*Document{ReadText("owl owls"), ReadText("owlet")}
	v := fit(t, Options{Blocks: []string{Body}, Weights: Binary, NGrams: 3, Keep: 5, MinDocs: 1, MaxTerms: 7, Normalize: true}, nil, docs...)
	want := slices.Concat(
		[]byte{2, 1, 2, 2, 3, 5, 1, 7, 2, 3},
		[]byte{0, 0, 3}, []byte("owl"), []byte{1},
		[]byte{0, 3, 4}, []byte(" owl"), []byte{1},
		[]byte{0, 3, 2}, []byte("et"), []byte{1},
	)
	if got, _ := v.AppendBinary(nil); !bytes.Equal(want, got) {
		t.Errorf("bytes %q, want %q", got, want)
	}
	want = slices.Concat([]byte{3}, want[1:8], []byte{2, 60, 0x96, 1}, want[8:])
	if got, _ := v.WithPassages(60, 150).AppendBinary(nil); !bytes.Equal(want, got) {
		t.Errorf("with passages: bytes %q, want %q", got, want)
	}
	v = fit(t, Options{Blocks: []string{Structure}}, nil, docs...)
	want = slices.Concat([]byte{2, 0x80, 0x01, 0, 0, 1, 0, 0, 0}, []byte(denseBlocks[structureBlock].digest()), []byte{2, 0})
	if got, _ := v.AppendBinary(nil); !bytes.Equal(want, got) {
		t.Errorf("bytes %q, want %q", got, want)
	}
}

// What version 1 wrote of words is still read; the rest is refused by name.
func TestVersion1(t *testing.T) {
	// Sublinear, bigrams and normalized, of body and title.
	file := slices.Concat([]byte{1, 3, 1 | 4 | 8, 0, 1, 9, 0, 2, 3},
		[]byte{0, 0, 3}, []byte("owl"), []byte{2}, []byte{0, 3, 5}, []byte(" call"), []byte{1}, []byte{1, 0, 4}, []byte("call"), []byte{1})
	got, err := DecodeVectorizer(file)
	if err != nil {
		t.Fatal(err)
	}
	d := Read(tree(t, "<title>Call</title><p>owl call"))
	o := Options{Blocks: []string{Body, Title}, Weights: Sublinear, NGrams: 2, MinDocs: 1, MaxTerms: 9, Normalize: true}
	want := newVectorizer(o, 2, []term{{bodyBlock, "owl", 2}, {bodyBlock, "owl call", 1}, {titleBlock, "call", 1}})
	if diff := cmp.Diff(named(want, want.Vector(d)), named(got, got.Vector(d))); diff != "" {
		t.Errorf("vector (-want +got):\n%s", diff)
	}
	for name, tail := range map[string]string{
		"structure": "\x21\x00\x00\x00\x00\x0e\x02\x00",
		"anchors":   "\x11\x00\x00\x00\x00\x00\x02\x00",
	} {
		if _, err := DecodeVectorizer([]byte("\x01" + tail)); !errors.Is(err, ErrIncompatible) || !strings.Contains(err.Error(), "train it again") {
			t.Errorf("%s of version 1: error %v", name, err)
		}
	}
}

func TestIncompatible(t *testing.T) {
	b, _ := fit(t, Options{Blocks: []string{Structure}}, nil, ReadText("owl")).AppendBinary(nil)
	other := bytes.Replace(b, []byte(denseBlocks[structureBlock].digest()), []byte("12345678"), 1)
	for name, file := range map[string][]byte{"other structure": other, "version 0": {0, 1, 0}, "version 99": {99, 1, 0}} {
		if _, err := DecodeVectorizer(file); !errors.Is(err, ErrIncompatible) || !strings.Contains(err.Error(), "train it again") {
			t.Errorf("%s: error %v", name, err)
		}
	}
	for name, file := range map[string]string{
		"no byte": "", "no blocks": "\x02\x00\x00\x00\x01\x00\x00\x00\x01\x00", "unknown weights": "\x02\x01\x04\x00\x01\x00\x00\x00\x01\x00",
		"five lengths of passages": "\x03\x01\x00\x00\x01\x00\x00\x00\x05\x01\x01\x01\x01\x01\x01\x00", "passages of no term": "\x03\x01\x00\x00\x01\x00\x00\x00\x01\x00\x01\x00",
		"4-grams": "\x02\x01\x00\x00\x04\x00\x00\x00\x01\x00", "unknown flag": "\x02\x01\x00\x04\x01\x00\x00\x00\x01\x00",
	} {
		if _, err := DecodeVectorizer([]byte(file)); err == nil || errors.Is(err, ErrIncompatible) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func FuzzDecodeVectorizer(f *testing.F) {
	d := ReadText("owl call paper owlet")
	for _, o := range []Options{{Blocks: []string{Body}}, {Blocks: []string{Body, Structure}, NGrams: 2, Normalize: true}, {Blocks: []string{Chars, Title}, Weights: Binary}} {
		b, _ := fit(f, o, nil, d).AppendBinary(nil)
		f.Add(b)
	}
	b, _ := fit(f, Options{Blocks: []string{Body}}, nil, d).WithPassages(2, 60).AppendBinary(nil)
	f.Add(b)
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
