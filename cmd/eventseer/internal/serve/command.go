package serve

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/crawler/monitor"
)

const (
	MaxCommands = 4        // commands that run at the same time
	maxWaiting  = 60       // waiting or running
	maxRequest  = 1 << 20  // bytes of a command line with its settings
	maxPiece    = 32 << 10 // bytes of output in one event
	maxEvent    = 1 << 17  // bytes of its line
	// eventPatience is how long a line of the response may stay unread. A pager that does not read
	// must not block others forever.
	eventPatience = 15 * time.Minute
)

// An executor runs a command line in an environment and returns its exit code.
type executor func(ctx context.Context, args []string, a *app.App) int

// Commands runs commands of other processes of this user on the open databases of a service. It is
// an http.Handler.
type Commands struct {
	app              *app.App
	service          *Service
	execute          executor
	running, waiting chan struct{} // semaphores
	open             sync.RWMutex  // held by every command, and finally by Close
	closed           bool          // guarded by open
}

// NewCommands returns a handler that runs command lines by execute.
func NewCommands(a *app.App, s *Service, execute executor) *Commands {
	return &Commands{app: a, service: s, execute: execute, running: make(chan struct{}, MaxCommands), waiting: make(chan struct{}, maxWaiting)}
}

// Close waits for running commands and rejects others.
func (c *Commands) Close() {
	c.open.Lock()
	defer c.open.Unlock()
	c.closed = true
}

// ServeHTTP implements http.Handler.
func (c *Commands) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.open.RLock()
	defer c.open.RUnlock()
	if _, socket := r.Context().Value(http.LocalAddrContextKey).(*net.UnixAddr); !socket {
		http.Error(w, "commands run at the admin socket of the data directory only", http.StatusForbidden)
		return
	}
	req, err := ReadRequest(http.MaxBytesReader(w, r.Body, maxRequest))
	switch {
	case c.closed:
		http.Error(w, "the service is stopping", http.StatusServiceUnavailable)
		return
	case err != nil:
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	case req.Build != programBuild():
		http.Error(w, fmt.Sprintf("the service is eventseer %s, and this is %s: restart the service, or run the same version", programBuild(), req.Build), http.StatusConflict)
		return
	}
	select {
	case c.waiting <- struct{}{}:
		defer func() { <-c.waiting }()
	default:
		http.Error(w, fmt.Sprintf("%d commands run or wait there already; try again later", maxWaiting), http.StatusServiceUnavailable)
		return
	}
	select {
	case c.running <- struct{}{}:
		defer func() { <-c.running }()
	case <-r.Context().Done():
		return
	}
	c.runRequest(r.Context(), w, req)
}

// ReadRequest reads a request completely; only then can the server notice a disconnected client.
func ReadRequest(r io.Reader) (req Request, err error) {
	if err := json.NewDecoder(r).Decode(&req); err != nil {
		return req, fmt.Errorf("the request cannot be read: %w", err)
	}
	_, err = io.Copy(io.Discard, r)
	return req, err
}

// runRequest runs a command line as its own process would.
func (c *Commands) runRequest(ctx context.Context, w http.ResponseWriter, req Request) {
	config, err := app.ConfigOf(req.Config)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	own, begun := c.app.Config, time.Now()
	config.Data, config.Blocklist, config.SMTPCA, config.MailDKIMKey = own.Data, own.Blocklist, own.SMTPCA, own.MailDKIMKey
	w.Header().Set("Content-Type", "application/x-ndjson")
	out := &eventStream{w: w}
	s := c.service
	a := &app.App{
		Stdin:  strings.NewReader(""),
		Stdout: eventWriter(func(p []byte) error { return out.send(Event{Stdout: p}) }),
		Stderr: eventWriter(func(p []byte) error { return out.send(Event{Stderr: p}) }),
		Getenv: req.getenv, Now: c.app.Now, Config: config,
		Session: &app.Session{Columns: req.Columns, Terminal: req.Terminal, OpenFile: out.openFile},
		Open:    app.Databases{Store: s.Store, Index: s.Index, Monitor: s.Monitor, Readers: s.Readers, Check: s.check},
	}
	code := c.execute(ctx, req.Args, a)
	// The arguments may name persons and are not logged.
	c.app.Logger().Info("command of another process", "command", a.Command, "exit", code, "took", time.Since(begun).Round(time.Millisecond))
	_ = out.send(Event{Exit: &code}) // the client may have disconnected
}

// getenv returns the environment of a command.
func (r Request) getenv(name string) string {
	if name == "COLUMNS" {
		return r.Width
	}
	return ""
}

// An eventStream writes events as JSON lines. It is safe for concurrent use.
type eventStream struct {
	mu sync.Mutex // held while a line is written
	w  http.ResponseWriter
}

func (s *eventStream) send(e Event) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	control := http.NewResponseController(s.w)
	if err := control.SetWriteDeadline(time.Now().Add(eventPatience)); err != nil {
		return err
	}
	if err := json.NewEncoder(s.w).Encode(e); err != nil {
		return err
	}
	return control.Flush()
}

// openFile makes the client open a file, and returns a writer to it.
func (s *eventStream) openFile(name string, mbox bool) (io.WriteCloser, error) {
	write := func(p []byte) error { return s.send(Event{File: name, Mbox: mbox, Data: p}) }
	return eventWriter(write), write(nil)
}

// An eventWriter sends its input as events.
type eventWriter func(data []byte) error

// Write implements io.Writer. An event holds at most maxPiece bytes.
func (send eventWriter) Write(p []byte) (n int, err error) {
	for piece := range slices.Chunk(p, maxPiece) {
		if err := send(piece); err != nil {
			return n, err
		}
		n += len(piece)
	}
	return n, nil
}

// Close implements io.Closer. The client closes its files after the last event.
func (eventWriter) Close() error { return nil }

// check runs the check of an open database of the service; open is false for others.
func (s *Service) check(file string) (problems []error, open bool, err error) {
	switch {
	case file == app.StoreFile:
		return s.Store.Check(), true, nil
	case file == app.PublishFile:
		return s.Readers.Check(), true, nil
	case file == monitor.File && s.Monitor != nil:
		return s.Monitor.Check(), true, nil
	case file == app.FrontierFile, file == app.LinksFile:
		i, release, err := s.Console.openInspector()
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
