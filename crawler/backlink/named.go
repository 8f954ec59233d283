package backlink

import (
	"context"
	"errors"
)

// Named returns a provider under another name, which its errors carry, and its
// answers when they come through a Chain: a service may be configured twice.
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

// versionOf names what a provider answers from, where that may change, such as a
// file: what is kept of its answers holds for no other. "" for a service.
func versionOf(p Provider) string {
	if v, ok := p.(interface{ Version() string }); ok {
		return v.Version()
	}
	return ""
}
