package versions

import (
	"cmp"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/webgraph"
)

const (
	// unknownHost is the host used for a page of which only a file is known (RFC 2606).
	unknownHost = "https://page.invalid"
	// maxStated bounds the links of a version from which its address is derived.
	maxStated = 2_000
)

// AssumeAddress sets one address for two saved versions of a page, so that links to their own site
// compare equal however they are written. It is the address that they state, otherwise the one at
// which most of their relative links equal absolute ones, otherwise one without a host.
func AssumeAddress(from, to *webgraph.Page) error {
	var refs []string
	stated := ""
	for _, p := range []*webgraph.Page{from, to} {
		t, err := tagtree.Parse(p)
		if err != nil {
			return err
		}
		stated = cmp.Or(statedAddress(t), stated)
		refs = append(refs, linksAsWritten(t)...)
	}
	address := cmp.Or(stated, addressOf(refs))
	for _, p := range []*webgraph.Page{from, to} {
		p.URL, p.Requested = address, address
	}
	return nil
}

// statedAddress returns the address that a page states as its own, "" if there is none.
func statedAddress(t *tagtree.Tree) string {
	if c := t.Canonical(); c != "" {
		return c
	}
	address := ""
	visitNodes(t.Outline(), func(n *tagtree.Node) {
		if n.Name == "meta" && n.Attr("property") == "og:url" && address == "" && webgraph.HostOf(n.Attr("content")) != "" {
			address = n.Attr("content")
		}
	})
	return address
}

// linksAsWritten returns the distinct targets of the links of a page.
func linksAsWritten(t *tagtree.Tree) []string {
	seen := map[string]bool{}
	var refs []string
	visitNodes(t.Outline(), func(n *tagtree.Node) {
		ref, _, _ := strings.Cut(strings.TrimSpace(n.Attr("href")), "#")
		if n.Name == "a" && ref != "" && !seen[ref] && len(refs) < maxStated {
			seen[ref] = true
			refs = append(refs, ref)
		}
	})
	return refs
}

func visitNodes(n *tagtree.Node, visit func(*tagtree.Node)) {
	if n == nil {
		return
	}
	visit(n)
	for _, c := range n.Children {
		visitNodes(c, visit)
	}
}

// addressOf returns the directory that relative links lead from. It is the one under which most of
// them are also written in full, or from the root of their site.
func addressOf(refs []string) string {
	relative := map[string]bool{}
	var full, rooted []*url.URL
	for _, ref := range refs {
		u, err := url.Parse(ref)
		switch {
		case err != nil || u.Path == "":
		case u.Host != "" && (u.Scheme == "http" || u.Scheme == "https"):
			full = append(full, u)
		case u.Scheme != "" || u.Host != "":
		case u.Path[0] == '/':
			rooted = append(rooted, u)
		default:
			relative[strings.TrimPrefix(u.Path, "./")] = true
		}
	}
	atRoot := map[string]bool{}
	dirs := map[string]int{}
	for _, u := range rooted {
		atRoot[u.Path] = true
		voteDirs(dirs, "", u.Path, relative)
	}
	homes := map[string]int{}
	for _, u := range full {
		site := "https://" + u.Host
		voteDirs(homes, site, u.Path, relative)
		if atRoot[u.Path] && u.Path != "/" {
			homes[site+"/"]++
		}
	}
	if home := mostVoted(homes); home != "" {
		return home
	}
	return unknownHost + cmp.Or(mostVoted(dirs), "/")
}

// voteDirs counts a path for the directories of site from which a relative link would lead to it.
// Names common to all sites are ignored.
func voteDirs(votes map[string]int, site, path string, relative map[string]bool) {
	for i := range path {
		if rest := path[i+1:]; path[i] == '/' && relative[rest] && !strings.HasPrefix(rest, "index.") {
			votes[site+path[:i+1]]++
		}
	}
}

// mostVoted returns the address with the most votes, of equals the first by name.
func mostVoted(votes map[string]int) string {
	best := ""
	for _, address := range slices.Sorted(maps.Keys(votes)) {
		if votes[address] > votes[best] {
			best = address
		}
	}
	return best
}

// withoutUnknownHost returns fields with addresses on the unknown host reduced to their paths.
func withoutUnknownHost(fields []eventseer.FieldChange) []eventseer.FieldChange {
	out := slices.Clone(fields)
	for i, f := range out {
		out[i].Old, out[i].New = strings.TrimPrefix(f.Old, unknownHost), strings.TrimPrefix(f.New, unknownHost)
	}
	return out
}
