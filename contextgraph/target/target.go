// Package target reads the targets of context graphs, groups them by discipline and draws samples of
// them.
package target

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

	"github.com/eventseer/eventseer/internal/tsv"
	"github.com/eventseer/eventseer/internal/usage"
	"github.com/eventseer/eventseer/webgraph"
)

// A Target is a page that a crawl looks for.
type Target struct {
	URL        string // canonical
	Discipline string // "" if unknown
	line       string // its line of the TSV file; "" for other sources
}

// A List holds the targets of several sources, each once.
type List struct {
	Header  string // of a TSV
	Targets []Target
}

// Read returns the targets in urls and in a file; those of the file only if they are of one of the kinds.
// If path is "" there is no file.
func Read(urls []string, path string, kinds []string) (t List, err error) {
	for _, raw := range urls {
		url, err := webgraph.Canonical(raw)
		if err != nil {
			return t, usage.Errorf("target %q: %v", raw, err)
		}
		t.Targets = append(t.Targets, Target{URL: url})
	}
	if path != "" {
		if err := t.readFile(path, kinds); err != nil {
			return t, fmt.Errorf("targets %s: %w", path, err)
		}
	}
	seen := map[string]bool{}
	t.Targets = slices.DeleteFunc(t.Targets, func(g Target) bool {
		again := seen[g.URL]
		seen[g.URL] = true
		return again
	})
	if len(t.Targets) == 0 {
		return t, usage.Errorf("no targets: name URLs, or a file with --targets of the kinds %s (--kinds)", strings.Join(kinds, ", "))
	}
	return t, nil
}

func (t *List) readFile(path string, kinds []string) error {
	file, err := tsv.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // opened for reading: an error on closing loses nothing
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

// readList reads one URL per line; # starts a comment.
func (t *List) readList(r io.Reader) error {
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
		t.Targets = append(t.Targets, Target{URL: url})
	}
	return rows.Err()
}

func (t *List) readTSV(r io.Reader, kinds []string) error {
	rows, err := tsv.NewReader(r)
	if err != nil {
		return err
	}
	t.Header = strings.Join(rows.Header, "\t")
	at, err := rows.Columns([]string{"url"}, []string{"kind", "discipline"})
	if err != nil {
		return err
	}
	for {
		row, err := rows.Next()
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
			return fmt.Errorf("line %d: %w", rows.Line, err)
		}
		t.Targets = append(t.Targets, Target{url, field(2), strings.Join(row, "\t")})
	}
}

// SetDisciplines sets the discipline of targets that have none to that in labels, by URL.
func (t *List) SetDisciplines(labels map[string]string) {
	for i := range t.Targets {
		t.Targets[i].Discipline = cmp.Or(t.Targets[i].Discipline, labels[t.Targets[i].URL])
	}
}

// ComputeDisciplines sets the discipline of targets that have none to the result of tell. Targets for which tell
// returns an error stay without one.
func (t *List) ComputeDisciplines(ctx context.Context, disciplineOf func(url string) (string, error)) error {
	for i := range t.Targets {
		g := &t.Targets[i]
		if g.Discipline != "" {
			continue
		}
		discipline, err := disciplineOf(g.URL)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil {
			g.Discipline = discipline
		}
	}
	return nil
}

// A Group holds the targets of one graph.
type Group struct {
	Name    string
	Targets []Target
}

// All stands for every discipline, each with a graph of its own.
const All = "all"

// Groups divides the targets by the named disciplines, or makes one group if none is named, and draws at
// most draw targets of each.
func (t List) Groups(disciplines []string, draw int, seed uint64) ([]Group, error) {
	byName := map[string][]Target{}
	for _, g := range t.Targets {
		byName[g.Discipline] = append(byName[g.Discipline], g)
	}
	names := disciplines
	switch {
	case len(names) == 0:
		byName, names = map[string][]Target{"": t.Targets}, []string{""}
	case slices.Contains(names, All):
		names = nil
		for name := range byName {
			if name != "" {
				names = append(names, name)
			}
		}
		slices.Sort(names)
		if len(names) == 0 {
			return nil, usage.Errorf("no target has a discipline: give --labels, a column discipline in --targets, or the pages by --replay or --fetch")
		}
	}
	var groups []Group
	for _, name := range names {
		if len(byName[name]) == 0 {
			return nil, usage.Errorf("no target is of discipline %q", name)
		}
		groups = append(groups, Group{name, DrawTargets(byName[name], draw, seed)})
	}
	return groups, nil
}

// DrawTargets draws n of targets and keeps their order. If n is 0 it returns all.
func DrawTargets(targets []Target, n int, seed uint64) []Target {
	if n == 0 || n >= len(targets) {
		return targets
	}
	picks := rand.New(rand.NewPCG(seed, uint64(len(targets)))).Perm(len(targets))[:n]
	slices.Sort(picks)
	drawn := make([]Target, n)
	for i, at := range picks {
		drawn[i] = targets[at]
	}
	return drawn
}

// URLs returns the URLs of targets.
func URLs(targets []Target) []string {
	urls := make([]string, len(targets))
	for i, t := range targets {
		urls[i] = t.URL
	}
	return urls
}

// Write writes the targets of groups as a TSV file with the columns of the list's file and the column
// discipline.
func (t List) Write(w io.Writer, groups []Group) error {
	columns := strings.Split(cmp.Or(t.Header, "url\tkind"), "\t")
	at := slices.Index(columns, "discipline")
	if at < 0 {
		at, columns = len(columns), append(columns, "discipline")
	}
	if _, err := fmt.Fprintln(w, strings.Join(columns, "\t")); err != nil {
		return err
	}
	for _, group := range groups {
		for _, g := range group.Targets {
			row := make([]string, len(columns))
			copy(row, strings.Split(cmp.Or(g.line, g.URL+"\tpage"), "\t"))
			row[at] = g.Discipline
			if _, err := fmt.Fprintln(w, strings.Join(row, "\t")); err != nil {
				return err
			}
		}
	}
	return nil
}
