package serve

import (
	"bufio"
	"bytes"
	"cmp"
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

	"github.com/eventseer/eventseer/cmd/eventseer/internal/admin"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/eventseer/publish/mailer"
	"github.com/eventseer/eventseer/internal/bolt"

	"github.com/spf13/pflag"
)

// A database belongs to one process. A command that needs one which a serving process has open ends
// with admin.ErrServed, and its command line is sent to that process, which runs it on its open
// databases and responds with a stream of JSON lines
// (doc/decisions/030-commands-in-a-serving-process.md).

// A Request is a command line to be run by a serving process.
type Request struct {
	Build  string            `json:"build"` // must equal that of the serving process
	Args   []string          `json:"args"`
	Config map[string]string `json:"config"` // the caller's settings, without secrets
	// Terminal means that the output is a terminal. Columns is its width, 0 if unknown; Width is
	// the environment variable.
	Terminal bool   `json:"terminal,omitempty"`
	Columns  int    `json:"columns,omitempty"`
	Width    string `json:"width,omitempty"` // COLUMNS
}

// An Event is a line of the response: a piece of the output, or the exit code at the end. Bytes are
// in base64, because a piece may end within a character.
type Event struct {
	Stdout []byte `json:"stdout,omitempty"`
	Stderr []byte `json:"stderr,omitempty"`
	File   string `json:"file,omitempty"` // created or truncated at its first event
	Mbox   bool   `json:"mbox,omitempty"` // the file is an mbox to append to
	Data   []byte `json:"data,omitempty"` // of the file
	Exit   *int   `json:"exit,omitempty"`
}

// programBuild returns the version of this program, as exactly as it is known.
func programBuild() string {
	if info, ok := debug.ReadBuildInfo(); ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "vcs.modified", Value: "true"}) {
		return app.FullVersion() + " with changes"
	}
	return app.FullVersion()
}

// RequestCommand makes the process that has the data directory open run the command line, and
// returns its exit code.
func RequestCommand(ctx context.Context, a *app.App, args []string) (code int, err error) {
	req := Request{Build: programBuild(), Args: args, Config: map[string]string{}, Width: a.Getenv("COLUMNS")}
	req.Columns, req.Terminal = a.TerminalWidth()
	own := a.Config
	own.AdminToken, own.IMAPPassword, own.SMTPPassword = "", "", ""
	for key, value := range own.Values() {
		if key != app.ProvidersKey { // it holds keys
			req.Config[key] = fmt.Sprint(value)
		}
	}
	body, err := json.Marshal(req)
	if err != nil {
		return 0, err
	}
	resp, err := admin.AskSocket(ctx, a.Config.Data, http.MethodPost, admin.CommandsPath, bytes.NewReader(body))
	if errors.Is(err, admin.ErrSilent) {
		return 0, fmt.Errorf("%w at the moment, try again: %w", bolt.ErrLocked, err)
	}
	if err != nil {
		return 0, err
	}
	defer func() { _ = resp.Body.Close() }()
	switch resp.StatusCode {
	case http.StatusOK:
	case http.StatusNotFound:
		return 0, fmt.Errorf("%s: %w; the process that has it open accepts no commands, because it is a crawl or an older version: stop the crawl, or restart the service", a.Config.Data, bolt.ErrLocked)
	default:
		return 0, fmt.Errorf("%s: %w: %s", a.Config.Data, bolt.ErrLocked, admin.FirstLineOf(resp.Body))
	}
	code, err = ReceiveOutput(a, resp.Body)
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	return code, err
}

// ReceiveOutput writes the output of a command run by another process, and returns its exit code. Output
// written so far remains if the response ends early.
func ReceiveOutput(a *app.App, r io.Reader) (code int, err error) {
	files := map[string]io.WriteCloser{}
	defer func() {
		for _, f := range files {
			err = errors.Join(err, f.Close())
		}
	}()
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxEvent)
	for {
		var e Event
		if err := nextEvent(lines, &e); err != nil {
			var op *net.OpError
			if errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &op) {
				return 0, fmt.Errorf("the process that has %s open ended early, so the result is incomplete; its output so far is kept: %w", a.Config.Data, err)
			}
			return 0, fmt.Errorf("the response of the process that has %s open cannot be read: %w", a.Config.Data, err)
		}
		to, data := a.Stdout, e.Stdout
		switch {
		case e.Exit != nil:
			return *e.Exit, nil
		case e.Stderr != nil:
			to, data = a.Stderr, e.Stderr
		case e.File != "":
			if files[e.File] == nil {
				f, err := openNamed(a, e.File, e.Mbox)
				if err != nil {
					return 0, err
				}
				files[e.File] = f
			}
			to, data = files[e.File], e.Data
		}
		if _, err := to.Write(data); err != nil {
			return 0, err
		}
	}
}

// nextEvent reads a line. The end of the input is io.ErrUnexpectedEOF, like an incomplete line of a
// killed process.
func nextEvent(lines *bufio.Scanner, e *Event) error {
	if !lines.Scan() {
		return cmp.Or(lines.Err(), io.ErrUnexpectedEOF)
	}
	err := json.Unmarshal(lines.Bytes(), e)
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) && syntax.Offset == int64(len(lines.Bytes())) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// openNamed opens a file for the output of a command, if the command line or the
// configuration names it.
func openNamed(a *app.App, name string, mbox bool) (io.WriteCloser, error) {
	named := name == a.Config.Output
	a.Flags.Visit(func(f *pflag.Flag) { named = named || f.Value.String() == name })
	switch {
	case !named:
		return nil, fmt.Errorf("the process that has %s open wants to write %q, which is not in the command line", a.Config.Data, name)
	case mbox:
		return mailer.AppendMbox(name)
	}
	return os.Create(name)
}
