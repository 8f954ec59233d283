package web

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"regexp"
	"strings"
)

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

// passedOn are headers that proxies add beside those whose names begin with
// X-Forwarded: what has one is of whoever the proxy answers, not of this machine.
var passedOn = []string{
	"Forwarded", "Via", "X-Real-Ip", "X-Client-Ip", "X-Cluster-Client-Ip", "X-Original-Host", "X-Original-Url", "X-Proxyuser-Ip",
	"True-Client-Ip", "Cf-Connecting-Ip", "Cf-Ray", "Fly-Client-Ip", "Fastly-Client-Ip", "X-Amzn-Trace-Id", "X-Envoy-External-Address",
}

// IsOfThisMachine says that a request is of this machine itself: from it, to it under
// its own name, and passed on by no proxy, as far as a request tells. A proxy that asks
// as HTTP/1.0, as some do unless told otherwise, is none of a person here.
func IsOfThisMachine(r *http.Request) bool {
	if !IsLoopback(r.RemoteAddr) || !IsLoopback(r.Host) || !r.ProtoAtLeast(1, 1) {
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

// FromHere turns away whoever is not at this machine: a page that shall change files
// under the rights of whoever runs it. A foreign Host is a foreign name that was pointed
// at our address.
func FromHere(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !IsOfThisMachine(r) {
			http.Error(w, "This page answers only on its own machine, as localhost, 127.0.0.1 or [::1].", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// IsLoopback says whether host, with or without a port, is this machine.
func IsLoopback(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	addr, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return strings.EqualFold(host, "localhost") || err == nil && addr.Unmap().IsLoopback()
}

// PeerAddress is the machine that is connected to us.
func PeerAddress(r *http.Request) netip.Addr {
	at, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	return at.Addr().Unmap().WithZone("")
}
