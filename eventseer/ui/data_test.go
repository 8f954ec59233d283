package ui

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func sumOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func dumpWorld(t *testing.T) (h http.Handler, dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "dumps")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "events.jsonl.gz"), "records")
	writeFile(t, filepath.Join(dir, "old.csv"), "a,b\n")
	writeFile(t, filepath.Join(dir, "unlisted"), "not for all")
	writeFile(t, filepath.Join(filepath.Dir(dir), "secret"), "not for all")
	if err := os.Symlink(filepath.Join("..", "secret"), filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(filepath.Join(dir, "old.csv"), now.AddDate(-1, 0, 0), now.AddDate(-1, 0, 0)); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(filepath.Join(dir, "events.jsonl.gz"), now.Add(-72*time.Hour), now.Add(-72*time.Hour)); err != nil {
		t.Fatal(err)
	}
	any := sumOf("x")
	writeFile(t, filepath.Join(dir, sumsFile), strings.Join([]string{
		sumOf("records") + "  events.jsonl.gz", sumOf("a,b\n") + " *old.csv", any + "  link", any + "  folder", any + "  missing",
		any + "  ../secret", any + "  /etc/passwd", any + "  .hidden", any + "  <script>", "nonsense", any, sumOf("records") + "  events.jsonl.gz",
	}, "\n")+"\n")
	w := fullWorld()
	return newUI(Options{Store: w, Index: w, Dumps: dir, Now: func() time.Time { return now }}), dir
}

func TestData(t *testing.T) {
	h, dir := dumpWorld(t)
	doc := page(t, h, "/data", 200)
	if n := doc.Find("table.dumps tbody tr").Length(); n != 2 {
		t.Errorf("%d dumps", n)
	}
	first := doc.Find("table.dumps tbody tr").First()
	if got := strings.Join(strings.Fields(first.Text()), " "); got != "events.jsonl.gz 7 Jan 2027 09:00 UTC 7 bytes "+sumOf("records") {
		t.Errorf("row = %q", got)
	}
	got := ask(t, h, "/data/events.jsonl.gz")
	if got.Body.String() != "records" || got.Header().Get("Content-Type") != "application/gzip" || got.Header().Get("Content-Disposition") != `attachment; filename="events.jsonl.gz"` {
		t.Errorf("dump = %s %v", got.Body, got.Header())
	}
	if tag := got.Header().Get("ETag"); ask(t, h, "/data/events.jsonl.gz", "If-None-Match", tag).Code != http.StatusNotModified {
		t.Errorf("the tag %q is not known again", tag)
	}
	if got := ask(t, h, "/data/events.jsonl.gz", "Range", "bytes=3-"); got.Code != http.StatusPartialContent || got.Body.String() != "ords" {
		t.Errorf("range = %d %s", got.Code, got.Body)
	}
	if got := ask(t, h, "/data/SHA256SUMS"); got.Code != 200 || !strings.Contains(got.Body.String(), "old.csv") {
		t.Errorf("sums = %d", got.Code)
	}
	for _, path := range []string{
		"/data/unlisted", "/data/link", "/data/folder", "/data/missing", "/data/..%2Fsecret", "/data/%2e%2e%2fsecret", "/data/..%5csecret", "/data/.hidden", "/data/%00", "/data/", "/data/x/y",
	} {
		if got := ask(t, h, path); got.Code == 200 || strings.Contains(got.Body.String(), "not for all") {
			t.Errorf("GET %s = %d", path, got.Code)
		}
	}
	for _, path := range []string{"/data/../secret", "/data/./unlisted", "//data/../secret"} {
		if got := ask(t, h, path); got.Code == 200 && strings.Contains(got.Body.String(), "not for all") {
			t.Errorf("GET %s = %s", path, got.Body)
		}
	}
	if err := os.Remove(filepath.Join(dir, sumsFile)); err != nil {
		t.Fatal(err)
	}
	w := fullWorld()
	h = newUI(Options{Store: w, Index: w, Dumps: dir})
	wantText(t, page(t, h, "/data", 200), ".empty", "No file has been written")
	get(t, h, "/data/events.jsonl.gz", 404)
	page(t, newUI(Options{Store: w, Index: w, Dumps: filepath.Join(dir, "none")}), "/data", 200)
	page(t, newUI(Options{Store: w, Index: w}), "/data", 404)
}

func FuzzSums(f *testing.F) {
	f.Add(sumOf("x") + "  x.gz\n")
	f.Add(sumOf("x") + "  ../x\n")
	f.Add("\xff\n" + sumOf("x") + " *y")
	dir := f.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "x.gz"), nil, 0o600); err != nil {
		f.Fatal(err)
	}
	s := &server{Options: Options{Dumps: dir}}
	f.Fuzz(func(t *testing.T, text string) {
		writeFile(t, filepath.Join(dir, sumsFile), text)
		list, err := s.listDumps()
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range list {
			if d.name != "x.gz" && d.name != sumsFile || len(d.sum) != 64 {
				t.Errorf("%q lists %+v", text, d)
			}
		}
	})
}
