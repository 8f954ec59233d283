package webgraph

import (
	"errors"
	"net/url"
	"strings"
	"testing"
	"unicode"
)

func TestCanonical(t *testing.T) {
	tests := []struct{ name, raw, want string }{
		{"already canonical", "https://conf.example.org/2026/cfp.html?track=a&year=2026", "https://conf.example.org/2026/cfp.html?track=a&year=2026"},
		{"empty path", "http://example.org", "http://example.org/"},
		{"scheme and host in capitals", "HTTP://Conf.EXAMPLE.org/Index.HTML", "http://conf.example.org/Index.HTML"},
		{"default port", "https://example.org:443/a", "https://example.org/a"},
		{"other port", "http://example.org:8001/a", "http://example.org:8001/a"},
		{"fragment", "http://example.org/a#dates", "http://example.org/a"},
		{"user and password", "http://me:secret@example.org/a", "http://example.org/a"},
		{"final dot of the host", "http://example.org./a", "http://example.org/a"},
		{"international host", "http://bücher.example/", "http://xn--bcher-kva.example/"},
		{"dot segments", "http://example.org/a/./b/../c", "http://example.org/a/c"},
		{"encoded dot segments", "http://example.org/a/%2e%2E/c", "http://example.org/c"},
		{"unreserved decoded", "http://example.org/%7ejo/%41.html", "http://example.org/~jo/A.html"},
		{"escapes in upper case", "http://example.org/a%2fb?q=%c3%a9", "http://example.org/a%2Fb?q=%C3%A9"},
		{"no double decoding", "http://example.org/%%37%65", "http://example.org/%257e"},
		{"stray percent", "http://example.org/100%", "http://example.org/100%25"},
		{"brackets", "http://example.org/?a[0]=1|2", "http://example.org/?a%5B0%5D=1%7C2"},
		{"space around and within", " http://exam\nple.org/a b\t", "http://example.org/a%20b"},
		{"control character", "http://example.org/a\x01b", "http://example.org/a%01b"},
		{"umlaut in path", "http://example.org/ä", "http://example.org/%C3%A4"},
		{"backslashes", `http:\\example.org\a`, "http://example.org/a"},
		{"empty query", "http://example.org/a?", "http://example.org/a"},
		{"order and slashes stay", "http://example.org//a//?b=1&a=2&&c", "http://example.org//a//?b=1&a=2&&c"},
		{"index stays", "http://example.org/index.html", "http://example.org/index.html"},
		{"campaign", "http://example.org/?utm_source=x&id=7&UTM_Medium=y&fbclid=z", "http://example.org/?id=7"},
		{"only campaign", "http://example.org/a?gclid=1", "http://example.org/a"},
		{"campaign encoded", "http://example.org/a?utm%5fsource=1", "http://example.org/a"},
		{"PHP session", "http://example.org/a?PHPSESSID=abc&p=1", "http://example.org/a?p=1"},
		{"Java session", "http://example.org/a;jsessionid=1F2E/b.do;JSESSIONID=77?x=1", "http://example.org/a/b.do?x=1"},
		{"session before dots", "http://example.org/a/..;jsessionid=1/b", "http://example.org/b"},
		{"other matrix parameters", "http://example.org/a;v=1.2/b", "http://example.org/a;v=1.2/b"},
		{"sid of a session", "http://example.org/a?id=3&sid=44694b16", "http://example.org/a?id=3"},
		{"sid of an article", "http://example.org/a?sid=20071204", "http://example.org/a?sid=20071204"},
		{"sid that is a word", "http://example.org/a?sid=deadbeef", "http://example.org/a?sid=deadbeef"},
		{"long session of letters", "http://example.org/a?sessionid=q0w9e8r7t6y5u4i3o2p1", "http://example.org/a"},
		{"address", "http://0x7f.1/", "http://127.0.0.1/"},
		{"IPv6", "http://[::0001]:8080/", "http://[::1]:8080/"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Canonical(tt.raw)
			if err != nil || got != tt.want {
				t.Errorf("Canonical(%q) = %q, %v, want %q", tt.raw, got, err, tt.want)
			}
		})
	}
}

func TestCanonicalRefuses(t *testing.T) {
	tests := []struct {
		name, raw string
		want      error
	}{
		{"empty", "", ErrBadURL},
		{"relative", "a/b.html", ErrBadURL},
		{"mail", "mailto:chair@example.org", ErrScheme},
		{"script", "JavaScript:" + strings.Repeat("x", maxRaw), ErrScheme},
		{"file", "file:///etc/passwd", ErrScheme},
		{"no host", "http://", ErrBadURL},
		{"space in host", "http://exa mple.org/", ErrBadURL},
		{"empty label", "http://a..example.org/", ErrBadURL},
		{"long label", "http://" + strings.Repeat("a", 64) + ".org/", ErrBadURL},
		{"long host", "http://" + strings.Repeat("abcdefg.", 32) + "org/", ErrBadURL},
		{"odd host", "http://{host}/", ErrBadURL},
		{"port", "http://example.org:65536/", ErrBadURL},
		{"long", "http://example.org/" + strings.Repeat("a", MaxURL), ErrURLTooLong},
		{"grows long", "http://example.org/" + strings.Repeat("ä", MaxURL/6), ErrURLTooLong},
		{"far too long", "http://example.org/#" + strings.Repeat("a", maxRaw), ErrURLTooLong},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Canonical(tt.raw)
			var urlErr *URLError
			if !errors.Is(err, tt.want) || !errors.As(err, &urlErr) || len(err.Error()) > 1000 {
				t.Errorf("Canonical(%.60q) = %q, %v, want %v", tt.raw, got, err, tt.want)
			}
		})
	}
}

func FuzzCanonical(f *testing.F) {
	for _, s := range []string{
		"http://example.org/", "https://a.b-c.example.org/x/~y?a=b&c=/?", "http://%31.0x1../",
		"http://example.org/..;jsessionid=1/%2e;sid=1/", "http://example.org/%%37%65?&utm_a=%",
		"http://xn--bcher-kva.example/ä", "http://ẞ.example", "http://[1::]:80", "http://a_b.example/[]|^`{}'\"",
		"http://example.org/.hidden?", "http://u:p@a.example\\b", "http://a.example:0/", "//x", "http:a", "HTTP:\\\\A",
		"http://xn--0.example/", "http://a.-b.c/", "http://\u00ad.example/", "https://faß.example/?q=\xff",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		once, err := Canonical(raw)
		slow, slowErr := canonicalSlow(raw)
		if once != slow && err == nil || (err == nil) != (slowErr == nil) {
			t.Fatalf("fast %q, %v; slow %q, %v", once, err, slow, slowErr)
		}
		if err != nil {
			return
		}
		if twice, err := Canonical(once); err != nil || twice != once {
			t.Errorf("Canonical(%q) = %q, but again %q, %v", raw, once, twice, err)
		}
		u, err := url.Parse(once)
		if err != nil || u.Host == "" || len(once) > MaxURL {
			t.Errorf("net/url on %q: %v, %v", once, u, err)
		}
		if HostOf(once) == "" {
			t.Errorf("no host of %q", once)
		}
	})
}

var sink string

func BenchmarkCanonical(b *testing.B) {
	for _, bm := range []struct{ name, raw string }{
		{"plain", "https://www.example.org/conferences/2026/call-for-papers.html?track=research"},
		{"parsed", "https://www.example.org/conferences/2026/call%20for-papers.html?track=research"},
	} {
		b.Run(bm.name, func(b *testing.B) {
			for b.Loop() {
				sink, _ = Canonical(bm.raw)
			}
		})
	}
}

// An error may be shown on a terminal: what a page wrote is quoted in it, and once.
func TestURLErrorIsPrintable(t *testing.T) {
	for _, raw := range []string{"\x1b[31mred", "http://a\x1b[31m.org/", "http://a.org:\x1b]0;x\a/", "http://[\u202e", "http://\x00/"} {
		_, err := Canonical(raw)
		if err == nil {
			t.Errorf("%q is a URL", raw)
			continue
		}
		for _, r := range err.Error() {
			if !unicode.IsPrint(r) {
				t.Errorf("%q: the error has %q: %q", raw, r, err)
				break
			}
		}
	}
}
func TestHostKey(t *testing.T) {
	for url, want := range map[string]string{
		"http://WWW.Conf.example:8080/x": "www.conf.example",
		"https://conf.example":           "conf.example",
		"hard::page.html":                "hard::page.html",
		"page.html":                      "page.html",
		"http://[::1":                    "http://[::1",
		"mid:<1@example>":                "mid:<1@example>",
	} {
		if got := HostKey(url); got != want {
			t.Errorf("HostKey(%q) is %q, want %q", url, got, want)
		}
	}
}
