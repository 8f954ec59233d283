// Command eventseer finds calls for papers on the web and makes them searchable.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"os/user"
	"regexp"
	"strings"
	"syscall"
	"time"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/admin"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/begin"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/menu"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/serve"
	"github.com/eventseer/eventseer/crawler/cluster"
	"github.com/eventseer/eventseer/crawler/fetch"
	"github.com/eventseer/eventseer/eventseer/search"
	"github.com/eventseer/eventseer/internal/bolt"
	"github.com/eventseer/eventseer/internal/text"

	"github.com/spf13/cobra"
)

func main() {
	now, err := clockFrom(os.Getenv("EVENTSEER_NOW"), time.Now)
	if err != nil {
		fmt.Fprintf(os.Stderr, "eventseer: %v\n", err)
		os.Exit(exitUsage)
	}
	runAndExit(now)
}

// clockFrom returns a clock that starts at the instant of value, RFC 3339 or a day in UTC, and then
// runs normally. It returns clock itself if value is "". It is for tests and measurements whose
// data has a fixed time.
func clockFrom(value string, clock func() time.Time) (func() time.Time, error) {
	if value == "" {
		return clock, nil
	}
	begin, err := time.Parse(time.RFC3339, value)
	if err != nil {
		begin, err = time.Parse(time.DateOnly, value)
	}
	if err != nil {
		return nil, fmt.Errorf("EVENTSEER_NOW: %q is neither a day such as 2027-01-31 nor a time such as 2027-01-31T12:00:00Z", value)
	}
	begun := clock()
	return func() time.Time { return begin.Add(clock().Sub(begun)) }, nil
}

// getenv is os.Getenv, with the home directory of the user's account if HOME is not set. Some cron
// jobs and containers do not set it.
func getenv(name string) string {
	value := os.Getenv(name)
	if name == "HOME" && value == "" {
		if account, err := user.Current(); err == nil {
			return account.HomeDir
		}
	}
	return value
}

// runAndExit runs the program's command line with a clock and exits.
func runAndExit(now func() time.Time) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, func() {
		stop() // the second Ctrl-C stops at once
		time.AfterFunc(endWait, func() { exitAfterEndWait(os.Stderr, os.Exit) })
	})
	code := run(ctx, os.Args[1:], &app.App{
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Getenv: getenv, Now: now,
	})
	stop()
	os.Exit(code)
}

// endWait is how long a command may take to end after SIGINT or SIGTERM.
const endWait = 30 * time.Second

// exitAfterEndWait ends the process of an interrupted command that has not ended within endWait.
func exitAfterEndWait(stderr io.Writer, exit func(code int)) {
	fmt.Fprintf(stderr, "eventseer: it did not end within %v of the signal and was ended at once, as by kill -9; committed work is kept\n", endWait)
	exit(exitInterrupted)
}

// run executes one command line and returns the exit code CLI.md documents.
func run(ctx context.Context, args []string, a *app.App) int {
	root := newRootCommand(a)
	root.SetArgs(args)
	root.SetIn(a.Stdin)
	root.SetOut(a.Stdout)
	root.SetErr(a.Stderr)
	command, err := root.ExecuteContextC(ctx)
	err = errors.Join(err, a.Close())
	code := 0
	if errors.Is(err, admin.ErrServed) {
		code, err = serve.RequestCommand(ctx, a, args)
	}
	if err == nil {
		return code
	}
	code = exitCode(ctx, err)
	content := inOneLine(err.Error())
	if code == exitInterrupted {
		content = "interrupted"
	}
	if !strings.Contains(content, "--allow-private") && errors.Is(err, fetch.ErrPrivateAddress) && command.Flags().Lookup("allow-private") != nil {
		content += "; --allow-private fetches it"
	}
	content += app.HomeHint(a, err) + app.DiskHint(err)
	content = notANumber.ReplaceAllString(content, "it is not a valid number")
	printFailure(a, text.Printable(strings.Replace(content, "; Did you mean this?; ", "; did you mean ", 1)), code, command.CommandPath())
	return code
}

// notANumber matches error messages of package strconv about the value of a flag.
var notANumber = regexp.MustCompile(`strconv\.Parse(Int|Uint|Float): parsing "[^"]*": (invalid syntax|value out of range)`)

// inOneLine joins the lines of an error, without those that are empty.
func inOneLine(text string) string {
	lines := strings.FieldsFunc(text, func(r rune) bool { return r == '\n' })
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return strings.Join(lines, "; ")
}

// printFailure prints why a command failed, even with --quiet.
func printFailure(a *app.App, text string, code int, command string) {
	if a.Config.LogFormat == "json" {
		a.LoggerAt(slog.LevelError).Error(text, "exit_code", code)
		return
	}
	fmt.Fprintf(a.Stderr, "eventseer: %s\n", text)
	if code == exitUsage {
		fmt.Fprintf(a.Stderr, "eventseer: see `%s --help`\n", command)
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

func exitCode(ctx context.Context, err error) int {
	var usage app.UsageError
	switch {
	case errors.As(err, &usage), strings.HasPrefix(err.Error(), "unknown command"), strings.HasPrefix(err.Error(), "required flag"): // cobra's have no type
		return exitUsage
	case ctx.Err() != nil && isInterruption(err):
		return exitInterrupted
	case errors.Is(err, app.ErrPartly):
		return exitPartly
	case errors.Is(err, app.ErrGate), errors.Is(err, begin.ErrBad):
		return exitGate
	case errors.Is(err, app.ErrNoData), errors.Is(err, bolt.ErrMissing), errors.Is(err, cluster.ErrNoCluster):
		return exitNoData
	case errors.Is(err, bolt.ErrLocked), errors.Is(err, search.ErrLocked):
		return exitLocked
	case errors.Is(err, bolt.ErrIncompatible), errors.Is(err, classify.ErrIncompatible), errors.Is(err, cluster.ErrVersion):
		return exitIncompatible
	case errors.Is(err, app.ErrRefused), errors.Is(err, fetch.ErrNoContact):
		return exitRefused
	}
	return exitFailed
}

// isInterruption reports whether an error was caused by stopping the command: its context, or a
// program that it started.
func isInterruption(err error) bool {
	var program *exec.ExitError
	return errors.Is(err, context.Canceled) || errors.As(err, &program) && !program.Exited()
}

func newRootCommand(a *app.App) *cobra.Command {
	root := &cobra.Command{
		Use:   "eventseer",
		Short: "Find calls for papers on the web and make them findable",
		Example: `  eventseer demo                                   # crawl the built-in web and look at what was found
  eventseer start                                  # begin a service of your own: config, starting points, web pages
  eventseer crawl https://conf.example/cfp         # crawl from a known call
  eventseer find 'focused crawling'                # search the open calls
  eventseer serve                                  # pages, API, calendars, feeds and mail`,
		SilenceUsage: true, SilenceErrors: true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			a.Command = strings.TrimPrefix(cmd.CommandPath(), "eventseer ")
			err := a.Configure(cmd.Flags())
			if err == nil {
				err = a.CheckData(a.Command)
			}
			if err != nil || cmd.Annotations[formatsKey] == "" {
				return err
			}
			a.Config.Format, err = a.OutputFormat(strings.Fields(cmd.Annotations[formatsKey])...)
			return err
		},
	}
	root.SetHelpTemplate(helpTemplate)
	root.SetUsageTemplate(strings.Replace(root.UsageTemplate(), usageExamples, "", 1))
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return app.MarkUsage(err) })
	a.AddGlobalFlags(root.PersistentFlags())
	root.AddCommand(
		newStartCommand(a), newDemoCommand(a), newInitCommand(a), newCrawlCommand(a), newExtractCommand(a),
		newClassifyCommand(a), newAnalyzeCommand(a), newSliceCommand(a), newFindCommand(a), newShowCommand(a), newTrainCommand(a),
		newEvalCommand(a), newModelCommand(a), newLabelCommand(a), newDataCommand(a), newServeCommand(a), newCheckCommand(a),
		newHealthcheckCommand(a), newCompactCommand(a), newRobotsCommand(a), newLabCommand(a), newTestcaseCommand(a),
		newConfigCommand(a), newVersionCommand(a), newWebCommand(a), newBacklinksCommand(a), newGraphCommand(a), newMailCommand(a), newDiffCommand(a), newMonitorCommand(a),
		newWrapperCommand(a), newManCommand(a), newDoctorCommand(a), newBackupCommand(a), newMigrateCommand(a),
		newExportCommand(a), newImportCommand(a), newSeriesCommand(a), newFieldsCommand(a),
		newEditCommand(a), newPinCommand(a), newUnpinCommand(a), newEventMergeCommand(a), newSplitCommand(a), newHideCommand(a), newCurationCommand(a),
		newClipCommand(a), newPublishCommand(a), newUserCommand(a), newControlCommand(a), newWorkerCommand(a), newOverallStatusCommand(a),
	)
	menu.ArrangeCommands(root)
	return root
}

// helpTemplate puts the examples first; usageExamples is their default place in cobra.
const (
	helpTemplate = `{{if .HasExample}}Examples:
{{.Example}}

{{end}}{{with (or .Long .Short)}}{{. | trimTrailingWhitespaces}}

{{end}}{{.UsageString}}`
	usageExamples = `{{if .HasExample}}

Examples:
{{.Example}}{{end}}`
)

// usageArgs wraps a cobra argument check so that a wrong number of arguments is a
// usage error.
func usageArgs(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, given []string) error {
		if err := check(cmd, given); err != nil {
			if strings.Contains(err.Error(), "arg(s)") {
				return app.Usagef("%s given; usage: %s", text.Count(len(given), "argument is", "arguments are"), cmd.UseLine())
			}
			return app.MarkUsage(err)
		}
		return nil
	}
}

// formatsKey is the annotation with the formats that a command offers.
const formatsKey = "formats"

// formatAnnotations returns the annotations of a command with output formats; the first is the default. The
// root command checks --format before the command runs.
func formatAnnotations(names ...string) map[string]string {
	return map[string]string{formatsKey: strings.Join(names, " ")}
}

// usageIf marks an error of type E as a usage error.
func usageIf[E error](err error) error {
	var wrong E
	if errors.As(err, &wrong) {
		return app.MarkUsage(err)
	}
	return err
}
