package ui

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"eventseer/eventseer/ui/internal/web"
)

// isProxy reports whether an address is one of Options.UserProxies.
func (s *server) isProxy(a netip.Addr) bool {
	return slices.ContainsFunc(s.proxies, func(p netip.Prefix) bool { return p.Contains(a) })
}

// maxForwarded bounds the addresses of X-Forwarded-For that are looked at.
const maxForwarded = 20

// clientAddress returns who asks: whoever is connected, or, of a proxy of ours, the last
// address of X-Forwarded-For that is none of our proxies. The zero Addr is nobody known.
func (s *server) clientAddress(r *http.Request) netip.Addr {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	address := peer.Addr().Unmap().WithZone("")
	if len(s.proxies) == 0 || !s.isProxy(address) {
		return address
	}
	named := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := range min(len(named), maxForwarded) {
		a, err := netip.ParseAddr(strings.TrimSpace(named[len(named)-1-i]))
		if err != nil {
			break
		}
		address = a.Unmap().WithZone("")
		if !s.isProxy(address) {
			break
		}
	}
	return address
}

// siteBase is the URL the site is reached at, ending in "/": that of the options, else
// that of the request.
func (s *server) siteBase(r *http.Request) string {
	if s.Base != "" {
		return strings.TrimSuffix(s.Base, "/") + "/"
	}
	host := r.Host
	if !web.HostName.MatchString(host) {
		host = "localhost"
	}
	return s.scheme(r) + "://" + host + "/"
}

// scheme is that of the request; of a proxy of ours, that of X-Forwarded-Proto.
func (s *server) scheme(r *http.Request) string {
	if r.TLS != nil {
		return "https"
	}
	if r.Header.Get("X-Forwarded-Proto") == "https" && len(s.proxies) > 0 {
		if peer, err := netip.ParseAddrPort(r.RemoteAddr); err == nil && s.isProxy(peer.Addr().Unmap().WithZone("")) {
			return "https"
		}
	}
	return "http"
}
