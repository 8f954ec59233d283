package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"eventseer/crawler/monitor"
	"eventseer/internal/bolt"
)

const (
	maxGuests  = 4       // that run at a time
	maxWaiting = 60      // that wait for a place or have one
	maxVisit   = 1 << 20 // bytes of a command line with its settings
)

// A guest is what the verb of another process finds here.
type guest struct {
	visit
	of  *service
	out *frames
}

// guestRooms run the verbs of other processes of this user with what a service has open.
type guestRooms struct {
	app           *app
	of            *service
	places, queue chan struct{}
	open          sync.RWMutex // held by every guest, and in the end by close
	closed        bool         // under open
}

func newGuestRooms(a *app, s *service) *guestRooms {
	return &guestRooms{app: a, of: s, places: make(chan struct{}, maxGuests), queue: make(chan struct{}, maxWaiting)}
}

// close waits for the guests to leave and lets no others in.
func (g *guestRooms) close() {
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
	v, err := readVisit(http.MaxBytesReader(w, r.Body, maxVisit))
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

// readVisit reads a request to its end: only then is it noticed when the asker leaves.
func readVisit(r io.Reader) (v visit, err error) {
	if err := json.NewDecoder(r).Decode(&v); err != nil {
		return v, fmt.Errorf("what is asked cannot be read: %w", err)
	}
	_, err = io.Copy(io.Discard, r)
	return v, err
}

// run runs a command line as its own process would have.
func (g *guestRooms) run(ctx context.Context, w http.ResponseWriter, v visit) {
	c, err := configOf(v.Config)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	own, begun := g.app.config, time.Now()
	c.Data, c.Blocklist, c.SMTPCA, c.MailDKIMKey = own.Data, own.Blocklist, own.SMTPCA, own.MailDKIMKey
	out := &frames{w: w}
	a := &app{
		stdin: strings.NewReader(""), stdout: framed{to: out, kind: frameOut}, stderr: framed{to: out, kind: frameTalk},
		getenv: v.getenv, now: g.app.now, config: c, guest: &guest{v, g.of, out},
	}
	code := run(ctx, v.Args, a)
	// The arguments may name persons and are not logged.
	g.app.logger().Info("a verb beside this one", "verb", a.verb, "exit", code, "took", time.Since(begun).Round(time.Millisecond))
	_ = out.write(frameExit, byte(code), nil) // who asked may have left
}

// getenv is the environment of a guest.
func (v visit) getenv(name string) string {
	if name == "COLUMNS" {
		return v.Width
	}
	return ""
}

// admit is in the place of reading the configuration: a guest brings its own.
func (a *app) admit() error {
	a.level.Set(logLevel(a.config))
	if !slices.Contains(besideVerbs, a.verb) {
		return fmt.Errorf("%w: %s does not run beside a serve; stop it first", bolt.ErrLocked, a.verb)
	}
	return nil
}

// create makes a file anew where the command was typed.
func (a *app) create(name string) (io.WriteCloser, error) {
	if a.guest != nil {
		return a.guest.out.open(frameCreate, name)
	}
	return os.Create(name)
}

// boxFile returns the name of a file for the mails of a dry run, which are added to the
// named one when the command ends: it may be where only the asker can write.
func (a *app) boxFile(name string) (string, error) {
	if a.guest == nil {
		return name, nil
	}
	f, err := os.CreateTemp("", "eventseer-mbox-")
	if err != nil {
		return "", err
	}
	a.onClose(func() (err error) {
		defer func() { err = errors.Join(err, f.Close(), os.Remove(f.Name())) }()
		to, err := a.guest.out.open(frameBox, name)
		if err != nil {
			return err
		}
		_, err = io.Copy(to, f)
		return errors.Join(err, to.Close())
	})
	return f.Name(), nil
}

// check has a database that is open here read itself; open is false of one that is not.
func (g *guest) check(file string) (problems []error, open bool, err error) {
	switch {
	case file == storeFile:
		return g.of.store.Check(), true, nil
	case file == publishFile:
		return g.of.readers.Check(), true, nil
	case file == monitor.File && g.of.monitor != nil:
		return g.of.monitor.Check(), true, nil
	case file == frontierFile, file == linksFile:
		i, release, err := g.of.console.hold()
		if err != nil {
			return nil, true, err
		}
		if file == frontierFile {
			problems = i.frontier.Check()
		} else {
			problems = i.links.Check()
		}
		return problems, true, release()
	}
	return nil, false, nil
}
