package replay

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/eventseer/eventseer/internal/warc"
)

// recordsOf reads all records of a recording, digests verified.
func recordsOf(t testing.TB, path string) (recs []*warc.Record) {
	t.Helper()
	files, err := warc.SeriesFiles(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		r, err := warc.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		for r.Scan() {
			rec, err := r.Record()
			if err == nil {
				err = rec.Verify()
			}
			if err != nil {
				t.Fatal(err)
			}
			recs = append(recs, rec)
		}
	}
	return recs
}

// describe returns the contents of a record without the parts that depend on the run.
func describe(rec *warc.Record, base string) string {
	s := rec.Type()
	for _, name := range []string{"WARC-Target-URI", "WARC-IP-Address", "WARC-Truncated", "WARC-Refers-To-Target-URI", "WARC-Refers-To-Date"} {
		if value := rec.Header.Get(name); value != "" {
			s += " " + strings.TrimPrefix(value, base)
		}
	}
	return s
}

func recordTo(t testing.TB, path string, size int64, next http.RoundTripper) (http.RoundTripper, *warc.Writer) {
	t.Helper()
	w, err := warc.Create(path, warc.WriterOptions{Now: now, MaxSize: size})
	if err != nil {
		t.Fatal(err)
	}
	return NewRecorder(next, w), w
}

// same is a server of four addresses: two with one body, a 304, and one that
// breaks off.
func same(body string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Path", r.URL.Path)
		switch r.URL.Path {
		case "/304":
			w.WriteHeader(http.StatusNotModified)
		case "/short":
			w.Header().Set("Content-Length", "9000")
			io.WriteString(w, body)
		default:
			io.WriteString(w, body)
		}
	})
}

func TestRecordsOfAnExchange(t *testing.T) {
	server := httptest.NewServer(same(strings.Repeat("body ", 100)))
	defer server.Close()
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	path := filepath.Join(t.TempDir(), "x.warc.gz")
	recorder, w := recordTo(t, path, 0, transport)
	for _, p := range []string{"/a", "/b", "/304", "/short"} {
		req, _ := http.NewRequest(http.MethodGet, server.URL+p, nil)
		req.Header.Set("Referer", server.URL+"/")
		res, err := recorder.RoundTrip(req)
		if err != nil || res.Request != req {
			t.Fatal(err)
		}
		res.Body.Close()
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	var got []string
	answer := ""
	for _, rec := range recordsOf(t, path) {
		got = append(got, describe(rec, server.URL))
		switch rec.Type() {
		case "response", "revisit":
			answer = rec.Header.Get("WARC-Record-ID")
			if p := strings.TrimPrefix(rec.TargetURI(), server.URL); !strings.Contains(string(rec.Block), "X-Path: "+p) {
				t.Errorf("%s lost its header: %q", p, rec.Block)
			}
		case "request":
			if p := strings.TrimPrefix(rec.TargetURI(), server.URL); !strings.HasPrefix(string(rec.Block), "GET "+p+" HTTP/1.1\r\nHost: 127.0.0.1:") || !strings.HasSuffix(string(rec.Block), "/\r\n\r\n") {
				t.Errorf("request %q", rec.Block)
			}
		case "metadata":
			want := "fetchTimeMs: 0\r\nprotocol: HTTP/1.1\r\nvia: " + server.URL + "/\r\n"
			if strings.HasSuffix(rec.TargetURI(), "/short") {
				want += "truncated: disconnect\r\n"
			}
			if string(rec.Block) != want {
				t.Errorf("metadata %q, want %q", rec.Block, want)
			}
		}
		if to := rec.Header.Get("WARC-Concurrent-To"); (rec.Type() == "request" || rec.Type() == "metadata") && to != answer {
			t.Errorf("%s of %s is concurrent to %q, want %q", rec.Type(), rec.TargetURI(), to, answer)
		}
	}
	want := []string{
		"warcinfo",
		"response /a 127.0.0.1", "request /a 127.0.0.1", "metadata /a",
		"revisit /b 127.0.0.1 /a 2026-03-01T12:00:00.000000Z", "request /b 127.0.0.1", "metadata /b",
		"revisit /304 127.0.0.1", "request /304 127.0.0.1", "metadata /304",
		"response /short 127.0.0.1 disconnect", "request /short 127.0.0.1", "metadata /short",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestDuplicatesAreReplayed finds bodies in all files of a recording, in whatever order they are given, and
// reports missing ones.
func TestDuplicatesAreReplayed(t *testing.T) {
	body := strings.Repeat("body ", 100)
	server := httptest.NewServer(same(body))
	defer server.Close()
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	prefix := filepath.Join(t.TempDir(), "rec")
	for range 2 { // the second one continues the recording
		recorder, w := recordTo(t, prefix, 1, transport)
		for _, p := range []string{"/a", "/b", "/c", "/a"} {
			see(t, recorder, server.URL+p, "")
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	files, err := warc.SeriesFiles(prefix)
	if err != nil || len(files) != 8 {
		t.Fatalf("files %v, %v", files, err)
	}
	check := func(w *Web) {
		t.Helper()
		for _, p := range []string{"/a", "/b", "/c"} {
			req, _ := http.NewRequest(http.MethodGet, server.URL+p, nil)
			res, err := w.RoundTrip(req)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := io.ReadAll(res.Body); string(got) != body || err != nil || res.Header.Get("X-Path") != p {
				t.Errorf("%s: %d bytes, %v, of %s", p, len(got), err, res.Header.Get("X-Path"))
			}
			if rec, err := w.Record(server.URL + p); err != nil || rec.Type() != "response" || rec.Verify() != nil {
				t.Errorf("Record(%s) = %v, %v", p, rec, err)
			}
		}
	}
	check(open(t, files...))
	for _, file := range files {
		if _, err := warc.WriteIndex(file); err != nil {
			t.Fatal(err)
		}
	}
	check(open(t, files...))
	web := open(t, files[1])
	if _, _, err := get(t, web, server.URL+"/b"); err == nil || !strings.Contains(err.Error(), "in none of the given files") {
		t.Errorf("without the original: %v", err)
	}
}

// TestRecordedBeforeHandedOn reads the file at the moment an answer is handed on,
// before anybody has read its body.
func TestRecordedBeforeHandedOn(t *testing.T) {
	server := httptest.NewServer(siteHandler())
	defer server.Close()
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	path := filepath.Join(t.TempDir(), "x.warc.gz")
	recorder, w := recordTo(t, path, 0, transport)
	defer w.Close()
	for i, p := range []string{"/", "/chunked", "/long"} {
		req, _ := http.NewRequest(http.MethodGet, server.URL+p, nil)
		res, err := recorder.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		recs := recordsOf(t, path)
		if len(recs) != 1+3*(i+1) || recs[len(recs)-3].TargetURI() != server.URL+p {
			t.Errorf("%s: %d records on disk when it was handed on", p, len(recs))
		}
		res.Body.Close()
	}
}

// TestKilledRecorder kills a process between an answer and the reading of its
// body: the answer is in the file, which can be written on.
func TestKilledRecorder(t *testing.T) {
	const env = "REPLAY_TEST_RECORD"
	if asked := os.Getenv(env); asked != "" {
		recordAndWait(asked)
	}
	server := httptest.NewServer(siteHandler())
	defer server.Close()
	path := filepath.Join(t.TempDir(), "x.warc.gz")
	for i := range 3 {
		url := fmt.Sprintf("%s/?n=%d", server.URL, i)
		cmd := exec.Command(os.Args[0], "-test.run=^TestKilledRecorder$")
		cmd.Env = append(os.Environ(), env+"="+path+" "+url)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = cmd.Process.Kill() }) // it may have ended already
		if line, err := bufio.NewReader(out).ReadString('\n'); line != "answered\n" {
			t.Fatalf("the process says %q, %v", line, err)
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		cmd.Wait() // its error reports the kill
		if status, body, err := get(t, open(t, path), url); status != 200 || body == "" || err != nil {
			t.Errorf("after kill %d: %d %q, %v", i, status, body, err)
		}
	}
	if recs := recordsOf(t, path); len(recs) != 3*4 {
		t.Errorf("%d records, want those of three processes", len(recs))
	}
}

func recordAndWait(asked string) {
	path, url, _ := strings.Cut(asked, " ")
	w, err := warc.Create(path, warc.WriterOptions{Now: now})
	if err == nil {
		var req *http.Request
		if req, err = http.NewRequest(http.MethodGet, url, nil); err == nil {
			_, err = NewRecorder(&http.Transport{}, w).RoundTrip(req)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println("answered")
	select {}
}

// TestRecordedHTTP2 writes heads as HTTP/1.1 and marks them.
func TestRecordedHTTP2(t *testing.T) {
	server := httptest.NewUnstartedServer(siteHandler())
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	path := filepath.Join(t.TempDir(), "x.warc.gz")
	recorder, w := recordTo(t, path, 0, server.Client().Transport)
	direct := see(t, recorder, server.URL+"/chunked", "")
	w.Close()
	recs := recordsOf(t, path)
	if head, _, _ := strings.Cut(string(recs[1].Block), "\r\n"); head != "HTTP/1.1 200 OK" || !strings.Contains(string(recs[3].Block), "protocol: HTTP/2.0\r\n") {
		t.Errorf("head %q, metadata %q", head, recs[3].Block)
	}
	if diff := cmp.Diff(direct, see(t, open(t, path), server.URL+"/chunked", "")); diff != "" {
		t.Error(diff)
	}
}
