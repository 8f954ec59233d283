package web

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
)

// A Guard keeps others from changing what is a visitor's. Three walls stand one behind
// the other: cookies are sent with forms of our own pages only (SameSite), a browser
// says which site a form comes from, and each form holds a token that no other browser
// can have.
type Guard struct {
	key     []byte // of this process: forms of an earlier one are asked for again
	Origins *http.CrossOriginProtection
}

// Check returns an error of a form that comes from another site.
func (g *Guard) Check(r *http.Request) error { return g.Origins.Check(r) }

// NewGuard fails if base cannot be read.
func NewGuard(base string) (*Guard, error) {
	g := &Guard{key: make([]byte, sha256.Size), Origins: http.NewCrossOriginProtection()}
	_, _ = rand.Read(g.key) // never fails
	if base != "" {
		u, err := url.Parse(base)
		if err != nil || u.Host == "" {
			return nil, fmt.Errorf("base URL %q: want one such as https://events.example.org/", base)
		}
		if err := g.Origins.AddTrustedOrigin(u.Scheme + "://" + u.Host); err != nil {
			return nil, fmt.Errorf("base URL %q: %w", base, err)
		}
	}
	return g, nil
}

const nonceSize = 9

// Token makes the token of a form. It is another each time, so that a compressed page
// does not tell it.
func (g *Guard) Token(binding string) string {
	nonce := make([]byte, nonceSize)
	_, _ = rand.Read(nonce)
	return base64.RawURLEncoding.EncodeToString(append(nonce, g.Mac("form", string(nonce)+binding)...))
}

// Holds reports whether a token was made for binding.
func (g *Guard) Holds(token, binding string) bool {
	raw, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil || len(raw) <= nonceSize {
		return false
	}
	return hmac.Equal(raw[nonceSize:], g.Mac("form", string(raw[:nonceSize])+binding))
}

// Mac signs a text for one purpose.
func (g *Guard) Mac(purpose, text string) []byte {
	h := hmac.New(sha256.New, g.key)
	fmt.Fprintf(h, "%s\x00%s", purpose, text)
	return h.Sum(nil)
}

// ParseProxies reads addresses and prefixes: "127.0.0.1", "10.0.0.0/8".
func ParseProxies(texts []string) ([]netip.Prefix, error) {
	var proxies []netip.Prefix
	for _, text := range texts {
		if address, err := netip.ParseAddr(text); err == nil {
			address = address.Unmap()
			proxies = append(proxies, netip.PrefixFrom(address, address.BitLen()))
			continue
		}
		prefix, err := netip.ParsePrefix(text)
		if err != nil {
			return nil, fmt.Errorf("proxy %q is neither an IP address nor a prefix such as 10.0.0.0/8", text)
		}
		proxies = append(proxies, prefix.Masked())
	}
	return proxies, nil
}

// HostName is what a Host header may be for our own links to hold it.
var HostName = regexp.MustCompile(`^([A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(:[0-9]{1,5})?$`)

// PeerAddress returns the machine that is connected to us.
func PeerAddress(r *http.Request) netip.Addr {
	at, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	return at.Addr().Unmap().WithZone("")
}
