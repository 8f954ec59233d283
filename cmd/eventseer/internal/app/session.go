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

// SessionCommands are the commands that can run inside a serving process. They read neither files
// nor stdin.
var SessionCommands = []string{
	"find", "show", "export", "diff", "check", "publish",
	"clip add", "clip list", "clip test", "clip remove", "clip labels",
	"user list", "user forget", "user export",
	"monitor list", "monitor status", "monitor add", "monitor remove", "import starting", "import wikicfp",
	"edit", "merge", "split", "hide", "pin", "unpin", "curation log", "curation undo", "curation export", "curation labels",
}

// TerminalWidth returns the width of the output terminal, 0 if unknown, and whether there is one.
func (a *App) TerminalWidth() (columns int, ok bool) {
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

// A Session is the environment of a command that runs inside a serving process for another process.
type Session struct {
	Columns  int  // width of the terminal, 0 if unknown
	Terminal bool // the result goes to a terminal
	// OpenFile creates a file in the directory of the caller; an mbox is appended to.
	OpenFile func(name string, mbox bool) (io.WriteCloser, error)
}

// Databases are the open databases of a serving process.
type Databases struct {
	Store   *store.Store
	Index   *search.Index
	Monitor *monitor.DB
	Readers *publish.Service
	// Check runs the integrity check of an open database; open is false for others.
	Check func(file string) (problems []error, open bool, err error)
}

// CreateFile creates or truncates a file in the directory of the caller.
func (a *App) CreateFile(name string) (io.WriteCloser, error) {
	if a.Session != nil {
		return a.Session.OpenFile(name, false)
	}
	return os.Create(name)
}

// DryRunMailFile returns a file name for the mails of a dry run. They are appended to the named file when
// the command ends, because perhaps only the calling process may write there.
func (a *App) DryRunMailFile(name string) (string, error) {
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

// IsInteractive reports whether the terminal is interactive.
func (a *App) IsInteractive() bool {
	f, ok := a.Stdin.(*os.File)
	return ok && a.Session == nil && term.IsTerminal(int(f.Fd()))
}
