package app

import (
	"errors"
	"io"
	"os"

	"github.com/eventseer/eventseer/crawler/monitor"
	"github.com/eventseer/eventseer/eventseer/publish"
	"github.com/eventseer/eventseer/eventseer/search"
	"github.com/eventseer/eventseer/eventseer/store"

	"golang.org/x/term"
)

// SessionCommands can run inside a serving process. They read neither files nor
// stdin.
var SessionCommands = []string{
	"find", "show", "export", "diff", "check", "publish",
	"clip add", "clip list", "clip test", "clip remove", "clip labels",
	"user list", "user forget", "user export",
	"monitor list", "monitor status", "monitor add", "monitor remove",
	"edit", "merge", "split", "hide", "pin", "unpin", "curation log", "curation undo", "curation export", "curation labels",
}

// Terminal returns the width of the terminal that results go to, 0 if unknown, and
// whether there is one.
func (a *App) Terminal() (columns int, ok bool) {
	if a.Session != nil {
		return a.Session.Columns, a.Session.Terminal
	}
	f, ok := a.Stdout.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return 0, false
	}
	columns, _, _ = term.GetSize(int(f.Fd()))
	return columns, true
}

// A Session is what a command finds that runs inside a serving process for
// another process.
type Session struct {
	Columns  int  // width of the terminal, 0 if unknown
	Terminal bool // the result goes to a terminal
	// OpenFile creates a file where the command was typed; an mbox is appended to.
	OpenFile func(name string, mbox bool) (io.WriteCloser, error)
}

// Databases are those of a data directory that a serving process has open.
type Databases struct {
	Store   *store.Store
	Index   *search.Index
	Monitor *monitor.DB
	Readers *publish.Service
	// Check lets a database that is open check itself; open is false for all others.
	Check func(file string) (problems []error, open bool, err error)
}

// CreateFile makes a file anew where the command was typed.
func (a *App) CreateFile(name string) (io.WriteCloser, error) {
	if a.Session != nil {
		return a.Session.OpenFile(name, false)
	}
	return os.Create(name)
}

// BoxFile returns the name of a file for the mails of a dry run. They are added to the named file
// when the command ends, because only the other process may be able to write there.
func (a *App) BoxFile(name string) (string, error) {
	if a.Session == nil {
		return name, nil
	}
	f, err := os.CreateTemp("", "eventseer-mbox-")
	if err != nil {
		return "", err
	}
	a.OnClose(func() (err error) {
		defer func() { err = errors.Join(err, f.Close(), os.Remove(f.Name())) }()
		to, err := a.Session.OpenFile(name, true)
		if err != nil {
			return err
		}
		_, err = io.Copy(to, f)
		return errors.Join(err, to.Close())
	})
	return f.Name(), nil
}

// Asks reports whether a person can be asked at the terminal.
func (a *App) Asks() bool {
	f, ok := a.Stdin.(*os.File)
	return ok && a.Session == nil && term.IsTerminal(int(f.Fd()))
}
