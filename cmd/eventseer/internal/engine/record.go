package engine

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/admin"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/judges"
	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/backlink"
	"github.com/eventseer/eventseer/crawler/rundir"
	"github.com/eventseer/eventseer/crawler/strategy"
	"github.com/eventseer/eventseer/features/tagtree"
)

// A RunRecord is run.json.
type RunRecord struct {
	Version      string            `json:"version"`
	Strategy     string            `json:"strategy"`
	Seed         uint64            `json:"seed"`
	Budget       float64           `json:"budget"`
	Tally        string            `json:"tally,omitempty"`        // name of the run in the frontier
	SpentBefore  float64           `json:"spent_before,omitempty"` // by earlier runs with that name
	BacklinkCost float64           `json:"backlink_cost"`
	Workers      int               `json:"workers"`
	Web          string            `json:"web"`
	WebDigest    string            `json:"web_digest,omitempty"`
	Record       []string          `json:"record,omitempty"` // where the responses were recorded: files, or prefixes of their names
	Backlinks    bool              `json:"backlinks"`
	Models       string            `json:"models"`
	ModelHashes  map[string]string `json:"model_hashes"`
	// MinAccuracy is the minimum accuracy of the layer model, for strategies that use one.
	MinAccuracy float64  `json:"min_accuracy,omitempty"`
	Topic       string   `json:"topic,omitempty"`
	TopicModel  string   `json:"topic_model,omitempty"` // SHA-256
	Seeds       []string `json:"seeds"`
	SeedsHash   string   `json:"seeds_hash"`
	// Flags are those of the command line of a crawl; see app.GivenFlags.
	Flags       map[string][]string    `json:"flags,omitempty"`
	StartedAt   string                 `json:"started_at"`
	EndedAt     string                 `json:"ended_at,omitempty"`
	Stats       *crawler.Stats         `json:"totals,omitempty"`
	Events      int                    `json:"events"`
	HarvestRate float64                `json:"harvest_rate"`
	Providers   []admin.ProviderRecord `json:"providers,omitempty"` // of backlinks
	// ProvidersBefore are the counts of earlier crawls with the same links.
	ProvidersBefore map[string]backlink.Tally `json:"providers_before,omitempty"`
	// BacklinkSources are the names of all backlink providers, queried or not.
	BacklinkSources []string `json:"backlink_sources,omitempty"`
}

// ReadRun reads the record in the folder of a run.
func ReadRun(run string) (r RunRecord, err error) {
	path := filepath.Join(run, rundir.RunFile)
	text, err := os.ReadFile(path)
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal(text, &r); err != nil {
		return r, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}

// A runFolder is the run folder of a crawl with its run.json.
type runFolder struct {
	*rundir.Dir
	run   RunRecord
	chain *backlink.Chain
	turn  bool // part of a service, whose store has the events
}

// openRecord creates the run folder, or resumes an interrupted run.
func openRecord(ctx context.Context, a *app.App, p Plan, s State, chain *backlink.Chain) (*runFolder, error) {
	modelHashes, err := p.models.Hashes()
	if err != nil {
		return nil, err
	}
	o := rundir.Options{Events: s.Store.Len}
	r := &runFolder{chain: chain, turn: p.host != nil, run: RunRecord{
		Version: app.FullVersion(), Strategy: p.guide.Strategy, Seed: a.Config.Seed, Budget: p.options.Budget,
		BacklinkCost: p.options.BacklinkCost, Workers: p.options.Workers,
		Web: p.web.Name, WebDigest: p.web.Digest, Backlinks: len(p.web.Sources) > 0, BacklinkSources: chain.Names(),
		Models: p.models.String(), ModelHashes: modelHashes, Topic: p.guide.Topic.name, TopicModel: p.guide.Topic.Hash, Seeds: p.Seeds, SeedsHash: HashLines(p.Seeds),
		Record:    p.web.record.files,
		StartedAt: a.Now().UTC().Format("2006-01-02T15:04:05Z07:00"),
	}}
	if a.Command == "crawl" && a.Flags != nil {
		r.run.Flags = app.GivenFlags(a.Flags)
	}
	if p.guide.Strategy == strategy.ContextGraph {
		r.run.MinAccuracy = p.guide.MinAccuracy
	}
	r.run.Tally = p.frontierRunName(r.run.StartedAt)
	if p.Resume {
		if err := r.run.loadEarlierPart(p.Run); err != nil {
			return nil, err
		}
		committed, _, commitErr := crawler.CommittedEnds(ctx, s.Frontier, r.run.Tally)
		if commitErr != nil {
			return nil, commitErr
		}
		var lost int
		if r.Dir, lost, err = rundir.Resume(p.Run, committed, o); lost > 0 {
			a.Logf("the last %d pages are missing in %s, perhaps after a power failure", lost, p.Run)
		}
	} else {
		_, spent, spentErr := crawler.CommittedEnds(ctx, s.Frontier, r.run.Tally)
		if spentErr != nil {
			return nil, spentErr
		}
		r.run.SpentBefore, r.run.ProvidersBefore = spent, admin.TalliesOf(chain)
		r.Dir, err = rundir.Create(p.Run, o)
	}
	if err != nil {
		return nil, err
	}
	return r, r.WriteRun(r.run)
}

// frontierRunName returns the name of a new run for the frontier. Each live crawl counts separately; all
// visits of the monitor, which are not resumed, count together.
func (p Plan) frontierRunName(start string) string {
	switch {
	case p.monitor != nil:
		return "monitor"
	case p.web.Frozen && p.cluster.Join == nil:
		return "" // it has its own frontier
	}
	return start + " " + filepath.Base(p.Run)
}

// loadEarlierPart loads the record of an earlier part of the run, and returns an error if the crawl differs.
func (r *RunRecord) loadEarlierPart(run string) error {
	earlier, err := ReadRun(run)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // killed before it wrote a record
	}
	if err != nil {
		return err
	}
	for _, same := range []struct{ what, then, now string }{
		{"strategy", earlier.Strategy, r.Strategy},
		{"web", earlier.WebDigest, r.WebDigest},
		{"models", earlier.Models, r.Models},
		{"topic", earlier.Topic, r.Topic},
		{"model of the topic", earlier.TopicModel, r.TopicModel},
		{"minimum accuracy of a layer model", fmt.Sprint(earlier.MinAccuracy), fmt.Sprint(r.MinAccuracy)},
		{"backlink cost", fmt.Sprint(earlier.BacklinkCost), fmt.Sprint(r.BacklinkCost)},
		{"seeds", earlier.SeedsHash, r.SeedsHash},
	} {
		if same.then != same.now {
			return app.Usagef("%s began with another %s (%s, now %s); resume the crawl with the same one", run, same.what, same.then, same.now)
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
func finishRecord(ctx context.Context, a *app.App, rec *runFolder, r *CrawlResult) error {
	rec.run.EndedAt = a.Now().UTC().Format("2006-01-02T15:04:05Z07:00")
	rec.run.Stats, rec.run.HarvestRate = &r.Stats, r.Stats.HarvestRate()
	rec.run.Events = r.State.Store.Len()
	r.events = rec.run.Events
	rec.run.Providers = admin.ProviderRecords(rec.chain, rec.run.ProvidersBefore)
	r.Providers = rec.run.Providers
	events := func(yield func(any, error) bool) {
		for e, err := range r.State.Store.Events(ctx) {
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

// ModelsOf returns the kind of models used in a web. It is the requested kind, otherwise in a
// frozen web the cross-fitted ones, which have not seen its pages (doc/decisions/003).
func ModelsOf(w *Web, asked string) string {
	switch {
	case asked != "":
		return asked
	case w.Frozen && !w.IsGenerated():
		return judges.CrossFitted
	case w.Frozen:
		return judges.Shipped
	}
	return judges.Own
}

// NewCrawlJudge opens the models of a web, of the requested kind, and returns the judge of its pages.
func NewCrawlJudge(a *app.App, w *Web, asked string) (strategy.Judge, judges.Set, error) {
	models, err := judges.Open(a, ModelsOf(w, asked))
	if err == nil {
		models, err = models.WithShadow(a)
	}
	if err != nil {
		return nil, models, err
	}
	judge, err := models.PageJudge()
	return judgePerURL{judge}, models, err
}

// judgePerURL judges each page by the judge for its URL.
type judgePerURL struct{ PageJudge }

func (j judgePerURL) JudgePage(t *tagtree.Tree) classify.Judgement {
	return j.For(t.Page.URL).JudgePage(t)
}

// IsRelated returns the gate's decision without the page's own record, which is read later.
func (judgePerURL) IsRelated(said classify.Judgement) bool {
	return Gate().Probability(said) >= Gate().AcceptanceThreshold(said)
}

// HashFile returns the SHA-256 of a file, in hexadecimal digits.
func HashFile(path string) (string, error) {
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

// HashLines returns the SHA-256 of lines, in hexadecimal digits.
func HashLines(lines []string) string {
	return hashOf([]byte(strings.Join(lines, "\n")))
}

func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// DescribeEnd describes how a crawl ended.
func DescribeEnd(r CrawlResult, p Plan) string {
	why := map[crawler.Reason]string{
		crawler.BudgetSpent: "budget spent", crawler.Drained: "nothing left to fetch", crawler.TimeUp: "time is up",
		crawler.FoundEnough: "found enough", crawler.HarvestSmall: "harvest too low", crawler.Interrupted: "interrupted", crawler.Broken: "stopped by an error", crawler.Offline: "our network seems to be down",
	}[r.Stats.Reason]
	pages := fmt.Sprintf("%d pages", r.Stats.Pages)
	if r.Stats.Asked > 0 {
		pages += fmt.Sprintf(" and %d backlink calls", r.Stats.Asked)
	}
	return fmt.Sprintf("%s: %s, %d calls, %d events, %d hosts; record in %s, events in %s",
		why, pages, r.Stats.Targets, r.events, r.Stats.Hosts, p.Run, p.State)
}

// Limits on reading the last crawl.
const (
	maxRunsRead = 20
	maxTailRead = 256 << 10 // bytes of a run's pages
)

// HasResponse reports whether a page was requested and returned a response, even an unchanged one.
func HasResponse(o crawler.Outcome) bool {
	return o.Fate == crawler.Fetched || o.Fate == crawler.Unchanged && !o.Unasked
}

// LastCrawl returns when the runs recorded in a data directory last received a page, zero if the
// newest ones received none.
func LastCrawl(dir string) time.Time {
	files, err := filepath.Glob(filepath.Join(dir, "runs", "*", "pages.jsonl"))
	if err != nil {
		return time.Time{}
	}
	slices.Sort(files) // folders are named by time
	for n, file := range slices.Backward(files) {
		if len(files)-n > maxRunsRead {
			break
		}
		if at := lastResponseTime(file); !at.IsZero() {
			return at
		}
	}
	return time.Time{}
}

// lastResponseTime returns the time of the last page in a run's record with a successful or unchanged
// response.
func lastResponseTime(file string) time.Time {
	tail, err := admin.ReadTail(file, maxTailRead)
	if err != nil {
		return time.Time{} // an unreadable run has no time
	}
	for _, text := range slices.Backward(bytes.Split(tail, []byte("\n"))) {
		var line struct {
			At     time.Time `json:"t"`
			Status int       `json:"status"`
		}
		if json.Unmarshal(text, &line) == nil && line.Status >= 200 && line.Status < 400 {
			return line.At
		}
	}
	return time.Time{}
}

// ResumeFlags returns the flags to resume the run: those given when it began, and further settings in
// the record.
func (r RunRecord) ResumeFlags() map[string][]string {
	all := map[string][]string{
		"strategy": {r.Strategy}, "seed": {fmt.Sprint(r.Seed)}, "backlink-cost": {fmt.Sprint(r.BacklinkCost)}, "workers": {fmt.Sprint(r.Workers)},
	}
	maps.Copy(all, r.Flags)
	return all
}
