package edgeindex

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"time"

	"github.com/eventseer/eventseer/crawler/backlink"
	"github.com/eventseer/eventseer/crawler/backlink/sortedlinks"
	"github.com/eventseer/eventseer/webgraph"
)

// The key of a link is that of its target (see package sortedlinks), and then its source:
//
//	org,example,conf,):8080/2027/cfp?x=1 0x00 p|s source
//
// p stands for http, s for https.
const (
	keyHTTP  = 'p'
	keyHTTPS = 's'
)

// appendTarget appends the key of the links to a canonical URL, up to source.
func appendTarget(key []byte, url string) []byte {
	key = append(sortedlinks.AppendPrefix(key, url), sortedlinks.PageEnd)
	if strings.HasPrefix(url, "https:") {
		return append(key, keyHTTPS)
	}
	return append(key, keyHTTP)
}

// cutKey splits a key into that of its target, which includes the byte for the scheme, and the source.
func cutKey(key []byte) (target, source []byte) {
	i := bytes.IndexByte(key, sortedlinks.PageEnd)
	if i < 0 || i+2 > len(key) {
		return key, nil
	}
	return key[:i+2], key[i+2:]
}

// urlOf returns the URL of a target's key.
func urlOf(target []byte) (string, bool) {
	n := len(target) - 2
	if n < 0 || target[n] != sortedlinks.PageEnd {
		return "", false
	}
	scheme := "http://"
	if target[n+1] == keyHTTPS {
		scheme = "https://"
	}
	url, ok := sortedlinks.URLOfPrefix(target[:n])
	return scheme + url, ok
}

// An edgeValue holds the attributes of a link other than its target and source.
type edgeValue struct {
	anchor   string
	nofollow bool
	seen     int64 // seconds since 1970; 0 if unknown
}

func (v edgeValue) appendTo(b []byte) []byte {
	var flags byte
	if v.nofollow {
		flags = 1
	}
	return append(binary.AppendUvarint(append(b, flags), uint64(max(v.seen, 0))), v.anchor...)
}

func readValue(b []byte) (edgeValue, bool) {
	if len(b) == 0 || b[0] > 1 {
		return edgeValue{}, false
	}
	seen, n := binary.Uvarint(b[1:])
	if n <= 0 || seen > 1<<40 {
		return edgeValue{}, false
	}
	return edgeValue{string(b[1+n:]), b[0] == 1, int64(seen)}, true
}

// edgeOf converts an entry to a Backlink.
func edgeOf(key, value []byte) (backlink.Backlink, error) {
	target, source := cutKey(key)
	url, ok1 := urlOf(target)
	v, ok2 := readValue(value)
	if !ok1 || !ok2 || len(source) == 0 {
		return backlink.Backlink{}, fmt.Errorf("%w: an entry is not a link", ErrEdgeIndex)
	}
	l := backlink.Backlink{Source: string(source), Target: url, Anchor: v.anchor, Provider: "edges", NoFollow: v.nofollow}
	if v.seen > 0 {
		l.Seen = time.Unix(v.seen, 0).UTC()
	}
	return l, nil
}

// An edgeRange is the range of keys of one scope.
type edgeRange struct {
	prefix []byte
	// domain is set if the range may also contain hosts of other sites, such as those of
	// a.github.io in that of github.io.
	domain string
}

// rangeOf returns the keys of the links to a canonical URL in a scope.
func rangeOf(url string, s backlink.Scope) edgeRange {
	host, rest := sortedlinks.CutURL(url)
	key := append(sortedlinks.AppendHost(nil, host), sortedlinks.HostEnd)
	switch s {
	case backlink.Page:
		return edgeRange{prefix: append(append(key, rest...), sortedlinks.PageEnd)}
	case backlink.Directory:
		path, _, _ := strings.Cut(rest, "?")
		return edgeRange{prefix: append(key, path[:strings.LastIndexByte(path, '/')+1]...)}
	case backlink.Host:
		return edgeRange{prefix: append(key, rest[:strings.IndexByte(rest, '/')+1]...)}
	}
	domain := webgraph.RegisteredDomain(webgraph.Host(host))
	if sortedlinks.IsAddress(host) || webgraph.RegisteredDomain(webgraph.Host("x."+domain)) != domain {
		return edgeRange{prefix: key} // a public suffix: hosts below it belong to others
	}
	return edgeRange{prefix: sortedlinks.AppendHost(nil, domain), domain: domain}
}

// contains reports whether a target's key with the prefix belongs to the range's site.
func (r edgeRange) contains(target []byte) bool {
	if r.domain == "" {
		return true
	}
	host, _, _ := bytes.Cut(target, []byte(",)"))
	return webgraph.RegisteredDomain(webgraph.Host(sortedlinks.HostOf(host))) == r.domain
}
