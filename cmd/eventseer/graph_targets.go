package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/engine"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/judges"
	"github.com/eventseer/eventseer/contextgraph"
	"github.com/eventseer/eventseer/contextgraph/table"
	"github.com/eventseer/eventseer/contextgraph/target"
	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/backlink"
	"github.com/eventseer/eventseer/crawler/backlink/edgeindex"
	"github.com/eventseer/eventseer/crawler/strategy"
	"github.com/eventseer/eventseer/features"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/spf13/cobra"
)

// targetFlags select the pages that are targets.
type targetFlags struct {
	urls        []string
	file        string
	kinds       []string
	disciplines []string
	labels      string
	draw        int
	replay      []string
	fetch       bool
}

func (f *targetFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.file, "targets", "", "file of targets: URLs, one per line, or a TSV with the column url and optionally kind and discipline")
	flags.StringSliceVar(&f.kinds, "kinds", []string{"page", "pdf"}, "kinds of --targets that count")
	flags.StringSliceVar(&f.disciplines, "discipline", nil, "only targets of these disciplines, or all for each discipline separately; disciplines come from --targets, else --labels, else the shipped model, which reads the pages")
	flags.StringVar(&f.labels, "labels", "", "TSV with the columns url and discipline of targets, as in a corpus")
	flags.IntVar(&f.draw, "draw", 0, "number of targets drawn per discipline, by --seed; 0 is all (the paper had 40)")
	flags.StringSliceVar(&f.replay, "replay", nil, "WARC files that hold the pages")
	flags.BoolVar(&f.fetch, "fetch", false, "fetch the pages from the live web, politely")
}

// readTargets reads the targets that the flags name, each once.
func (f *targetFlags) readTargets() (target.List, error) { return target.Read(f.urls, f.file, f.kinds) }

// setDisciplines sets the disciplines of targets from labels, otherwise from the model of the pages' set.
func setDisciplines(ctx context.Context, t *target.List, f targetFlags, pages *graphPages) error {
	if f.labels != "" {
		labels, err := table.ReadLabels(f.labels, "discipline")
		if err != nil {
			return err
		}
		t.SetDisciplines(labels)
	}
	if pages == nil {
		return nil
	}
	model, _, err := pages.models.Disciplines()
	if err != nil {
		return err
	}
	return t.ComputeDisciplines(ctx, func(url string) (string, error) {
		tree, err := pages.pageTree(ctx, url)
		if err != nil {
			return "", err // gone: of no discipline
		}
		return disciplineOf(model, tree), nil
	})
}

// disciplineOf returns the most probable discipline of a page, "" for none.
func disciplineOf(m *classify.Model, t *tagtree.Tree) string {
	scores := m.Scores(features.Read(t))
	if class := m.Classes[m.Class(scores)]; class != classify.Other {
		return class
	}
	return ""
}

func newGraphTargetsCommand(a *app.App) *cobra.Command {
	var f targetFlags
	cmd := &cobra.Command{
		Use: "targets --targets FILE --discipline NAME", Short: "Write the targets of one discipline as a file of targets", Args: usageArgs(cobra.NoArgs),
		Long: "Write the targets of some disciplines as a TSV like --targets, with a column discipline. Use it for experiments with targets on one topic.",
		Example: `  eventseer graph targets --targets targets.tsv --labels labels.tsv --discipline physics -o physics.tsv
  eventseer graph targets --targets targets.tsv --replay web.warc.gz --discipline physics -o physics.tsv   # disciplines by the shipped model
  eventseer lab run --web web.warc.gz --targets physics.tsv --topic physics --seeds seeds -o lab-physics`,
	}
	f.add(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return graphTargets(cmd.Context(), a, f) }
	return cmd
}

func graphTargets(ctx context.Context, a *app.App, f targetFlags) error {
	t, err := f.readTargets()
	if err != nil {
		return err
	}
	pages, err := openGraphPages(a, f.replay, f.fetch, "")
	if err != nil {
		return err
	}
	if err := setDisciplines(ctx, &t, f, pages); err != nil {
		return err
	}
	groups, err := t.Groups(f.disciplines, f.draw, a.Config.Seed)
	if err != nil {
		return err
	}
	return a.WithOutput(func(w io.Writer) error {
		if err := t.Write(w, groups); err != nil {
			return err
		}
		for _, group := range groups {
			if group.Name != "" {
				a.Logf("%s: %d targets", group.Name, len(group.Targets))
			}
		}
		return nil
	})
}

// graphPages fetches and classifies the pages of a graph.
type graphPages struct {
	name    string // name of the source
	fetcher crawler.Fetcher
	judge   strategy.Judge
	models  judges.Set
}

var _ contextgraph.Fetcher = (*graphPages)(nil)

// openGraphPages returns the source of pages, nil if there is none.
func openGraphPages(a *app.App, replay []string, live bool, models string) (*graphPages, error) {
	if len(replay) == 0 && !live {
		return nil, nil
	}
	if len(replay) > 0 && live {
		return nil, app.Usagef("--replay and --fetch exclude each other")
	}
	w, err := engine.OpenWeb(context.Background(), a, engine.CrawlOptions{Replay: replay})
	if err != nil {
		return nil, err
	}
	judge, set, err := engine.NewCrawlJudge(a, w, models)
	if err != nil {
		return nil, err
	}
	p := &graphPages{name: w.Name, fetcher: w.Fetcher, judge: judge, models: set}
	if live {
		p.fetcher = engine.NewPaced(a, struct {
			crawler.Fetcher
			crawler.Pacer
		}{w.Fetcher, w.Base}, time.Duration(a.Config.HostDelay))
	}
	return p, nil
}

// Fetch returns the data on a page for a graph; see contextgraph.Fetcher.
func (p *graphPages) Fetch(ctx context.Context, url string) (contextgraph.Page, error) {
	page, err := p.fetcher.Fetch(ctx, crawler.Request{URL: url})
	if err != nil {
		return contextgraph.Page{}, err
	}
	known := contextgraph.Page{URL: page.URL, Status: page.Status}
	tree, err := tagtree.Parse(page)
	if err != nil || page.Status != 200 {
		return known, nil // an unreadable page is a page too
	}
	links := tree.Links()
	targets := make([]string, len(links))
	for i, l := range links {
		targets[i] = l.Target
	}
	text := tree.Text()
	known.Links, known.Bytes, known.Digest = contextgraph.LinkKeys(targets), len(text), page.Digest()
	known.Fingerprint, known.Words = webgraph.Simhash(text)
	is := p.judge.JudgePage(tree)
	known.PageType, known.CFPScore = is.PageType, is.CFPScore
	return known, nil
}

// pageTree returns the tree of a page whose response has status 200.
func (p *graphPages) pageTree(ctx context.Context, url string) (*tagtree.Tree, error) {
	page, err := p.fetcher.Fetch(ctx, crawler.Request{URL: url})
	if err != nil {
		return nil, err
	}
	if page.Status != 200 {
		return nil, fmt.Errorf("%s answered with status %d", url, page.Status)
	}
	return tagtree.Parse(page)
}

// askProviders selects the providers of the configuration.
const askProviders = "providers"

// openBacklinkSource returns the source of backlinks. Only a links file and a run folder also have links
// within sites.
func openBacklinkSource(a *app.App, spec string) (contextgraph.BacklinkSource, error) {
	if spec == askProviders {
		_, chain, err := openProviders(a, backlinksFlags{})
		if err == nil {
			_, why := a.Config.BacklinkProviders()
			a.Logf("%s", why)
		}
		return chainBacklinks{chain}, err
	}
	if edgeindex.IsIndex(spec) {
		index, err := engine.OpenEdges(a, spec)
		if err != nil {
			return nil, err
		}
		return newChainBacklinks(backlink.Source{Provider: index})
	}
	s, err := backlink.ParseSpec(spec)
	if err != nil {
		return nil, app.MarkUsage(err)
	}
	if s.Coverage < 1 || s.Stale > 0 {
		source, err := engine.LinksFileSource(a, spec, false)
		if err != nil {
			return nil, err
		}
		return newChainBacklinks(source)
	}
	path := s.Path
	if _, err := os.Stat(spec); err == nil {
		path = spec // a run folder of any name
	}
	g, err := readLinkGraph(a, path)
	if err != nil {
		return nil, err
	}
	return g.BacklinkSource(), nil
}

// A chainBacklinks queries backlink providers for links to the page itself.
type chainBacklinks struct{ chain *backlink.Chain }

func newChainBacklinks(s backlink.Source) (contextgraph.BacklinkSource, error) {
	chain, err := backlink.NewChain(backlink.ChainOptions{Sources: []backlink.Source{s}})
	return chainBacklinks{chain}, err
}

// Backlinks queries all providers. It returns an error if providers failed and only the local links
// responded. Mentions of the URL are not links.
func (c chainBacklinks) Backlinks(ctx context.Context, url string, limit int) (contextgraph.Backlinks, error) {
	var answer contextgraph.Backlinks
	var failed []error
	answered := false
	seen := map[string]bool{}
	for _, r := range c.chain.QueryAll(ctx, backlink.BroadcastQuery{Target: url, Scopes: []backlink.Scope{backlink.Page}, Limit: limit}) {
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
