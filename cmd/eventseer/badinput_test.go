package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/eventseer/store"
	"github.com/eventseer/eventseer/models"
)

// runCaptured runs a command line and returns its exit code, stdout and stderr.
func runCaptured(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	a := newTestApp(t)
	var out bytes.Buffer
	var talk talkLog
	a.Stdout, a.Stderr = &out, &talk
	code = run(context.Background(), args, a)
	return code, out.String(), talk.String()
}

func TestLockedDataDirectory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	st, err := store.Open(filepath.Join(dir, app.StoreFile), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = st.Close() }()
	code, _, stderr := runCaptured(t, "find", "--data", dir, "anything")
	if code != exitLocked || !strings.Contains(stderr, "another") {
		t.Errorf("find in a locked directory: exit %d, %q; want %d and what to do", code, stderr, exitLocked)
	}
}

func TestUnknownModelVersion(t *testing.T) {
	model, err := fs.ReadFile(models.Files(), "cfp.model")
	if err != nil {
		t.Fatal(err)
	}
	binary.LittleEndian.PutUint32(model[8:], 99) // the version follows the magic
	path := filepath.Join(t.TempDir(), "future.model")
	if err := os.WriteFile(path, model, 0o644); err != nil {
		t.Fatal(err)
	}
	code, _, stderr := runCaptured(t, "classify", "--model", path, path)
	if code != exitIncompatible || !strings.Contains(stderr, "99") {
		t.Errorf("classify with a model of version 99: exit %d, %q; want %d and the version named", code, stderr, exitIncompatible)
	}
}

// TestDamagedModels gives truncated and changed model files to every command that opens one.
func TestDamagedModels(t *testing.T) {
	t.Parallel()
	model, err := fs.ReadFile(models.Files(), "cfp.model")
	if err != nil {
		t.Fatal(err)
	}
	flipped := bytes.Clone(model)
	flipped[len(flipped)/2] ^= 4
	dir := t.TempDir()
	labels := filepath.Join(dir, "labels.tsv")
	for name, file := range map[string][]byte{"cut": model[:len(model)/2], "head": model[:20], "empty": nil, "flipped": flipped} {
		path := filepath.Join(dir, name+".model")
		if err := os.WriteFile(path, file, 0o644); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{
			{"classify", dir, "--model", path},
			{"label", "next", dir, "--labels", labels, "--model", path},
			{"eval", path, "--data", labels, "--pages", dir},
			{"eval", "compare", path, "cfp", "--data", labels, "--pages", dir},
			{"model", "show", path}, {"model", "card", path}, {"model", "diff", "cfp", path},
			{"model", "export", path, "--to", "json"},
			{"crawl", "--sim", "seed=1", "--run", filepath.Join(dir, "run"), "--topic", path},
		} {
			code, stdout, stderr := runCaptured(t, args...)
			if code != exitFailed || stdout != "" || !strings.Contains(stderr, path+": read model: ") {
				t.Errorf("%s with the model %s: exit %d, stdout %q, stderr %q; want %d and the file named", args[:2], name, code, stdout, stderr, exitFailed)
			}
		}
	}
}

// TestBadPages gives every kind of bad page to classify and extract. Each is one line of output,
// and the good page among them is still read.
func TestBadPages(t *testing.T) {
	t.Parallel()
	const good = `<html><head><title>Call for Papers: ICX 2027</title></head><body><h1>Call for Papers</h1>
		<p>We invite authors to submit papers on sensors to ICX 2027, Trondheim, Norway, June 1-4, 2027.</p>
		<ul><li>Paper submission: January 15, 2027</li><li>Notification: March 1, 2027</li></ul></body></html>`
	files := map[string][]byte{
		"empty.html":   nil,
		"good.html":    []byte(good),
		"binary.html":  bytes.Repeat([]byte{0, 1, 2, 255}, 1000),
		"large.html":   bytes.Repeat([]byte("<p>lorem ipsum dolor sit amet</p>\n"), 50<<20/34),
		"deep.html":    []byte(strings.Repeat("<div>", 10000) + "text"),
		"invalid.html": []byte("<html><body><p>caf\xe9 \xff\xfe broken</p></body></html>"),
		"charset.html": []byte(`<html><head><meta charset="utf-16"></head><body><p>not UTF-16</p></body></html>`),
		"broken.warc":  []byte("WARC/1.0\r\nWARC-Type: response\r\nContent-Length: 99\r\n\r\nHTTP/1.1 200 OK\r\n"),
	}
	dir := t.TempDir()
	for name, body := range files {
		if err := os.WriteFile(filepath.Join(dir, name), body, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, command := range []string{"classify", "extract"} {
		code, stdout, stderr := runCaptured(t, command, "--format", "jsonl", dir)
		if code != exitPartly {
			t.Errorf("%s: exit %d, %q; want %d", command, code, stderr, exitPartly)
		}
		lines := decodeLines(t, stdout)
		goodLine, ok := lines[filepath.Join(dir, "good.html")]
		if !ok || goodLine["error"] != nil {
			t.Errorf("%s: the good page among bad ones gave %v", command, goodLine)
		}
		for _, name := range []string{"binary.html", "broken.warc"} {
			if lines[filepath.Join(dir, name)]["error"] == nil {
				t.Errorf("%s: no error line for %s in:\n%.2000s", command, name, stdout)
			}
		}
	}
}

// decodeLines returns the lines of JSON by their url.
func decodeLines(t *testing.T, text string) map[string]map[string]any {
	t.Helper()
	lines := map[string]map[string]any{}
	for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
		var m map[string]any
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatalf("line %q: %v", line, err)
		}
		lines[m["url"].(string)] = m
	}
	return lines
}

// TestTruncatedWARC cuts a WARC in its second record: the first and the third
// are read, the second is a line with an error.
func TestTruncatedWARC(t *testing.T) {
	var file bytes.Buffer
	for i, url := range []string{"http://a.example/", "http://b.example/", "http://c.example/"} {
		member := warcMember(t, url)
		if i == 1 {
			member = member[:len(member)/2]
		}
		file.Write(member)
	}
	path := filepath.Join(t.TempDir(), "cut.warc.gz")
	if err := os.WriteFile(path, file.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	code, stdout, _ := runCaptured(t, "classify", "--format", "jsonl", path)
	lines := decodeLines(t, stdout)
	if code != exitPartly || lines["http://a.example/"] == nil || lines["http://c.example/"] == nil || len(lines) != 3 {
		t.Errorf("exit %d, want %d, the first and third page and one error in:\n%s", code, exitPartly, stdout)
	}
}

func warcMember(t *testing.T, url string) []byte {
	t.Helper()
	http := "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html><body><p>A page about " + url + "</p></body></html>"
	record := "WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:6c8d190a-7f31-50ec-a0fc-e7f38846e550>\r\n" +
		"WARC-Date: 2026-01-10T00:00:00Z\r\nWARC-Target-URI: " + url + "\r\nContent-Type: application/http; msgtype=response\r\n" +
		"Content-Length: " + strconv.Itoa(len(http)) + "\r\n\r\n" + http + "\r\n\r\n"
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(record)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
