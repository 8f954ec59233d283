package webgraph

import (
	"net/netip"
	"net/url"
	"strings"

	"golang.org/x/net/publicsuffix"
)

// HostOf returns the host of a URL in canonical form, an IPv6 address without
// its brackets, and "" for what is no http or https URL.
func HostOf(rawURL string) Host {
	s, err := Canonical(rawURL)
	if err != nil {
		return ""
	}
	_, s, _ = strings.Cut(s, "://")
	s = s[:strings.IndexByte(s, '/')]
	if inner, ok := strings.CutPrefix(s, "["); ok {
		s, _, _ = strings.Cut(inner, "]")
		return Host(s)
	}
	s, _, _ = strings.Cut(s, ":")
	return Host(s)
}

// HostKey returns the key that stands for all pages of a page's host, in whatever
// scheme: the lower-case host name of its URL, or the URL itself where it names no
// host.
func HostKey(pageURL string) string {
	u, err := url.Parse(pageURL)
	if err != nil || u.Hostname() == "" {
		return pageURL
	}
	return strings.ToLower(u.Hostname())
}

// RegisteredDomain returns the part of a host that its owner registered, by the
// Public Suffix List with its private section: conf.example.ac.uk belongs to
// example.ac.uk, and alice.github.io is a site of its own. Addresses, public
// suffixes and names without a dot are their own domain.
func RegisteredDomain(h Host) string {
	if _, err := netip.ParseAddr(string(h)); err == nil {
		return string(h)
	}
	domain, err := publicsuffix.EffectiveTLDPlusOne(string(h))
	if err != nil {
		return string(h)
	}
	return domain
}

// SameSite reports whether two hosts have the same registered domain. A URL
// without a host is on no site.
func SameSite(a, b Host) bool {
	return a != "" && b != "" && (a == b || RegisteredDomain(a) == RegisteredDomain(b))
}
