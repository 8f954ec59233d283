package webgraph

import (
	"strings"

	"github.com/nlnwa/whatwg-url/url"
)

// A Resolver resolves the links of one page. Make it once a page; it is safe
// for concurrent use. The zero value resolves absolute links only.
type Resolver struct {
	base   *url.Url // nil if there is none
	scheme string   // "https:"
	origin string   // scheme, host and port, as in https://example.org:8080
	dir    string   // path of the base up to its last slash
}

// NewResolver returns the resolver of links that stand in a page of URL base.
// With a base that is no URL, such as a file name, only absolute links resolve.
func NewResolver(base string) Resolver {
	u, err := parse(nil, base)
	if err != nil {
		return Resolver{}
	}
	u.SearchParams() // fills a cache that Url.Parse would otherwise fill, a data race
	path := u.Pathname()
	return Resolver{
		base:   u,
		scheme: u.Protocol(),
		origin: u.Protocol() + "//" + u.Host(),
		dir:    path[:strings.LastIndexByte(path, '/')+1],
	}
}

// Resolve returns the canonical form of the URL that ref, as written in a page,
// leads to. The error is a *URLError.
func (r Resolver) Resolve(ref string) (string, error) {
	if s, ok := r.resolvePlain(ref); ok {
		return s, nil
	}
	return r.resolveSlow(ref)
}

func (r Resolver) resolveSlow(ref string) (string, error) {
	u, err := parse(r.base, ref)
	if err != nil {
		return "", err
	}
	return canonicalOf(ref, u)
}

// resolvePlain joins base and ref as strings where that is all there is to do.
func (r Resolver) resolvePlain(ref string) (string, bool) {
	ref, _, _ = strings.Cut(ref, "#")
	s := ref
	switch {
	case ref == "" || plain(ref):
	case strings.HasPrefix(ref, "http") && strings.Count(ref, "/") == 2:
		s = ref + "/" // a host alone
	case r.base == nil:
		return "", false
	case strings.HasPrefix(ref, "//"):
		s = r.scheme + ref
	case ref[0] == '/':
		s = r.origin + ref
	case strings.HasPrefix(ref, "../"):
		s = r.origin + climb(r.dir, ref)
	case !strings.Contains(ref, ":") && isUnreserved(ref[0]):
		s = r.origin + r.dir + ref
	default:
		return "", false
	}
	return s, plain(s)
}

// climb joins dir and a reference that begins with "../", as often as it does.
func climb(dir, ref string) string {
	for {
		rest, ok := strings.CutPrefix(ref, "../")
		if !ok {
			return dir + ref
		}
		ref = rest
		if dir != "/" {
			dir = dir[:strings.LastIndexByte(dir[:len(dir)-1], '/')+1]
		}
	}
}
