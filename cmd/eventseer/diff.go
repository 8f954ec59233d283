package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/engine"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/judges"
	"github.com/eventseer/eventseer/crawler/monitor"
	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/change"
	"github.com/eventseer/eventseer/eventseer/change/versions"
	"github.com/eventseer/eventseer/eventseer/exchange/show"
	"github.com/eventseer/eventseer/eventseer/ui"
	"github.com/eventseer/eventseer/eventseer/ui/views"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/internal/bolt"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/spf13/cobra"
)

func newDiffCommand(a *app.App) *cobra.Command {
	var id, pairs, view string
	cmd := &cobra.Command{
		Use: "diff EVENT | OLD NEW", Short: "Show what changed in an event, or between two versions of a page",
		Example: `  eventseer diff icx-2027                          # what changed when, and its page since the visit before
  eventseer diff call-march.html call-april.html --view side
  eventseer diff march.warc.gz#https://conf.example/cfp april.warc.gz#https://conf.example/cfp
  eventseer diff old.html new.html --format jsonl --id v1..v2
  eventseer diff --pairs versions.tsv --format jsonl`,
		Long: `Show what changed: the fields first, then the text, word by word. Counters, dates
of the visit, and how quotes and spaces are set do not count as changes.

--view only shows the differences with two lines around them, merged the whole page
with [-words gone-] and {+new ones+}, side both versions side by side. On a
terminal colours mark the words, unless --no-color is set.`,
		Args: usageArgs(cobra.MaximumNArgs(2)), Annotations: formatAnnotations("table", "jsonl", "json"),
	}
	cmd.Flags().StringVar(&view, "view", versions.Only, "how the text is shown: side, merged or only")
	cmd.Flags().StringVar(&id, "id", "", "id of the comparison in the output")
	cmd.Flags().StringVar(&pairs, "pairs", "", "file of comparisons, one per line: OLD, NEW and its id, separated by tabs")
	cmd.RunE = func(cmd *cobra.Command, inputs []string) error {
		switch {
		case !slices.Contains([]string{versions.Side, versions.Merged, versions.Only}, view):
			return app.Usagef("--view %s is not side, merged or only", view)
		case pairs != "" && (len(inputs) > 0 || id != ""):
			return app.Usagef("--pairs names the versions and their ids: leave out other arguments")
		case pairs != "":
			list, err := readPairs(pairs)
			if err != nil {
				return err
			}
			return diffVersions(cmd.Context(), a, list, view)
		case len(inputs) == 0:
			return app.Usagef("diff needs an event, or two versions of a page")
		case len(inputs) == 1 && id != "":
			return app.Usagef("--id names the comparison of two versions of a page")
		case len(inputs) == 1:
			return diffEvent(cmd.Context(), a, eventseer.EventID(inputs[0]), view)
		}
		return diffVersions(cmd.Context(), a, []versions.Pair{{From: inputs[0], To: inputs[1], ID: id}}, view)
	}
	return cmd
}

// newDiffStyle returns the style for the output.
func newDiffStyle(a *app.App, view string) versions.Style {
	s := versions.Style{View: view, Width: versions.DefaultWidth}
	if columns, ok := a.TerminalWidth(); ok && a.Config.Output == "-" {
		s.Colour = !a.Config.NoColor
		a.HasColours = s.Colour
		s.Width = cmp.Or(columns, s.Width)
	} else if columns, err := strconv.Atoi(a.Getenv("COLUMNS")); err == nil {
		s.Width = columns
	}
	s.Width = min(max(s.Width, versions.MinWidth), versions.MaxWidth)
	return s
}

// readPairs reads a file of --pairs, ignoring empty lines.
func readPairs(path string) (list []versions.Pair, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		if lines.Text() == "" {
			continue
		}
		parts := append(strings.Split(lines.Text(), "\t"), "")
		if len(parts) < 3 || len(parts) > 4 {
			return nil, app.Usagef("%s:%d: a line must be OLD, NEW and its id, separated by tabs", path, n)
		}
		list = append(list, versions.Pair{From: parts[0], To: parts[1], ID: parts[2]})
	}
	return list, lines.Err()
}

func diffVersions(ctx context.Context, a *app.App, list []versions.Pair, view string) error {
	x, style := engine.NewExtractor(a, judges.Set{}), newDiffStyle(a, view)
	t := engine.Tally{All: len(list)}
	err := a.WithOutput(func(w io.Writer) error {
		write := func(d versions.Diff) error { return style.Write(w, d) }
		switch a.Config.Format {
		case "jsonl":
			write = func(d versions.Diff) error { return app.WriteJSONLine(w, d) }
		case "json":
			write = func(d versions.Diff) error { return app.WriteJSON(w, d) }
		}
		for _, p := range list {
			d, err := diffVersion(ctx, a, x, p)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err != nil {
				t.Bad, t.First = t.Bad+1, errors.Join(t.First, err)
				d.Error = err.Error()
			}
			if err := write(d); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return t.Err()
}

// diffVersion compares the two versions of a pair.
func diffVersion(ctx context.Context, a *app.App, x eventseer.Extractor, p versions.Pair) (versions.Diff, error) {
	old, new, err := readVersions(ctx, a, p)
	if err != nil {
		return versions.New(p, change.PageChange{}, nil), err
	}
	change, pages := versions.Compare(x, old, new)
	return versions.New(p, change, pages), nil
}

// readVersions reads both versions of a pair. Files count as versions of one page, so that links to
// themselves and to neighbouring files compare equal.
func readVersions(ctx context.Context, a *app.App, p versions.Pair) (old, new *tagtree.Tree, err error) {
	from, err := readTestcasePage(ctx, a, p.From)
	if err != nil {
		return nil, nil, err
	}
	to, err := readTestcasePage(ctx, a, p.To)
	if err != nil {
		return nil, nil, err
	}
	if webgraph.HostOf(from.URL) == "" && webgraph.HostOf(to.URL) == "" {
		if err := versions.AssumeAddress(from, to); err != nil {
			return nil, nil, err
		}
	}
	if old, err = tagtree.Parse(from); err != nil {
		return nil, nil, err
	}
	new, err = tagtree.Parse(to)
	return old, new, err
}

// diffEvent prints the changes of an event with their times, and those of the last version of its
// page.
func diffEvent(ctx context.Context, a *app.App, id eventseer.EventID, view string) error {
	st, err := engine.OpenStore(a)
	if err != nil {
		return err
	}
	e, err := st.Event(ctx, id)
	if errors.Is(err, eventseer.ErrNotFound) {
		return fmt.Errorf("%w; two versions of a page are compared with `eventseer diff OLD NEW`", st.SuggestID(ctx, id, err))
	}
	if err != nil {
		return err
	}
	history, historyErr := st.History(ctx, id)
	d := versions.NewEvent(e.ID, history, show.Heading(e))
	archive, err := openArchive(a)
	if err != nil {
		return err
	}
	var pageErr error
	if archive != nil {
		d.Page, pageErr = archive.lastDiff(ctx, e)
	}
	if err := a.PrintRecord(d, func(w io.Writer) error { return newDiffStyle(a, view).WriteEvent(w, d) }); err != nil {
		return err
	}
	if err := errors.Join(historyErr, pageErr); err != nil {
		return fmt.Errorf("%w: %w", app.ErrPartly, err)
	}
	return nil
}

// A pageArchive compares the versions of pages stored by the monitor.
type pageArchive struct {
	db *monitor.DB
	x  eventseer.Extractor
}

var _ ui.Versions = (*pageArchive)(nil)

// openArchive opens the versions of pages in the data directory; nil if there are none yet.
func openArchive(a *app.App) (*pageArchive, error) {
	db, err := engine.OpenMonitor(a, a.Config.Data, true)
	if errors.Is(err, bolt.ErrMissing) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &pageArchive{db: db, x: engine.NewExtractor(a, judges.Set{})}, nil
}

// Versions implements ui.Versions. Other content that a site returned instead of the page is not
// included.
func (p *pageArchive) Versions(_ context.Context, page string) ([]time.Time, error) {
	all, err := p.db.Versions(page)
	if err != nil {
		return nil, err
	}
	var seen []time.Time
	for _, v := range all {
		if v.Status == http.StatusOK {
			seen = append(seen, v.At)
		}
	}
	return seen, nil
}

// Diff implements ui.Versions.
func (p *pageArchive) Diff(ctx context.Context, page string, old, new time.Time) (views.VersionDiff, error) {
	before, err := p.readVersion(ctx, page, old)
	if err != nil {
		return views.VersionDiff{}, err
	}
	after, err := p.readVersion(ctx, page, new)
	if err != nil {
		return views.VersionDiff{}, err
	}
	change, pages := versions.Compare(p.x, before, after)
	return views.VersionDiff{Change: change, Pages: pages}, nil
}

func (p *pageArchive) readVersion(ctx context.Context, page string, at time.Time) (*tagtree.Tree, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	version, err := p.db.Page(page, at)
	if errors.Is(err, monitor.ErrNoVersion) {
		err = fmt.Errorf("%w: %w", eventseer.ErrNotFound, err)
	}
	if err != nil {
		return nil, err
	}
	return tagtree.Parse(version)
}

// lastDiff compares the last two versions of the first page of an event that has two, or
// returns nil.
func (p *pageArchive) lastDiff(ctx context.Context, e eventseer.Event) (*versions.Diff, error) {
	for _, page := range append([]string{e.URL}, e.Pages...) {
		seen, err := p.Versions(ctx, page)
		if err != nil {
			return nil, err
		}
		if n := len(seen); n > 1 {
			d, err := p.Diff(ctx, page, seen[n-2], seen[n-1])
			if err != nil {
				return nil, err
			}
			shown := versions.New(versions.Pair{From: versionName(page, seen[n-2]), To: versionName(page, seen[n-1])}, d.Change, d.Pages)
			return &shown, nil
		}
	}
	return nil, nil
}

// versionName returns the name of a page version: the time when it was seen.
func versionName(page string, at time.Time) string {
	return page + "@" + at.UTC().Format(time.RFC3339)
}
