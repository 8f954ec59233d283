package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/cmd/eventseer/internal/engine"
	"eventseer/crawler/replay"
	"eventseer/crawler/rundir"
	"eventseer/internal/warc"

	"github.com/spf13/cobra"
)

// The files beside a frozen WARC, as in the shared corpora.
const (
	frozenLinks = "links.tsv.gz"
	frozenNodes = "nodes.tsv"
	frozenHosts = "hosts.json"
)

// frozenDefaults is the hosts.json of a frozen crawl: what was never recorded is
// not there.
const frozenDefaults = `{
 "default": {"known_host_missing_url": {"status": 404}, "unknown_host": "dns_error"},
 "rules": []
}
`

func newWebFreezeCommand(a *app.App) *cobra.Command {
	var recordings []string
	cmd := &cobra.Command{
		Use: "freeze RUN -o WARC", Short: "Make a frozen web of a recorded crawl", Args: args(cobra.ExactArgs(1)),
		Long: "Make a frozen web of a crawl that ran with --record: one WARC with one answer for each recorded URL,\nthe latest, and beside it " +
			frozenLinks + " (for --backlinks), " + frozenNodes + " and " + frozenHosts + ".\nThe same recording gives the same bytes. Types and calls in " + frozenNodes +
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
	for _, path := range []string{out, filepath.Join(dir, frozenLinks), filepath.Join(dir, frozenNodes), filepath.Join(dir, frozenHosts)} {
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			return app.Usagef("%s is there already; freeze into a folder of its own", path)
		}
	}
	files, err := recordingOf(run, recordings)
	if err != nil {
		return err
	}
	judged, err := judgedPages(run)
	if err != nil {
		return err
	}
	f, err := readRecording(a, files, judged)
	if err != nil {
		return err
	}
	if err := f.writeTo(out); err != nil {
		return err
	}
	a.Logf("wrote %s: the answers of %d URLs; beside it %s, %s and %s", out, len(f.nodes), frozenLinks, frozenNodes, frozenHosts)
	return nil
}

// recordingOf returns the files that a run was recorded to, in order.
func recordingOf(run string, recordings []string) ([]string, error) {
	if len(recordings) == 0 {
		text, err := os.ReadFile(filepath.Join(run, rundir.RunFile))
		if err != nil {
			return nil, err
		}
		var r engine.RunRecord
		if err := json.Unmarshal(text, &r); err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Join(run, rundir.RunFile), err)
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

// judgedPages returns what the crawl said of each page, by URL.
func judgedPages(run string) (map[string]rundir.Page, error) {
	path := filepath.Join(run, rundir.PagesFile)
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // read only: nothing to lose
	pages := map[string]rundir.Page{}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	var broken error // of the last line alone: a crawl that was killed may end in half a line
	for n := 1; lines.Scan(); n++ {
		if broken != nil {
			return nil, broken
		}
		var p rundir.Page
		if err := json.Unmarshal(lines.Bytes(), &p); err != nil {
			broken = fmt.Errorf("%s: line %d: %w", path, n, err)
			continue
		}
		if p.PageType != "" {
			pages[p.URL] = p
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return pages, nil
}

// readRecording finds the URLs that the recording has answers for.
func readRecording(a *app.App, files []string, judged map[string]rundir.Page) (*freezer, error) {
	web, err := replay.Open(files, replay.Options{})
	if err != nil {
		return nil, err
	}
	a.OnClose(web.Close)
	for _, bad := range web.Bad() {
		a.Logf("%v: left out", bad)
	}
	var uris []string
	for _, path := range files {
		r, err := warc.Open(path)
		if err != nil {
			return nil, err
		}
		for r.Scan() {
			if rec, err := r.Record(); err == nil && rec.HoldsPage() {
				uris = append(uris, rec.TargetURI())
			}
		}
		if err := errors.Join(r.Err(), r.Close()); err != nil {
			return nil, err
		}
	}
	slices.Sort(uris)
	return newFreezer(web, slices.Compact(uris), judged, a.Logf)
}
