package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/engine"
	"github.com/eventseer/eventseer/crawler/replay/freeze"
	"github.com/eventseer/eventseer/crawler/rundir"
	"github.com/eventseer/eventseer/datasets/simweb"
	"github.com/eventseer/eventseer/internal/atomicfile"
	"github.com/eventseer/eventseer/internal/warc"

	"github.com/klauspost/compress/gzip"
	"github.com/spf13/cobra"
)

func newWebCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "web", Short: "Freeze recorded crawls, split and index web archives, serve generated webs",
		Example: "  eventseer web freeze runs/a -o frozen/web.warc.gz\n  eventseer web index recording-*.warc.gz\n  eventseer web serve --sim hosts=1000,pages=20000,seed=7",
	}
	cmd.AddCommand(newWebFreezeCommand(a), newWebIndexCommand(a), newWebSplitCommand(a), newWebServeCommand(a))
	return cmd
}

func newWebIndexCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use: "index WARC…", Short: "Write the CDXJ index of web archives", Args: usageArgs(cobra.MinimumNArgs(1)),
		Long: "Write the CDXJ index of each WARC beside it, so that --replay opens it without reading the WARC;\nwith -o write one sorted index of all.",
		Example: "  eventseer web index web.warc.gz                  # writes web.warc.gz.cdxj\n" +
			"  eventseer web index -o all.cdxj rec-*.warc.gz",
		RunE: func(_ *cobra.Command, paths []string) error { return webIndex(a, paths) },
	}
}

func webIndex(a *app.App, paths []string) error {
	var all []*warc.BadRecord
	if a.Config.Output != "-" {
		err := a.WithOutput(func(w io.Writer) (err error) {
			all, err = warc.WriteCDXJ(w, paths...)
			return err
		})
		if err != nil {
			return err
		}
	} else {
		for _, path := range paths {
			bad, err := warc.WriteIndex(path)
			if err != nil {
				return err
			}
			all = append(all, bad...)
		}
	}
	for _, bad := range all {
		a.Logf("%v: left out", bad)
	}
	if len(all) > 0 {
		return fmt.Errorf("%w: %d places have no readable record, first: %w", app.ErrPartly, len(all), all[0])
	}
	return nil
}

func newWebFreezeCommand(a *app.App) *cobra.Command {
	var recordings []string
	cmd := &cobra.Command{
		Use: "freeze RUN -o WARC", Short: "Make a frozen web of a recorded crawl", Args: usageArgs(cobra.ExactArgs(1)),
		Long: "Make a frozen web from a crawl that ran with --record: one WARC with one response for each recorded URL,\nthe latest, and beside it " +
			freeze.LinksFile + " (for --backlinks), " + freeze.NodesFile + " and " + freeze.HostsFile + ".\nThe same recording gives the same bytes. Types and calls in " + freeze.NodesFile +
			" are the judgements of the crawl, not truth.",
		Example: "  eventseer crawl --seeds known.txt --record rec.warc.gz --run runs/a\n" +
			"  eventseer web freeze runs/a -o frozen/web.warc.gz\n" +
			"  eventseer crawl --replay frozen/web.warc.gz --backlinks frozen/links.tsv.gz --seeds known.txt",
		RunE: func(cmd *cobra.Command, arg []string) error { return webFreeze(cmd.Context(), a, arg[0], recordings) },
	}
	cmd.Flags().StringSliceVar(&recordings, "record", nil, "recording, if it is no longer where the crawl wrote it: files, or the name that --record was given")
	return cmd
}

func webFreeze(ctx context.Context, a *app.App, run string, recordings []string) error {
	out := a.Config.Output
	if out == "-" || !strings.HasSuffix(out, ".warc.gz") {
		return app.Usagef("web freeze needs -o NAME.warc.gz")
	}
	dir := filepath.Dir(out)
	for _, path := range []string{out, filepath.Join(dir, freeze.LinksFile), filepath.Join(dir, freeze.NodesFile), filepath.Join(dir, freeze.HostsFile)} {
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			return app.Usagef("%s exists already; freeze into a folder of its own", path)
		}
	}
	files, err := recordingOf(run, recordings)
	if err != nil {
		return err
	}
	judged, err := rundir.JudgedPages(run)
	if err != nil {
		return err
	}
	meter := app.NewCounter(a, "reading", "answers", 0)
	step := func() error {
		meter.Add(0, 1)
		return ctx.Err()
	}
	f, err := freeze.Open(files, judged, freeze.Hooks{Log: a.Logf, Step: step})
	meter.RemoveBar()
	if err != nil {
		return err
	}
	a.OnClose(f.Close)
	meter = app.NewCounter(a, "writing", "answers", freeze.Passes*f.Len())
	defer func() { meter.RemoveBar() }()
	if err := f.WriteTo(out, engine.UserAgent()); err != nil {
		return err
	}
	a.Logf("wrote %s: the responses of %d URLs; next to it %s, %s and %s", out, f.Len(), freeze.LinksFile, freeze.NodesFile, freeze.HostsFile)
	return nil
}

// recordingOf returns the files that a run was recorded to, in order.
func recordingOf(run string, recordings []string) ([]string, error) {
	if len(recordings) == 0 {
		r, err := engine.ReadRun(run)
		if err != nil {
			return nil, err
		}
		if recordings = r.Record; len(recordings) == 0 {
			return nil, app.Usagef("the crawl of %s was not recorded; crawl with --record, or name the recording with --record", run)
		}
	}
	files, err := engine.RecordedFiles(recordings)
	if err != nil {
		return nil, fmt.Errorf("the recording is not there; if it was moved, name it with --record: %w", err)
	}
	return files, nil
}

// webServeFlags are the flags of `web serve`.
type webServeFlags struct {
	sim     string
	listen  string
	delay   app.Duration
	report  string
	fetched string
}

func newWebServeCommand(a *app.App) *cobra.Command {
	f := webServeFlags{}
	cmd := &cobra.Command{
		Use: "serve", Short: "Serve a generated web to crawlers in other processes, and measure their politeness", Args: usageArgs(cobra.NoArgs),
		Long: `Serve a generated web until interrupted, for crawlers in other processes that run with
--sim SPEC,at=HOST:PORT. The server measures requests before a host's delay is over or
while another request is under way, requests that robots.txt disallows, and repeated
requests. --report is written every few seconds; at the end it also lists the pages that
could be reached from the web's own seeds and were not fetched.`,
		Example: `  eventseer web serve --sim hosts=1000,pages=20000,seed=7 --host-delay 50ms --report report.json`,
		RunE:    func(cmd *cobra.Command, _ []string) error { return webServe(cmd.Context(), a, f) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.sim, "sim", "hosts=1000,pages=20000,seed=1", "the web: hosts=N,pages=N,seed=N, targets=1e-4 for rare calls, and latency=1 for slow hosts")
	flags.StringVar(&f.listen, "listen", "127.0.0.1:9000", "address for all hosts of the web")
	flags.Var(&f.delay, "host-delay", "minimum delay between two requests that each host demands; 0 is none")
	flags.StringVar(&f.report, "report", "", "file for the measurements, in JSON (default standard output, at the end)")
	flags.StringVar(&f.fetched, "fetched", "", "gzip file for the URLs of all fetched pages, written at the end")
	return cmd
}

// reportEvery is how often the report is written.
const reportEvery = 2 * time.Second

// compareTime bounds the time of the last report, which examines every page.
const compareTime = 30 * time.Minute

func webServe(ctx context.Context, a *app.App, f webServeFlags) error {
	o, at, err := engine.ParseLargeWeb(f.sim)
	if err != nil {
		return err
	}
	if at != "" {
		return app.Usagef("--sim %s: at=%s is for crawlers; --listen sets the address of this web", f.sim, at)
	}
	o.Now = a.Now().UTC().Truncate(24 * time.Hour)
	large, err := simweb.NewLarge(o)
	if err != nil {
		return err
	}
	meter := simweb.NewMeter(large, simweb.MeterOptions{Delay: time.Duration(f.delay)})
	server, err := engine.ServeHandler(f.listen, meter)
	if err != nil {
		return fmt.Errorf("serve the generated web: %w", err)
	}
	a.Logf("serving %d pages of %d hosts at %s; crawl them with --sim %s,at=%s", o.Pages, o.Hosts, server.Addr, f.sim, server.Addr)
	for ctx.Err() == nil {
		engine.Wait(ctx, reportEvery)
		if f.report != "" {
			if err := atomicfile.WriteJSON(f.report, meter.Report()); err != nil {
				a.Logger().Warn("the report is not written", "err", err)
			}
		}
	}
	if err := server.Close(); err != nil {
		return err
	}
	return printWebMeasurements(context.WithoutCancel(ctx), a, f, large, meter)
}

// printWebMeasurements prints the measurements.
func printWebMeasurements(ctx context.Context, a *app.App, f webServeFlags, large *simweb.Large, meter *simweb.Meter) error {
	ctx, cancel := context.WithTimeout(ctx, compareTime)
	defer cancel()
	report, err := meter.Compare(ctx, large.Seeds())
	if err != nil {
		return err
	}
	if f.fetched != "" {
		if err := writeFetched(f.fetched, meter); err != nil {
			return err
		}
	}
	if f.report != "" {
		return atomicfile.WriteJSON(f.report, report)
	}
	encoder := json.NewEncoder(a.Stdout)
	encoder.SetIndent("", "  ")
	return encoder.Encode(report)
}

func writeFetched(path string, meter *simweb.Meter) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	z := gzip.NewWriter(file)
	w := bufio.NewWriter(z)
	err = meter.Fetched(func(url string) error {
		_, err := fmt.Fprintln(w, url)
		return err
	})
	return errors.Join(err, w.Flush(), z.Close(), file.Close())
}
