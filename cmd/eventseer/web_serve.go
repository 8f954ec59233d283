package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/cmd/eventseer/internal/engine"
	"eventseer/datasets/simweb"
	"eventseer/internal/atomicfile"

	"github.com/klauspost/compress/gzip"
	"github.com/spf13/cobra"
)

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
		Use: "serve", Short: "Serve a generated web to crawlers in other processes, and measure how they ask", Args: args(cobra.NoArgs),
		Long: `Serve a generated web until interrupted, for crawlers in other processes: they take
--sim SPEC,at=HOST:PORT. It measures at the server who comes before a host's pause is
over or while another request is under way, who asks for what robots.txt disallows,
and which pages are asked for again. --report is written every few seconds; at the
end it also says which pages could be reached from the web's own seeds and were not
fetched.`,
		Example: `  eventseer web serve --sim hosts=1000,pages=20000,seed=7 --host-delay 50ms --report report.json`,
		RunE:    func(cmd *cobra.Command, _ []string) error { return webServe(cmd.Context(), a, f) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.sim, "sim", "hosts=1000,pages=20000,seed=1", "the web: hosts=N,pages=N,seed=N, and latency=1 for hosts that take their time")
	flags.StringVar(&f.listen, "listen", "127.0.0.1:9000", "address for all hosts of the web")
	flags.Var(&f.delay, "host-delay", "pause that a host wants between two requests; 0 wants none")
	flags.StringVar(&f.report, "report", "", "file for what was measured, in JSON (default standard output, at the end)")
	flags.StringVar(&f.fetched, "fetched", "", "file for the URLs of all pages that were fetched, gzip, written at the end")
	return cmd
}

// reportEvery is how often the report is written.
const reportEvery = 2 * time.Second

// compareTime bounds the last report: it looks at every page.
const compareTime = 30 * time.Minute

func webServe(ctx context.Context, a *app.App, f webServeFlags) error {
	o, at, err := engine.LargeSpec(f.sim)
	if err != nil {
		return err
	}
	if at != "" {
		return app.Usagef("--sim %s: at=%s is for who crawls; --listen says where this web is served", f.sim, at)
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
		engine.Rest(ctx, reportEvery)
		if f.report != "" {
			if err := atomicfile.WriteJSON(f.report, meter.Report()); err != nil {
				a.Logger().Warn("the report is not written", "err", err)
			}
		}
	}
	if err := server.Close(); err != nil {
		return err
	}
	return webServed(context.WithoutCancel(ctx), a, f, large, meter)
}

// webServed writes what was measured.
func webServed(ctx context.Context, a *app.App, f webServeFlags, large *simweb.Large, meter *simweb.Meter) error {
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
