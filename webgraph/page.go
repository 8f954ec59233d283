// Package webgraph defines the types that every part of EventSeer shares: pages, links, hosts, and the
// canonical form of a URL. It imports no other package of the project and does no input or output; all
// its functions are pure.
package webgraph

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"golang.org/x/net/publicsuffix"
)

// A Page is one response of the web, fetched or replayed. It is immutable: code that receives a Page must
// not change it.
type Page struct {
	// URL is the address that responded, after all redirects. Pages from files or corpora keep the name
	// they were given, byte for byte, even if it is not a URL.
	URL string
	// Requested is the requested address; equal to URL without a redirect.
	Requested string
	// Redirects are the hops between Requested and URL, in order.
	Redirects []Redirect
	// Status is the HTTP status of the last response.
	Status int
	// Header holds the headers in KeptHeaders, in canonical spelling.
	Header http.Header
	// Body is the response's body without transfer and content encodings, in the charset the server sent.
	Body []byte
	// Text is the plain text of a body that is not HTML, such as a PDF's; the fetcher sets it. It is
	// empty if Body itself is to be read.
	Text string
	// Entries are the links of a sitemap or a feed; the fetcher sets them. It is nil if Body itself is to
	// be read.
	Entries []Entry
	// Addr is the IP address that responded; "" in a replay and for files.
	Addr string
	// FetchedAt is the time of the response; in a replay, of the recorded one.
	FetchedAt time.Time
	// Sent is the time at which a message of a mailing list was sent. It is zero for other pages, and if it is
	// unknown.
	Sent time.Time
	// Truncated means that Body was cut at a size limit or by a broken connection.
	Truncated bool
	// Rendered means that Body is the result of the page's scripts in a browser.
	Rendered bool
}

// An Entry is one item of a sitemap or a feed.
type Entry struct {
	URL     string    // absolute and canonical
	Title   string    // plain text, at most MaxAnchor runes; "" in sitemaps
	Summary string    // plain text, at most MaxContext runes
	Changed time.Time // time of the page's last change; zero if unknown
	// Sitemap means that the URL is that of another sitemap, listed in a sitemap index.
	Sitemap bool
}

// RedirectTarget returns the target of a redirect that was not followed, "" if the page is not a redirect.
func (p *Page) RedirectTarget() string {
	if n := len(p.Redirects); n > 0 && p.Status/100 == 3 && p.Redirects[n-1].From == p.URL {
		return p.Redirects[n-1].To
	}
	return ""
}

// A Redirect is one hop on the way to a page.
type Redirect struct {
	From, To string
	Status   int // 301, 302, 303, 307 or 308
}

// KeptHeaders are the response headers that a Page stores; all others are dropped.
var KeptHeaders = []string{
	"Content-Type", "Content-Language", "Content-Length", "Date", "Etag",
	"Last-Modified", "Link", "Location", "Retry-After", "X-Robots-Tag",
}

// KeepHeaders returns a copy of h with only the headers in KeptHeaders.
func KeepHeaders(h http.Header) http.Header {
	kept := make(http.Header, len(KeptHeaders))
	for _, name := range KeptHeaders {
		if values := h.Values(name); len(values) > 0 {
			kept[name] = append([]string(nil), values...)
		}
	}
	return kept
}

// A Digest identifies a body: "sha256:" and 64 hexadecimal digits.
type Digest string

// DigestOf returns the digest of body.
func DigestOf(body []byte) Digest {
	sum := sha256.Sum256(body)
	return Digest("sha256:" + hex.EncodeToString(sum[:]))
}

// Digest returns the digest of the page's body.
func (p *Page) Digest() Digest { return DigestOf(p.Body) }

// A Link is one link on a page.
type Link struct {
	// Source is the URL of the page that holds the link.
	Source string
	// Target is the URL it leads to, absolute and canonical.
	Target string
	// Anchor is the link's visible text with white space folded, else the alt
	// text of its image or its title; at most MaxAnchor runes.
	Anchor string
	// Context is the text of the block the link is in, its own anchor included; at most MaxContext
	// runes around the anchor.
	Context string
	// Path is the tag path of the element, such as html/body/ul[2]/li[3]/a.
	Path string
	// NoFollow means that the rel attribute contains nofollow, ugc or sponsored.
	NoFollow bool
}

// IsNoFollow reports whether a rel attribute forbids following its link.
func IsNoFollow(rel string) bool {
	for word := range strings.FieldsSeq(strings.ToLower(rel)) {
		switch word {
		case "nofollow", "ugc", "sponsored":
			return true
		}
	}
	return false
}

// Limits on the texts of a Link, in runes.
const (
	MaxAnchor  = 200
	MaxContext = 400
)

// A Host is a lower-case host name without port, such as "conf.example.org".
type Host string

// HostOf returns the host of a URL in canonical form, an IPv6 address without its brackets. It
// returns "" if the URL is not http or https.
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

// HostKey returns a key that is the same for all pages of a host, whatever the scheme. It is the
// lower-case host name of the URL, or the URL itself if it has no host.
func HostKey(pageURL string) string {
	u, err := url.Parse(pageURL)
	if err != nil || u.Hostname() == "" {
		return pageURL
	}
	return strings.ToLower(u.Hostname())
}

// RegisteredDomain returns the part of a host that its owner registered, by the Public Suffix List with
// its private section. For conf.example.ac.uk it returns example.ac.uk, and alice.github.io is a domain
// of its own. IP addresses, public suffixes and names without a dot are returned unchanged.
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

// SameSite reports whether two hosts have the same registered domain. The empty host is on no site.
func SameSite(a, b Host) bool {
	return a != "" && b != "" && (a == b || RegisteredDomain(a) == RegisteredDomain(b))
}
