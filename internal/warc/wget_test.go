package warc

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestWget reads, index and duplicates included, what wget records, where there
// is a wget.
func TestWget(t *testing.T) {
	wget, err := exec.LookPath("wget")
	if err != nil {
		t.Skip("wget is not installed")
	}
	same := letters(2000)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
			io.WriteString(w, "<a href=/chunked>a</a><a href=/zipped>b</a><a href=/old>c</a><a href=/none>d</a><a href=/same>e</a>")
		case "/chunked":
			io.WriteString(w, same[:1000])
			w.(http.Flusher).Flush()
			io.WriteString(w, same[1000:])
		case "/zipped":
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			io.WriteString(z, "zipped")
			z.Close()
		case "/old":
			http.Redirect(w, r, "/same", http.StatusFound)
		case "/same":
			io.WriteString(w, same)
		default:
			http.NotFound(w, r)
		}
	}))
	defer server.Close()
	for _, args := range [][]string{nil, {"--no-warc-compression"}, {"--warc-cdx"}} {
		dir := t.TempDir()
		cmd := exec.Command(wget, append(args, "-q", "-r", "-e", "robots=off", "--no-config", "--warc-file=w", server.URL+"/")...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil && cmd.ProcessState.ExitCode() != 8 { // 8: an answer was 404
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
		files, _ := filepath.Glob(filepath.Join(dir, "w.warc*"))
		if len(files) != 1 {
			t.Fatalf("wget wrote %v", files)
		}
		checkWget(t, files[0], server.URL, same)
	}
}

func checkWget(t *testing.T, path, base, same string) {
	t.Helper()
	kinds := strings.Join(types(t, path), " ") // digests verified there
	if !strings.HasPrefix(kinds, "warcinfo request response") || strings.Contains(kinds, "bad") {
		t.Errorf("%s holds %s", path, kinds)
	}
	got := map[string]int{}
	for p, err := range Pages(path) {
		if err != nil {
			t.Fatal(err)
		}
		got[strings.TrimPrefix(p.URL, base)] = p.Status
		switch strings.TrimPrefix(p.URL, base) {
		case "/chunked", "/same":
			if !bytes.Equal(p.Body, []byte(same)) || p.Truncated {
				t.Errorf("%s: %d bytes, truncated %v", p.URL, len(p.Body), p.Truncated)
			}
		case "/zipped":
			if string(p.Body) != "zipped" {
				t.Errorf("%s is %q", p.URL, p.Body)
			}
		}
	}
	if diff := cmp.Diff(map[string]int{"/": 200, "/chunked": 200, "/zipped": 200, "/old": 302, "/none": 404, "/same": 200}, got); diff != "" {
		t.Error(diff)
	}
	if _, err := WriteIndex(path); err != nil {
		t.Error(err)
	}
	if rec, err := openIndex(t, path).Find(base + "/same"); err != nil || rec.Verify() != nil {
		t.Errorf("Find: %v", err)
	}
}
