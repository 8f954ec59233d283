package lab

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/internal/atomicfile"
)

// A Manifest is the content of RecordFile: the inputs and settings of an experiment. Two experiments can
// be compared if their manifests differ only in the program's version and the strategies.
type Manifest struct {
	Version string   `json:"version"`
	Flags   Options  `json:"flags"`
	Draws   []string `json:"draws"`
	// Inputs are the SHA-256 of the files, by path.
	Inputs map[string]string `json:"inputs"`
	Models map[string]string `json:"model_hashes"`
	// Programs are the SHA-256 hashes of external strategy programs and of models of strategies, by path.
	Programs map[string]string `json:"programs,omitempty"`
	// SeedHashes are the hashes of the URLs of each draw.
	SeedHashes map[string]string `json:"seed_hashes"`
	Topic      string            `json:"topic_model,omitempty"` // SHA-256
	// Day is the date of a generated web; its calls are dated around it.
	Day string `json:"day,omitempty"`
	// Settings are the configuration values that affect crawls and differ from the default, by key.
	Settings map[string]string `json:"settings,omitempty"`
}

// Options describe an experiment.
type Options struct {
	Web          string   `json:"web"`
	Targets      string   `json:"targets,omitempty"`
	Kinds        []string `json:"kinds"`
	Values       string   `json:"values,omitempty"` // see crawler.ParseValues; "" for the default, by which every target counts 1
	Clock        string   `json:"clock,omitempty"`  // see ParseClock
	Seeds        string   `json:"seeds,omitempty"`
	Backlinks    string   `json:"backlinks,omitempty"`
	BacklinkCost float64  `json:"backlink_cost"`
	Strategies   []string `json:"strategies"`
	Budget       int      `json:"budget"`
	Repeats      int      `json:"repeats"`
	Seed         uint64   `json:"seed"`
	Models       string   `json:"models"`
	Topic        string   `json:"topic,omitempty"`
	Judge        string   `json:"judge,omitempty"` // see ParseJudge; "" for the models as they are
	Against      string   `json:"against"`
	Parallel     int      `json:"-"` // number of crawls at once; does not affect results
}

// InFolder returns the options with the files of Web, if that is a folder with a frozen web. The files
// are web.warc.gz, and of targets.tsv, seeds and links.tsv.gz those that exist, as `web split` writes
// them. Options that are set keep their value; Backlinks may be only the end of a spec, such as
// ":coverage=0.1", which is then added to the folder's links.
func (o Options) InFolder() Options {
	if info, err := os.Stat(o.Web); err != nil || !info.IsDir() {
		return o
	}
	dir := o.Web
	o.Web = filepath.Join(dir, "web.warc.gz")
	for name, option := range map[string]*string{"targets.tsv": &o.Targets, "seeds": &o.Seeds, "links.tsv.gz": &o.Backlinks} {
		path := filepath.Join(dir, name)
		if _, err := os.Stat(path); err != nil {
			continue
		}
		if *option == "" || option == &o.Backlinks && strings.HasPrefix(*option, ":") {
			*option = path + *option
		}
	}
	return o
}

// ParseValues returns the values of finds. They are zero, by which every target counts 1, unless
// they are set.
func (o *Options) ParseValues() (crawler.Values, error) {
	if o.Values == "" {
		return crawler.Values{}, nil
	}
	return crawler.ParseValues(o.Values)
}

// A Measure is how finished crawls are evaluated. Zero fields mean as in the run.
type Measure struct {
	Kinds  []string // of targets that count; with Values those that have one
	Budget int      // pages of each crawl that count
	Values string   // see Options
	Clock  string   // see Options
}

// ChangeMeasure changes the targets, the pages and the values by which the crawls of an experiment are
// evaluated.
func (r *Manifest) ChangeMeasure(targets []Target, m Measure) error {
	for _, kind := range m.Kinds {
		if len(OfKinds(targets, []string{kind})) == 0 {
			return fmt.Errorf("--kinds %s: %s has no target of that kind", kind, TargetsFile)
		}
	}
	switch {
	case m.Budget < 0 || m.Budget > r.Flags.Budget:
		return fmt.Errorf("--budget %d: the crawls had %d pages each; `eventseer lab run` extends them to more", m.Budget, r.Flags.Budget)
	case m.Budget > 0:
		r.Flags.Budget = m.Budget
	}
	if m.Kinds != nil {
		r.Flags.Kinds = m.Kinds
	}
	if m.Clock != "" {
		r.Flags.Clock = m.Clock
	}
	if _, err := ParseClock(r.Flags.Clock); err != nil || m.Values == "" {
		return err
	}
	values, err := crawler.ParseValues(m.Values)
	if r.Flags.Values = m.Values; m.Kinds == nil {
		r.Flags.Kinds = values.Kinds()
	}
	return err
}

// Check rejects values that cannot be a line of a script: file names with line breaks.
func (r Manifest) Check() error {
	for _, text := range append(slices.Sorted(maps.Keys(r.Inputs)), r.Version) {
		if strings.ContainsAny(text, "\r\n") {
			return fmt.Errorf("%q: the name of a file cannot contain a line break", text)
		}
	}
	return nil
}

// IsComparable reports whether the cells of both experiments can be compared. Only the program's version,
// the strategies, the reference strategy and the clock may differ.
func (r Manifest) IsComparable(other Manifest) bool {
	for path, digest := range r.Programs {
		if before, ok := other.Programs[path]; ok && before != digest {
			return false
		}
	}
	r.Version, r.Programs, r.Flags.Clock = other.Version, other.Programs, other.Flags.Clock
	r.Flags.Strategies, r.Flags.Against, r.Flags.Parallel = other.Flags.Strategies, other.Flags.Against, other.Flags.Parallel
	return string(mustJSON(r)) == string(mustJSON(other))
}

// ContinueFrom returns the manifest of an experiment in a folder that holds an earlier one. Strategies of
// the earlier one stay. A larger budget extends it: its complete cells, of which records are given,
// must have their budget, by which crawls that are too short are known.
func (r Manifest) ContinueFrom(earlier Manifest, records iter.Seq[Record]) (Manifest, error) {
	as := earlier
	if r.Flags.Budget > earlier.Flags.Budget {
		as.Flags.Budget = r.Flags.Budget
	}
	if !as.IsComparable(r) {
		return r, errors.New("the folder holds another experiment: only --strategies, --against, --clock and a larger --budget may change")
	}
	if r.Flags.Budget > earlier.Flags.Budget {
		for record := range records {
			if record.Budget == 0 {
				return r, errors.New("the crawls in the folder were made by an earlier version, which did not record their budget, and cannot be extended")
			}
		}
	}
	both := slices.Clone(earlier.Flags.Strategies)
	for _, s := range r.Flags.Strategies {
		if !slices.Contains(both, s) {
			both = append(both, s)
		}
	}
	programs := maps.Clone(earlier.Programs)
	if programs == nil {
		programs = r.Programs
	} else {
		maps.Copy(programs, r.Programs)
	}
	r.Flags.Strategies, r.Programs = both, programs
	return r, nil
}

func mustJSON(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // plain structs
	}
	return text
}

// ReadManifest reads the manifest of the experiment in dir, and its targets of all kinds. The error
// is fs.ErrNotExist if dir has no experiment.
func ReadManifest(dir string) (r Manifest, targets []Target, err error) {
	for _, file := range []struct {
		name string
		into any
	}{{RecordFile, &r}, {TargetsFile, &targets}} {
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

// WriteManifest makes dir the folder of experiment m with these targets of all kinds.
func WriteManifest(dir string, m Manifest, targets []Target) error {
	return errors.Join(atomicfile.WriteJSON(filepath.Join(dir, TargetsFile), targets), atomicfile.WriteJSON(filepath.Join(dir, RecordFile), m))
}

// ReportSettings returns the settings of the experiment for the report.
func (r Manifest) ReportSettings() []Setting {
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
	s := []Setting{
		{Name: "program", Value: "EventSeer " + r.Version}, {Name: "web", Value: f.Web}, {Name: "targets", Value: targets},
		{Name: "seeds", Value: cmp.Or(f.Seeds, "those of the web")}, {Name: "backlinks", Value: cmp.Or(f.Backlinks, backlinks)}, {Name: "pages a backlink call costs", Value: fmt.Sprint(f.BacklinkCost)},
		{Name: "random seed", Value: fmt.Sprint(f.Seed)}, {Name: "trained on", Value: trained},
		{Name: "known to the strategies", Value: "seeds and what they fetch; not the targets, the order of nodes, or which pages were added. Only the oracle knows the truth."},
	}
	if f.Values != "" {
		s = append(s, Setting{Name: "values of finds, given to every strategy and counted", Value: f.Values})
	}
	if clock, err := ParseClock(f.Clock); err == nil {
		s = append(s, Setting{Name: "simulated clock", Value: clock.String()})
	}
	if f.Topic != "" {
		s = append(s, Setting{Name: "topic", Value: f.Topic})
	}
	if f.Judge != "" {
		s = append(s, Setting{Name: "judgements changed for the experiment", Value: f.Judge})
	}
	if r.Day != "" {
		s = append(s, Setting{Name: "day of the web", Value: r.Day})
	}
	for _, key := range slices.Sorted(maps.Keys(r.Settings)) {
		s = append(s, Setting{Name: key, Value: r.Settings[key]})
	}
	for _, path := range slices.Sorted(maps.Keys(r.Inputs)) {
		s = append(s, Setting{Name: "sha256 of " + filepath.Base(path), Value: r.Inputs[path]})
	}
	return s
}

// Command returns the command line that repeats the experiment, without the name of its folder.
func (r Manifest) Command() string {
	f := r.Flags
	var line strings.Builder
	for _, key := range slices.Sorted(maps.Keys(r.Settings)) {
		line.WriteString("EVENTSEER_" + strings.ToUpper(strings.ReplaceAll(key, "-", "_")) + "=" + ShellWord(r.Settings[key]) + " ")
	}
	words := []string{"eventseer", "lab", "run", "--web", f.Web}
	add := func(flag, value string) {
		if value != "" {
			words = append(words, flag, value)
		}
	}
	add("--targets", f.Targets)
	add("--kinds", strings.Join(f.Kinds, ","))
	add("--values", f.Values)
	add("--clock", f.Clock)
	add("--seeds", f.Seeds)
	add("--backlinks", f.Backlinks)
	add("--backlink-cost", fmt.Sprint(f.BacklinkCost))
	add("--strategies", strings.Join(f.Strategies, ","))
	add("--budget", fmt.Sprint(f.Budget))
	add("--repeats", fmt.Sprint(f.Repeats))
	add("--seed", fmt.Sprint(f.Seed))
	add("--models", f.Models)
	add("--topic", f.Topic)
	add("--judge", f.Judge)
	add("--against", f.Against)
	for _, w := range words {
		line.WriteString(ShellWord(w) + " ")
	}
	return line.String() + "-o"
}

// ShellWord quotes a word for a POSIX shell if necessary.
func ShellWord(w string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:,=@%+", r)
	}
	if w != "" && strings.IndexFunc(w, func(r rune) bool { return !plain(r) }) < 0 {
		return w
	}
	return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
}

// WriteScript writes a shell script that checks the inputs and repeats the experiment of dir in
// another folder. All its crawls must be complete.
func (r Manifest) WriteScript(w io.Writer, dir string) error {
	fmt.Fprintf(w, "#!/bin/sh\n# Repeats this experiment, made by EventSeer %s, in the folder that its argument\n# names. Run it where the experiment was run: its paths begin there. The same inputs\n# and the same program give the same crawls and figures; times differ.\n", r.Version)
	if r.Day != "" {
		fmt.Fprintf(w, "# The web was generated for %s: on another day its calls have other dates.\n", r.Day)
	}
	fmt.Fprintf(w, "set -eu\ninto=${1:-%s}\n", ShellWord(filepath.Clean(dir)+"-again"))
	if len(r.Inputs) > 0 {
		fmt.Fprintln(w, "sha256sum -c <<'END'")
		for _, path := range slices.Sorted(maps.Keys(r.Inputs)) {
			fmt.Fprintf(w, "%s  %s\n", r.Inputs[path], path)
		}
		fmt.Fprintln(w, "END")
	}
	_, err := fmt.Fprintln(w, r.Command(), `"$into"`)
	return err
}

// PrintFigures prints the figures of the strategies of e as a table.
func PrintFigures(out io.Writer, e Experiment, s *Summary) error {
	w := tabwriter.NewWriter(out, 0, 4, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "strategy\tarea to %d\tarea\tof oracle\t", e.EarlyBudget())
	budgets := e.ReportedBudgets()
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
