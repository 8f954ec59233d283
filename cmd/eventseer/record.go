package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"eventseer/classify"
	"eventseer/cmd/eventseer/internal/app"
	"eventseer/crawler"
	"eventseer/crawler/backlink"
	"eventseer/crawler/rundir"
	"eventseer/crawler/strategy"
	"eventseer/features/tagtree"
	"eventseer/models"
)

// A runRecord is run.json.
type runRecord struct {
	Version      string            `json:"version"`
	Strategy     string            `json:"strategy"`
	Seed         uint64            `json:"seed"`
	Budget       float64           `json:"budget"`
	Tally        string            `json:"tally,omitempty"`        // the name by which the frontier knows the run
	SpentBefore  float64           `json:"spent_before,omitempty"` // by earlier runs of that name
	BacklinkCost float64           `json:"backlink_cost"`
	Workers      int               `json:"workers"`
	Web          string            `json:"web"`
	WebDigest    string            `json:"web_digest,omitempty"`
	Record       []string          `json:"record,omitempty"` // where the answers were recorded: files, or the beginning of their names
	Backlinks    bool              `json:"backlinks"`
	Models       string            `json:"models"`
	ModelHashes  map[string]string `json:"model_hashes"`
	// MinAccuracy is the least accuracy of the layer model asked for, of strategies
	// that have one.
	MinAccuracy float64          `json:"min_accuracy,omitempty"`
	Topic       string           `json:"topic,omitempty"`
	TopicModel  string           `json:"topic_model,omitempty"` // SHA-256
	Seeds       []string         `json:"seeds"`
	SeedsHash   string           `json:"seeds_hash"`
	StartedAt   string           `json:"started_at"`
	EndedAt     string           `json:"ended_at,omitempty"`
	Stats       *crawler.Stats   `json:"totals,omitempty"`
	Events      int              `json:"events"`
	HarvestRate float64          `json:"harvest_rate"`
	Providers   []providerRecord `json:"providers,omitempty"` // of backlinks
	// ProvidersBefore are the counts of earlier crawls with the same links.
	ProvidersBefore map[string]backlink.Tally `json:"providers_before,omitempty"`
}

// record is the run folder of a crawl with what run.json says of it.
type record struct {
	*rundir.Dir
	run   runRecord
	chain *backlink.Chain
	turn  bool // of a service, whose store has the events
}

// openRecord begins the run folder, or goes on with an interrupted one.
func openRecord(ctx context.Context, a *app.App, p plan, s state, modelHashes map[string]string) (*record, error) {
	o := rundir.Options{Events: s.store.Len}
	r := &record{chain: p.chain, turn: p.host != nil, run: runRecord{
		Version: app.FullVersion(), Strategy: p.strategy, Seed: a.Config.Seed, Budget: p.options.Budget,
		BacklinkCost: p.options.BacklinkCost, Workers: p.options.Workers,
		Web: p.web.name, WebDigest: p.web.digest, Backlinks: len(p.web.sources) > 0,
		Models: modelsOf(p), ModelHashes: modelHashes, Topic: p.topic.name, TopicModel: p.topic.hash, Seeds: p.seeds, SeedsHash: hashLines(p.seeds),
		Record:    p.web.record.files,
		StartedAt: a.Now().UTC().Format("2006-01-02T15:04:05Z07:00"),
	}}
	if p.strategy == strategy.ContextGraph {
		r.run.MinAccuracy = p.minAccuracy
	}
	r.run.Tally = p.tally(r.run.StartedAt)
	var err error
	if p.resume {
		if err := r.run.goOn(p.run); err != nil {
			return nil, err
		}
		committed, _, commitErr := crawler.Committed(ctx, s.frontier, r.run.Tally)
		if commitErr != nil {
			return nil, commitErr
		}
		var lost int
		if r.Dir, lost, err = rundir.Resume(p.run, committed, o); lost > 0 {
			a.Logf("the last %d pages are missing in %s: a power cut?", lost, p.run)
		}
	} else {
		_, spent, spentErr := crawler.Committed(ctx, s.frontier, r.run.Tally)
		if spentErr != nil {
			return nil, spentErr
		}
		r.run.SpentBefore, r.run.ProvidersBefore = spent, talliesOf(p.chain)
		r.Dir, err = rundir.Create(p.run, o)
	}
	if err != nil {
		return nil, err
	}
	return r, r.WriteRun(r.run)
}

// tally names a new run for the frontier: a crawl of the live web counts for itself, and
// the visits of the monitor, which are not gone on with, count together.
func (p plan) tally(start string) string {
	switch {
	case p.monitor != nil:
		return "monitor"
	case p.web.frozen && p.join == nil:
		return "" // its frontier is its own
	}
	return start + " " + filepath.Base(p.run)
}

// goOn takes over what an earlier part of the run said of itself, and refuses to
// go on as another crawl.
func (r *runRecord) goOn(run string) error {
	text, err := os.ReadFile(filepath.Join(run, rundir.RunFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil // killed before it said anything
	}
	if err != nil {
		return err
	}
	var earlier runRecord
	if err := json.Unmarshal(text, &earlier); err != nil {
		return fmt.Errorf("%s: %w", filepath.Join(run, rundir.RunFile), err)
	}
	for _, same := range []struct{ what, then, now string }{
		{"strategy", earlier.Strategy, r.Strategy},
		{"web", earlier.WebDigest, r.WebDigest},
		{"models", earlier.Models, r.Models},
		{"topic", earlier.Topic, r.Topic},
		{"model of the topic", earlier.TopicModel, r.TopicModel},
		{"least accuracy of a layer model", fmt.Sprint(earlier.MinAccuracy), fmt.Sprint(r.MinAccuracy)},
		{"backlink cost", fmt.Sprint(earlier.BacklinkCost), fmt.Sprint(r.BacklinkCost)},
		{"seeds", earlier.SeedsHash, r.SeedsHash},
	} {
		if same.then != same.now {
			return app.Usagef("%s began with another %s (%s, now %s); a resumed crawl must be the same", run, same.what, same.then, same.now)
		}
	}
	r.StartedAt, r.Tally, r.SpentBefore, r.ProvidersBefore = earlier.StartedAt, earlier.Tally, earlier.SpentBefore, earlier.ProvidersBefore
	for _, path := range r.Record {
		if !slices.Contains(earlier.Record, path) {
			earlier.Record = append(earlier.Record, path)
		}
	}
	r.Record = earlier.Record
	return nil
}

// finishRecord writes totals and events, and closes the folder.
func finishRecord(ctx context.Context, a *app.App, rec *record, r *crawlResult) error {
	rec.run.EndedAt = a.Now().UTC().Format("2006-01-02T15:04:05Z07:00")
	rec.run.Stats, rec.run.HarvestRate = &r.stats, r.stats.HarvestRate()
	rec.run.Events = r.state.store.Len()
	r.events = rec.run.Events
	rec.run.Providers = providerRecords(rec.chain, rec.run.ProvidersBefore)
	r.providers = rec.run.Providers
	events := func(yield func(any, error) bool) {
		for e, err := range r.state.store.Events(ctx) {
			if err != nil {
				a.Logf("event %s left out: %v", e.ID, err)
				continue
			}
			if !yield(e, nil) {
				return
			}
		}
	}
	if !rec.turn {
		if err := rec.WriteEvents(iter.Seq2[any, error](events)); err != nil {
			return err
		}
	}
	if err := rec.WriteRun(rec.run); err != nil {
		return err
	}
	return rec.Close()
}

// modelsOf is the kind of models a plan uses: those asked for, else in a frozen
// web the cross-fitted ones, which are never less honest (doc/decisions/003).
func modelsOf(p plan) string {
	switch {
	case p.models != "":
		return p.models
	case p.web.frozen && !p.web.generated():
		return "cross-fitted"
	}
	return "shipped"
}

// newCrawlJudge returns the judge of a plan and the digests of its model files.
func newCrawlJudge(p plan) (strategy.Judge, map[string]string, error) {
	hashes, err := hashModels(modelsOf(p) == "cross-fitted")
	if err != nil {
		return nil, nil, err
	}
	judge, err := newPageJudge(modelsOf(p), nil)
	if err != nil {
		return nil, nil, err
	}
	return judgeOf{judge}, hashes, nil
}

// judgeOf judges each page by the judge its URL asks for.
type judgeOf struct{ pageJudge }

func (j judgeOf) Page(t *tagtree.Tree) classify.Judgement { return j.For(t.Page.URL).Page(t) }

// Related is the gate without what the page itself says, which is read later.
func (judgeOf) Related(said classify.Judgement) bool { return eventChance(said) >= gateThreshold }

// hashModels returns the SHA-256 of every model file in use but that of a topic.
func hashModels(crossFitted bool) (map[string]string, error) {
	hashes := map[string]string{}
	err := fs.WalkDir(models.Files(), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path == disciplineFile || strings.HasSuffix(path, ".md") || strings.Contains(path, "/") && !crossFitted {
			return err
		}
		f, err := models.Files().Open(path)
		if err != nil {
			return err
		}
		defer func() { _ = f.Close() }() // embedded
		sum := sha256.New()
		if _, err := io.Copy(sum, f); err != nil {
			return err
		}
		hashes[path] = hex.EncodeToString(sum.Sum(nil))
		return nil
	})
	return hashes, err
}

// hashFile returns the SHA-256 of a file, in hexadecimal digits.
func hashFile(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }() // read only: nothing to lose
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// hashLines returns the SHA-256 of lines, in hexadecimal digits.
func hashLines(lines []string) string {
	sum := sha256.Sum256([]byte(strings.Join(lines, "\n")))
	return hex.EncodeToString(sum[:])
}

func describeEnd(r crawlResult, p plan) string {
	why := map[crawler.Reason]string{
		crawler.BudgetSpent: "budget spent", crawler.Drained: "nothing left to fetch", crawler.TimeUp: "time is up",
		crawler.FoundEnough: "found enough", crawler.HarvestSmall: "harvest too low", crawler.Interrupted: "interrupted", crawler.Broken: "stopped by an error",
	}[r.stats.Reason]
	pages := fmt.Sprintf("%d pages", r.stats.Pages)
	if r.stats.Asked > 0 {
		pages += fmt.Sprintf(" and %d backlink calls", r.stats.Asked)
	}
	return fmt.Sprintf("%s: %s, %d calls, %d events, %d hosts; record in %s, events in %s",
		why, pages, r.stats.Targets, r.events, r.stats.Hosts, p.run, p.state)
}
