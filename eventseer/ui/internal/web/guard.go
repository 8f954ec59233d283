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

// A Guard prevents cross-site request forgery by three independent measures. Cookies are only sent
// with forms of this site (SameSite), browsers report the origin of a form, and each form has a
// token that no other browser can have.
type Guard struct {
	key     []byte // of this process: forms of an earlier one must be sent again
	Origins *http.CrossOriginProtection
}

// Check returns an error for a form from another site.
func (g *Guard) Check(r *http.Request) error { return g.Origins.Check(r) }

// NewGuard fails if base cannot be read.
func NewGuard(base string) (*Guard, error) {
	g := &Guard{key: make([]byte, sha256.Size), Origins: http.NewCrossOriginProtection()}
	_, _ = rand.Read(g.key) // never fails
	if base != "" {
		u, err := url.Parse(base)
		if err != nil || u.Host == "" {
			return nil, fmt.Errorf("base URL %q: must be one such as https://events.example.org/", base)
		}
		if err := g.Origins.AddTrustedOrigin(u.Scheme + "://" + u.Host); err != nil {
			return nil, fmt.Errorf("base URL %q: %w", base, err)
		}
	}
	return g, nil
}

const nonceSize = 9

// NewToken returns a token for a form. It is different each time, so that the size of a compressed
// page does not reveal it.
func (g *Guard) NewToken(binding string) string {
	nonce := make([]byte, nonceSize)
	_, _ = rand.Read(nonce)
	return base64.RawURLEncoding.EncodeToString(append(nonce, g.Sign("form", string(nonce)+binding)...))
}

// IsValidToken reports whether a token was made for binding.
func (g *Guard) IsValidToken(token, binding string) bool {
	raw, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil || len(raw) <= nonceSize {
		return false
	}
	return hmac.Equal(raw[nonceSize:], g.Sign("form", string(raw[:nonceSize])+binding))
}

// Sign returns a signature of a text that is valid for one purpose only.
func (g *Guard) Sign(purpose, text string) []byte {
	h := hmac.New(sha256.New, g.key)
	fmt.Fprintf(h, "%s\x00%s", purpose, text)
	return h.Sum(nil)
}

// ParseProxies parses addresses and prefixes: "127.0.0.1", "10.0.0.0/8".
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

// HostName matches Host headers that may be used in links.
var HostName = regexp.MustCompile(`^([A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(:[0-9]{1,5})?$`)

// PeerAddress returns the address of the connected machine.
func PeerAddress(r *http.Request) netip.Addr {
	at, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	return at.Addr().Unmap().WithZone("")
}
