package tagtree

import (
	"net/http"
	"strings"
	"testing"

	"eventseer/webgraph"
)

func TestDecode(t *testing.T) {
	const pad = "<meta name=x content='0123456789'>"
	tests := []struct{ name, body, contentType, want string }{
		{"header", "caf\xe9", "text/html; charset=iso-8859-1", "café"},
		{"header beats meta", "<meta charset=utf-8><p>caf\xe9", "text/html; charset=latin1", "café"},
		{"mark beats header", "\xef\xbb\xbfcaf\u00e9", "text/html; charset=koi8-r", "café"},
		{"utf-16 by mark", "\xff\xfec\x00a\x00f\x00\xe9\x00", "text/html", "café"},
		{"meta only", "<meta charset=gb18030><p>\xbb\xe1\xd2\xe9", "text/html", "会议"},
		{"meta far down", strings.Repeat(pad, 60) + "<meta http-equiv=content-type content='text/html; charset=gb18030'><p>\xbb\xe1\xd2\xe9", "", "会议"},
		{"sniffed utf-8, late", strings.Repeat(pad, 60) + "<p>café", "", "café"},
		{"sniffed windows-1252", "\x93caf\xe9\x94", "", "“café”"},
		{"utf-8 declared latin1", "café", "text/html; charset=iso-8859-1", "café"},
		{"latin1 declared utf-8", "S\xe3o Paulo", "text/html; charset=utf-8", "São Paulo"},
		{"broken utf-8", "a\xff\xfe\xfdb", "text/html; charset=utf-8", "a\ufffdb"},
		{"cut at the end", "caf\xc3", "text/html; charset=utf-8", "caf\ufffd"},
		{"unknown name", "café", "text/html; charset=nonsense", "café"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := decode([]byte(tt.body), tt.contentType)
			if !strings.HasSuffix(got, tt.want) || strings.Contains(got, "\ufeff") {
				t.Errorf("got %q, want it to end in %q", got, tt.want)
			}
		})
	}
}

func TestMedia(t *testing.T) {
	const png = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"
	tests := []struct {
		name, body, contentType string
		ok                      bool
	}{
		{"html", "<p>x", "text/html", true},
		{"xhtml", "<?xml version='1.0'?><html><p>x</html>", "application/xhtml+xml", true},
		{"html as bytes", "<html><p>x", "application/octet-stream", true},
		{"html as a picture", "<html><p>x", "image/png", true},
		{"picture", png, "image/png", false},
		{"picture as html", png, "text/html", false},
		{"pdf", "%PDF-1.5 ...", "application/pdf", false},
		{"zeros", strings.Repeat("\x00\x01\x02", 99), "text/html", false},
		{"one zero in html", "<html><p>a\x00b", "text/html", true},
		{"json", `{"a": 1}`, "application/json", false},
		{"empty", "", "", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse(page(tt.body, tt.contentType))
			if (err == nil) != tt.ok {
				t.Errorf("error %v, want ok %v", err, tt.ok)
			}
		})
	}
}

func TestSource(t *testing.T) {
	for _, test := range []struct {
		name string
		page *webgraph.Page
		want string
	}{
		{"text", &webgraph.Page{Text: "caf\xe9", Body: []byte("x")}, "caf\ufffd"},
		{"charset of the header", &webgraph.Page{Body: []byte("caf\xe9"), Header: http.Header{"Content-Type": {"text/html; charset=latin1"}}}, "café"},
		{"byte order mark before the page's own charset", &webgraph.Page{Body: []byte("\ufeff<meta charset=latin1>café")}, "<meta charset=latin1>café"},
	} {
		if got := Source(test.page); got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}
