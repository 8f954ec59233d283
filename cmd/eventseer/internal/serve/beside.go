package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime/debug"
	"slices"

	"eventseer/cmd/eventseer/internal/admin"
	"eventseer/cmd/eventseer/internal/app"
	"eventseer/eventseer/publish/mailer"
	"eventseer/internal/bolt"

	"github.com/spf13/pflag"
)

// A database belongs to one process. The verbs below run beside a serve that has the
// data directory open: where one of them comes to open a database and finds that a process
// answers at the admin socket, it ends there, and its command line is run once more
// by that process, as a guest, with what it has open. What the guest prints and the
// files it writes come back as frames and are written here.

// A visit is what a serve is asked to run.
type visit struct {
	Build  string            `json:"build"` // both sides must be of one
	Args   []string          `json:"args"`
	Config map[string]string `json:"config"` // in force at the asker, without secrets
	// Terminal says that the result goes to one. Columns is its width, 0 if unknown; where
	// there is none it is what the environment says.
	Terminal bool   `json:"terminal"`
	Columns  int    `json:"columns"`
	Width    string `json:"width"` // COLUMNS
}

// build names this program as exactly as it knows itself.
func build() string {
	if info, ok := debug.ReadBuildInfo(); ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "vcs.modified", Value: "true"}) {
		return app.FullVersion() + " with changes"
	}
	return app.FullVersion()
}

// AskVerb has the process that has the data directory run the command line, and returns
// its exit code.
func AskVerb(ctx context.Context, a *app.App, args []string) (code int, err error) {
	v := visit{Build: build(), Args: args, Config: map[string]string{}, Width: a.Getenv("COLUMNS")}
	v.Columns, v.Terminal = a.Terminal()
	own := a.Config
	own.AdminToken, own.IMAPPassword, own.SMTPPassword = "", "", ""
	for key, value := range own.Values() {
		if key != app.ProvidersKey { // it holds keys
			v.Config[key] = fmt.Sprint(value)
		}
	}
	text, err := json.Marshal(v)
	if err != nil {
		return 0, err
	}
	resp, err := admin.AskSocket(ctx, a.Config.Data, http.MethodPost, admin.BesidePath, bytes.NewReader(text))
	if errors.Is(err, admin.ErrSilent) {
		return 0, fmt.Errorf("%w just now, try again: %w", bolt.ErrLocked, err)
	}
	if err != nil {
		return 0, err
	}
	defer func() { _ = resp.Body.Close() }()
	switch resp.StatusCode {
	case http.StatusOK:
	case http.StatusNotFound:
		return 0, fmt.Errorf("%s: %w; it runs no verbs of others, since it is a crawl or a serve of an older version: stop it, or restart the serve", a.Config.Data, bolt.ErrLocked)
	default:
		return 0, fmt.Errorf("%s: %w: %s", a.Config.Data, bolt.ErrLocked, admin.FirstLineOf(resp.Body))
	}
	host := Hosted{App: a, Files: map[byte]io.WriteCloser{}}
	code, err = host.Take(resp.Body)
	for _, f := range host.Files { // those of a guest that ended early
		err = errors.Join(err, f.Close())
	}
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	return code, err
}

// Hosted is what a guest prints and writes, where it was asked for.
type Hosted struct {
	*app.App
	Files map[byte]io.WriteCloser // open ones
}

// Take writes what a guest gives, until it ends with its exit code.
func (h *Hosted) Take(r io.Reader) (code int, err error) {
	for {
		f, err := readFrame(r)
		var op *net.OpError
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &op) {
			return 0, fmt.Errorf("the process that has %s open ended in the middle, so the result is not whole; what it wrote is kept: %w", h.Config.Data, err)
		}
		if err != nil {
			return 0, err
		}
		if _, open := h.Files[f.file]; !open && (f.kind == FrameFile || f.kind == frameClose) {
			return 0, fmt.Errorf("a frame of file %d, which is not open", f.file)
		}
		switch f.kind {
		case FrameExit:
			return int(f.file), nil
		case FrameOut:
			_, err = h.Stdout.Write(f.data)
		case frameTalk:
			_, err = h.Stderr.Write(f.data)
		case FrameCreate, frameBox:
			var file io.WriteCloser
			if file, err = h.openFile(f.kind, string(f.data)); err == nil {
				h.Files[f.file] = file
			}
		case FrameFile:
			_, err = h.Files[f.file].Write(f.data)
		case frameClose:
			err = h.Files[f.file].Close()
			delete(h.Files, f.file)
		default:
			err = fmt.Errorf("a frame of kind %q", f.kind)
		}
		if err != nil {
			return 0, err
		}
	}
}

// openFile opens a file for a guest, if the command line or the configuration names it.
func (h *Hosted) openFile(kind byte, name string) (io.WriteCloser, error) {
	named := name == h.Config.Output
	h.Flags.Visit(func(f *pflag.Flag) { named = named || f.Value.String() == name })
	switch {
	case !named:
		return nil, fmt.Errorf("the process that has %s open wants to write %q, which nobody named", h.Config.Data, name)
	case kind == frameBox:
		return mailer.AppendMbox(name)
	}
	return os.Create(name)
}
