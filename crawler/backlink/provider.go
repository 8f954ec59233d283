package backlink

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// A Scope says how much around a URL a question is about.
type Scope uint8

// The scopes, narrowest first.
const (
	Page      Scope = iota // the URL itself, in both schemes
	Directory              // all URLs that begin with its directory: prefix
	Host                   // all pages of its host
	Domain                 // all pages of its registered domain
)

// everyScope are the scopes of providers that answer all, narrowest first.
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

// A Backlink is a link that a provider knows of. As JSON it is part of a kept answer,
// which says provider and scope.
type Backlink struct {
	Source, Target string    // canonical URLs
	Anchor         string    `json:",omitempty"` // at most webgraph.MaxAnchor runes; "" if unknown
	Title          string    `json:",omitempty"` // of the source; "" if unknown
	Provider       string    `json:"-"`
	Scope          Scope     `json:"-"` // it was found in
	NoFollow       bool      `json:",omitempty"`
	Seen           time.Time `json:",omitzero"` // by the provider; zero if unknown
	// Mention means that the source may only print the URL: no link is promised.
	Mention bool `json:",omitempty"`
}

// A Query is a request for links to a URL.
type Query struct {
	Target string // canonical URL
	Scope  Scope
	Limit  int    // most links wanted, 1 to MaxLimit
	Cursor string // Answer.Next of the page before; "" for the first
}

// MaxLimit is the most links requested at once.
const MaxLimit = 1000

// An Answer is one page of what a provider knows.
type Answer struct {
	Links []Backlink // from other sites, at most Query.Limit
	// Next is the cursor of the page after this one; "" if there is none.
	Next string
	// Calls is how many requests this took, 0 if answered at home.
	Calls int
	// Cost is what they cost in the provider's unit, such as rows of a quota.
	Cost float64
	// Dropped is how many rows were left out: malformed, of another target, or
	// from the target's own site.
	Dropped int
}

// A Provider knows links. It is safe for concurrent use.
type Provider interface {
	Name() string
	// Scopes are those it answers, narrowest first.
	Scopes() []Scope
	// Backlinks answers one page of a question in a scope of Scopes. No links with a
	// nil error is a normal answer. Every error is a *ProviderError; the Answer then
	// still says what was spent.
	Backlinks(ctx context.Context, q Query) (Answer, error)
}

// A Trouble is what kind of failure a provider met.
type Trouble string

// The kinds of failure.
const (
	Busy        Trouble = "busy"    // 429, 503, maxlag: again after ProviderError.After
	QuotaSpent  Trouble = "quota"   // nothing more until the quota is renewed
	KeyRefused  Trouble = "key"     // the key is missing, dead or not for this
	Nonsense    Trouble = "answer"  // the response is not one of this service
	Unreachable Trouble = "network" // no connection, timeout, other statuses
)

// A ProviderError says which provider failed, and whether it will answer again.
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

// Named returns a provider under another name, so that a service may be configured twice. Its
// errors carry the name, and so do its answers when they come through a Chain.
func Named(p Provider, name string) Provider {
	if p.Name() == name {
		return p
	}
	return named{p, name}
}

type named struct {
	Provider
	name string
}

func (n named) Name() string { return n.name }

// Backlinks answers as the provider does.
func (n named) Backlinks(ctx context.Context, q Query) (Answer, error) {
	answer, err := n.Provider.Backlinks(ctx, q)
	var failed *ProviderError
	if errors.As(err, &failed) {
		renamed := *failed
		renamed.Provider = n.name
		err = &renamed
	}
	return answer, err
}

// Version is that of the provider.
func (n named) Version() string { return versionOf(n.Provider) }

// versionOf names the data of a provider if it may change, such as a file: cached answers are valid
// for that version only. "" for a service.
func versionOf(p Provider) string {
	if v, ok := p.(interface{ Version() string }); ok {
		return v.Version()
	}
	return ""
}
