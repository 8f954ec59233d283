package serve

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/crawler/monitor"
)

const (
	MaxGuests  = 4       // that run at a time
	maxWaiting = 60      // that wait for a place or have one
	maxVisit   = 1 << 20 // bytes of a command line with its settings
)

// newSession returns what a command of v finds in the service.
func (g *guestRooms) newSession(v visit, out *Frames) *app.Session {
	s := g.of
	return &app.Session{
		Columns: v.Columns, Terminal: v.Terminal,
		Store: s.Store, Index: s.Index, Monitor: s.Monitor, Readers: s.Readers,
		OpenFile: func(name string, mbox bool) (io.WriteCloser, error) {
			if mbox {
				return out.open(frameBox, name)
			}
			return out.open(FrameCreate, name)
		},
		Check: func(file string) ([]error, bool, error) { return checkOpen(s, file) },
	}
}

// guestRooms run the verbs of other processes of this user with what a service has open.
type guestRooms struct {
	app           *app.App
	of            *Service
	execute       executor
	places, queue chan struct{}
	open          sync.RWMutex // held by every guest, and in the end by close
	closed        bool         // under open
}

// An executor runs a command line in an environment and returns its exit code.
type executor func(ctx context.Context, args []string, a *app.App) int

// NewGuestRooms returns the handler that runs commands of other processes by execute.
func NewGuestRooms(a *app.App, s *Service, execute executor) *guestRooms {
	return &guestRooms{app: a, of: s, execute: execute, places: make(chan struct{}, MaxGuests), queue: make(chan struct{}, maxWaiting)}
}

// Close waits for the guests to leave and lets no others in.
func (g *guestRooms) Close() {
	g.open.Lock()
	defer g.open.Unlock()
	g.closed = true
}

// ServeHTTP implements http.Handler.
func (g *guestRooms) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.open.RLock()
	defer g.open.RUnlock()
	if _, socket := r.Context().Value(http.LocalAddrContextKey).(*net.UnixAddr); !socket {
		http.Error(w, "verbs are run at the admin socket of the data directory only", http.StatusForbidden)
		return
	}
	v, err := ReadVisit(http.MaxBytesReader(w, r.Body, maxVisit))
	switch {
	case g.closed:
		http.Error(w, "it is stopping", http.StatusServiceUnavailable)
		return
	case err != nil:
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	case v.Build != build():
		http.Error(w, fmt.Sprintf("it is eventseer %s, and this is %s: restart the serve, or run the same version", build(), v.Build), http.StatusConflict)
		return
	}
	select {
	case g.queue <- struct{}{}:
		defer func() { <-g.queue }()
	default:
		http.Error(w, fmt.Sprintf("%d verbs run or wait there already; try again", maxWaiting), http.StatusServiceUnavailable)
		return
	}
	select {
	case g.places <- struct{}{}:
		defer func() { <-g.places }()
	case <-r.Context().Done():
		return
	}
	g.run(r.Context(), w, v)
}

// ReadVisit reads a request to its end: only then is it noticed when the asker leaves.
func ReadVisit(r io.Reader) (v visit, err error) {
	if err := json.NewDecoder(r).Decode(&v); err != nil {
		return v, fmt.Errorf("what is asked cannot be read: %w", err)
	}
	_, err = io.Copy(io.Discard, r)
	return v, err
}

// run runs a command line as its own process would have.
func (g *guestRooms) run(ctx context.Context, w http.ResponseWriter, v visit) {
	c, err := app.ConfigOf(v.Config)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	own, begun := g.app.Config, time.Now()
	c.Data, c.Blocklist, c.SMTPCA, c.MailDKIMKey = own.Data, own.Blocklist, own.SMTPCA, own.MailDKIMKey
	out := &Frames{W: w}
	a := &app.App{
		Stdin: strings.NewReader(""), Stdout: framed{to: out, kind: FrameOut}, Stderr: framed{to: out, kind: frameTalk},
		Getenv: v.getenv, Now: g.app.Now, Config: c, Session: g.newSession(v, out),
	}
	code := g.execute(ctx, v.Args, a)
	// The arguments may name persons and are not logged.
	g.app.Logger().Info("a verb beside this one", "verb", a.Command, "exit", code, "took", time.Since(begun).Round(time.Millisecond))
	_ = out.Write(FrameExit, byte(code), nil) // who asked may have left
}

// getenv is the environment of a guest.
func (v visit) getenv(name string) string {
	if name == "COLUMNS" {
		return v.Width
	}
	return ""
}

// checkOpen lets a database of the service check itself; open is false for all others.
func checkOpen(s *Service, file string) (problems []error, open bool, err error) {
	switch {
	case file == app.StoreFile:
		return s.Store.Check(), true, nil
	case file == app.PublishFile:
		return s.Readers.Check(), true, nil
	case file == monitor.File && s.Monitor != nil:
		return s.Monitor.Check(), true, nil
	case file == app.FrontierFile, file == app.LinksFile:
		i, release, err := s.Console.hold()
		if err != nil {
			return nil, true, err
		}
		if file == app.FrontierFile {
			problems = i.Frontier.Check()
		} else {
			problems = i.Links.Check()
		}
		return problems, true, release()
	}
	return nil, false, nil
}
