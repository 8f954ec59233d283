package main

import (
	"fmt"
	"io"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/internal/warc"

	"github.com/spf13/cobra"
)

func newWebCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "web", Short: "Freeze recorded crawls, index web archives, serve generated webs",
		Example: "  eventseer web freeze runs/a -o frozen/web.warc.gz\n  eventseer web index recording-*.warc.gz\n  eventseer web serve --sim hosts=1000,pages=20000,seed=7",
	}
	cmd.AddCommand(newWebFreezeCommand(a), newWebIndexCommand(a), newWebServeCommand(a))
	return cmd
}

func newWebIndexCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use: "index WARC…", Short: "Write the CDXJ index of web archives", Args: args(cobra.MinimumNArgs(1)),
		Long: "Write the CDXJ index of each WARC beside it, which --replay then opens without reading the WARC;\nwith -o write one sorted index of all.",
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
		return fmt.Errorf("%w: %d places hold no record that can be read, first: %w", app.ErrPartly, len(all), all[0])
	}
	return nil
}
