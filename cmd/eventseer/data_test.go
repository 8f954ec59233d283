package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/internal/golden"
)

// runData runs a command line and returns its exit code, stdout and stderr.
func runData(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, talk bytes.Buffer
	a := newTestApp(t)
	a.Stdout, a.Stderr = &out, &talk
	code = run(context.Background(), append([]string{"data"}, args...), a)
	return code, out.String(), talk.String()
}

func TestDataFetch(t *testing.T) {
	const content = "label,x\na,1\n"
	sum := sha256.Sum256([]byte(content))
	right, wrong := hex.EncodeToString(sum[:]), strings.Repeat("0", 64)
	var agents []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		agents = append(agents, r.UserAgent()+" "+r.Header.Get("From"))
		switch r.URL.Path {
		case "/moved":
			http.Redirect(w, r, "/set.csv", http.StatusFound)
		case "/loop":
			http.Redirect(w, r, "/loop", http.StatusFound)
		case "/set.csv":
			fmt.Fprint(w, content)
		case "/cut":
			w.Header().Set("Content-Length", "1000")
			fmt.Fprint(w, content)
		case "/huge":
			w.Header().Set("Content-Length", "99999999999")
		default:
			http.NotFound(w, r)
		}
	}))
	defer server.Close()
	dir := t.TempDir()
	live := []string{"--allow-private", "--contact", "owner@example.org"}
	for _, test := range []struct {
		name, url, sum string
		flags          []string
		code           int
		text           string
	}{
		{"no contact", "/set.csv", right, []string{"--allow-private"}, exitRefused, "contact"},
		{"private address", "/set.csv", right, live[1:], exitFailed, "not public"},
		{"no checksum", "/set.csv", "", live, exitUsage, "the checksum of"},
		{"odd checksum", "/set.csv", "abc", live, exitUsage, "64 hexadecimal digits"},
		{"no file", "/", right, live, exitUsage, "names no file"},
		{"wrong checksum", "/set.csv", wrong, live, exitFailed, "has sha256 " + right + ", not " + wrong},
		{"not found", "/absent", right, live, exitFailed, "404"},
		{"endless redirect", "/loop", right, live, exitFailed, "redirects"},
		{"broken off", "/cut", right, live, exitFailed, "ended early after 12 bytes"},
		{"too large", "/huge", right, live, exitFailed, "a download may have 2147483648"},
		{"whole", "/set.csv", strings.ToUpper(right), live, 0, "12 bytes"},
		{"again", "/set.csv", right, live, 0, "is there already"},
		{"another is there", "/set.csv", wrong, live, exitFailed, "remove it, or name another folder"},
		{"redirect", "/moved", right, live, 0, "moved: 12 bytes"},
	} {
		args := append([]string{"fetch", server.URL + test.url, "-o", dir}, test.flags...)
		if test.sum != "" {
			args = append(args, "--sha256", test.sum)
		}
		code, _, talk := runData(t, args...)
		if code != test.code || !strings.Contains(talk, test.text) {
			t.Errorf("%s: exit %d, want %d and %q in\n%s", test.name, code, test.code, test.text, talk)
		}
	}
	if got, err := os.ReadFile(filepath.Join(dir, "set.csv")); err != nil || string(got) != content {
		t.Errorf("got %q, error %v", got, err)
	}
	if files, _ := os.ReadDir(dir); len(files) != 2 {
		t.Errorf("%d files are left in the folder, want set.csv and moved: %v", len(files), files)
	}
	for _, agent := range agents {
		if !strings.HasPrefix(agent, "EventSeer/") || !strings.HasSuffix(agent, "(+owner@example.org) owner@example.org") {
			t.Errorf("a request came from %q", agent)
		}
	}
}

// TestDataConvertNewsgroups reads an archive laid out as 20 Newsgroups is.
func TestDataConvertNewsgroups(t *testing.T) {
	path := filepath.Join(t.TempDir(), "20news-tiny.tar.gz")
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	files := tar.NewWriter(z)
	for _, f := range [][2]string{
		{"20news-tiny/rec.autos/101", "From: a@example.org (A)\nSubject: Re: Brakes\nLines: 2\n\nMy brakes squeal.\nWhy?\n"},
		{"20news-tiny/rec.autos/102", "From: b@example.org\nSubject: Caf\xe9 racers\n\nThey are fast.\n"},
		{"20news-tiny/sci.space/201", "Newsgroups: sci.space\nFrom: c@example.org\nSubject: Orbits\n\nHow high?\n"},
		{"20news-tiny/sci.space/.hidden", "x"},
		{"20news-tiny/sci.space/note.txt", "no header"},
		{"README", "x"},
	} {
		if err := files.WriteHeader(&tar.Header{Name: f[0], Mode: 0o644, Size: int64(len(f[1]))}); err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(files, f[1])
	}
	if err := files.Close(); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	const want = `__label__rec.autos Subject: Re: Brakes My brakes squeal. Why?
__label__rec.autos Subject: Café racers They are fast.
__label__sci.space Subject: Orbits How high?
__label__sci.space no header
`
	code, out, talk := runData(t, "convert", path, "--to", "fasttext")
	if code != 0 || out != want {
		t.Errorf("exit %d\n%s\ngot\n%s\nwant\n%s", code, talk, out, want)
	}
	if err := os.WriteFile(path, b.Bytes()[:b.Len()/2], 0o644); err != nil {
		t.Fatal(err)
	}
	if code, _, talk := runData(t, "convert", path, "--to", "fasttext"); code == 0 || !strings.Contains(talk, "unexpected EOF") {
		t.Errorf("half an archive: exit %d, %s", code, talk)
	}
}

// TestDataConvertDBWorld sends the UCI sets through every format of vectors.
func TestDataConvertDBWorld(t *testing.T) {
	t.Parallel()
	source := golden.SharedPath(t, "corpora/dbworld/dbworld_bodies_stemmed.arff")
	dir := t.TempDir()
	want := filepath.Join(dir, "want.svm")
	if code, _, talk := runData(t, "convert", source, "--to", "libsvm", "-o", want); code != 0 {
		t.Fatalf("exit %d: %s", code, talk)
	}
	last := source
	for _, format := range []string{"csv", "arff", "tsv", "arff-dense", "svmlight", "libsvm"} {
		next := filepath.Join(dir, "x."+format)
		args := []string{"convert", last, "--to", format, "-o", next}
		if strings.HasSuffix(last, ".arff-dense") {
			args = append(args, "--from", "arff")
		}
		if code, _, talk := runData(t, args...); code != 0 {
			t.Fatalf("%s to %s: exit %d: %s", last, format, code, talk)
		}
		last = next
	}
	a, errA := os.ReadFile(want)
	b, errB := os.ReadFile(last)
	if errA != nil || errB != nil || !bytes.Equal(a, b) {
		t.Errorf("the vectors changed on their way through the formats (%v, %v)", errA, errB)
	}
}
