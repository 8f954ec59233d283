package backlink

import (
	"slices"
	"strings"

	"github.com/eventseer/eventseer/webgraph"
)

// schemelessKey returns a URL without its scheme, because both schemes lead to one page.
func schemelessKey(url string) string {
	if _, rest, ok := strings.Cut(url, "://"); ok {
		return rest
	}
	return url
}

// hostKey returns the host of a key with its port and a slash: the prefix of the keys of all its
// pages.
func hostKey(k string) string { return k[:strings.IndexByte(k+"/", '/')] + "/" }

// directoryKey returns the beginning of the keys of all pages of a page's directory.
func directoryKey(k string) string {
	k, _, _ = strings.Cut(k, "?")
	if i := strings.LastIndexByte(k, '/'); i >= 0 {
		return k[:i+1]
	}
	return k + "/"
}

// DescribeSubject describes the subject of a query in scope s of a canonical URL. It is the page or the
// common prefix of the pages, without scheme, such as "conf.org/2027/cfp", "conf.org/2027/" and
// "conf.org/", or the registered domain, "conf.org".
func (s Scope) DescribeSubject(target string) string {
	switch k := schemelessKey(target); s {
	case Directory:
		return directoryKey(k)
	case Host:
		return hostKey(k)
	case Domain:
		return domainOf(target)
	default:
		return k
	}
}

// Covers reports whether url is within scope s of target; both are canonical.
func (s Scope) Covers(target, url string) bool {
	about := s.DescribeSubject(target)
	switch s {
	case Page:
		return schemelessKey(url) == about
	case Domain:
		return about != "" && domainOf(url) == about
	default:
		return strings.HasPrefix(schemelessKey(url), about)
	}
}

// wideningScopes returns the scopes in which a provider is queried about target, one after the other
// until there are results. known are its supported scopes. A directory includes its page, and that
// of a site's top is its host. A domain may be a whole university, so it is queried only if the
// host is its main host, such as www.conf.org for conf.org, or if the provider supports nothing
// narrower.
func wideningScopes(known []Scope, target string) []Scope {
	narrow := Page
	if slices.Contains(known, Directory) {
		narrow = Directory
	}
	var scopes []Scope
	for _, s := range []Scope{narrow, Host, Domain} {
		switch {
		case !slices.Contains(known, s),
			s == Directory && Directory.DescribeSubject(target) == Host.DescribeSubject(target) && slices.Contains(known, Host),
			s == Domain && len(scopes) > 0 && !isWholeDomain(target):
			continue
		}
		scopes = append(scopes, s)
	}
	return scopes
}

// isWholeDomain reports whether the host of a URL is its registered domain, with or without www.
func isWholeDomain(target string) bool {
	return strings.TrimPrefix(string(webgraph.HostOf(target)), "www.") == domainOf(target)
}
