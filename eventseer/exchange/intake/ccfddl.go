// Package intake imports files of others into a store: lists of conferences and lines of records.
package intake

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/exchange"
	"github.com/eventseer/eventseer/eventseer/exchange/ranks"
	"github.com/eventseer/eventseer/eventseer/extract"
	"github.com/eventseer/eventseer/eventseer/store"
	"github.com/eventseer/eventseer/eventseer/validate"
	"github.com/eventseer/eventseer/internal/lines"
)

// NewCCFDDL returns an import into a store that logs invalid entries.
func NewCCFDDL(st *store.Store, log func(format string, args ...any)) *CCFDDL {
	return &CCFDDL{log: log, st: st, Series: map[string]eventseer.Series{}}
}

// A CCFDDL reads files of conferences into a store.
type CCFDDL struct {
	log    func(format string, args ...any)
	st     *store.Store
	Series map[string]eventseer.Series

	Homes                           []string // addresses of the editions, in the order of the files
	Files, Editions, Deadlines, Bad int
	First                           error
	// Done is called with the size of each file that was read, for progress; it may be nil.
	Done func(bytes int64)
}

func (in *CCFDDL) logInvalid(path string, err error) {
	err = fmt.Errorf("%s: %w", path, err)
	if in.Bad++; in.Bad <= maxTold {
		in.log("%v", err)
	}
	if in.First == nil {
		in.First = err
	}
}

// maxImportFiles bounds the files of one folder.
const maxImportFiles = 20_000

// ReadTree reads a file, or all YAML files below a folder.
func (in *CCFDDL) ReadTree(ctx context.Context, root string) error {
	info, err := os.Stat(root)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return in.importFile(ctx, root, filepath.Base(root))
	}
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			in.logInvalid(path, err)
			return nil
		case d.IsDir() && strings.HasPrefix(d.Name(), ".") && path != root:
			return fs.SkipDir
		case !d.Type().IsRegular() || !slices.Contains([]string{".yml", ".yaml"}, filepath.Ext(path)) || d.Name() == "types.yml":
			return nil
		case in.Files >= maxImportFiles:
			return fmt.Errorf("%s holds more than %d files", root, maxImportFiles)
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			name = d.Name()
		}
		return in.importFile(ctx, path, filepath.ToSlash(name))
	})
}

// importFile imports one file; name identifies it in provenance.
func (in *CCFDDL) importFile(ctx context.Context, path, name string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	text, err := lines.ReadFile(path, exchange.MaxCCFDDL)
	if err != nil {
		in.logInvalid(path, err)
		return nil
	}
	in.Files++
	if in.Done != nil {
		defer in.Done(int64(len(text)))
	}
	source := "ccfddl " + name
	if rates, errs := exchange.ReadRates(text, source); len(rates)+len(errs) > 0 {
		for _, err := range errs {
			in.logInvalid(path, err)
		}
		for _, s := range rates {
			in.mergeSeries(s)
		}
		return nil
	}
	all, errs := exchange.ReadCCFDDL(text)
	for _, err := range errs {
		in.logInvalid(path, err)
	}
	for _, c := range all {
		if err := in.storeConference(ctx, path, source, c); err != nil {
			return err
		}
	}
	return nil
}

// storeConference stores a series and its editions. Its error is that of the store and ends the import.
func (in *CCFDDL) storeConference(ctx context.Context, path, source string, c exchange.Conference) error {
	in.mergeSeries(c.Series(source))
	for _, edition := range c.Confs {
		e, err := c.Event(edition, source)
		if err != nil {
			in.logInvalid(path, fmt.Errorf("%s: %w", c.Title, err))
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
		in.Homes = append(in.Homes, e.URL)
		in.Editions++
		in.Deadlines += len(e.Deadlines)
	}
	return nil
}

// mergeSeries merges a file's data on a series with that of others.
func (in *CCFDDL) mergeSeries(s eventseer.Series) {
	if s.ID == "" {
		return
	}
	old, known := in.Series[s.ID]
	if known {
		s.Ranks = append(slices.Clone(old.Ranks), s.Ranks...)
		s.Rates = append(slices.Clone(old.Rates), s.Rates...)
		s.Name, s.DBLP = cmp.Or(s.Name, old.Name), cmp.Or(s.DBLP, old.DBLP)
	}
	in.Series[s.ID] = s
}

// PutSeries stores the merged data on series.
func (in *CCFDDL) PutSeries(ctx context.Context) error {
	var all []eventseer.Series
	for _, id := range slices.Sorted(maps.Keys(in.Series)) {
		all = append(all, in.Series[id])
	}
	return ranks.PutSeries(ctx, in.st, all, func(id string, err error) { in.logInvalid("series "+id, err) })
}
