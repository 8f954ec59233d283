package backlink

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/internal/text"
	"github.com/eventseer/eventseer/webgraph"
)

// Responses are decoded as a stream, so that a million rows need no more memory than a thousand.

// decodeObject decodes the members of a JSON object. Unknown members are skipped; null is an object
// without members.
func decodeObject(d *json.Decoder, members map[string]func(*json.Decoder) error) error {
	if none, err := beginValue(d, '{'); none || err != nil {
		return err
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		read := members[name.(string)]
		if read == nil {
			read = skipValue
		}
		if err := read(d); err != nil {
			return err
		}
	}
	_, err := d.Token()
	return err
}

// beginValue reads the first token of an object or a list, or null, for which it returns none.
func beginValue(d *json.Decoder, begin json.Delim) (none bool, err error) {
	switch t, err := d.Token(); {
	case err != nil:
		return false, err
	case t == nil:
		return true, nil
	case t != begin:
		return false, fmt.Errorf("%v was found where %v was expected", t, begin)
	}
	return false, nil
}

// decodeInto reads a value that must be of v's type.
func decodeInto(v any) func(*json.Decoder) error {
	return func(d *json.Decoder) error { return d.Decode(v) }
}

func skipValue(d *json.Decoder) error {
	var value json.RawMessage
	return d.Decode(&value)
}

// jsonRows are the elements of a JSON list.
type jsonRows[T any] struct {
	kept    []T
	dropped int // malformed, or beyond the MaxLimit first
}

// read reads a list; null is an empty one. The error is errCut if the list ends
// after some of its rows.
func (r *jsonRows[T]) read(d *json.Decoder) error {
	if none, err := beginValue(d, '['); none || err != nil {
		return err
	}
	for d.More() {
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return r.checkEnd(err)
		}
		var row T
		if len(r.kept) == MaxLimit || json.Unmarshal(raw, &row) != nil {
			r.dropped++
			continue
		}
		r.kept = append(r.kept, row)
	}
	_, err := d.Token()
	return r.checkEnd(err)
}

// checkEnd distinguishes a truncated list from an invalid one.
func (r *jsonRows[T]) checkEnd(err error) error {
	if len(r.kept) > 0 && (errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF)) {
		return errCut
	}
	return err
}

// errCut means that a response was truncated after some rows.
var errCut = errors.New("the response is cut short")

// A collector builds an Answer from the rows of a service.
type collector struct {
	provider string
	q        Query
	answer   Answer
	seen     map[[2]string]bool // source and target
}

// newCollector starts the answer to a query and clamps its limits. The error means that the query is
// invalid for this provider.
func (c *client) newCollector(q Query) (*collector, error) {
	target, err := webgraph.Canonical(q.Target)
	if err != nil {
		return nil, c.providerError(Nonsense, "not asked: %w", err)
	}
	if !slices.Contains(c.scopes, q.Scope) {
		return nil, c.providerError(Nonsense, "not queried: this provider does not support the scope %s", q.Scope)
	}
	q.Target, q.Limit = target, max(1, min(q.Limit, MaxLimit))
	return &collector{provider: c.name, q: q, seen: map[[2]string]bool{}}, nil
}

// add adds a row with URLs as written by the service. Invalid, repeated or excess rows are left
// out.
func (k *collector) add(b Backlink) {
	b, ok := k.q.normalized(b, k.provider)
	pair := [2]string{b.Source, b.Target}
	if !ok || k.seen[pair] || len(k.answer.Links) == k.q.Limit {
		k.answer.Dropped++
		return
	}
	k.seen[pair] = true
	k.answer.Links = append(k.answer.Links, b)
}

// normalized returns a link in the form of an answer to q. ok is false if a URL is invalid, if the
// target is not the queried one, or if the source is on the target's site.
func (q Query) normalized(b Backlink, provider string) (_ Backlink, ok bool) {
	source, err1 := webgraph.Canonical(b.Source)
	target, err2 := webgraph.Canonical(b.Target)
	ok = err1 == nil && err2 == nil && q.Scope.Covers(q.Target, target) && !webgraph.SameSite(webgraph.HostOf(source), webgraph.HostOf(target))
	b.Source, b.Target, b.Provider, b.Scope = source, target, provider, q.Scope
	b.Anchor, b.Title = ClipText(b.Anchor), ClipText(b.Title)
	return b, ok
}

// setCursor sets the cursor, unless it equals the current one, or is too long.
func (k *collector) setCursor(cursor string) {
	if cursor != k.q.Cursor && len(cursor) <= maxNext {
		k.answer.Next = cursor
	}
}

// ClipText folds white space, removes contact details, and cuts a text at webgraph.MaxAnchor runes.
// It reads only the beginning of a large text.
func ClipText(s string) string {
	s = s[:min(len(s), 16*webgraph.MaxAnchor)]
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "")), " ")
	return text.CutRunes(text.Redact(s), webgraph.MaxAnchor)
}

// representativeURL returns the URL that represents the scope of a query: the page, its directory, or the root
// of its host or domain. It is the target of rows without one.
func (q Query) representativeURL() string {
	root := q.Scope.DescribeSubject(q.Target)
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
