package backlink

// Named returns a provider under another name, which its answers carry too when
// they come through a Chain: a service may be configured twice.
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
