package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/cmd/eventseer/internal/engine"
	"eventseer/eventseer"
	"eventseer/eventseer/exchange"
	"eventseer/eventseer/extract"
	"eventseer/eventseer/store"
	"eventseer/eventseer/validate"

	"github.com/spf13/cobra"
)

func newImportCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "import", Short: "Read in conference lists, records, and sources to watch", Args: args(cobra.NoArgs),
		Example: `  eventseer import ccfddl ccf-deadlines/                  # conferences with their ranks
  eventseer import ranks CORE.csv                         # a table of ranks or rates
  eventseer import jsonl all.jsonl                        # records that export or extract wrote
  eventseer import opml feeds.opml                        # feeds to watch
  eventseer import urls lists-of-calls.txt                # pages to watch`,
	}
	cmd.AddCommand(newImportCCFDDLCommand(a), newImportRecordsCommand(a), newImportOPMLCommand(a), newImportURLsCommand(a), newImportRanksCommand(a))
	return cmd
}

func newImportCCFDDLCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use: "ccfddl DIR|FILE…", Short: "Read in conference lists in the layout of ccfddl", Args: args(cobra.MinimumNArgs(1)),
		Example: "  eventseer import ccfddl ccf-deadlines/conference ccf-deadlines/accept_rates\n  eventseer import ccfddl conference/AI/aaai.yml",
		Long: `Read in conference lists in the layout of ccfddl, https://github.com/ccfddl/ccf-deadlines
(MIT licence), or of the lists before it that name an edition an entry: series
with their ranks and DBLP keys, editions with their deadlines, days and places,
and rates of acceptance.

What is imported is the weakest evidence: it changes nothing that a crawled page
says, today or later. Of a file or entry that cannot be understood the reason is
told, and the others are read.`,
		RunE: func(cmd *cobra.Command, paths []string) error { return importCCFDDL(cmd.Context(), a, paths) },
	}
}

// importStore opens or makes the store that is imported into.
func importStore(a *app.App) (*store.Store, error) {
	if err := os.MkdirAll(a.Config.Data, 0o750); err != nil {
		return nil, err
	}
	return engine.OpenStoreIn(a, a.Config.Data, store.Options{Now: a.Now})
}

func importCCFDDL(ctx context.Context, a *app.App, paths []string) error {
	st, err := importStore(a)
	if err != nil {
		return err
	}
	in := ccfImport{a: a, st: st, series: map[string]eventseer.Series{}}
	for _, path := range paths {
		if err := in.tree(ctx, path); err != nil {
			return err
		}
	}
	if err := in.putSeries(ctx); err != nil {
		return err
	}
	a.Logf("%d files: %d editions of %d series, %d deadlines", in.files, in.editions, len(in.series), in.deadlines)
	a.Logf("%s", exchange.CCFDDLNotice)
	switch {
	case in.editions == 0 && len(in.series) == 0 && in.bad > 0:
		return fmt.Errorf("nothing could be read, first: %w", in.first)
	case in.bad > 0:
		return fmt.Errorf("%w: %d entries or files are not understood in part or whole, first: %w", app.ErrPartly, in.bad, in.first)
	}
	return nil
}

// A ccfImport reads files of conferences into a store.
type ccfImport struct {
	a      *app.App
	st     *store.Store
	series map[string]eventseer.Series

	files, editions, deadlines, bad int
	first                           error
}

func (in *ccfImport) wrong(path string, err error) {
	err = fmt.Errorf("%s: %w", path, err)
	in.a.Logf("%v", err)
	if in.bad++; in.first == nil {
		in.first = err
	}
}

// maxImportFiles bounds the files of one folder.
const maxImportFiles = 20_000

// tree reads a file, or all YAML files below a folder.
func (in *ccfImport) tree(ctx context.Context, root string) error {
	info, err := os.Stat(root)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return in.file(ctx, root, filepath.Base(root))
	}
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			in.wrong(path, err)
			return nil
		case d.IsDir() && strings.HasPrefix(d.Name(), ".") && path != root:
			return fs.SkipDir
		case !d.Type().IsRegular() || !slices.Contains([]string{".yml", ".yaml"}, filepath.Ext(path)) || d.Name() == "types.yml":
			return nil
		case in.files >= maxImportFiles:
			return fmt.Errorf("%s holds more than %d files", root, maxImportFiles)
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			name = d.Name()
		}
		return in.file(ctx, path, filepath.ToSlash(name))
	})
}

// file reads one file; name is how its provenance calls it.
func (in *ccfImport) file(ctx context.Context, path, name string) error {
	text, err := readAtMost(path, exchange.MaxCCFDDL)
	if err != nil {
		in.wrong(path, err)
		return nil
	}
	in.files++
	source := "ccfddl " + name
	if rates, errs := exchange.ReadRates(text, source); len(rates) > 0 {
		for _, err := range errs {
			in.wrong(path, err)
		}
		for _, s := range rates {
			in.add(s)
		}
		return nil
	}
	all, errs := exchange.ReadCCFDDL(text)
	for _, err := range errs {
		in.wrong(path, err)
	}
	for _, c := range all {
		if err := in.conference(ctx, path, source, c); err != nil {
			return err
		}
	}
	return nil
}

// conference stores a series and its editions. Its error ends the import: it is of the
// store.
func (in *ccfImport) conference(ctx context.Context, path, source string, c exchange.Conference) error {
	in.add(c.Series(source))
	for _, edition := range c.Confs {
		e, err := c.Event(edition, source)
		if err != nil {
			in.wrong(path, fmt.Errorf("%s: %w", c.Title, err))
		}
		if e.URL == "" {
			continue
		}
		if e.Location != nil && e.Location.CountryCode != "" {
			e.Location.Country = extract.CountryName(e.Location.CountryCode)
		}
		e = validate.Event(e)
		if _, err := in.st.Put(ctx, e, nil); err != nil {
			return err
		}
		in.editions++
		in.deadlines += len(e.Deadlines)
	}
	return nil
}

// add keeps what a file says of a series, beside what others said.
func (in *ccfImport) add(s eventseer.Series) {
	if s.ID == "" {
		return
	}
	old, known := in.series[s.ID]
	if known {
		s.Ranks = append(slices.Clone(old.Ranks), s.Ranks...)
		s.Rates = append(slices.Clone(old.Rates), s.Rates...)
		s.Name, s.DBLP = firstOf(s.Name, old.Name), firstOf(s.DBLP, old.DBLP)
	}
	in.series[s.ID] = s
}

func firstOf(texts ...string) string {
	i := slices.IndexFunc(texts, func(s string) bool { return s != "" })
	if i < 0 {
		return ""
	}
	return texts[i]
}

// seriesBatch is how many series are put in one transaction.
const seriesBatch = 200

func (in *ccfImport) putSeries(ctx context.Context) error {
	ids := slices.Sorted(maps.Keys(in.series))
	for batch := range slices.Chunk(ids, seriesBatch) {
		all := make([]eventseer.Series, len(batch))
		for i, id := range batch {
			all[i] = in.series[id]
		}
		err := in.st.PutAllSeries(ctx, all)
		if errors.Is(err, store.ErrBadSeries) { // find which, and keep the others
			for _, s := range all {
				if err := in.st.PutSeries(ctx, s); errors.Is(err, store.ErrBadSeries) {
					in.wrong("series "+s.ID, err)
				} else if err != nil {
					return err
				}
			}
		} else if err != nil {
			return err
		}
	}
	return nil
}

// readAtMost reads a file, or stdin of "-", of at most limit bytes.
func readAtMost(path string, limit int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	return allOf(f, limit)
}

func allOf(r io.ReadCloser, limit int64) ([]byte, error) {
	var b bytes.Buffer
	n, err := io.Copy(&b, io.LimitReader(r, limit+1))
	err = errors.Join(err, r.Close())
	if err == nil && n > limit {
		err = fmt.Errorf("it is longer than %d bytes", limit)
	}
	return b.Bytes(), err
}
