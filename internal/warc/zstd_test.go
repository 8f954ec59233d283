package warc

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"
)

func zstdOf(t testing.TB, data []byte, options ...zstd.EOption) []byte {
	t.Helper()
	w, err := zstd.NewWriter(nil, options...)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	return w.EncodeAll(data, nil)
}

// skippable is a frame of data that is to be passed over.
func skippable(id byte, data []byte) []byte {
	frame := []byte{0x50 | id, 0x2a, 0x4d, 0x18}
	return append(binary.LittleEndian.AppendUint32(frame, uint32(len(data))), data...)
}

func testDict(t testing.TB) []byte {
	t.Helper()
	var samples [][]byte
	for _, rec := range records(t, 30) {
		samples = append(samples, rec[:1200])
	}
	dict, err := zstd.BuildDict(zstd.BuildDictOptions{ID: 7, Contents: samples, History: samples[0], Offsets: [3]int{1, 4, 8}})
	if err != nil {
		t.Fatal(err)
	}
	return dict
}

func TestReaderOfZstd(t *testing.T) {
	rs := records(t, 4)
	dict := testDict(t)
	z, d := make([][]byte, len(rs)), make([][]byte, len(rs))
	for i, r := range rs {
		z[i], d[i] = zstdOf(t, r), zstdOf(t, r, zstd.WithEncoderDict(dict))
	}
	flip := func(b []byte, at int) []byte {
		b = bytes.Clone(b)
		b[at] ^= 0xff
		return b
	}
	large := raw(t, NewResponse("http://a.example/large", testTime, answer(letters(3<<20))))
	tests := []struct {
		name string
		data []byte
		want []string
	}{
		{"a frame a record", slicesConcat(z...), []string{"/0", "/1", "/2", "/3"}},
		{"no checksum", slicesConcat(zstdOf(t, rs[0], zstd.WithEncoderCRC(false)), z[1]), []string{"/0", "/1"}},
		{"one frame", zstdOf(t, slicesConcat(rs...)), []string{"/0", "/1", "/2", "/3"}},
		{"many blocks", slicesConcat(zstdOf(t, large), z[0]), []string{"/large", "/0"}},
		{"skippable frames", slicesConcat(skippable(0, []byte("x")), z[0], skippable(1, nil), skippable(2, []byte("WARC/")), z[1], skippable(3, []byte("end"))), []string{"/0", "/1"}},
		{"dictionary", slicesConcat(skippable(dictionaryID, dict), d[0], d[1]), []string{"/0", "/1"}},
		{"compressed dictionary", slicesConcat(skippable(dictionaryID, zstdOf(t, dict)), d[0], d[1]), []string{"/0", "/1"}},
		{"corrupted frame", slicesConcat(z[0], flip(z[1], len(z[1])/2), z[2]), []string{"/0", "bad", "/2"}},
		{"wrong checksum", slicesConcat(z[0], flip(z[1], len(z[1])-1), z[2]), []string{"/0", "bad", "/2"}},
		{"truncated frame", slicesConcat(z[0], z[1][:len(z[1])/2], z[2], z[3]), []string{"/0", "bad", "/2", "/3"}},
		{"truncated last frame", slicesConcat(z[0], z[1][:len(z[1])-3]), []string{"/0", "bad"}},
		{"frame cut in its header", slicesConcat(z[0], z[1][:5]), []string{"/0", "bad"}},
		{"garbage between", slicesConcat(z[0], []byte("garbage"), z[1]), []string{"/0", "bad", "/1"}},
		{"frame that needs a dictionary", slicesConcat(d[0], z[1]), []string{"bad", "/1"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, bads := scan(t, tt.data)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%s\n%v", diff, bads)
			}
			for _, bad := range bads {
				if !errors.Is(bad, ErrRotten) {
					t.Errorf("got %v, want ErrRotten", bad)
				}
			}
		})
	}
}

func TestIndexOfZstd(t *testing.T) {
	rs := records(t, 20)
	var data []byte
	for _, r := range rs {
		data = append(data, zstdOf(t, r)...)
	}
	path := filepath.Join(t.TempDir(), "x.warc.zst")
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	for range 2 { // without an index next to it, and with one
		x := openIndex(t, path)
		for _, uri := range []string{"http://a.example/19", "http://a.example/0", "http://a.example/7"} {
			if rec, err := x.Find(uri); err != nil || rec.Verify() != nil || rec.TargetURI() != uri {
				t.Errorf("Find(%s) = %v, %v", uri, rec, err)
			}
		}
		if _, err := WriteIndex(path); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Create(path, WriterOptions{}); err == nil {
		t.Error("a gzip member was to be written after zstd frames")
	}
}

func TestBadZstdDictionary(t *testing.T) {
	frame := zstdOf(t, records(t, 1)[0])
	for name, head := range map[string][]byte{
		"none": skippable(dictionaryID, []byte("no dictionary")), "bomb": skippable(dictionaryID, zstdOf(t, make([]byte, maxDictionary+1))),
		"length": {0x5d, 0x2a, 0x4d, 0x18, 0xff, 0xff, 0xff, 0xff}, "cut": {0x5d, 0x2a, 0x4d, 0x18, 0xff, 0xff, 0, 0},
	} {
		data := slicesConcat(head, frame)
		r := NewReader(bytes.NewReader(data), int64(len(data)), "x")
		if r.Scan() || r.Err() == nil || !strings.Contains(r.Err().Error(), "x: its zstd dictionary") {
			t.Errorf("%s: %v", name, r.Err())
		}
	}
}
