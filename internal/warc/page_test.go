package warc

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/eventseer/eventseer/webgraph"
)

func TestPage(t *testing.T) {
	const text = "<p>Call for papers</p>"
	gz := string(zip(t, []byte(text)))

	tests := []struct {
		name, block string
		status      int
		body        string
		truncated   bool
	}{
		{"plain", "HTTP/1.1 200 OK\r\nContent-Length: 22\r\n\r\n" + text, 200, text, false},
		{"no reason, LF only", "HTTP/2 404\nContent-Type: text/html\n\n" + text, 404, text, false},
		{"odd header lines", "HTTP/1.1 200 OK\r\nno colon\r\n: empty\r\nA B: c\r\nX: 1\r\n folded\r\n\r\n" + text, 200, text, false},
		{"no body", "HTTP/1.1 301 Moved\r\nLocation: /\r\n\r\n", 301, "", false},
		{"chunked", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n6;x=y\r\n<p>Cal\r\n10\r\nl for papers</p>\r\n0\r\n\r\n", 200, text, false},
		{"chunked in name only", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + text, 200, text, false},
		{"invalid chunk size", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n6\r\n<p>Cal\r\nzz\r\nl for", 200, "<p>Cal", true},
		{"negative chunk size", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n6\r\n<p>Cal\r\n-1\r\nl for", 200, "<p>Cal", true},
		{"chunk cut", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffff\r\n<p>Cal", 200, "<p>Cal", true},
		{"no last chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n6\r\n<p>Cal\r\n", 200, "<p>Cal", true},
		{"shorter than its length", "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n" + text, 200, text, true},
		{"longer than its length", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n" + text, 200, text, false},
		{"not modified", "HTTP/1.1 304 Not Modified\r\nContent-Length: 99\r\n\r\n", 304, "", false},
		{"header without end", "HTTP/1.1 200 OK\r\nX: y", 200, "", true},
		{"header too long", "HTTP/1.1 200 OK\r\nX: " + strings.Repeat("y\r\nX: ", MaxHeader), 200, "", true},
		{"gzip", "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + gz, 200, text, false},
		{"gzip and chunked", "HTTP/1.1 200 OK\r\nContent-Encoding: x-gzip\r\nTransfer-Encoding: chunked\r\n\r\n" +
			fmt.Sprintf("a\r\n%s\r\n%x\r\n%s\r\n0\r\n\r\n", gz[:10], len(gz)-10, gz[10:]), 200, text, false},
		{"gzip in name only", "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + text, 200, text, false},
		{"gzip broken off", "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + gz[:len(gz)-9], 200, text, true},
		{"unknown encoding", "HTTP/1.1 200 OK\r\nContent-Encoding: UTF-8\r\n\r\n" + text, 200, text, false},
		{"gzip and garbage", "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + gz + "<!-- garbage -->", 200, text, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, err := NewResponse("http://a.example/ä", testTime, []byte(tt.block)).Page()
			if err != nil {
				t.Fatal(err)
			}
			if p.Status != tt.status || string(p.Body) != tt.body || p.Truncated != tt.truncated {
				t.Errorf("got %d %q truncated %v, want %d %q %v", p.Status, p.Body, p.Truncated, tt.status, tt.body, tt.truncated)
			}
			if p.URL != "http://a.example/ä" || !p.FetchedAt.Equal(testTime) {
				t.Errorf("URL %q, fetched at %v", p.URL, p.FetchedAt)
			}
		})
	}
}

func TestPageRefuses(t *testing.T) {
	tests := map[string]*Record{
		"request":        NewRequest("http://a.example/", testTime, []byte("GET / HTTP/1.1\r\n\r\n")),
		"no HTTP":        NewResponse("http://a.example/", testTime, []byte("<p>x</p>")),
		"empty":          NewResponse("http://a.example/", testTime, nil),
		"status":         NewResponse("http://a.example/", testTime, []byte("HTTP/1.1 2000 OK\r\n\r\n")),
		"many encodings": NewResponse("http://a.example/", testTime, []byte("HTTP/1.1 200 OK\r\nContent-Encoding: br,br,br,br\r\n\r\nx")),
	}
	for name, rec := range tests {
		if p, err := rec.Page(); !errors.Is(err, ErrNoPage) {
			t.Errorf("%s: %v, %v, want ErrNoPage", name, p, err)
		}
	}
}

func TestPageIsBounded(t *testing.T) {
	bomb := zip(t, make([]byte, MaxBody+MaxBody/4))
	block := append([]byte("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n"), bomb...)
	twice := append([]byte("HTTP/1.1 200 OK\r\nContent-Encoding: gzip, gzip\r\n\r\n"), zip(t, bomb)...)
	long := append([]byte("HTTP/1.1 200 OK\r\n\r\n"), make([]byte, MaxBody+1)...)
	for name, rec := range map[string]*Record{
		"bomb":        NewResponse("http://a.example/", testTime, block),
		"double bomb": NewResponse("http://a.example/", testTime, twice),
		"long":        NewResponse("http://a.example/", testTime, long),
		"resource":    NewResource("http://a.example/", testTime, "text/plain", make([]byte, MaxBody+1)),
	} {
		p, err := rec.Page()
		if err != nil || len(p.Body) != MaxBody || !p.Truncated {
			t.Errorf("%s: %d bytes, %v", name, len(p.Body), err)
		}
	}
}

func TestPages(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.warc.gz")
	w, err := Create(path, WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	truncated := NewResponse("http://a.example/cut", testTime, answer("cut"))
	truncated.Header.Set("WARC-Truncated", "length")
	bracketed := NewResponse("<http://a.example/b>", testTime, answer("b"))
	for _, rec := range []*Record{
		NewResponse("http://a.example/", testTime, []byte("HTTP/1.1 200 OK\r\nETag: \"x\"\r\nSet-Cookie: a\r\n\r\nhello")),
		NewRequest("http://a.example/", testTime, []byte("GET / HTTP/1.1\r\n\r\n")),
		NewResponse("dns:a.example", testTime, []byte("a.example. IN A 192.0.2.1")),
		NewResource("file:///x.pdf", testTime, "application/pdf", []byte("%PDF")),
		NewResponse("http://a.example/odd", testTime, []byte("gopher")),
		truncated, bracketed,
	} {
		if err := w.Write(rec); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	page := func(url, body string, truncated bool, header http.Header) *webgraph.Page {
		return &webgraph.Page{URL: url, Requested: url, Status: 200, Header: header, Body: []byte(body), FetchedAt: testTime, Truncated: truncated}
	}
	html := http.Header{"Content-Type": {"text/html"}}
	want := []*webgraph.Page{
		page("http://a.example/", "hello", false, http.Header{"Etag": {`"x"`}}),
		page("file:///x.pdf", "%PDF", false, http.Header{"Content-Type": {"application/pdf"}}),
		page("http://a.example/cut", "cut", true, html),
		page("http://a.example/b", "b", false, html),
	}
	var got []*webgraph.Page
	bads := 0
	for p, err := range Pages(path) {
		if errors.Is(err, ErrNoPage) && strings.Contains(err.Error(), "http://a.example/odd") {
			bads++
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, p)
	}
	if diff := cmp.Diff(want, got); diff != "" || bads != 1 {
		t.Errorf("%d bad, %s", bads, diff)
	}
	for range Pages(path) {
		break // must not go on
	}
}

func TestVerify(t *testing.T) {
	chunked := NewResponse("http://a.example/", testTime, []byte("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"))
	if err := chunked.Verify(); err != nil {
		t.Errorf("digest of the chunked body: %v", err)
	}
	for _, digest := range []string{
		"sha1:" + strings.TrimPrefix(digestOf([]byte("ok")), "sha1:"),
		"sha-1:7a85f4764bbd6daf1c3545efbbf0f279a6dc0beb",
		"md5:444bcb3a3fcf8389296c49467f27e1d6",
		"sha256:2689367b205c16ce32ed4200942b8b8b1e262dfc70d9bc9fbc77c49699a4f1df",
	} {
		chunked.Header.Set("WARC-Payload-Digest", digest)
		if err := chunked.Verify(); err != nil {
			t.Error(err)
		}
	}
	for _, digest := range []string{digestOf([]byte("other")), "crc32:00000000", "sha1"} {
		chunked.Header.Set("WARC-Payload-Digest", digest)
		if err := chunked.Verify(); err == nil {
			t.Errorf("%s was accepted", digest)
		}
	}
	chunked.Header.Set("WARC-Block-Digest", digestOf(nil))
	if err := chunked.Verify(); err == nil || !strings.Contains(err.Error(), "Block") {
		t.Errorf("block digest: %v", err)
	}
	if err := (&Record{}).Verify(); err != nil {
		t.Errorf("no digests: %v", err)
	}
}

func TestTruncatedWARCOnDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.warc.gz")
	rs := records(t, 3)
	data := slicesConcat(zip(t, rs[0]), zip(t, rs[1])[:700], zip(t, rs[2]))
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	var pages, bads []string
	for p, err := range Pages(path) {
		if err != nil {
			bads = append(bads, err.Error())
			continue
		}
		pages = append(pages, p.URL)
	}
	if diff := cmp.Diff([]string{"http://a.example/0", "http://a.example/2"}, pages); diff != "" {
		t.Error(diff)
	}
	if len(bads) != 1 || !strings.Contains(bads[0], path) || !strings.Contains(bads[0], "byte ") {
		t.Errorf("%q should be one error that names file and place", bads)
	}
}
