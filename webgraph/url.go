package webgraph

import (
	"errors"
	"fmt"
	"strings"

	whatwg "github.com/nlnwa/whatwg-url/errors"
	"github.com/nlnwa/whatwg-url/url"
)

// Limits on URLs, in bytes.
const (
	// MaxURL is the largest length of a canonical URL.
	MaxURL = 2048
	// maxRaw is the largest length of a URL to parse. With tracking parameters and a fragment it may be
	// longer than its canonical form.
	maxRaw = 4 * MaxURL
	// maxHost and maxLabel are the limits of DNS (RFC 1035 §2.3.4).
	maxHost  = 253
	maxLabel = 63
)

// Reasons why a string has no canonical form; a *URLError wraps one of them.
var (
	ErrScheme     = errors.New("scheme is not http or https")
	ErrURLTooLong = errors.New("URL is too long")
	ErrBadURL     = errors.New("not a valid URL")
)

// A URLError holds a URL without a canonical form, and the reason.
type URLError struct {
	URL string
	Err error
}

func (e *URLError) Error() string {
	const shown = 200
	if len(e.URL) > shown {
		return fmt.Sprintf("%q…: %v", e.URL[:shown], e.Err)
	}
	return fmt.Sprintf("%q: %v", e.URL, e.Err)
}

// Unwrap returns the cause: ErrScheme, ErrURLTooLong, or an error that wraps ErrBadURL.
func (e *URLError) Unwrap() error { return e.Err }

// Canonical returns the spelling of an absolute http or https URL by which EventSeer identifies a page.
// It parses raw like browsers (WHATWG URL Standard), then
//
//   - drops fragment, user name and password, default port, an empty query and
//     the final dot of the host;
//   - normalizes percent-encoding: unreserved characters are decoded, other escapes are
//     in upper case, a stray % and what RFC 3986 does not allow is encoded;
//   - removes tracking parameters and session IDs (see params.go).
//
// Order of parameters, doubled slashes, index.html and trailing slashes stay, because servers may respond
// differently to them. Canonical(Canonical(x)) equals Canonical(x), and the result is ASCII of at most
// MaxURL bytes that net/url can parse too. The error is a *URLError.
func Canonical(raw string) (string, error) {
	if isCanonical(raw) {
		return raw, nil
	}
	return canonicalSlow(raw)
}

func canonicalSlow(raw string) (string, error) {
	u, err := parseURL(nil, raw)
	if err != nil {
		return "", err
	}
	return canonicalOf(raw, u)
}

// parseURL parses ref relative to base, which may be nil.
func parseURL(base *url.Url, ref string) (*url.Url, error) {
	if scheme, ok := schemeOf(ref); ok && scheme != "http" && scheme != "https" {
		return nil, &URLError{ref, ErrScheme}
	}
	if len(ref) > maxRaw {
		return nil, &URLError{ref, ErrURLTooLong}
	}
	var u *url.Url
	var err error
	if base == nil {
		u, err = url.Parse(ref)
	} else {
		u, err = base.Parse(ref)
	}
	if err != nil {
		// The parser's own message contains the URL unescaped, including control characters.
		return nil, &URLError{ref, fmt.Errorf("%w: %s", ErrBadURL, whatwg.Type(err))}
	}
	if u.Scheme() != "http" && u.Scheme() != "https" {
		return nil, &URLError{ref, ErrScheme}
	}
	return u, nil
}

// schemeOf returns the scheme at the beginning of ref in lower case. It is used to recognize links such
// as javascript: and data: before parsing.
func schemeOf(ref string) (string, bool) {
	const longest = 20
	for i := 0; i < len(ref) && i <= longest; i++ {
		switch c := ref[i] | 0x20; {
		case 'a' <= c && c <= 'z':
		case ref[i] == ':' && i > 0:
			return strings.ToLower(ref[:i]), true
		default:
			return "", false
		}
	}
	return "", false
}

// canonicalOf returns the canonical form of u, which was parsed from raw.
func canonicalOf(raw string, u *url.Url) (string, error) {
	host, err := cleanHost(u.Hostname())
	if err != nil {
		return "", &URLError{raw, err}
	}
	var b strings.Builder
	b.WriteString(u.Scheme())
	b.WriteString("://")
	b.WriteString(host)
	if port := u.Port(); port != "" {
		b.WriteByte(':')
		b.WriteString(port)
	}
	b.WriteString(cleanPath(u.Pathname()))
	if query := cleanQuery(u.Query()); query != "" {
		b.WriteByte('?')
		b.WriteString(query)
	}
	if b.Len() > MaxURL {
		return "", &URLError{raw, ErrURLTooLong}
	}
	return b.String(), nil
}

// cleanHost validates a host returned by the URL parser. The parser accepts some names that no DNS server
// can hold; cleanHost refuses them.
func cleanHost(host string) (string, error) {
	if strings.HasPrefix(host, "[") {
		return host, nil // an IPv6 address, which is already in its shortest form
	}
	host = strings.TrimSuffix(host, ".")
	if len(host) > maxHost {
		return "", fmt.Errorf("%w: the host name is longer than %d bytes", ErrBadURL, maxHost)
	}
	for label := range strings.SplitSeq(host, ".") {
		if label == "" || len(label) > maxLabel {
			return "", fmt.Errorf("%w: a label of the host name has %d bytes", ErrBadURL, len(label))
		}
	}
	for i := range len(host) {
		if c := host[i]; !isHostByte(c) && c != '_' {
			return "", fmt.Errorf("%w: the host name has the character %q", ErrBadURL, c)
		}
	}
	// Some mappings of international names are not stable: the result must be unchanged when it is parsed
	// again.
	if strings.Contains(host, "xn--") {
		again, err := url.Parse("http://" + host)
		if err != nil || again.Hostname() != host {
			return "", fmt.Errorf("%w: the host name is not a valid international name", ErrBadURL)
		}
	}
	return host, nil
}

func isHostByte(c byte) bool {
	return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '-' || c == '.'
}
