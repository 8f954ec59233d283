package backlink

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"eventseer/webgraph"
)

// maxWindow is how many links of a file are ranked at once.
const maxWindow = 1 << 18

var _ Provider = (*EdgeList)(nil)

// Name implements Provider.
func (l *EdgeList) Name() string { return "links-file" }

// Version names the file and how it is made imperfect: what is kept of its
// answers holds for no other.
func (l *EdgeList) Version() string {
	return fmt.Sprintf("%s:coverage=%g,stale=%g,links=%d", l.spec.Path, l.spec.Coverage, l.spec.Stale, len(l.edges))
}

// Scopes implements Provider: all of them.
func (l *EdgeList) Scopes() []Scope { return []Scope{Page, Directory, Host, Domain} }

// Backlinks implements Provider. Each answer counts as a call, since the list
// stands for a service, unless its Spec says otherwise.
func (l *EdgeList) Backlinks(ctx context.Context, q Query) (Answer, error) {
	c, ok := ParseCursor(q.Cursor)
	start, err := strconv.Atoi(cmp.Or(c.Start, "0"))
	if !ok || err != nil || start < 0 {
		return Answer{}, &ProviderError{Provider: l.Name(), Trouble: Nonsense, Err: ErrCursor}
	}
	links, more := l.window(q, start)
	next := ""
	if more {
		next = strconv.Itoa(start + maxWindow)
	}
	a := pageOf(bySource(links), c, q.Limit, next)
	for i := range a.Links {
		a.Links[i] = l.age(a.Links[i])
	}
	a.Links = merge(nil, a.Links, q.Limit)
	if !l.spec.Free {
		a.Calls = 1
	}
	if err := ctx.Err(); err != nil {
		return Answer{Calls: a.Calls}, &ProviderError{Provider: l.Name(), Trouble: Unreachable, Err: err}
	}
	return a, nil
}

// window returns the links of a scope after the first skip, at most maxWindow of
// them, and whether there are more.
func (l *EdgeList) window(q Query, skip int) (links []Backlink, more bool) {
	for _, prefix := range l.prefixes(q) {
		first, _ := slices.BinarySearchFunc(l.targets, prefix, func(t target, s string) int { return cmp.Compare(key(l.urls[t.url]), s) })
		for i := first; i < len(l.targets); i++ {
			k := key(l.urls[l.targets[i].url])
			if !strings.HasPrefix(k, prefix) || q.Scope == Page && k != prefix {
				break
			}
			for _, e := range l.linksTo(i) {
				switch {
				case skip > 0:
					skip--
				case len(links) == maxWindow:
					return links, true
				default:
					links = append(links, l.backlink(i, e, q.Scope))
				}
			}
		}
	}
	return links, false
}

// prefixes are the beginnings of the keys of a scope.
func (l *EdgeList) prefixes(q Query) []string {
	about := q.Scope.About(q.Target)
	if q.Scope == Domain {
		return l.hosts[about]
	}
	return []string{about}
}

// linksTo are the edges to the i-th target.
func (l *EdgeList) linksTo(i int) []edge {
	end := len(l.edges)
	if i+1 < len(l.targets) {
		end = int(l.targets[i+1].first)
	}
	return l.edges[l.targets[i].first:end]
}

func (l *EdgeList) backlink(i int, e edge, s Scope) Backlink {
	return Backlink{
		Source: l.urls[e.source], Target: l.urls[l.targets[i].url], Anchor: l.anchors[e.anchor], NoFollow: e.nofollow,
		Provider: l.Name(), Scope: s,
	}
}

// age makes the share of answers stale that the spec asks for: half of them
// name a page that is gone, half one that does not link to the target.
func (l *EdgeList) age(link Backlink) Backlink {
	if share("stale", link.Source, link.Target) >= l.spec.Stale {
		return link
	}
	h := hash("how", link.Source, link.Target)
	if other := l.urls[h/2%uint64(len(l.urls))]; h%2 == 0 && !webgraph.SameSite(webgraph.HostOf(other), webgraph.HostOf(link.Target)) {
		link.Source = other
		return link
	}
	base, _, _ := strings.Cut(link.Source, "?")
	link.Source = fmt.Sprintf("%sgone-%08x.html", base[:strings.LastIndexByte(base, '/')+1], uint32(h))
	return link
}
