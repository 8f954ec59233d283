package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/crawler/backlink"
	"eventseer/crawler/frontier"
	"eventseer/crawler/monitor"
	"eventseer/eventseer/publish"
	"eventseer/eventseer/store"
	"eventseer/internal/text"

	"github.com/spf13/cobra"
)

func newCheckCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "check", Short: "Read the whole data directory and report what is broken", Args: args(cobra.NoArgs),
		Example: "  eventseer check\n  eventseer check --recordings\n  eventseer check --data runs/a/state",
	}
	recordings := cmd.Flags().Bool("recordings", false, "also read the recordings that the runs name, which may take long")
	cmd.RunE = func(*cobra.Command, []string) error { return check(a, *recordings) }
	return cmd
}

// A checked file is opened and reads itself.
var checked = []struct {
	file string
	open func(a *app.App, path string) (checker, error)
}{
	{frontierFile, func(a *app.App, path string) (checker, error) {
		return frontier.Open(path, frontier.Options{MustExist: true, Now: a.Now})
	}},
	{linksFile, func(_ *app.App, path string) (checker, error) {
		return backlink.OpenLinkDB(path, backlink.Options{})
	}},
	{storeFile, func(a *app.App, path string) (checker, error) {
		return store.Open(path, store.Options{MustExist: true, Now: a.Now, Log: a.Logger()})
	}},
	{monitor.File, func(a *app.App, path string) (checker, error) {
		return monitor.Open(filepath.Dir(path), monitor.Options{MustExist: true, Now: a.Now})
	}},
	{publishFile, func(a *app.App, path string) (checker, error) {
		return publish.Open(context.Background(), publish.Options{Path: path, MustExist: true, Now: a.Now, Log: a.Logger()})
	}},
}

type checker interface {
	Check() []error
	Close() error
}

func check(a *app.App, recordings bool) error {
	dir, err := dataDir(a)
	if err != nil {
		return err
	}
	if err := runsBeside(a, dir); err != nil {
		return err
	}
	broken, err := checkDir(a, dir)
	if err != nil {
		return err
	}
	if recordings {
		problems, err := checkRecordings(a, dir)
		if err != nil {
			return err
		}
		broken += problems
	}
	if broken > 0 {
		return fmt.Errorf("%d problems in %s; crawl --replay a recording or restore a backup", broken, dir)
	}
	return nil
}

// checkDir has every database of a directory read itself, says what each says, and
// returns how many problems there are.
func checkDir(a *app.App, dir string) (broken int, err error) {
	for _, c := range checked {
		path := filepath.Join(dir, c.file)
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			fmt.Fprintf(a.Stdout, "%s: not there yet\n", c.file)
			continue
		}
		problems, err := checkFile(a, path, c.open)
		if err != nil {
			return broken, err
		}
		broken += len(problems)
		if len(problems) == 0 {
			fmt.Fprintf(a.Stdout, "%s: clean\n", c.file)
		}
		for _, p := range problems {
			fmt.Fprintf(a.Stdout, "%s: %s\n", c.file, text.Printable(p.Error()))
		}
	}
	return broken, nil
}

func checkFile(a *app.App, path string, open func(*app.App, string) (checker, error)) ([]error, error) {
	if a.Session != nil {
		if problems, open, err := a.Session.Check(filepath.Base(path)); open || err != nil {
			return problems, err
		}
	}
	db, err := open(a, path)
	if err != nil {
		return nil, err
	}
	return db.Check(), db.Close()
}
