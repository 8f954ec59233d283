package ui

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
)

// passedOn are headers that proxies add beside those whose names begin with
// X-Forwarded: what has one is of whoever the proxy answers, not of this machine.
var passedOn = []string{
	"Forwarded", "Via", "X-Real-Ip", "X-Client-Ip", "X-Cluster-Client-Ip", "X-Original-Host", "X-Original-Url", "X-Proxyuser-Ip",
	"True-Client-Ip", "Cf-Connecting-Ip", "Cf-Ray", "Fly-Client-Ip", "Fastly-Client-Ip", "X-Amzn-Trace-Id", "X-Envoy-External-Address",
}

// isOfThisMachine says that a request is of this machine itself: from it, to it under
// its own name, and passed on by no proxy, as far as a request tells. A proxy that asks
// as HTTP/1.0, as some do unless told otherwise, is none of a person here.
func isOfThisMachine(r *http.Request) bool {
	if !isLoopback(r.RemoteAddr) || !isLoopback(r.Host) || !r.ProtoAtLeast(1, 1) {
		return false
	}
	for name := range r.Header {
		if strings.HasPrefix(name, "X-Forwarded") {
			return false
		}
	}
	for _, name := range passedOn {
		if len(r.Header.Values(name)) > 0 {
			return false
		}
	}
	return true
}

// isHere is isOfThisMachine where it can be believed. A site that others reach by
// Options.Base is behind a proxy that may well be on this machine, name us as localhost
// and add no header: there all who want an operator's rights need the token.
func (s *server) isHere(r *http.Request) bool {
	return isOfThisMachine(r) && !s.isProxy(peerAddress(r)) && IsLocal(s.Base)
}

// IsLocal says whether a site at base is reached on its own machine only: at a loopback
// address, or, where base is "", at whatever address it is asked for.
func IsLocal(base string) bool {
	u, err := url.Parse(base)
	return base == "" || err == nil && isLoopback(u.Host)
}

// fromHere turns away whoever is not at this machine: a page that shall change files
// under the rights of whoever runs it. A foreign Host is a foreign name that was pointed
// at our address.
func fromHere(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !isOfThisMachine(r) {
			http.Error(w, "This page answers only on its own machine, as localhost, 127.0.0.1 or [::1].", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// isLoopback says whether host, with or without a port, is this machine.
func isLoopback(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	addr, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return strings.EqualFold(host, "localhost") || err == nil && addr.Unmap().IsLoopback()
}
