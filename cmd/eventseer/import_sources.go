package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/cmd/eventseer/internal/engine"
	"eventseer/crawler/monitor"
	"eventseer/eventseer/exchange"
	"eventseer/internal/bolt"
	"eventseer/internal/lines"

	"github.com/spf13/cobra"
)

func newImportOPMLCommand(a *app.App) *cobra.Command {
	var list bool
	cmd := &cobra.Command{
		Use: "opml FILE", Short: "Watch the feeds that a feed reader exported", Args: args(cobra.ExactArgs(1)),
		Example: "  eventseer import opml feeds.opml\n  eventseer import opml feeds.opml --list > seeds.txt     # for crawl --seeds",
		RunE: func(_ *cobra.Command, given []string) error {
			text, err := readInput(a, given[0], exchange.MaxOPML)
			if err != nil {
				return err
			}
			feeds, left, err := exchange.ReadOPML(text)
			if err != nil {
				return fmt.Errorf("%s: %w", given[0], err)
			}
			urls := make([]string, len(feeds))
			for i, f := range feeds {
				urls[i] = f.URL
			}
			return importSources(a, urls, left, monitor.Feed, list)
		},
	}
	addListFlag(cmd, &list)
	return cmd
}

func newImportURLsCommand(a *app.App) *cobra.Command {
	var list bool
	cmd := &cobra.Command{
		Use: "urls FILE", Short: "Watch the pages of a list of URLs, one a line", Args: args(cobra.ExactArgs(1)),
		Example: "  eventseer import urls lists-of-calls.txt\n  eventseer import urls conferences.txt --kind event",
		Long:    "Watch the pages of a list of URLs, one a line; lines that begin with # are comments. - is stdin.",
	}
	kind := cmd.Flags().String("kind", string(monitor.Index), "what the pages are: index (lists calls or events), event, feed or sitemap")
	cmd.RunE = func(_ *cobra.Command, given []string) error {
		text, err := readInput(a, given[0], maxURLFile)
		if err != nil {
			return err
		}
		urls, left := exchange.ReadURLs(string(text))
		return importSources(a, urls, left, monitor.Kind(*kind), list)
	}
	addListFlag(cmd, &list)
	return cmd
}

func addListFlag(cmd *cobra.Command, list *bool) {
	cmd.Flags().BoolVar(list, "list", false, "print the URLs, as crawl --seeds reads them, and watch none")
}

const maxURLFile = 32 << 20 // bytes

// readInput reads a file, or stdin of "-".
func readInput(a *app.App, path string, limit int64) ([]byte, error) {
	if path == "-" {
		return lines.ReadAll(io.NopCloser(a.Stdin), limit)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	text, err := lines.ReadAll(f, limit)
	if err != nil {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return text, err
}

// importSources has URLs watched, or prints them. left were no URLs.
func importSources(a *app.App, urls []string, left int, kind monitor.Kind, list bool) error {
	if len(urls) == 0 {
		return errors.New("there is no http or https URL in it")
	}
	if list {
		err := a.WithOutput(func(w io.Writer) error {
			b := bufio.NewWriter(w)
			for _, u := range urls {
				fmt.Fprintln(b, u)
			}
			return b.Flush()
		})
		if err != nil {
			return err
		}
	} else if more, err := watchAll(a, urls, kind); err != nil {
		return err
	} else {
		left += more
	}
	if left > 0 {
		return fmt.Errorf("%w: %d lines are no http or https URL", app.ErrPartly, left)
	}
	return nil
}

// watchAll makes sources of URLs and returns how many it could not.
func watchAll(a *app.App, urls []string, kind monitor.Kind) (bad int, err error) {
	m, err := engine.OpenMonitor(a, a.Config.Data, false)
	if err != nil {
		return 0, err
	}
	fresh := 0
	var last error
	for _, u := range urls {
		added, err := m.Add(u, kind, monitor.ByOperator)
		switch {
		case errors.Is(err, bolt.ErrLocked), errors.Is(err, bolt.ErrIncompatible):
			return bad, err
		case err != nil:
			a.Logf("%s: %v", u, err)
			bad, last = bad+1, err
		case added:
			fresh++
		}
	}
	if bad == len(urls) {
		return bad, app.Usage(last)
	}
	a.Logf("%d of %d URLs are watched from now on, the others were already", fresh, len(urls))
	return bad, nil
}
