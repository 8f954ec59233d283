// Package admin is the operator's interface of a running process: status, the history of a URL and
// metrics, at a socket in the data directory.
package admin

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/pprof"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/internal/text"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// TopHosts is the number of longest queues in a status.
const TopHosts = 20

// An AdminSite is the interface of a process for its operator, with full access. It is served at a
// socket of this user, or at --admin.
type AdminSite struct {
	Metrics *prometheus.Registry
	Healthy func() error
	Backup  http.Handler                                       // nil if no backup is possible
	Command http.Handler                                       // runs commands of other processes; nil if impossible
	Status  func(ctx context.Context, top int) (any, error)    // nil if there is no crawl
	Why     func(ctx context.Context, url string) (any, error) // for a canonical URL; likewise
	reload  func() (said string, err error)                    // reloads the configuration; nil if that is not possible
}

// Handler returns the handler of the available functions.
func (s AdminSite) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(s.Metrics, promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		if err := s.Healthy(); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		_, _ = w.Write([]byte("ok\n")) // the client may have disconnected
	})
	if s.Status != nil {
		mux.HandleFunc("GET /status", jsonHandler(func(r *http.Request) (any, error) { return s.Status(r.Context(), TopHosts) }))
		mux.HandleFunc("GET /why", jsonHandler(func(r *http.Request) (any, error) {
			address, err := webgraph.Canonical(r.FormValue("url"))
			if err != nil {
				return nil, err
			}
			return s.Why(r.Context(), address)
		}))
	}
	if s.Backup != nil {
		mux.Handle("/backup", s.Backup)
	}
	if s.reload != nil {
		mux.HandleFunc("POST "+reloadPath, func(w http.ResponseWriter, _ *http.Request) {
			said, err := s.reload()
			if err != nil {
				http.Error(w, err.Error(), http.StatusUnprocessableEntity)
				return
			}
			_, _ = io.WriteString(w, said+"\n") // the client may have disconnected
		})
	}
	if s.Command != nil {
		mux.Handle("POST "+CommandsPath, s.Command)
	}
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	return mux
}

func jsonHandler(f func(*http.Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		v, err := f(r)
		var bad *webgraph.URLError
		switch {
		case errors.As(err, &bad):
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		case err != nil:
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = app.WriteJSONLine(w, v) // the client may have disconnected
	}
}

// ServeAdmin serves at the socket in dir, and at --admin, until the returned function is called.
// Failure to open the socket is not an error: its path may be too long.
func ServeAdmin(ctx context.Context, a *app.App, dir string, site AdminSite) (stop func(), err error) {
	if a.Config.Admin == "off" {
		return func() {}, nil
	}
	site.reload = a.Reload
	handler := site.Handler()
	var servers []*http.Server
	sockets := []string{filepath.Join(dir, app.AdminSocket)}
	serve := func(l net.Listener, h http.Handler) {
		server := &http.Server{Handler: h, MaxHeaderBytes: MaxHeaderBytes, ReadHeaderTimeout: ReadHeaderTimeout}
		servers = append(servers, server)
		go func() { _ = server.Serve(l) }() // ends with Close below
	}
	stop = func() {
		for _, server := range servers {
			_ = server.Close()
		}
		for _, path := range sockets {
			_ = os.Remove(path)
		}
	}
	own, err := ListenSocket(ctx, sockets[0])
	if err == nil {
		serve(own, handler)
	} else {
		a.Logger().Warn("no admin socket: crawl status and crawl why work only after the end of the crawl", "err", err)
	}
	if a.Config.Admin == "" {
		return stop, nil
	}
	more, err := listenAdmin(ctx, a)
	if err != nil {
		stop()
		return nil, err
	}
	if path, ok := strings.CutPrefix(a.Config.Admin, "unix:"); ok {
		sockets = append(sockets, path)
	}
	if _, socket := strings.CutPrefix(a.Config.Admin, "unix:"); !socket {
		// An address is open to all users of this machine and to clients of a proxy, so it is
		// read-only.
		site.Backup, site.Command, site.reload = nil, nil, nil
		handler = site.Handler()
	}
	if !a.Config.AdminPublic {
		handler = OnlyLocalNames(handler)
	}
	serve(more, handler)
	return stop, nil
}

// listenAdmin listens where --admin says.
func listenAdmin(ctx context.Context, a *app.App) (net.Listener, error) {
	address := a.Config.Admin
	if path, ok := strings.CutPrefix(address, "unix:"); ok {
		if IsListening(ctx, path) {
			return nil, fmt.Errorf("--admin %s is in use by another process", address)
		}
		l, err := ListenSocket(ctx, path)
		if err != nil {
			return nil, fmt.Errorf("--admin %s: %w", address, err)
		}
		return l, nil
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("--admin: %w", err)
	}
	return l, nil
}

// OnlyLocalNames rejects requests with a host name other than this machine's own. Otherwise a page
// in the operator's browser could resolve its name to this machine and read the responses. Requests
// that the browser reports as caused by another site are rejected too, because a profile is
// expensive.
func OnlyLocalNames(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.Host)
		if err != nil {
			host = r.Host
		}
		if _, tcp := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr); tcp && !app.IsLoopback(strings.Trim(host, "[]")) {
			http.Error(w, "use 127.0.0.1 or localhost", http.StatusForbidden)
			return
		}
		if from := r.Header.Get("Sec-Fetch-Site"); strings.HasSuffix(from, "-site") {
			http.Error(w, "request from another site refused", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// ListenSocket listens at a Unix socket that only this user may use, replacing one of a killed
// process. The socket gets its name after its mode is set, so no other user ever has access.
func ListenSocket(ctx context.Context, path string) (net.Listener, error) {
	if info, err := os.Lstat(path); err == nil && info.Mode().Type() != fs.ModeSocket {
		return nil, fmt.Errorf("%s exists and is not a socket", path)
	}
	private, err := os.MkdirTemp(filepath.Dir(path), ".admin")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(private) }()
	made := filepath.Join(private, "s")
	l, err := new(net.ListenConfig).Listen(ctx, "unix", made)
	if err != nil {
		return nil, err
	}
	l.(*net.UnixListener).SetUnlinkOnClose(false) // it was renamed meanwhile
	if err := errors.Join(os.Chmod(made, 0o600), os.Rename(made, path)); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// IsListening reports whether a process listens at a socket.
func IsListening(ctx context.Context, path string) bool {
	conn, err := new(net.Dialer).DialContext(ctx, "unix", path)
	if err != nil {
		return false
	}
	_ = conn.Close()
	return true
}

// Limits of requests to a running process.
const (
	askTimeout = 30 * time.Second
	maxAnswer  = 16 << 20 // bytes
)

// ErrSilent means that no process responds at the socket of a data directory, or that it cannot
// respond to this request.
var ErrSilent = errors.New("no response at the admin socket")

// AskAdmin sends a request to the process that has dir open, and decodes its JSON response into v;
// with v nil it accepts any.
func AskAdmin(ctx context.Context, dir, path string, v any) error {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	resp, err := AskSocket(ctx, dir, http.MethodGet, path, nil)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	body := http.MaxBytesReader(nil, resp.Body, maxAnswer)
	if resp.StatusCode == http.StatusNotFound {
		return fmt.Errorf("%w: the process that has the data directory open does not crawl", ErrSilent)
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("the process that has %s open responds: %s", dir, FirstLineOf(body))
	}
	if v == nil {
		return nil
	}
	return json.NewDecoder(body).Decode(v)
}

// AskSocket sends a request to the process that has a data directory open.
func AskSocket(ctx context.Context, dir, method, path string, body io.Reader) (*http.Response, error) {
	transport := &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", filepath.Join(dir, app.AdminSocket))
	}}
	req, err := http.NewRequestWithContext(ctx, method, "http://localhost"+path, body)
	if err != nil {
		return nil, err
	}
	resp, err := transport.RoundTrip(req)
	var op *net.OpError
	switch {
	case errors.As(err, &op) && op.Op == "dial":
		return nil, fmt.Errorf("%w: %w", ErrSilent, err)
	case err != nil:
		return nil, fmt.Errorf("request to the process that has %s open: %w", dir, err)
	}
	return resp, nil
}

// FirstLineOf returns the first line of an error response.
func FirstLineOf(r io.Reader) string {
	line, _ := bufio.NewReader(io.LimitReader(r, 1000)).ReadString('\n')
	return text.Printable(strings.TrimSpace(line))
}

// reloadPath is the path at which a running process reloads its configuration.
const reloadPath = "/reload"

// AskReload makes the process that has dir open reload its configuration, and returns its report.
func AskReload(ctx context.Context, dir string) (said string, err error) {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	resp, err := AskSocket(ctx, dir, http.MethodPost, reloadPath, nil)
	if err != nil {
		return "", err
	}
	defer func() { _ = resp.Body.Close() }()
	said = FirstLineOf(resp.Body)
	if resp.StatusCode != http.StatusOK {
		return "", fmt.Errorf("the process that has %s open responds: %s", dir, said)
	}
	return said, nil
}

// CommandsPath is the path at which a serving process runs commands that other processes send.
const CommandsPath = "/api/commands"

// ErrServed means that the command must be run by the process that has the data directory open.
var ErrServed = errors.New("the data directory is open in another process")

// CheckServed returns ErrServed if a process responds at the socket of a data directory and can run
// the command.
func CheckServed(a *app.App, dir string) error {
	if a.Session == nil && slices.Contains(app.SessionCommands, a.Command) && IsListening(context.Background(), filepath.Join(dir, app.AdminSocket)) {
		return ErrServed
	}
	return nil
}

// MaxHeaderBytes bounds the header of a request.
const MaxHeaderBytes = 32 << 10

// ReadHeaderTimeout bounds the time for the header of a request.
const ReadHeaderTimeout = 5 * time.Second
