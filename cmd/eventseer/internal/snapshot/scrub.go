package snapshot

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/eventseer/eventseer/internal/bolt"
)

// A ScrubbedFile is a database that was read to its end.
type ScrubbedFile struct {
	File     string
	Values   uint64  // that it holds
	Problems []error // the damage found
}

// CheckDatabases checks every database of a directory, each in the state of one moment: pages, checksums of
// values, and missing values. Open databases of this process are in open; one open in another
// process is left to that.
func CheckDatabases(ctx context.Context, dir string, open map[string]bolt.Source) (all []ScrubbedFile, err error) {
	for _, name := range backedDatabases {
		if err := ctx.Err(); err != nil {
			return all, err
		}
		of := ScrubbedFile{File: name}
		var contents []bolt.Contents
		if source, ours := open[name]; ours {
			contents, of.Problems, err = scrubOpen(source)
		} else {
			contents, of.Problems, err = bolt.ReadContents(filepath.Join(dir, name))
		}
		if errors.Is(err, bolt.ErrMissing) || errors.Is(err, bolt.ErrLocked) {
			continue
		}
		if err != nil {
			return all, fmt.Errorf("scrub: %w", err)
		}
		for _, c := range contents {
			of.Values += c.Values
		}
		all = append(all, of)
	}
	return all, nil
}

// scrubOpen reads a database that this process has open.
func scrubOpen(source bolt.Source) (contents []bolt.Contents, problems []error, err error) {
	snapshots, err := bolt.TakeSnapshots(nil, source)
	if err != nil {
		return nil, nil, err
	}
	contents, problems = snapshots[0].Contents()
	return contents, problems, snapshots[0].Close()
}
