package wrapper

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func encoded(t testing.TB, w *Wrapper) []byte {
	t.Helper()
	data, err := w.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestEncode checks that a wrapper read back is the same: in its bytes, in the values it reads, and after it
// has learned more.
func TestEncode(t *testing.T) {
	w := learned(t)
	w.Fields[0].Meaning, w.Fields[0].By = "title", "operator"
	data := encoded(t, w)
	again, err := Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(data, encoded(t, again)) {
		t.Error("a wrapper read back has other bytes")
	}
	next := talk(t, 8, "<dt>Chair:</dt><dd>Zoe</dd>", "Moe", "Nan")
	w.Add(next)
	again.Add(next)
	if diff := cmp.Diff(string(encoded(t, w)), string(encoded(t, again))); diff != "" {
		t.Errorf("a wrapper read back learns otherwise (-want +got):\n%.2000s", diff)
	}
	if got := again.Fields[0].Name(); got != "title" {
		t.Errorf("the first field is %q, want title", got)
	}
	one, other := w.Apply(next), again.Apply(next)
	for i, f := range w.Fields {
		if diff := cmp.Diff(one.Texts(f), other.Texts(again.Fields[i])); diff != "" {
			t.Errorf("%s (-want +got):\n%s", f.ID, diff)
		}
	}
}

func TestDecodeErrors(t *testing.T) {
	data := string(encoded(t, learned(t)))
	tests := []struct {
		name, data string
		want       error
	}{
		{"empty", "", ErrFormat},
		{"other JSON", `{"a":1}`, ErrFormat},
		{"cut", data[:len(data)/2], ErrFormat},
		{"newer", strings.Replace(data, `"version":1`, `"version":2`, 1), ErrVersion},
		{"changed", strings.Replace(data, "meeting.example", "meeting.invalid", 1), ErrChecksum},
	}
	for _, test := range tests {
		if _, err := Decode([]byte(test.data)); !errors.Is(err, test.want) {
			t.Errorf("%s: got %v, want %v", test.name, err, test.want)
		}
	}
}

// FuzzDecode wants no file to crash the reader or, once read, the wrapper: its checksum
// is made right, so that all of it is reached.
func FuzzDecode(f *testing.F) {
	data := encoded(f, learned(f))
	body := data[bytes.Index(data, []byte(`"wrapper":`))+len(`"wrapper":`) : len(data)-2]
	f.Add(body)
	f.Add([]byte(`{"pages":1,"nodes":1,"root":{"id":1,"name":"html","items":1,"pages":1}}`))
	f.Add([]byte(`{"pages":1,"nodes":1,"root":{"id":1,"name":"#text","items":1,"pages":1,"slots":[{"nodes":[null]}]}}`))
	page := talk(f, 1, "", "Ada")
	f.Fuzz(func(t *testing.T, body []byte) {
		w, err := Decode([]byte(`{"format":"` + fileFormat + `","version":1,"checksum":"` + checksum(bytes.TrimSpace(body)) + `","wrapper":` + string(body) + `}`))
		if err != nil {
			return
		}
		w.Apply(page)
		w.Add(page)
		if _, err := Decode(encoded(t, w)); err != nil {
			t.Errorf("what was read and learned on is not read again: %v", err)
		}
	})
}
