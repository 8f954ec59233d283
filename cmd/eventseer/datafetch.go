package main

import (
	"cmp"
	"fmt"
	"io"
	"net/http"
	"strings"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/cmd/eventseer/internal/engine"
	"eventseer/crawler/fetch"
	"eventseer/datasets/public"

	"github.com/spf13/cobra"
)

func newDataFetchCommand(a *app.App) *cobra.Command {
	var sum string
	cmd := &cobra.Command{
		Use: "fetch NAME|URL -o DIR", Short: "Download a public dataset and check it",
		Example: `  eventseer data fetch                                        # the sets known by name
  eventseer data fetch 20newsgroups -o data
  eventseer data fetch https://example.org/set.csv.gz --sha256 9f86d081884c7d659a2feaa0c55ad015… -o data`,
		Long: `Download a public dataset and check it.

The file appears in DIR once it is whole and its SHA-256 is right. Sets whose
publishers give no checksum, and URLs, need --sha256. Downloads name the program
and --contact, without which there are none; zip files are unpacked by unzip.`,
		Args: args(cobra.MaximumNArgs(1)),
	}
	cmd.Flags().StringVar(&sum, "sha256", "", "the SHA-256 the file must have, 64 hexadecimal digits")
	app.AddConfigFlags(cmd, "allow-private")
	cmd.RunE = func(cmd *cobra.Command, names []string) error {
		if len(names) == 0 {
			return a.WithOutput(writePublicSets)
		}
		set, err := public.Find(names[0], strings.ToLower(sum))
		if err != nil {
			return err
		}
		if a.Config.Output == "-" {
			return app.Usagef("-o DIR is needed: the folder the file is put into")
		}
		client := func() (*http.Client, error) {
			return fetch.NewClient(fetch.Options{UserAgent: engine.UserAgent(), Contact: a.Config.Contact, AllowPrivate: a.Config.AllowPrivate})
		}
		return public.Fetch(cmd.Context(), client, set, a.Config.Output, a.Logf)
	}
	return cmd
}

func writePublicSets(w io.Writer) error {
	tw := app.NewTabWriter(w)
	for _, s := range public.Sets {
		fmt.Fprintf(tw, "%s\t%s\t%s\n\t%s\t\n", s.Name, s.What, cmp.Or(s.SHA256, "needs --sha256"), s.URL)
	}
	return tw.Flush()
}
