// Command eventseer finds calls for papers on the web and makes them findable.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"eventseer/classify"
	"eventseer/crawler"
	"eventseer/crawler/cluster"
	"eventseer/crawler/fetch"
	"eventseer/eventseer/mailbox"
	"eventseer/eventseer/search"
	"eventseer/internal/bolt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func main() { start(time.Now) }

// start runs the program's command line by a clock and ends the process.
func start(now func() time.Time) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // the second Ctrl-C stops at once
	code := run(ctx, os.Args[1:], &app{
		stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr,
		getenv: os.Getenv, now: now,
	})
	stop()
	os.Exit(code)
}

// run executes one command line and returns the exit code CLI.md documents.
func run(ctx context.Context, args []string, a *app) int {
	root := newRootCommand(a)
	root.SetArgs(args)
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	err := root.ExecuteContext(ctx)
	err = errors.Join(err, a.close())
	code := 0
	if errors.Is(err, errBeside) {
		code, err = askVerb(ctx, a, args)
	}
	if err == nil {
		return code
	}
	code = exitCode(ctx, err)
	text := inOneLine(err.Error())
	if code == exitInterrupted {
		text = strings.ReplaceAll(text, context.Canceled.Error(), "interrupted")
	}
	a.complain(ctx, printable(strings.Replace(text, "; Did you mean this?; ", "; did you mean ", 1)), code)
	return code
}

// inOneLine joins the lines of an error, without those that are empty.
func inOneLine(text string) string {
	lines := strings.FieldsFunc(text, func(r rune) bool { return r == '\n' })
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return strings.Join(lines, "; ")
}

// complain says why the command fails; that is not left out with --quiet.
func (a *app) complain(ctx context.Context, text string, code int) {
	if a.config.LogFormat == "json" {
		a.logger().Log(ctx, silent, text, "exit_code", code)
		return
	}
	fmt.Fprintf(a.stderr, "eventseer: %s\n", text)
	if code == exitUsage {
		fmt.Fprintln(a.stderr, "eventseer: see --help")
	}
}

// The exit codes of CLI.md.
const (
	exitFailed       = 1
	exitUsage        = 2
	exitPartly       = 3
	exitGate         = 4
	exitNoData       = 10
	exitLocked       = 11
	exitIncompatible = 12
	exitRefused      = 13
	exitInterrupted  = 130
)

// Errors that carry an exit code of their own.
var (
	errPartly  = errors.New("partly done")
	errGate    = errors.New("gate not met")
	errNoData  = errors.New("no data directory")
	errRefused = errors.New("refused")
)

// usageError is a wrong command line.
type usageError struct{ err error }

func (e usageError) Error() string { return e.err.Error() }
func (e usageError) Unwrap() error { return e.err }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

func exitCode(ctx context.Context, err error) int {
	var usage usageError
	switch {
	case errors.As(err, &usage), cobraUsage(err):
		return exitUsage
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		return exitInterrupted
	case errors.Is(err, errPartly):
		return exitPartly
	case errors.Is(err, errGate), errors.Is(err, errBad):
		return exitGate
	case errors.Is(err, errNoData), errors.Is(err, bolt.ErrMissing), errors.Is(err, cluster.ErrNoCluster):
		return exitNoData
	case errors.Is(err, bolt.ErrLocked), errors.Is(err, search.ErrLocked):
		return exitLocked
	case errors.Is(err, bolt.ErrIncompatible), errors.Is(err, classify.ErrIncompatible), errors.Is(err, cluster.ErrVersion):
		return exitIncompatible
	case errors.Is(err, errRefused), errors.Is(err, fetch.ErrNoContact):
		return exitRefused
	}
	return exitFailed
}

// cobraUsage tells the usage errors that cobra returns without a type.
func cobraUsage(err error) bool {
	return strings.HasPrefix(err.Error(), "unknown command") || strings.HasPrefix(err.Error(), "required flag")
}

func newRootCommand(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:   "eventseer",
		Short: "Find calls for papers on the web and make them findable",
		Example: `  eventseer demo                                   # crawl the built-in web and look at what was found
  eventseer init --contact you@example.org         # write a config, then:
  eventseer crawl https://conf.example/cfp         # crawl from a known call
  eventseer find 'focused crawling'                # search the open calls
  eventseer serve                                  # pages, API, calendars, feeds and mail`,
		SilenceUsage: true, SilenceErrors: true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			a.verb = verbOf(cmd.CommandPath())
			return a.configure(cmd.Flags())
		},
	}
	root.SetHelpTemplate(helpTemplate)
	root.SetUsageTemplate(strings.Replace(root.UsageTemplate(), usageExamples, "", 1))
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	a.addGlobalFlags(root.PersistentFlags())
	root.AddCommand(
		newDemoCommand(a), newInitCommand(a), newCrawlCommand(a), newExtractCommand(a),
		newClassifyCommand(a), newAnalyzeCommand(a), newSliceCommand(a), newFindCommand(a), newShowCommand(a), newTrainCommand(a),
		newEvalCommand(a), newModelCommand(a), newLabelCommand(a), newDataCommand(a), newServeCommand(a), newCheckCommand(a),
		newHealthcheckCommand(a), newCompactCommand(a), newRobotsCommand(a), newLabCommand(a), newTestcaseCommand(a),
		newConfigCommand(a), newVersionCommand(a), newWebCommand(a), newBacklinksCommand(a), newGraphCommand(a), newMailCommand(a), newDiffCommand(a), newMonitorCommand(a),
		newWrapperCommand(a), newManCommand(a), newDoctorCommand(a), newBackupCommand(a), newMigrateCommand(a),
		newExportCommand(a), newImportCommand(a),
		newClipCommand(a), newPublishCommand(a), newUserCommand(a), newControlCommand(a), newWorkerCommand(a),
	)
	group(root)
	return root
}

// helpTemplate puts the examples first; usageExamples is where cobra has them.
const (
	helpTemplate = `{{if .HasExample}}Examples:
{{.Example}}

{{end}}{{with (or .Long .Short)}}{{. | trimTrailingWhitespaces}}

{{end}}{{.UsageString}}`
	usageExamples = `{{if .HasExample}}

Examples:
{{.Example}}{{end}}`
)

// args wraps a cobra argument check so that a wrong number of arguments is a
// usage error.
func args(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, given []string) error {
		if err := check(cmd, given); err != nil {
			if strings.Contains(err.Error(), "arg(s)") {
				return usagef("%d arguments are given; usage: %s", len(given), cmd.UseLine())
			}
			return usageError{err}
		}
		return nil
	}
}

// app is the world a command runs in. Commands read it and build the rest
// through wire.go; nothing is global.
type app struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	getenv         func(string) string
	now            func() time.Time

	config      config
	origins     map[string]string // config key → where its value comes from
	makesConfig bool              // the config file may be missing: the command writes it
	flags       *pflag.FlagSet    // of the command that runs
	verb        string            // that command, "clip add"
	guest       *guest            // not nil of a verb that runs in a serve for another process
	level       *slog.LevelVar    // of the log; nil before configure
	blocks      *blocklist        // what is never asked for; nil before it is needed
	closers     []func() error    // run in reverse order when the command ends
	live        crawler.Fetcher   // of INPUT arguments that are URLs; nil before the first
	mails       mailbox.Reader    // of INPUT arguments that hold mails
}

// onClose has f run when the command has ended, last first.
func (a *app) onClose(f func() error) { a.closers = append(a.closers, f) }

func (a *app) close() error {
	var errs []error
	for i := len(a.closers) - 1; i >= 0; i-- {
		errs = append(errs, a.closers[i]())
	}
	a.closers = nil
	return errors.Join(errs...)
}

// logf writes one line of talk to stderr, unless --quiet.
func (a *app) logf(format string, args ...any) {
	text := printable(fmt.Sprintf(format, args...))
	switch {
	case a.logsFrom().Level() == silent:
	case a.config.LogFormat == "json":
		a.logger().Log(context.Background(), talk, text)
	default:
		fmt.Fprintln(a.stderr, text)
	}
}
