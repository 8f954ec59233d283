// Package app provides the environment of commands: streams, clock, configuration, log, output, progress,
// and resources to close at the end of a command.
package app

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/fetch/blocklist"
	"github.com/eventseer/eventseer/eventseer/mailbox"
	"github.com/eventseer/eventseer/internal/lines"
	"github.com/eventseer/eventseer/internal/text"
	"github.com/eventseer/eventseer/internal/usage"

	"github.com/spf13/pflag"
)

// App is the environment of one command. It has no global state, so commands can run concurrently
// in one process. It must not be changed concurrently.
type App struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Getenv         func(string) string
	Now            func() time.Time

	Config      Config
	Origins     map[string]string // config key → source of its value
	MakesConfig bool              // the config file may be missing, because the command creates it
	Flags       *pflag.FlagSet    // flags of the running command
	Command     string            // that command, "clip add"
	Session     *Session          // not nil if the command runs inside a serving process for another process
	Open        Databases         // open databases of the process, for a Session
	Level       *slog.LevelVar    // level of the log; nil before Configure
	Blocks      *blocklist.List   // blocklist; nil until needed
	Closers     []func() error    // run in reverse order when the command ends
	reloads     *reloadState      // results of reloading; nil before Configure
	inputs      *atomic.Pointer[Meter]
	Live        crawler.Fetcher // of INPUT arguments that are URLs; nil before the first
	Mails       mailbox.Reader  // of INPUT arguments that hold mails
	HasColours  bool            // the result contains escapes of this program, and no others
}

// OnClose registers f to be called when the command has ended. The functions are called in reverse order of
// registration.
func (a *App) OnClose(f func() error) { a.Closers = append(a.Closers, f) }

// Close runs the functions passed to OnClose, last first, and joins their errors.
func (a *App) Close() error {
	var errs []error
	for i := len(a.Closers) - 1; i >= 0; i-- {
		errs = append(errs, a.Closers[i]())
	}
	a.Closers = nil
	return errors.Join(errs...)
}

// Logf writes one line of log to stderr, unless --quiet.
func (a *App) Logf(format string, args ...any) {
	line := text.Printable(fmt.Sprintf(format, args...))
	switch {
	case a.isQuiet():
	case a.Config.LogFormat == "json":
		a.LoggerAt(slog.LevelInfo).Info(line)
	default:
		fmt.Fprintln(a.Stderr, line)
	}
}

// Silent is the log level with --quiet. No message has it.
const Silent = slog.LevelError + 4

// LogLevel returns the log level: warnings, everything with --verbose, nothing with --quiet.
func LogLevel(c Config) slog.Level {
	switch {
	case c.Quiet:
		return Silent
	case c.Verbose:
		return slog.LevelDebug
	}
	return slog.LevelWarn
}

// logLevelInForce returns the level in force.
func (a *App) logLevelInForce() slog.Leveler {
	if a.Level == nil {
		return LogLevel(a.Config)
	}
	return a.Level
}

// isQuiet reports whether progress and log lines are left out.
func (a *App) isQuiet() bool { return a.logLevelInForce().Level() == Silent }

// Logger returns the logger that writes to stderr.
func (a *App) Logger() *slog.Logger { return a.LoggerAt(a.logLevelInForce()) }

// LoggerAt returns a logger to stderr with a minimum level, regardless of the configuration.
func (a *App) LoggerAt(level slog.Leveler) *slog.Logger {
	o := &slog.HandlerOptions{Level: level, ReplaceAttr: cleanAttr}
	if a.Config.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(a.Stderr, o))
	}
	return slog.New(slog.NewTextHandler(a.Stderr, o))
}

// mailAddress matches e-mail addresses, also within a URL.
var mailAddress = regexp.MustCompile(`[A-Za-z0-9._+-]+(@|%40)[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+`)

// cleanAttr removes mail addresses from the log.
func cleanAttr(_ []string, a slog.Attr) slog.Attr {
	text := a.Value.String()
	if err, ok := a.Value.Any().(error); ok {
		text = err.Error()
	} else if a.Value.Kind() != slog.KindString {
		return a
	}
	if strings.Contains(text, "@") || strings.Contains(text, "%40") {
		a.Value = slog.StringValue(mailAddress.ReplaceAllString(text, "(address)"))
	}
	return a
}

// OutputFormat returns the output format: --format if given, otherwise the first one the command offers.
func (a *App) OutputFormat(offered ...string) (string, error) {
	if a.Config.Format == "" {
		return offered[0], nil
	}
	if !slices.Contains(offered, a.Config.Format) {
		return "", Usagef("--format %s: this command offers %s", a.Config.Format, strings.Join(offered, ", "))
	}
	return a.Config.Format, nil
}

// WithOutput calls write to produce the command's result, on stdout or in the file of --output. A
// terminal gets no control characters, because the result may contain text of pages.
func (a *App) WithOutput(write func(io.Writer) error) (err error) {
	out := a.Stdout
	if a.Config.Output != "-" {
		f, createErr := a.CreateFile(a.Config.Output)
		if createErr != nil {
			return createErr
		}
		defer func() { err = errors.Join(err, f.Close()) }()
		out = f
	} else if _, terminal := a.TerminalWidth(); terminal && !a.HasColours {
		out = text.NewTerminal(out)
	}
	buffered := bufio.NewWriter(out)
	if err := write(buffered); err != nil {
		return errors.Join(err, buffered.Flush())
	}
	if err := buffered.Flush(); err != nil {
		return fmt.Errorf("write %s: %w", a.Config.Output, err)
	}
	return nil
}

// WriteJSONLine writes v as one line of JSON, HTML characters unescaped.
func WriteJSONLine(w io.Writer, v any) error {
	return lines.WriteJSON(w, v)
}

// WriteJSONLines writes each row as one line of JSON.
func WriteJSONLines[T any](w io.Writer, rows []T) error {
	for _, row := range rows {
		if err := WriteJSONLine(w, row); err != nil {
			return err
		}
	}
	return nil
}

// WriteJSON writes v as indented JSON, HTML characters unescaped.
func WriteJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// MaxShown bounds a text shown in a line, in runes.
const MaxShown = text.MaxShown

// Errors with their own exit codes; exitCode in main maps them.
var (
	ErrPartly  = errors.New("partly done")
	ErrGate    = errors.New("gate not met")
	ErrNoData  = errors.New("no data directory")
	ErrRefused = errors.New("refused")
)

// UsageError is a wrong command line.
type UsageError = usage.Error

// Usagef formats an error of the command line.
func Usagef(format string, args ...any) error { return usage.Errorf(format, args...) }

// MarkUsage marks an error as one of the command line.
func MarkUsage(err error) error { return usage.Mark(err) }

// The files and folders of a data directory.
const (
	FrontierFile = "frontier.db"
	LinksFile    = "links.db"
	StoreFile    = "store.db"
	IndexDir     = "index.bleve"
	ModelsDir    = "models"
	// PublishFile contains readers, their lists and the mails to them.
	PublishFile = "publish.db"
	// SeedsFile lists the seeds of a service's crawls, one URL per line.
	SeedsFile = "seeds.txt"
	// MarksFile stores how far the folders of IMAP servers were read. It is replaced atomically.
	MarksFile = "imap.json"
)

// DataDir returns the data directory, which must exist.
func DataDir(a *App) (string, error) {
	info, err := os.Stat(a.Config.Data)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("%w at %s; `eventseer start` or `eventseer crawl` makes one, --data names another", ErrNoData, a.Config.Data)
	case err != nil:
		return "", err
	case !info.IsDir():
		return "", fmt.Errorf("%w: %s is a file", ErrNoData, a.Config.Data)
	}
	return a.Config.Data, nil
}

// Version is the release; builds from a checkout add the commit.
const Version = "0.8.0"

// Commit returns the revision the program was built from, or "".
func Commit() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return s.Value
		}
	}
	return ""
}

// FullVersion returns the release with the first digits of the commit.
func FullVersion() string {
	if c := Commit(); len(c) >= 12 {
		return Version + "+" + c[:12]
	}
	return Version
}

// IsReadOnly reports whether an error is about a missing write permission, or a read-only file
// system.
func IsReadOnly(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS)
}

// DiskHint says what to do about an error of a disk or a limit of the process. It is "" for other errors.
func DiskHint(err error) string {
	switch {
	case errors.Is(err, syscall.ENOSPC):
		return "; free disk space and start again; committed data is kept"
	case errors.Is(err, syscall.EFBIG):
		return "; raise the limit on the size of files (ulimit -f, or LimitFSIZE= of systemd) and start again; committed data is kept"
	case errors.Is(err, syscall.EIO):
		return "; the disk fails: see the system's log, and restore the newest backup on another disk"
	case errors.Is(err, syscall.ENOMEM):
		return "; remove the limit on the address space (ulimit -v, or LimitAS= of systemd), or give the machine more memory"
	}
	return ""
}

// HomeHint reports what to do about an error of a file in the home directory. It is "" for other
// errors.
func HomeHint(a *App, err error) string {
	var path *fs.PathError
	home := a.Getenv("HOME")
	if errors.As(err, &path) && path.Path == "" && a.DefaultConfigPath() == "" {
		return "; no home directory is set: set HOME, or name --config FILE"
	}
	if home == "" || !errors.As(err, &path) || !IsReadOnly(err) && !errors.Is(err, syscall.ENOTDIR) && path.Op != "mkdir" {
		return ""
	}
	if within, err := filepath.Rel(home, path.Path); err != nil || strings.HasPrefix(within, "..") && !strings.HasPrefix(home, path.Path) {
		return ""
	}
	return "; set --config and --data, or XDG_CONFIG_HOME and XDG_DATA_HOME, to use other places than the home directory"
}

// WritableFolder returns dir, or if no files can be created in it, a copy that is removed when the command
// ends. If copying fails, the returned path does not exist.
func WritableFolder(a *App, dir string) string {
	f, err := os.CreateTemp(dir, ".writable-")
	if errors.Is(err, fs.ErrNotExist) {
		f, err = os.CreateTemp(filepath.Dir(dir), ".writable-")
	}
	if err == nil {
		err = errors.Join(f.Close(), os.Remove(f.Name()))
	}
	if !IsReadOnly(err) {
		return dir
	}
	made, err := os.MkdirTemp("", "eventseer-copy-")
	if err != nil {
		a.Logf("%s is read-only, and cannot be copied: %v", dir, err)
		return dir
	}
	a.OnClose(func() error { return os.RemoveAll(made) })
	at := filepath.Join(made, filepath.Base(dir))
	if err := os.CopyFS(at, os.DirFS(dir)); err != nil {
		a.Logf("%s cannot be copied: %v", dir, errors.Join(err, os.RemoveAll(at)))
	}
	return at
}
