package backlink

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/eventseer/eventseer/crawler/backlink/sortedlinks"
	"github.com/eventseer/eventseer/webgraph"
)

// Own is the name of the provider of local links.
const Own = "own"

// Name implements Provider.
func (d *LinkDB) Name() string { return Own }

// Scopes implements Provider. It returns all scopes.
func (d *LinkDB) Scopes() []Scope { return everyScope }

// Backlinks implements Provider; it costs no calls. It ranks maxScan links at a time, so each page
// of a large scope is cheap, and the ranking applies to a part.
func (d *LinkDB) Backlinks(ctx context.Context, q Query) (Answer, error) {
	c, ok := ParseCursor(q.Cursor)
	if !ok {
		return Answer{}, &ProviderError{Provider: Own, Trouble: Nonsense, Err: ErrCursor}
	}
	var links []Backlink
	next := ""
	err := d.linksWithin(q, c.Start, func(k, v []byte) error {
		if len(links) == maxScan {
			next = string(k)
			return errEnough
		}
		l, err := decodeLink(k, v)
		if err != nil {
			return err
		}
		links = append(links, Backlink{Source: l.Source, Target: l.Target, Anchor: l.Anchor, NoFollow: l.NoFollow, Provider: Own, Scope: q.Scope})
		return ctx.Err()
	})
	if err != nil {
		return Answer{}, d.wrapError(err)
	}
	return pageOf(firstLinkPerSource(links), c, q.Limit, next), nil
}

func (d *LinkDB) wrapError(err error) error {
	return &ProviderError{Provider: Own, Trouble: Unreachable, Err: fmt.Errorf("reversed links: %w", err)}
}

// maxSaw is the number of links examined to find the sources of a scope.
const maxSaw = 1_000_000

// foundSources returns the pages on which local fetches found a link to url, or to another page within
// its scope s. For a large scope it returns some of them.
func (d *LinkDB) foundSources(url string, s Scope) (map[string]bool, error) {
	seen := map[string]bool{}
	looked := 0
	err := d.linksWithin(Query{Target: url, Scope: s}, "", func(k, _ []byte) error {
		if looked++; looked > maxSaw {
			return errEnough
		}
		seen[string(k[bytes.IndexByte(k, sortedlinks.PageEnd)+1:])] = true
		return nil
	})
	return seen, err
}

// errEnough ends linksWithin.
var errEnough = errors.New("enough links")

// linksWithin calls f with the entries of the links to a scope, beginning with key start, until f returns an
// error. errEnough is not returned.
func (d *LinkDB) linksWithin(q Query, start string, f func(k, v []byte) error) error {
	r := rangeOf(q)
	if len(r.prefix) == 0 || start != "" && !strings.HasPrefix(start, string(r.prefix)) {
		return nil // a start of another query, or of an earlier version
	}
	var failed error
	err := d.scan(r.prefix, []byte(start), func(k, v []byte) bool {
		if r.contains(k) {
			failed = f(k, v)
		}
		return failed == nil
	})
	if failed != nil && !errors.Is(failed, errEnough) {
		return failed
	}
	return err
}

// A scopeRange is the range of the keys of a scope.
type scopeRange struct {
	prefix []byte
	// domain, if not empty, is the registered domain of the keys: those of other sites between them are
	// left out.
	domain string
	host   []byte // that contains was called with, and its result
	within bool
}

// rangeOf returns the range of the scope of a query. Its prefix is empty if it contains nothing.
func rangeOf(q Query) scopeRange {
	about := q.Scope.DescribeSubject(q.Target)
	if about == "" {
		return scopeRange{}
	}
	switch prefix := sortedlinks.AppendPrefix(nil, about); {
	case q.Scope == Page:
		return scopeRange{prefix: append(prefix, sortedlinks.PageEnd)}
	case q.Scope != Domain:
		return scopeRange{prefix: prefix}
	case IsAddress(about) || webgraph.RegisteredDomain(webgraph.Host("x."+about)) != about:
		return scopeRange{prefix: prefix} // hosts below a public suffix belong to others
	default:
		return scopeRange{prefix: sortedlinks.AppendHost(nil, about), domain: about}
	}
}

// contains reports whether a key in the range belongs to the scope.
func (r *scopeRange) contains(key []byte) bool {
	if r.domain == "" {
		return true
	}
	host := key[:max(0, bytes.IndexByte(key, sortedlinks.HostEnd))]
	if r.host == nil || !bytes.Equal(host, r.host) {
		r.host = append(r.host[:0], host...)
		name := webgraph.Host(sortedlinks.HostOf(bytes.TrimSuffix(host, []byte{','})))
		r.within = webgraph.RegisteredDomain(name) == r.domain
	}
	return r.within
}

// IsAddress reports whether a host is an IP address.
func IsAddress(host string) bool { return sortedlinks.IsAddress(host) }
