package backlink

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// A Scope is the part of the web around a URL that a query is about.
type Scope uint8

// The scopes, narrowest first.
const (
	Page      Scope = iota // the URL itself, in both schemes
	Directory              // all URLs that begin with its directory
	Host                   // all pages of its host
	Domain                 // all pages of its registered domain
)

// everyScope are the scopes of providers that support all of them, narrowest first.
var everyScope = []Scope{Page, Directory, Host, Domain}

// ScopeNames are the scopes as the command line names them, by Scope.
var ScopeNames = [...]string{"page", "prefix", "host", "domain"}

// String returns the scope's name.
func (s Scope) String() string {
	if int(s) >= len(ScopeNames) {
		return fmt.Sprintf("scope %d", uint8(s))
	}
	return ScopeNames[s]
}

// A Backlink is a link reported by a provider. As JSON it is part of a cached answer, which has
// provider and scope.
type Backlink struct {
	Source, Target string    // canonical URLs
	Anchor         string    `json:",omitempty"` // at most webgraph.MaxAnchor runes; "" if unknown
	Title          string    `json:",omitempty"` // of the source; "" if unknown
	Provider       string    `json:"-"`
	Scope          Scope     `json:"-"` // it was found in
	NoFollow       bool      `json:",omitempty"`
	Seen           time.Time `json:",omitzero"` // by the provider; zero if unknown
	// Mention means that the source may only contain the URL as text, without a link.
	Mention bool `json:",omitempty"`
}

// A Query is a request for links to a URL.
type Query struct {
	Target string // canonical URL
	Scope  Scope
	Limit  int    // maximum number of links, 1 to MaxLimit
	Cursor string // Answer.Next of the previous page; "" for the first
}

// MaxLimit is the most links requested at once.
const MaxLimit = 1000

// An Answer is one page of a provider's results.
type Answer struct {
	Links []Backlink // from other sites, at most Query.Limit
	// Next is the cursor of the next page; "" if there is none.
	Next string
	// Calls is the number of requests this took, 0 if the answer was found locally.
	Calls int
	// Cost is the cost in the provider's unit, such as rows of a quota.
	Cost float64
	// Dropped is the number of rows left out: malformed, of another target, or from the target's
	// own site.
	Dropped int
}

// A Provider finds backlinks. It is safe for concurrent use.
type Provider interface {
	Name() string
	// Scopes are the supported scopes, narrowest first.
	Scopes() []Scope
	// Backlinks returns one page of a query in a supported scope. No links with a nil error is a
	// normal answer. Every error is a *ProviderError; the Answer then still has the cost.
	Backlinks(ctx context.Context, q Query) (Answer, error)
}

// A Trouble is the kind of a provider's failure.
type Trouble string

// The kinds of failure.
const (
	Busy        Trouble = "busy"    // 429, 503, maxlag: try again after ProviderError.After
	QuotaSpent  Trouble = "quota"   // no more queries until the quota is renewed
	KeyRefused  Trouble = "key"     // the key is missing, expired or not permitted
	Nonsense    Trouble = "answer"  // the response has not the form of this service's responses
	Unreachable Trouble = "network" // no connection, timeout, other statuses
)

// A ProviderError describes which provider failed, and whether it can be queried again.
type ProviderError struct {
	Provider string
	Trouble  Trouble
	// After is when it may be queried again; zero if unknown.
	After time.Time
	Err   error // never holds a key
}

func (e *ProviderError) Error() string {
	return fmt.Sprintf("backlinks from %s: %s: %v", e.Provider, e.Trouble, e.Err)
}

// Unwrap returns the cause.
func (e *ProviderError) Unwrap() error { return e.Err }

// WithName returns a provider under another name, so that a service may be configured twice. Its
// errors have the new name, and so do its answers through a Chain.
func WithName(p Provider, name string) Provider {
	if p.Name() == name {
		return p
	}
	return renamedProvider{p, name}
}

type renamedProvider struct {
	Provider
	name string
}

func (n renamedProvider) Name() string { return n.name }

// Backlinks returns the answer of the provider.
func (n renamedProvider) Backlinks(ctx context.Context, q Query) (Answer, error) {
	answer, err := n.Provider.Backlinks(ctx, q)
	var failed *ProviderError
	if errors.As(err, &failed) {
		renamed := *failed
		renamed.Provider = n.name
		err = &renamed
	}
	return answer, err
}

// Version returns the version of the provider's data.
func (n renamedProvider) Version() string { return versionOf(n.Provider) }

// versionOf returns the version of a provider's data if it may change, such as a file: cached
// answers are valid only for that version. It is "" for a service.
func versionOf(p Provider) string {
	if v, ok := p.(interface{ Version() string }); ok {
		return v.Version()
	}
	return ""
}
