package ui

import (
	"net/http"
	"net/url"

	"eventseer/eventseer/ui/internal/web"
)

// isHere is isOfThisMachine where it can be believed. A site that others reach by
// Options.Base is behind a proxy that may well be on this machine, name us as localhost
// and add no header: there all who want an operator's rights need the token.
func (s *server) isHere(r *http.Request) bool {
	return web.IsOfThisMachine(r) && !s.isProxy(web.PeerAddress(r)) && IsLocal(s.Base)
}

// IsLocal says whether a site at base is reached on its own machine only: at a loopback
// address, or, where base is "", at whatever address it is asked for.
func IsLocal(base string) bool {
	u, err := url.Parse(base)
	return base == "" || err == nil && web.IsLoopback(u.Host)
}
