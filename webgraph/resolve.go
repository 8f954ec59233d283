package webgraph

import (
	"strings"
	"sync"

	"github.com/nlnwa/whatwg-url/url"
)

// A Resolver resolves the links of one page. Make one per page; it is safe for concurrent use. The zero
// value resolves absolute links only.
type Resolver struct {
	base   *parsedBase // nil if there is none
	scheme string      // "https:"
	origin string      // scheme, host and port, such as https://example.org:8080
	path   string      // of the base
	dir    string      // path of the base up to its last slash
}

// A parsedBase is a base URL, parsed when a link first needs it.
type parsedBase struct {
	raw  string
	once sync.Once
	url  *url.Url // nil if raw is not an http or https URL
	err  error
}

func (b *parsedBase) parseBase() (*url.Url, error) {
	b.once.Do(func() {
		if b.url, b.err = parseURL(nil, b.raw); b.err == nil {
			b.url.SearchParams() // fills a cache that concurrent calls of Url.Parse would otherwise fill in a data race
		}
	})
	return b.url, b.err
}

// NewResolver returns the resolver for links on a page with URL base. If base is not a URL, but for
// example a file name, only absolute links can be resolved.
func NewResolver(base string) Resolver {
	b := &parsedBase{raw: base}
	if isCanonical(base) { // already canonical: scheme://host/path
		scheme, rest, _ := strings.Cut(base, "//")
		host, path, _ := strings.Cut(rest, "/")
		path, _, _ = strings.Cut(path, "?")
		origin := len(scheme) + len("//") + len(host)
		path = base[origin : origin+1+len(path)]
		return Resolver{base: b, scheme: scheme, origin: base[:origin], path: path, dir: path[:strings.LastIndexByte(path, '/')+1]}
	}
	u, err := b.parseBase()
	if err != nil {
		return Resolver{}
	}
	path := u.Pathname()
	return Resolver{
		base:   b,
		scheme: u.Protocol(),
		origin: u.Protocol() + "//" + u.Host(),
		path:   path,
		dir:    path[:strings.LastIndexByte(path, '/')+1],
	}
}

// Resolve returns the canonical form of the URL that the reference ref, as written on a page, leads to.
// The error is a *URLError.
func (r Resolver) Resolve(ref string) (string, error) {
	if s, ok := r.resolvePlain(ref); ok {
		return s, nil
	}
	return r.resolveSlow(ref)
}

func (r Resolver) resolveSlow(ref string) (string, error) {
	var base *url.Url
	if r.base != nil {
		var err error
		if base, err = r.base.parseBase(); err != nil {
			return "", err
		}
	}
	u, err := parseURL(base, ref)
	if err != nil {
		return "", err
	}
	return canonicalOf(ref, u)
}

// resolvePlain joins base and ref as strings if nothing else is needed. Otherwise it returns false.
func (r Resolver) resolvePlain(ref string) (string, bool) {
	ref, _, _ = strings.Cut(ref, "#")
	s := ref
	switch {
	case ref == "" || isCanonical(ref):
	case strings.HasPrefix(ref, "http") && strings.Count(ref, "/") == 2:
		s = ref + "/" // a host alone
	case r.base == nil:
		return "", false
	case strings.HasPrefix(ref, "//"):
		s = r.scheme + ref
	case ref[0] == '/':
		s = r.origin + ref
	case strings.HasPrefix(ref, "../"):
		s = r.origin + joinParent(r.dir, ref)
	case ref[0] == '?':
		s = r.origin + r.path + ref
	case strings.HasPrefix(ref, "./") && len(ref) > len("./") && isUnreserved(ref[2]) && ref[2] != '.':
		s = r.origin + r.dir + ref[len("./"):]
	case !strings.Contains(ref, ":") && isUnreserved(ref[0]):
		s = r.origin + r.dir + ref
	default:
		return "", false
	}
	return s, isCanonical(s)
}

// joinParent joins dir and a reference, going up one folder for each "../" at its beginning.
func joinParent(dir, ref string) string {
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
