package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"

	"eventseer/classify"
	"eventseer/cmd/eventseer/internal/app"
	"eventseer/cmd/eventseer/internal/engine"
	"eventseer/features"
	"eventseer/features/tagtree"
	"eventseer/models"
	"eventseer/webgraph"

	"github.com/spf13/cobra"
)

// targetFlags say which pages are targets.
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

// allDisciplines stands for a graph for each discipline.
const allDisciplines = "all"

func (f *targetFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.file, "targets", "", "file of targets: URLs, one a line, or a TSV with the column url and maybe kind and discipline")
	flags.StringSliceVar(&f.kinds, "kinds", []string{"page", "pdf"}, "kinds of --targets that count")
	flags.StringSliceVar(&f.disciplines, "discipline", nil, "targets of these disciplines alone, or all for every discipline by itself; they are told by --targets, else by --labels, else by the shipped model, which reads the pages")
	flags.StringVar(&f.labels, "labels", "", "TSV with the columns url and discipline of targets, as a corpus has it")
	flags.IntVar(&f.draw, "draw", 0, "targets of each discipline that are drawn, by --seed; 0 is all (the paper had 40)")
	flags.StringSliceVar(&f.replay, "replay", nil, "WARC files that hold the pages")
	flags.BoolVar(&f.fetch, "fetch", false, "fetch the pages from the live web, politely")
}

// A graphTarget is a page to be found.
type graphTarget struct {
	url        string // canonical
	discipline string // "" if nobody says
	line       string // of the TSV; "" for other sources
}

// targetFile is where targets come from.
type targetFile struct {
	header  string // of a TSV
	targets []graphTarget
	judged  bool // their disciplines by the shipped model
}

// readGraphTargets reads the targets that the flags name, each once.
func readGraphTargets(a *app.App, f targetFlags) (t targetFile, err error) {
	for _, raw := range f.urls {
		url, err := webgraph.Canonical(raw)
		if err != nil {
			return t, app.Usagef("target %q: %v", raw, err)
		}
		t.targets = append(t.targets, graphTarget{url: url})
	}
	if f.file != "" {
		if err := t.read(f.file, f.kinds); err != nil {
			return t, fmt.Errorf("targets %s: %w", f.file, err)
		}
	}
	seen := map[string]bool{}
	t.targets = slices.DeleteFunc(t.targets, func(g graphTarget) bool {
		again := seen[g.url]
		seen[g.url] = true
		return again
	})
	if len(t.targets) == 0 {
		return t, app.Usagef("no targets: name URLs, or a file with --targets of the kinds %s (--kinds)", strings.Join(f.kinds, ", "))
	}
	return t, nil
}

func (t *targetFile) read(path string, kinds []string) error {
	file, err := openPlain(path)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // read only: nothing to lose
	r := bufio.NewReader(file)
	head, err := r.Peek(1024)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	first, _, _ := strings.Cut(string(head), "\n")
	if columns := strings.Split(strings.TrimRight(first, "\r"), "\t"); !slices.Contains(columns, "url") {
		return t.readList(r)
	}
	return t.readTSV(r, kinds)
}

// readList reads a URL a line; # starts a comment.
func (t *targetFile) readList(r io.Reader) error {
	rows := bufio.NewScanner(r)
	for n := 1; rows.Scan(); n++ {
		line := strings.TrimSpace(strings.TrimPrefix(rows.Text(), "\ufeff"))
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		url, err := webgraph.Canonical(line)
		if err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		t.targets = append(t.targets, graphTarget{url: url})
	}
	return rows.Err()
}

func (t *targetFile) readTSV(r io.Reader, kinds []string) error {
	rows, err := newTSV(r)
	if err != nil {
		return err
	}
	t.header = strings.Join(rows.header, "\t")
	at, err := rows.columns([]string{"url"}, []string{"kind", "discipline"})
	if err != nil {
		return err
	}
	for {
		row, err := rows.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		field := func(i int) string {
			if at[i] < 0 || at[i] >= len(row) {
				return ""
			}
			return row[at[i]]
		}
		if at[1] >= 0 && !slices.Contains(kinds, field(1)) {
			continue
		}
		url, err := webgraph.Canonical(field(0))
		if err != nil {
			return fmt.Errorf("line %d: %w", rows.line, err)
		}
		t.targets = append(t.targets, graphTarget{url, field(2), strings.Join(row, "\t")})
	}
}

// tellDisciplines fills in the disciplines of targets from labels, and of those
// nobody labelled from the shipped model.
func tellDisciplines(ctx context.Context, a *app.App, t *targetFile, f targetFlags, pages *graphPages) error {
	if f.labels != "" {
		labels, err := readDisciplines(f.labels)
		if err != nil {
			return err
		}
		for i := range t.targets {
			t.targets[i].discipline = cmp.Or(t.targets[i].discipline, labels[t.targets[i].url])
		}
	}
	if pages == nil {
		return nil
	}
	model, err := disciplineModel()
	if err != nil {
		return err
	}
	for i := range t.targets {
		g := &t.targets[i]
		if g.discipline != "" {
			continue
		}
		tree, err := pages.tree(ctx, g.url)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			continue // gone: of no discipline
		}
		g.discipline, t.judged = disciplineOf(model, tree), true
	}
	return nil
}

// readDisciplines returns the disciplines of a corpus by canonical URL.
func readDisciplines(path string) (map[string]string, error) {
	f, err := openPlain(path)
	if err != nil {
		return nil, fmt.Errorf("labels: %w", err)
	}
	defer func() { _ = f.Close() }() // read only: nothing to lose
	labels := map[string]string{}
	err = tsvRows(f, []string{"url", "discipline"}, nil, func(row []string) error {
		if url, err := webgraph.Canonical(row[0]); err == nil && row[1] != "" {
			labels[url] = strings.Clone(row[1])
		}
		return nil // what is no URL of the web is no target
	})
	if err != nil {
		return nil, fmt.Errorf("labels %s: %w", path, err)
	}
	return labels, nil
}

func disciplineModel() (*classify.Model, error) {
	f, err := models.Files().Open(engine.DisciplineFile)
	if err != nil {
		return nil, err
	}
	m, _, err := engine.ReadTopicModel(f)
	return m, err
}

// disciplineOf returns the likeliest discipline of a page, "" for no discipline.
func disciplineOf(m *classify.Model, t *tagtree.Tree) string {
	scores := m.Scores(features.Read(t))
	if class := m.Classes[m.Class(scores)]; class != classify.Other {
		return class
	}
	return ""
}

// A targetGroup is the targets of one graph.
type targetGroup struct {
	name    string
	targets []graphTarget
}

// group parts targets by discipline as the flags say, and draws of each.
func (f targetFlags) group(t targetFile, seed uint64) ([]targetGroup, error) {
	byName := map[string][]graphTarget{}
	for _, g := range t.targets {
		byName[g.discipline] = append(byName[g.discipline], g)
	}
	names := f.disciplines
	switch {
	case len(names) == 0:
		byName, names = map[string][]graphTarget{"": t.targets}, []string{""}
	case slices.Contains(names, allDisciplines):
		names = nil
		for name := range byName {
			if name != "" {
				names = append(names, name)
			}
		}
		slices.Sort(names)
		if len(names) == 0 {
			return nil, app.Usagef("no target has a discipline: give --labels, a column discipline in --targets, or the pages by --replay or --fetch")
		}
	}
	var groups []targetGroup
	for _, name := range names {
		if len(byName[name]) == 0 {
			return nil, app.Usagef("no target is of discipline %q", name)
		}
		groups = append(groups, targetGroup{name, drawTargets(byName[name], f.draw, seed)})
	}
	return groups, nil
}

// drawTargets draws n of targets, which stay in their order; all if n is 0.
func drawTargets(targets []graphTarget, n int, seed uint64) []graphTarget {
	if n == 0 || n >= len(targets) {
		return targets
	}
	picks := rand.New(rand.NewPCG(seed, uint64(len(targets)))).Perm(len(targets))[:n]
	slices.Sort(picks)
	drawn := make([]graphTarget, n)
	for i, at := range picks {
		drawn[i] = targets[at]
	}
	return drawn
}

func newGraphTargetsCommand(a *app.App) *cobra.Command {
	var f targetFlags
	cmd := &cobra.Command{
		Use: "targets --targets FILE --discipline NAME", Short: "Write the targets of one discipline as a file of targets", Args: args(cobra.NoArgs),
		Long: "Write the targets of some disciplines as a TSV like --targets, with a column discipline: for a laboratory whose targets are of one topic.",
		Example: `  eventseer graph targets --targets targets.tsv --labels labels.tsv --discipline physics -o physics.tsv
  eventseer graph targets --targets targets.tsv --replay web.warc.gz --discipline physics -o physics.tsv   # told by the shipped model
  eventseer lab run --web web.warc.gz --targets physics.tsv --topic physics --seeds seeds -o lab-physics`,
	}
	f.add(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return graphTargets(cmd.Context(), a, f) }
	return cmd
}

func graphTargets(ctx context.Context, a *app.App, f targetFlags) error {
	t, err := readGraphTargets(a, f)
	if err != nil {
		return err
	}
	pages, err := openGraphPages(a, f.replay, f.fetch, "")
	if err != nil {
		return err
	}
	if err := tellDisciplines(ctx, a, &t, f, pages); err != nil {
		return err
	}
	groups, err := f.group(t, a.Config.Seed)
	if err != nil {
		return err
	}
	return a.WithOutput(func(w io.Writer) error {
		columns := strings.Split(cmp.Or(t.header, "url\tkind"), "\t")
		at := slices.Index(columns, "discipline")
		if at < 0 {
			at, columns = len(columns), append(columns, "discipline")
		}
		if _, err := fmt.Fprintln(w, strings.Join(columns, "\t")); err != nil {
			return err
		}
		for _, group := range groups {
			for _, g := range group.targets {
				row := make([]string, len(columns))
				copy(row, strings.Split(cmp.Or(g.line, g.url+"\tpage"), "\t"))
				row[at] = g.discipline
				if _, err := fmt.Fprintln(w, strings.Join(row, "\t")); err != nil {
					return err
				}
			}
			if group.name != "" {
				a.Logf("%s: %d targets", group.name, len(group.targets))
			}
		}
		return nil
	})
}
