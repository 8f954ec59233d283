package webgraph

import (
	"errors"
	"sync"
	"testing"
)

func TestResolve(t *testing.T) {
	const base = "https://conf.example.org:8443/2026/cfp/index.html?lang=en#top"
	tests := []struct{ name, base, ref, want string }{
		{"name", base, "dates.html", "https://conf.example.org:8443/2026/cfp/dates.html"},
		{"folder up", base, "../venue/", "https://conf.example.org:8443/2026/venue/"},
		{"path", base, "/2027/", "https://conf.example.org:8443/2027/"},
		{"other host", base, "//b.example.org/x", "https://b.example.org/x"},
		{"absolute", base, "http://B.example.org", "http://b.example.org/"},
		{"query", base, "?lang=de", "https://conf.example.org:8443/2026/cfp/index.html?lang=de"},
		{"fragment", base, "#dates", "https://conf.example.org:8443/2026/cfp/index.html?lang=en"},
		{"empty", base, "", "https://conf.example.org:8443/2026/cfp/index.html?lang=en"},
		{"same scheme without slashes", base, "https:x", "https://conf.example.org:8443/2026/cfp/x"},
		{"name and fragment", "http://a.example", "x#y", "http://a.example/x"},
		{"absolute without a base", "no url", "http://a.example/x", "http://a.example/x"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := NewResolver(tt.base).Resolve(tt.ref)
			if err != nil || got != tt.want {
				t.Errorf("Resolve(%q) = %q, %v, want %q", tt.ref, got, err, tt.want)
			}
		})
	}
}

func TestResolveRefuses(t *testing.T) {
	tests := []struct {
		name, base, ref string
		want            error
	}{
		{"relative without a base", "hard::page.html", "x.html", ErrBadURL},
		{"relative to a file", "file:///tmp/page.html", "x.html", ErrBadURL},
		{"mail", "http://a.example/", "mailto:x@a.example", ErrScheme},
		{"data", "http://a.example/", "data:text/html,x", ErrScheme},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got, err := NewResolver(tt.base).Resolve(tt.ref); !errors.Is(err, tt.want) {
				t.Errorf("Resolve(%q) = %q, %v, want %v", tt.ref, got, err, tt.want)
			}
		})
	}
}

func TestResolverIsSafeForConcurrentUse(t *testing.T) {
	r := NewResolver("http://a.example/x?y=1")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if got, err := r.Resolve("%7ejo"); got != "http://a.example/~jo" || err != nil {
				t.Errorf("Resolve = %q, %v", got, err)
			}
		})
	}
	wg.Wait()
}

func FuzzResolve(f *testing.F) {
	for _, ref := range []string{"a", "../a", "/a", "//a.example/b", "?a", "#a", "", "http:a", "a:b", "\\a", "./", "./a", "./a:b", "././a", "?", "a/..", ";sid=1"} {
		f.Add("http://x.example/y/z?q", ref)
		f.Add("https://u@x.example:8/y;jsessionid=1/", ref)
	}
	f.Add("mailto:a", "#b")
	f.Fuzz(func(t *testing.T, base, ref string) {
		r := NewResolver(base)
		got, err := r.Resolve(ref)
		slow, slowErr := r.resolveSlow(ref)
		if (err == nil) != (slowErr == nil) || err == nil && got != slow {
			t.Fatalf("fast %q, %v; slow %q, %v", got, err, slow, slowErr)
		}
		if err != nil {
			return
		}
		if again, err := Canonical(got); err != nil || again != got {
			t.Errorf("Resolve gave %q, whose canonical form is %q, %v", got, again, err)
		}
	})
}

func TestHosts(t *testing.T) {
	tests := []struct{ url, host, domain string }{
		{"https://www.Conf.example.org:8080/x", "www.conf.example.org", "example.org"},
		{"http://cs.univ.ac.uk/", "cs.univ.ac.uk", "univ.ac.uk"},
		{"https://alice.github.io/", "alice.github.io", "alice.github.io"},
		{"http://127.0.0.1:80/", "127.0.0.1", "127.0.0.1"},
		{"http://[::1]:99/", "::1", "::1"},
		{"http://localhost/", "localhost", "localhost"},
		{"https://github.io/", "github.io", "github.io"},
		{"mailto:a@b.example", "", ""},
	}
	for _, tt := range tests {
		host := HostOf(tt.url)
		if string(host) != tt.host || RegisteredDomain(host) != tt.domain {
			t.Errorf("%q: host %q of domain %q, want %q of %q", tt.url, host, RegisteredDomain(host), tt.host, tt.domain)
		}
	}
	if !SameSite("a.example.org", "b.example.org") || SameSite("alice.github.io", "bob.github.io") || SameSite("", "") {
		t.Error("SameSite is wrong about two hosts of one domain, two private suffixes, or none")
	}
}
