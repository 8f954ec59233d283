// Package sortedlinks encodes links in order of their targets. Each scope is one range of keys. Entries lack
// the beginning that their key shares with the one before.
package sortedlinks

import (
	"bytes"
	"net/netip"
	"slices"
	"strings"
)

// The key of a page has the labels of its host in reverse order:
//
//	org,example,conf,):8080/2027/cfp?x=1 0x00
//
// So a page, a directory, a host and a domain are each one range of keys, those with the prefix
//
//	org,example,conf,):8080/2027/cfp?x=1 0x00
//	org,example,conf,):8080/2027/
//	org,example,conf,):8080/
//	org,example,
//
// A host with another port is another host. An IP address is one label. A canonical URL is ASCII without
// 0x00, and no host has a comma or a parenthesis.
const (
	PageEnd = 0x00 // ends the key of a page
	HostEnd = ')'  // follows the labels of a host
)

// CutURL splits a URL into its host and the rest, which begins with the port if there is one. The scheme
// may be missing.
func CutURL(url string) (host, rest string) {
	if _, after, ok := strings.Cut(url, "://"); ok {
		url = after
	}
	end := strings.IndexByte(url, '/')
	if end < 0 {
		end = len(url)
	}
	host, rest = url[:end], url[end:]
	if i := strings.LastIndexByte(host, ':'); i >= 0 && !strings.HasSuffix(host, "]") {
		return host[:i], url[i:]
	}
	return host, rest
}

// AppendHost appends the labels of a host in reverse order, each with a comma.
func AppendHost(key []byte, host string) []byte {
	if IsAddress(host) {
		return append(append(key, host...), ',')
	}
	for host != "" {
		i := strings.LastIndexByte(host, '.')
		key = append(append(key, host[i+1:]...), ',')
		host = host[:max(i, 0)]
	}
	return key
}

// AppendPrefix appends the beginning of the key of a page: the key of a URL, or of the beginning of one,
// without PageEnd. It must contain the whole host.
func AppendPrefix(key []byte, url string) []byte {
	host, rest := CutURL(url)
	return append(append(AppendHost(key, host), HostEnd), rest...)
}

// URLOfPrefix undoes AppendPrefix. The URL has no scheme.
func URLOfPrefix(key []byte) (url string, ok bool) {
	host, rest, ok := bytes.Cut(key, []byte{',', HostEnd})
	if !ok {
		return "", false
	}
	return HostOf(host) + string(rest), true
}

// HostOf undoes AppendHost; the last comma is missing.
func HostOf(reversed []byte) string {
	if bytes.IndexByte(reversed, ',') < 0 {
		return string(reversed)
	}
	labels := strings.Split(string(reversed), ",")
	slices.Reverse(labels)
	return strings.Join(labels, ".")
}

// IsAddress reports whether a host is an IP address.
func IsAddress(host string) bool {
	if host == "" || host[0] == '[' {
		return true
	}
	if c := host[len(host)-1]; c < '0' || c > '9' {
		return false
	}
	_, err := netip.ParseAddr(host)
	return err == nil
}
