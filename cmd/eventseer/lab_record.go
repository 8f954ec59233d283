package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/engine"
	"github.com/eventseer/eventseer/crawler/backlink"
	"github.com/eventseer/eventseer/crawler/lab"
	"github.com/eventseer/eventseer/crawler/strategy/external"
	"github.com/eventseer/eventseer/internal/atomicfile"
	"github.com/eventseer/eventseer/internal/text"

	"github.com/spf13/cobra"
)

// A labRecord is lab.json: what an experiment was made of.
type labRecord struct {
	Version string   `json:"version"`
	Flags   labFlags `json:"flags"`
	Draws   []string `json:"draws"`
	// Inputs are the SHA-256 of the files, by path.
	Inputs map[string]string `json:"inputs"`
	Models map[string]string `json:"model_hashes"`
	// Programs are the SHA-256 of the strategies that are programs, by path.
	Programs map[string]string `json:"programs,omitempty"`
	// SeedHashes are those of each draw's URLs.
	SeedHashes map[string]string `json:"seed_hashes"`
	Topic      string            `json:"topic_model,omitempty"` // SHA-256
	// Day is that of a generated web, whose calls are dated around it.
	Day string `json:"day,omitempty"`
	// Settings are those of the configuration that change crawls and are not the
	// default, by key.
	Settings map[string]string `json:"settings,omitempty"`
}

// newLabRecord takes down what an experiment is made of.
func newLabRecord(f labFlags, b *bench, models map[string]string) (labRecord, error) {
	r := labRecord{
		Version: app.FullVersion(), Flags: f, Inputs: map[string]string{}, Models: models, SeedHashes: map[string]string{},
		Topic: b.topic.Hash, Settings: crawlSettings(b.app.Config),
	}
	if b.web.Generated() {
		r.Day = b.web.Now().Format(time.DateOnly)
	}
	for _, s := range b.seeds {
		r.Draws = append(r.Draws, s.name)
		r.SeedHashes[s.name] = engine.HashLines(s.urls)
	}
	files := []string{f.Targets}
	if digest, ok := strings.CutPrefix(b.web.Digest, "sha256:"); ok {
		r.Inputs[f.Web] = digest
		if hosts := filepath.Join(filepath.Dir(f.Web), "hosts.json"); exists(hosts) {
			files = append(files, hosts)
		}
	}
	if f.Backlinks != "" {
		spec, err := backlink.ParseSpec(f.Backlinks)
		if err != nil {
			return r, app.Usage(err)
		}
		files = append(files, spec.Path)
	}
	for _, path := range files {
		if path == "" {
			continue
		}
		sum, err := engine.HashFile(path)
		if err != nil {
			return r, err
		}
		r.Inputs[path] = sum
	}
	for _, s := range f.Strategies {
		path, ok := strings.CutPrefix(s, external.Prefix)
		if !ok {
			continue
		}
		found, err := exec.LookPath(path)
		if err != nil {
			return r, app.Usagef("--strategies %s: %w: name an executable file", s, err)
		}
		if r.Programs == nil {
			r.Programs = map[string]string{}
		}
		if r.Programs[path], err = engine.HashFile(found); err != nil {
			return r, err
		}
	}
	return r, r.check()
}

// check refuses what would be no line of a script.
func (r labRecord) check() error {
	for _, text := range append(slices.Sorted(maps.Keys(r.Inputs)), r.Version) {
		if strings.ContainsAny(text, "\r\n") {
			return app.Usagef("%q: a line break has no place in the name of a file", text)
		}
	}
	return nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// crawlSettings returns what a configuration changes of crawls in a frozen web.
func crawlSettings(c app.Config) map[string]string {
	changed := map[string]string{}
	for key, value := range map[string]any{
		"rel": c.Rel, "robots": c.Robots, "render": c.Render, "per-host": c.PerHost, "per-domain": c.PerDomain, "per-depth": c.PerDepth,
	} {
		is := func(s app.Setting) bool { return s.Key == key }
		if text := fmt.Sprint(value); text != fmt.Sprint(app.Settings[slices.IndexFunc(app.Settings, is)].Def) {
			changed[key] = text
		}
	}
	return changed
}

// begin makes the folder of an experiment, and refuses to go on with another.
func (b *bench) begin(e lab.Experiment) error {
	if err := os.MkdirAll(filepath.Join(b.dir, lab.RunsDir), 0o755); err != nil {
		return err
	}
	lock, err := lab.Lock(b.dir)
	if err != nil {
		return err
	}
	b.app.OnClose(lock.Close)
	runs, err := os.ReadDir(filepath.Join(b.dir, lab.RunsDir))
	if err != nil {
		return err
	}
	earlier, _, err := readLab(b.dir)
	switch {
	case err == nil && !earlier.same(b.record):
		return app.Usagef("%s holds another experiment (see its %s): only --strategies and --against may change; name another folder", b.dir, lab.RecordFile)
	case errors.Is(err, fs.ErrNotExist) && len(runs) > 0:
		return app.Usagef("%s holds crawls that are of no experiment: %w; name another folder", b.dir, err)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	return errors.Join(atomicfile.WriteJSON(filepath.Join(b.dir, lab.TargetsFile), b.targets), atomicfile.WriteJSON(filepath.Join(b.dir, lab.RecordFile), b.record))
}

// same reports whether cells of both experiments can be compared.
func (r labRecord) same(other labRecord) bool {
	for path, digest := range r.Programs {
		if before, ok := other.Programs[path]; ok && before != digest {
			return false
		}
	}
	r.Version, r.Programs = other.Version, other.Programs
	r.Flags.Strategies, r.Flags.Against, r.Flags.parallel = other.Flags.Strategies, other.Flags.Against, other.Flags.parallel
	return string(mustJSON(r)) == string(mustJSON(other))
}

func mustJSON(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // plain structs
	}
	return text
}

// readLab reads what an experiment was made of, and its targets.
func readLab(dir string) (r labRecord, targets []lab.Target, err error) {
	for _, file := range []struct {
		name string
		into any
	}{{lab.RecordFile, &r}, {lab.TargetsFile, &targets}} {
		path := filepath.Join(dir, file.name)
		text, err := os.ReadFile(path)
		if err != nil {
			return r, nil, err
		}
		if err := json.Unmarshal(text, file.into); err != nil {
			return r, nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	return r, targets, nil
}

// settings say what the experiment was made of, for the report.
func (r labRecord) settings() []lab.Setting {
	f := r.Flags
	targets, backlinks := "the calls of the web", "none"
	if r.Day != "" {
		backlinks = "those of the web"
	}
	if f.Targets != "" {
		targets = f.Targets + " of kind " + strings.Join(f.Kinds, ", ")
	}
	trained := "the models of this program, trained on the pages their cards name"
	if f.Models == "cross-fitted" {
		trained = "models cross-fitted by site: a page of a site that was trained on is judged by models that have not seen the site; others by the shipped ones"
	}
	s := []lab.Setting{
		{Name: "program", Value: "EventSeer " + r.Version}, {Name: "web", Value: f.Web}, {Name: "targets", Value: targets},
		{Name: "seeds", Value: cmp.Or(f.Seeds, "those of the web")}, {Name: "backlinks", Value: cmp.Or(f.Backlinks, backlinks)}, {Name: "pages a backlink call costs", Value: fmt.Sprint(f.BacklinkCost)},
		{Name: "random seed", Value: fmt.Sprint(f.Seed)}, {Name: "trained on", Value: trained},
		{Name: "known to the strategies", Value: "seeds and what they fetch; not the targets, the order of nodes, or which pages were added. Only the oracle knows the truth."},
	}
	if f.Topic != "" {
		s = append(s, lab.Setting{Name: "topic", Value: f.Topic})
	}
	if r.Day != "" {
		s = append(s, lab.Setting{Name: "day of the web", Value: r.Day})
	}
	for _, key := range slices.Sorted(maps.Keys(r.Settings)) {
		s = append(s, lab.Setting{Name: key, Value: r.Settings[key]})
	}
	for _, path := range slices.Sorted(maps.Keys(r.Inputs)) {
		s = append(s, lab.Setting{Name: "sha256 of " + filepath.Base(path), Value: r.Inputs[path]})
	}
	return s
}

// command is the command line that repeats the experiment, but for its folder.
func (r labRecord) command() string {
	f := r.Flags
	var line strings.Builder
	for _, key := range slices.Sorted(maps.Keys(r.Settings)) {
		line.WriteString("EVENTSEER_" + strings.ToUpper(strings.ReplaceAll(key, "-", "_")) + "=" + shellWord(r.Settings[key]) + " ")
	}
	words := []string{"eventseer", "lab", "run", "--web", f.Web}
	add := func(flag, value string) {
		if value != "" {
			words = append(words, flag, value)
		}
	}
	add("--targets", f.Targets)
	add("--kinds", strings.Join(f.Kinds, ","))
	add("--seeds", f.Seeds)
	add("--backlinks", f.Backlinks)
	add("--backlink-cost", fmt.Sprint(f.BacklinkCost))
	add("--strategies", strings.Join(f.Strategies, ","))
	add("--budget", fmt.Sprint(f.Budget))
	add("--repeats", fmt.Sprint(f.Repeats))
	add("--seed", fmt.Sprint(f.Seed))
	add("--models", f.Models)
	add("--topic", f.Topic)
	add("--against", f.Against)
	for _, w := range words {
		line.WriteString(shellWord(w) + " ")
	}
	return line.String() + "-o"
}

// shellWord quotes a word for a POSIX shell where it needs to be.
func shellWord(w string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:,=@%+", r)
	}
	if w != "" && strings.IndexFunc(w, func(r rune) bool { return !plain(r) }) < 0 {
		return w
	}
	return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
}

// reproduce writes a shell script that checks the inputs and runs the experiment
// that is in dir again in another folder: here all its crawls are complete.
func (r labRecord) reproduce(w io.Writer, dir string) error {
	fmt.Fprintf(w, "#!/bin/sh\n# Repeats this experiment, made by EventSeer %s, in the folder that its argument\n# names. Run it where the experiment was run: its paths begin there. The same inputs\n# and the same program give the same crawls and figures; times differ.\n", r.Version)
	if r.Day != "" {
		fmt.Fprintf(w, "# The web was generated for %s: on another day its calls have other dates.\n", r.Day)
	}
	fmt.Fprintf(w, "set -eu\ninto=${1:-%s}\n", shellWord(filepath.Clean(dir)+"-again"))
	if len(r.Inputs) > 0 {
		fmt.Fprintln(w, "sha256sum -c <<'END'")
		for _, path := range slices.Sorted(maps.Keys(r.Inputs)) {
			fmt.Fprintf(w, "%s  %s\n", r.Inputs[path], path)
		}
		fmt.Fprintln(w, "END")
	}
	_, err := fmt.Fprintln(w, r.command(), `"$into"`)
	return err
}

func newLabReportCommand(a *app.App) *cobra.Command {
	var against string
	var kinds []string
	var budget int
	cmd := &cobra.Command{
		Use: "report DIR", Short: "Write the report of an experiment anew, of the crawls that are complete", Args: args(cobra.ExactArgs(1)),
		Long: `Write the report of an experiment anew, of the crawls that are complete. With --kinds
and --budget the same crawls are judged by other targets and to fewer pages. The files of
the report are written to the folder -o names, by default to DIR.`,
		Example: `  eventseer lab report lab/
  eventseer lab report lab/ --against best-first
  eventseer lab report lab/ --kinds page,pdf,mail --budget 500 -o lab-mails/`,
	}
	cmd.Flags().StringSliceVar(&kinds, "kinds", nil, "kinds of targets that count (default as in the run)")
	cmd.Flags().IntVar(&budget, "budget", 0, "pages of each crawl that count (default all)")
	cmd.Flags().StringVar(&against, "against", "", "strategy the others are tested against, or all for all pairs (default as in the run)")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		dir := args[0]
		record, targets, err := readLab(dir)
		if errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%w: %s is no folder of `eventseer lab run`", err, dir)
		}
		if err != nil {
			return err
		}
		if err := rescore(&record, targets, kinds, budget); err != nil {
			return err
		}
		e, runs, err := completeCells(a, dir, record, targets)
		if err != nil {
			return err
		}
		rivals := slices.DeleteFunc(slices.Clone(e.Strategies), func(s string) bool { return s == lab.Oracle })
		switch known := append(rivals, lab.All); {
		case against != "" && !slices.Contains(known, against):
			return app.Usagef("--against %s: no strategy of that name is complete in %s; there are %s", against, dir, strings.Join(known, ", "))
		case against != "":
			record.Flags.Against = against
		case !slices.Contains(known, record.Flags.Against):
			record.Flags.Against = lab.All
		}
		return reportLab(a, record, dir, e, runs)
	}
	return cmd
}

// rescore changes what the crawls of an experiment are judged by.
func rescore(r *labRecord, targets []lab.Target, kinds []string, budget int) error {
	for _, kind := range kinds {
		if len(lab.OfKinds(targets, []string{kind})) == 0 {
			return app.Usagef("--kinds %s: %s holds no target of that kind", kind, lab.TargetsFile)
		}
	}
	switch {
	case budget < 0 || budget > r.Flags.Budget:
		return app.Usagef("--budget %d: the crawls had %d pages each; run them with more: `eventseer lab run`", budget, r.Flags.Budget)
	case budget > 0:
		r.Flags.Budget = budget
	}
	if kinds != nil {
		r.Flags.Kinds = kinds
	}
	return nil
}

// completeCells reads the cells of an experiment. Strategies of which some are
// missing are left out.
func completeCells(a *app.App, dir string, r labRecord, targets []lab.Target) (lab.Experiment, []lab.Run, error) {
	b := bench{record: r, targets: targets}
	e := b.experiment()
	if err := errors.Join(e.Validate(), r.check()); err != nil {
		return e, nil, fmt.Errorf("%s: %w", filepath.Join(dir, lab.RecordFile), err)
	}
	return lab.ReadComplete(e, dir, a.Logf)
}

// reportLab writes what the crawls come to, and prints it.
func reportLab(a *app.App, r labRecord, dir string, e lab.Experiment, runs []lab.Run) error {
	summary := e.Summarise(runs, r.Flags.Against, r.Flags.Seed)
	into := dir
	if a.Config.Output != "-" {
		into = a.Config.Output
	}
	err := lab.WriteFiles(e, dir, into, lab.Report{
		Summary: summary, Runs: runs, Seed: r.Flags.Seed, Settings: r.settings(), Command: r.command() + " " + shellWord(dir),
		Reproduce: func(w io.Writer) error { return r.reproduce(w, dir) },
	})
	if err != nil {
		return err
	}
	a.Logf("%s of at most %d pages each, %d targets; the report is %s", text.Count(len(e.Cells()), "crawl", "crawls"), e.Budget, len(e.Targets), filepath.Join(into, lab.ReportFile))
	return showLab(a.Stdout, e, summary)
}

// showLab prints the figures of the strategies.
func showLab(out io.Writer, e lab.Experiment, s *lab.Summary) error {
	w := tabwriter.NewWriter(out, 0, 4, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "strategy\tarea to %d\tarea\tof oracle\t", e.EarlyBudget())
	budgets := e.ToldBudgets()
	for _, b := range budgets {
		fmt.Fprintf(w, "@%d\t", b)
	}
	fmt.Fprintf(w, "events@%d\tcalls\t\n", budgets[len(budgets)-1])
	for _, name := range e.Strategies {
		f := s.Strategies[name]
		share := "-"
		if f.OracleShare != nil {
			share = fmt.Sprintf("%.3f", f.OracleShare.Mean)
		}
		fmt.Fprintf(w, "%s\t%.4f\t%.4f\t%s\t", name, f.HarvestAUC1000.Mean, f.HarvestAUC.Mean, share)
		for _, b := range budgets {
			fmt.Fprintf(w, "%.1f\t", f.FoundAt[fmt.Sprint(b)].Mean)
		}
		fmt.Fprintf(w, "%.1f\t%.0f\t\n", f.Events.Mean, f.BacklinkCalls.Mean)
	}
	return w.Flush()
}
