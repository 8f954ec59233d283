package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/cmd/eventseer/internal/engine"
	"eventseer/crawler/replay/freeze"
	"eventseer/crawler/rundir"

	"github.com/spf13/cobra"
)

func newWebFreezeCommand(a *app.App) *cobra.Command {
	var recordings []string
	cmd := &cobra.Command{
		Use: "freeze RUN -o WARC", Short: "Make a frozen web of a recorded crawl", Args: args(cobra.ExactArgs(1)),
		Long: "Make a frozen web of a crawl that ran with --record: one WARC with one answer for each recorded URL,\nthe latest, and beside it " +
			freeze.LinksFile + " (for --backlinks), " + freeze.NodesFile + " and " + freeze.HostsFile + ".\nThe same recording gives the same bytes. Types and calls in " + freeze.NodesFile +
			" are as the crawl judged them, not truth.",
		Example: "  eventseer crawl --seeds known.txt --record rec.warc.gz --run runs/a\n" +
			"  eventseer web freeze runs/a -o frozen/web.warc.gz\n" +
			"  eventseer crawl --replay frozen/web.warc.gz --backlinks frozen/links.tsv.gz --seeds known.txt",
		RunE: func(_ *cobra.Command, arg []string) error { return webFreeze(a, arg[0], recordings) },
	}
	cmd.Flags().StringSliceVar(&recordings, "record", nil, "the recording, if it is no longer where the crawl wrote it: files, or the name that --record was given")
	return cmd
}

func webFreeze(a *app.App, run string, recordings []string) error {
	out := a.Config.Output
	if out == "-" || !strings.HasSuffix(out, ".warc.gz") {
		return app.Usagef("web freeze needs -o NAME.warc.gz")
	}
	dir := filepath.Dir(out)
	for _, path := range []string{out, filepath.Join(dir, freeze.LinksFile), filepath.Join(dir, freeze.NodesFile), filepath.Join(dir, freeze.HostsFile)} {
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			return app.Usagef("%s is there already; freeze into a folder of its own", path)
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
	f, err := freeze.Open(files, judged, a.Logf)
	if err != nil {
		return err
	}
	a.OnClose(f.Close)
	if err := f.WriteTo(out, engine.UserAgent()); err != nil {
		return err
	}
	a.Logf("wrote %s: the answers of %d URLs; beside it %s, %s and %s", out, f.Len(), freeze.LinksFile, freeze.NodesFile, freeze.HostsFile)
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
