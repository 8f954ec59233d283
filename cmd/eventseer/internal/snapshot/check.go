package snapshot

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
)

// A Checked file is opened and reads itself.
var Checked = []struct {
	File string
	open func(a *app.App, path string) (checker, error)
}{
	{app.FrontierFile, func(a *app.App, path string) (checker, error) {
		return frontier.Open(path, frontier.Options{MustExist: true, Now: a.Now})
	}},
	{app.LinksFile, func(_ *app.App, path string) (checker, error) {
		return backlink.OpenLinkDB(path, backlink.Options{})
	}},
	{app.StoreFile, func(a *app.App, path string) (checker, error) {
		return store.Open(path, store.Options{MustExist: true, Now: a.Now, Log: a.Logger()})
	}},
	{monitor.File, func(a *app.App, path string) (checker, error) {
		return monitor.Open(filepath.Dir(path), monitor.Options{MustExist: true, Now: a.Now})
	}},
	{app.PublishFile, func(a *app.App, path string) (checker, error) {
		return publish.Open(context.Background(), publish.Options{Path: path, MustExist: true, Now: a.Now, Log: a.Logger()})
	}},
}

type checker interface {
	Check() []error
	Close() error
}

// CheckDir has every database of a directory read itself, says what each says, and
// returns how many problems there are.
func CheckDir(a *app.App, dir string) (broken int, err error) {
	for _, c := range Checked {
		path := filepath.Join(dir, c.File)
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			fmt.Fprintf(a.Stdout, "%s: not there yet\n", c.File)
			continue
		}
		problems, err := checkFile(a, path, c.open)
		if err != nil {
			return broken, err
		}
		broken += len(problems)
		if len(problems) == 0 {
			fmt.Fprintf(a.Stdout, "%s: clean\n", c.File)
		}
		for _, p := range problems {
			fmt.Fprintf(a.Stdout, "%s: %s\n", c.File, text.Printable(p.Error()))
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
