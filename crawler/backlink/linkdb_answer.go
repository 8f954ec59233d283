package backlink

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"net/netip"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/internal/bolt"
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
	if err := d.writePending(); err != nil {
		return Answer{}, d.wrapError(err)
	}
	var links []Backlink
	next := ""
	err := d.db.View(func(tx *bolt.Tx) error {
		for k, v := range linksWithin(tx, q, c.Start) {
			if len(links) == maxScan {
				next = string(k)
				break
			}
			l, err := decodeLink(k, v)
			if err != nil {
				return err
			}
			links = append(links, Backlink{Source: l.Source, Target: l.Target, Anchor: l.Anchor, NoFollow: l.NoFollow, Provider: Own, Scope: q.Scope})
		}
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
	if err := d.writePending(); err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	err := d.db.View(func(tx *bolt.Tx) error {
		looked := 0
		for k := range linksWithin(tx, Query{Target: url, Scope: s}, "") {
			if looked++; looked > maxSaw {
				break
			}
			seen[string(k[bytes.IndexByte(k, 0)+1:])] = true
		}
		return nil
	})
	return seen, err
}

// linksWithin yields the entries of the links to a scope, beginning with key start.
func linksWithin(tx *bolt.Tx, q Query, start string) iter.Seq2[[]byte, []byte] {
	return func(yield func(k, v []byte) bool) {
		c := tx.Bucket(inBucket).Cursor()
		for prefix := range prefixesWithin(tx, q) {
			from := []byte(prefix)
			if start != "" {
				if !strings.HasPrefix(start, prefix) {
					continue // before the host in which the last window ended
				}
				from, start = []byte(start), ""
			}
			for k, v := c.Seek(from); bytes.HasPrefix(k, []byte(prefix)); k, v = c.Next() {
				if !yield(k, v) {
					return
				}
			}
		}
	}
}

// prefixesWithin yields the prefixes of the keys of a scope.
func prefixesWithin(tx *bolt.Tx, q Query) iter.Seq[string] {
	switch about := q.Scope.DescribeSubject(q.Target); q.Scope {
	case Page:
		return slices.Values([]string{about + "\x00"})
	case Domain:
		return hostsWithin(tx, about)
	default:
		return slices.Values([]string{about})
	}
}

// hostsWithin yields the host keys of a registered domain: its own, with other
// ports, and those below it.
func hostsWithin(tx *bolt.Tx, domain string) iter.Seq[string] {
	return func(yield func(string) bool) {
		if domain == "" {
			return
		}
		c := tx.Bucket(hostBucket).Cursor()
		reversed := reversedHost(domain)
		if k, _ := c.Seek([]byte(reversed)); string(k) == reversed && !yield(hostKey(unreverseHost(reversed))) {
			return
		}
		separators := []string{":", "."}
		if IsAddress(domain) || webgraph.RegisteredDomain(webgraph.Host("x."+domain)) != domain {
			separators = separators[:1] // hosts below a public suffix belong to others
		}
		for _, separator := range separators {
			prefix := []byte(reversed + separator)
			for k, _ := c.Seek(prefix); bytes.HasPrefix(k, prefix); k, _ = c.Next() {
				if !yield(hostKey(unreverseHost(string(k)))) {
					return
				}
			}
		}
	}
}

// reversedHost reverses the host of a key, so that hosts of a domain are adjacent:
// www.conf.org:8080/x becomes org.conf.www:8080. Addresses are unchanged.
func reversedHost(k string) string {
	k = strings.TrimSuffix(hostKey(k), "/")
	host, port := k, ""
	if i := strings.LastIndexByte(k, ':'); i > strings.LastIndexByte(k, ']') {
		host, port = k[:i], k[i:]
	}
	if IsAddress(host) {
		return k
	}
	labels := strings.Split(host, ".")
	slices.Reverse(labels)
	return strings.Join(labels, ".") + port
}

// unreverseHost undoes reversedHost.
func unreverseHost(reversed string) string { return reversedHost(reversed) }

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
