package warc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/gzip"
)

var testTime = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// answer is the block of a small page.
func answer(body string) []byte {
	return []byte("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + body)
}

// raw returns a record as it is in a plain file.
func raw(t testing.TB, rec *Record) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := writeRecord(&b, rec); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func zip(t testing.TB, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write(data)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// letters returns n bytes that deflate compresses badly.
func letters(n int) string {
	b := make([]byte, n)
	state := uint32(1)
	for i := range b {
		state = state*1664525 + 1013904223
		b[i] = 'a' + byte(state>>24)%26
	}
	return string(b)
}

// records returns n records of /0, /1 and so on.
func records(t testing.TB, n int) [][]byte {
	out := make([][]byte, n)
	for i := range out {
		uri := fmt.Sprintf("http://a.example/%d", i)
		out[i] = raw(t, NewResponse(uri, testTime, answer(letters(3000+i))))
	}
	return out
}

// scan reads everything; bad records appear as "bad OFFSET".
func scan(t testing.TB, data []byte) (seen []string, bads []error) {
	t.Helper()
	r := NewReader(bytes.NewReader(data), int64(len(data)), "test.warc")
	for r.Scan() {
		rec, err := r.Record()
		if err != nil {
			bads = append(bads, err)
			seen = append(seen, "bad")
			continue
		}
		if err := rec.Verify(); err != nil {
			t.Errorf("%s: %v", rec.TargetURI(), err)
		}
		seen = append(seen, strings.TrimPrefix(rec.TargetURI(), "http://a.example"))
	}
	if err := r.Err(); err != nil {
		t.Errorf("Err: %v", err)
	}
	return seen, bads
}

func TestReaderForms(t *testing.T) {
	rs := records(t, 3)
	plain := bytes.Join(rs, nil)
	members := slicesConcat(zip(t, rs[0]), zip(t, rs[1]), zip(t, rs[2]))
	lf := raw(t, NewResponse("http://a.example/lf", testTime, answer("x")))
	lf = bytes.Replace(lf, []byte("\r\nWARC-Date:"), []byte("\nWARC-Date:"), 1)
	tests := []struct {
		name string
		data []byte
		want []string
	}{
		{"plain", plain, []string{"/0", "/1", "/2"}},
		{"a member a record", members, []string{"/0", "/1", "/2"}},
		{"one member", zip(t, plain), []string{"/0", "/1", "/2"}},
		{"empty member between", slicesConcat(zip(t, rs[0]), zip(t, nil), zip(t, rs[1])), []string{"/0", "/1"}},
		{"no line ends at the end", bytes.TrimRight(plain, "\r\n"), []string{"/0", "/1", "/2"}},
		{"lines ended by LF", lf, []string{"/lf"}},
		{"empty", nil, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, _ := scan(t, tt.data)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestReaderVersions reads records as older versions of the standard and careless
// writers have them.
func TestReaderVersions(t *testing.T) {
	block := string(answer("x"))
	record := func(version, end, uri, block, after string) []byte {
		head := []string{version, "WARC-Type: response", "warc-target-uri:" + uri, "WARC-Date: 2008-04-30T20:48:25Z",
			"WARC-Record-ID: <urn:uuid:16da6da0-bcdc-49c3-927e-57494593dddd>", "Content-Type: application/http; msgtype=response",
			fmt.Sprintf("Content-Length:%d", len(block)), "", ""}
		return []byte(strings.Join(head, end) + block + after)
	}
	tests := []struct {
		name string
		data []byte
	}{
		{"0.17", record("WARC/0.17", "\r\n", "http://a.example/0", block, "\r\n\r\n")},
		{"0.18", record("WARC/0.18", "\r\n", " http://a.example/0", block, "\r\n\r\n")},
		{"1.0 in brackets", record("WARC/1.0", "\r\n", " <http://a.example/0>", block, "\r\n\r\n")},
		{"LF alone", record("WARC/1.0", "\n", " http://a.example/0", strings.ReplaceAll(block, "\r\n", "\n"), "\n\n")},
		{"no line ends after", record("WARC/1.1", "\r\n", "http://a.example/0", block, "")},
		{"many line ends after", record("WARC/1.1", "\r\n", "http://a.example/0", block, "\r\n\n\n\r\n\r\n")},
		{"one line end after", record("WARC/1.1", "\r\n", "http://a.example/0", block, "\n")},
		{"chunked", record("WARC/1.0", "\r\n", "http://a.example/0", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n", "\r\n\r\n")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			next := raw(t, NewResponse("http://a.example/1", testTime, answer("y")))
			for _, data := range [][]byte{slicesConcat(tt.data, next), slicesConcat(zip(t, tt.data), zip(t, next))} {
				got, bads := scan(t, data)
				if diff := cmp.Diff([]string{"/0", "/1"}, got); diff != "" {
					t.Errorf("%s %v", diff, bads)
				}
				r := NewReader(bytes.NewReader(data), int64(len(data)), "x")
				r.Scan()
				rec, _ := r.Record()
				if p, err := rec.Page(); err != nil || string(p.Body) != "x" || p.FetchedAt.Year() != 2008 {
					t.Errorf("page %v, %v", p, err)
				}
			}
		})
	}
}

func slicesConcat(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

func TestReaderResync(t *testing.T) {
	rs := records(t, 4)
	z := make([][]byte, len(rs))
	for i := range rs {
		z[i] = zip(t, rs[i])
	}
	half := func(b []byte) []byte { return b[:len(b)/2] }
	flip := func(b []byte, at int) []byte {
		b = bytes.Clone(b)
		b[at] ^= 0xff
		return b
	}
	// length changes a record's Content-Length by d.
	length := func(b []byte, d int) []byte {
		block := len(answer(letters(3001)))
		old := fmt.Sprintf("Content-Length: %d", block)
		if !bytes.Contains(b, []byte(old)) {
			t.Fatal("test is wrong about the length")
		}
		return bytes.Replace(b, []byte(old), fmt.Appendf(nil, "Content-Length: %d", block+d), 1)
	}
	long := bytes.Replace(rs[1], []byte("WARC-Date"), []byte("X-Long: "+strings.Repeat("x", MaxHeader)+"\r\nWARC-Date"), 1)
	tests := []struct {
		name string
		data []byte
		want []string
		err  error
	}{
		{"truncated member", slicesConcat(z[0], half(z[1]), z[2], z[3]), []string{"/0", "bad", "/2", "/3"}, ErrRotten},
		{"truncated first member", slicesConcat(half(z[0]), z[1]), []string{"bad", "/1"}, ErrRotten},
		{"truncated last member", slicesConcat(z[0], half(z[1])), []string{"/0", "bad"}, io.ErrUnexpectedEOF},
		{"member cut in its header", slicesConcat(z[0], z[1][:5]), []string{"/0", "bad"}, ErrRotten},
		{"corrupted member", slicesConcat(z[0], flip(z[1], len(z[1])/2), z[2]), []string{"/0", "bad", "/2"}, ErrRotten},
		{"wrong checksum", slicesConcat(z[0], flip(z[1], len(z[1])-7), z[2]), []string{"/0", "bad", "/2"}, ErrRotten},
		{"garbage between members", slicesConcat(z[0], []byte("garbage"), z[1]), []string{"/0", "bad", "/1"}, ErrRotten},
		{"length too short in a member", slicesConcat(z[0], zip(t, length(rs[1], -9)), z[2]), []string{"/0", "bad", "/2"}, ErrBadLength},
		{"length too long in a member", slicesConcat(z[0], zip(t, length(rs[1], 9)), z[2]), []string{"/0", "bad", "/2"}, io.ErrUnexpectedEOF},
		{"length too short", slicesConcat(rs[0], length(rs[1], -9), rs[2]), []string{"/0", "bad", "/2"}, ErrBadLength},
		{"length too long", slicesConcat(rs[0], length(rs[1], 9), rs[2]), []string{"/0", "bad", "/2"}, ErrBadLength},
		{"length too short in a zipped file", zip(t, slicesConcat(rs[0], length(rs[1], -9), rs[2])), []string{"/0", "bad", "/2"}, ErrBadLength},
		{"no length", slicesConcat(rs[0], bytes.Replace(rs[1], []byte("Content-Length"), []byte("X-Length"), 1), rs[2]), []string{"/0", "bad", "/2"}, ErrNotWARC},
		{"negative length", slicesConcat(zip(t, []byte("WARC/1.1\r\nContent-Length: -1\r\n\r\n")), z[2]), []string{"bad", "/2"}, ErrNotWARC},
		{"truncated file", slicesConcat(rs[0], half(rs[1])), []string{"/0", "bad"}, io.ErrUnexpectedEOF},
		{"header too long", slicesConcat(rs[0], long, rs[2]), []string{"/0", "bad", "/2"}, ErrNotWARC},
		{"header too long in a member", slicesConcat(z[0], zip(t, long), z[2]), []string{"/0", "bad", "/2"}, ErrNotWARC},
		{"a page instead of a WARC", []byte("<!doctype html>\n<title>x</title>\n"), []string{"bad"}, ErrNotWARC},
		{"a zipped page instead of a WARC", zip(t, []byte("<!doctype html>\n")), []string{"bad"}, ErrNotWARC},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, bads := scan(t, tt.data)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%s\n%v", diff, bads)
			}
			var bad *BadRecord
			if len(bads) > 0 && (!errors.Is(bads[0], tt.err) || !errors.As(bads[0], &bad) || bad.File != "test.warc") {
				t.Errorf("got %v, want %v", bads[0], tt.err)
			}
		})
	}
}

func TestReaderSkipsLargeRecords(t *testing.T) {
	rs := records(t, 2)
	head := fmt.Sprintf("WARC/1.1\r\nWARC-Type: resource\r\nContent-Length: %d\r\n\r\n\nWARC/1.1\r\n", MaxRecord+1)
	large := slicesConcat([]byte(head), make([]byte, MaxRecord+1-len("\nWARC/1.1\r\n")), []byte("\r\n\r\n"))
	huge := []byte("WARC/1.1\r\nWARC-Type: resource\r\nContent-Length: 9000000000000000000\r\n\r\n")
	for name, data := range map[string][]byte{
		"plain":                  slicesConcat(rs[0], large, rs[1]),
		"member":                 slicesConcat(zip(t, rs[0]), zip(t, large), zip(t, rs[1])),
		"length that is no size": slicesConcat(zip(t, rs[0]), zip(t, huge), zip(t, rs[1])),
	} {
		got, bads := scan(t, data)
		if diff := cmp.Diff([]string{"/0", "bad", "/1"}, got); diff != "" || !errors.Is(bads[0], ErrTooLarge) {
			t.Errorf("%s: %s %v", name, diff, bads)
		}
	}
}

func TestReaderGivesUp(t *testing.T) {
	data := bytes.Repeat([]byte("WARC/1.1\r\n\r\n"), 2*MaxBad)
	r := NewReader(bytes.NewReader(data), int64(len(data)), "x")
	n := 0
	for r.Scan() {
		n++
	}
	if n != MaxBad || r.Err() == nil {
		t.Errorf("%d bad records, %v, want %d and an error", n, r.Err(), MaxBad)
	}
}

// failing fails to read from some byte on.
type failing struct{ io.ReaderAt }

var errDisk = errors.New("disk is broken")

func (f failing) ReadAt(p []byte, off int64) (int, error) {
	if off+int64(len(p)) > 4000 {
		return 0, errDisk
	}
	return f.ReaderAt.ReadAt(p, off)
}

func TestReaderTellsBrokenFilesFromBadRecords(t *testing.T) {
	data := slicesConcat(records(t, 20)...)
	r := NewReader(failing{bytes.NewReader(data)}, int64(len(data)), "x")
	for r.Scan() {
		if _, err := r.Record(); err != nil {
			t.Errorf("bad record: %v", err)
		}
	}
	if !errors.Is(r.Err(), errDisk) {
		t.Errorf("Err = %v, want %v", r.Err(), errDisk)
	}
}

func FuzzReader(f *testing.F) {
	rs := records(f, 2)
	f.Add(slicesConcat(rs...))
	f.Add(slicesConcat(zip(f, rs[0]), zip(f, rs[1])))
	f.Add(slicesConcat(zip(f, rs[0])[:900], zip(f, rs[1])))
	f.Add(slicesConcat(skippable(0, []byte("x")), zstdOf(f, rs[0]), zstdOf(f, rs[1])[:500], zstdOf(f, rs[1])))
	f.Add([]byte("WARC/1.0\nContent-Length: 3\nWARC-Type: response\n a\n\nHTTP/1.1 200\nTransfer-Encoding: chunked\n\n3\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r := NewReader(bytes.NewReader(data), int64(len(data)), "fuzz")
		for r.Scan() {
			rec, err := r.Record()
			if err != nil {
				continue
			}
			again, err := NewReader(bytes.NewReader(data), int64(len(data)), "fuzz").readAt(rec.Position)
			if err != nil {
				t.Fatalf("record at %v cannot be read by position: %v", rec.Position, err)
			}
			if diff := cmp.Diff(rec, again); diff != "" {
				t.Fatal(diff)
			}
			rec.Verify()
			if page, err := rec.Page(); err == nil && len(page.Body) > MaxBody {
				t.Fatalf("body of %d bytes", len(page.Body))
			}
		}
	})
}

func TestPagesOfFilesThatAreNone(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty.warc")
	if err := os.WriteFile(empty, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]error{empty: ErrNoRecords, empty + ".missing": os.ErrNotExist} {
		n := 0
		for page, err := range Pages(path) {
			if n++; page != nil || !errors.Is(err, want) {
				t.Errorf("%s: page %v, %v, want %v", path, page, err, want)
			}
		}
		if n != 1 {
			t.Errorf("%s: %d results, want one error", path, n)
		}
	}
}
