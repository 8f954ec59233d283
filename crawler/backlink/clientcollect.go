package backlink

import (
	"slices"
	"strings"
	"unicode/utf8"

	"eventseer/webgraph"
)

// A collector makes an Answer of the rows of a service.
type collector struct {
	provider string
	q        Query
	answer   Answer
	seen     map[[2]string]bool // source and target
}

// collect starts the answer to a question, which it brings into its limits. The
// error says that the question is none for this provider.
func (c *client) collect(q Query, scopes []Scope) (*collector, error) {
	target, err := webgraph.Canonical(q.Target)
	if err != nil {
		return nil, c.fail(Nonsense, "not asked: %w", err)
	}
	if !slices.Contains(scopes, q.Scope) {
		return nil, c.fail(Nonsense, "not asked: scope %s is not known here", q.Scope)
	}
	q.Target, q.Limit = target, max(1, min(q.Limit, MaxLimit))
	return &collector{provider: c.name, q: q, seen: map[[2]string]bool{}}, nil
}

// add takes a row whose URLs are as the service wrote them. It is left out if they
// are none, if the target is another than the one asked about, or the source is of
// its own site, or came before, and if there are enough.
func (k *collector) add(b Backlink) {
	source, err1 := webgraph.Canonical(b.Source)
	target, err2 := webgraph.Canonical(b.Target)
	pair := [2]string{source, target}
	if err1 != nil || err2 != nil || !k.q.Scope.Covers(k.q.Target, target) || k.seen[pair] || len(k.answer.Links) == k.q.Limit ||
		webgraph.SameSite(webgraph.HostOf(source), webgraph.HostOf(target)) {
		k.answer.Dropped++
		return
	}
	k.seen[pair] = true
	b.Source, b.Target, b.Provider, b.Scope = source, target, k.provider, k.q.Scope
	b.Anchor, b.Title = ClipText(b.Anchor), ClipText(b.Title)
	k.answer.Links = append(k.answer.Links, b)
}

// next sets the cursor, unless it is no better than the one that was asked with,
// or is longer than any cursor.
func (k *collector) next(cursor string) {
	if cursor != k.q.Cursor && len(cursor) <= maxNext {
		k.answer.Next = cursor
	}
}

// ClipText folds white space and cuts a text at webgraph.MaxAnchor runes; of a huge
// one only the beginning is looked at.
func ClipText(s string) string {
	s = s[:min(len(s), 16*webgraph.MaxAnchor)]
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "")), " ")
	if utf8.RuneCountInString(s) <= webgraph.MaxAnchor {
		return s
	}
	return string([]rune(s)[:webgraph.MaxAnchor])
}

// about returns the URL that stands for the scope of a question: the page, its
// directory, or the root of its host or domain. It is the target of rows that do
// not name theirs.
func (q Query) about() string {
	root := q.Scope.About(q.Target)
	if q.Scope == Domain {
		root += "/"
	}
	return schemeOf(q.Target) + "://" + root
}

// schemeOf returns the scheme of a canonical URL.
func schemeOf(url string) string {
	scheme, _, _ := strings.Cut(url, "://")
	return scheme
}

// domainOf returns the registered domain of a URL, an IPv6 address in brackets.
func domainOf(url string) string {
	domain := webgraph.RegisteredDomain(webgraph.HostOf(url))
	if strings.Contains(domain, ":") {
		return "[" + domain + "]"
	}
	return domain
}
