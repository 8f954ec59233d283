package main

import (
	"context"
	"errors"
	"os"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/cmd/eventseer/internal/engine"
	"eventseer/contextgraph"
	"eventseer/crawler/backlink"
	"eventseer/crawler/backlink/edgeindex"
	"eventseer/webgraph"
)

// askProviders stands for the providers of the configuration.
const askProviders = "providers"

// openAsker returns who tells who links to a page. A links file or a run folder
// knows the links within sites too; nobody else does.
func openAsker(a *app.App, spec string) (contextgraph.Asker, error) {
	if spec == askProviders {
		_, chain, err := openAsked(a, backlinksFlags{})
		if err == nil && len(a.Config.Providers) == 0 {
			a.Logf("nobody but our own links is asked; backlinks.providers in the configuration names others")
		}
		return chainAsker{chain}, err
	}
	if edgeindex.IsIndex(spec) {
		index, err := engine.OpenEdges(a, spec)
		if err != nil {
			return nil, err
		}
		return newChainAsker(backlink.Source{Provider: index})
	}
	s, err := backlink.ParseSpec(spec)
	if err != nil {
		return nil, app.Usage(err)
	}
	if s.Coverage < 1 || s.Stale > 0 {
		source, err := engine.LinksFileSource(a, spec, false)
		if err != nil {
			return nil, err
		}
		return newChainAsker(source)
	}
	path := s.Path
	if _, err := os.Stat(spec); err == nil {
		path = spec // a run folder, whatever its name
	}
	g, err := readLinkGraph(a, path)
	if err != nil {
		return nil, err
	}
	return g.Asker(), nil
}

// A chainAsker asks providers of backlinks, for links to the page itself.
type chainAsker struct{ chain *backlink.Chain }

func newChainAsker(s backlink.Source) (contextgraph.Asker, error) {
	chain, err := backlink.NewChain(backlink.ChainOptions{Sources: []backlink.Source{s}})
	return chainAsker{chain}, err
}

// Backlinks puts the question to every provider. It fails if providers failed and
// none but our own links answered. Mentions of the URL are no links.
func (c chainAsker) Backlinks(ctx context.Context, url string, limit int) (contextgraph.Answer, error) {
	var answer contextgraph.Answer
	var failed []error
	answered := false
	seen := map[string]bool{}
	for _, r := range c.chain.Ask(ctx, backlink.Question{Target: url, Scopes: []backlink.Scope{backlink.Page}, Limit: limit}) {
		answer.Calls += r.Calls
		answer.Cost += r.Cost
		answer.Dropped += r.Dropped
		if r.Err != nil {
			failed = append(failed, r.Err)
			continue
		}
		answered = answered || r.Provider != backlink.Own
		for _, l := range r.Links {
			if l.Mention || seen[l.Source] {
				continue
			}
			seen[l.Source] = true
			answer.Links = append(answer.Links, webgraph.Link{Source: l.Source, Target: l.Target, Anchor: l.Anchor, NoFollow: l.NoFollow})
		}
	}
	if answered || ctx.Err() != nil {
		failed = nil
	}
	return answer, errors.Join(errors.Join(failed...), ctx.Err())
}
