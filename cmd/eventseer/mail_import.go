package main

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"time"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/cmd/eventseer/internal/engine"
	"eventseer/crawler"
	"eventseer/eventseer/mailbox"
	"eventseer/internal/text"
	"eventseer/webgraph"

	"github.com/spf13/cobra"
)

func newMailImportCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use: "import INPUT…", Short: "Read the calls of mailboxes and list archives into the store",
		Example: `  eventseer mail import list.mbox old.mbox.gz        # mailboxes
  eventseer mail import ~/Maildir                    # a maildir, or a directory of mails
  eventseer mail import 2027-January.txt.gz          # a month of a Mailman archive
  eventseer mail import archive/ --format jsonl      # saved pages of a list's archive
  eventseer mail import call.eml`,
		Long: `Read messages and merge the calls among them into the store of --data. INPUT is
an mbox, a maildir, an .eml file, a page that an archive of a list shows (Pipermail,
Hypermail, MHonArc, DBWorld), a directory of these, or "-"; of an archive on the web
the URL of a message, or of a list of them, which are then fetched one by one. Done again, or resumed
after an interruption, it changes nothing. Nothing is changed in the mailboxes.

` + mailHelp + `
A message that cannot be read does not stop the others; exit 3 says that there
was one.`,
		Args: args(cobra.MinimumNArgs(1)), Annotations: formats("table", "jsonl"),
		RunE: func(cmd *cobra.Command, inputs []string) error { return mailImport(cmd.Context(), a, inputs) },
	}
}

func mailImport(ctx context.Context, a *app.App, inputs []string) error {
	run, err := newMailRun(ctx, a)
	if err != nil {
		return err
	}
	return run.write(ctx, func() error {
		for page, err := range mailPages(ctx, a, inputs) {
			if err := run.takePage(ctx, page, err); err != nil {
				return err
			}
		}
		return nil
	})
}

// mailPages yields the pages of all INPUT arguments, and in place of the index of
// an archive on the web the messages that it lists.
func mailPages(ctx context.Context, a *app.App, inputs []string) iter.Seq2[*webgraph.Page, error] {
	return func(yield func(*webgraph.Page, error) bool) {
		for _, input := range inputs {
			live := strings.HasPrefix(input, "http://") || strings.HasPrefix(input, "https://")
			for page, err := range engine.PagesOfInputs(ctx, a, []string{input}, "") {
				found := engine.One(page, err)
				var listed []string
				if err == nil {
					listed = mailbox.ArchiveIndex(page)
				}
				switch {
				case len(listed) > 0 && live:
					a.Logf("%s lists %s", page.URL, text.Count(len(listed), "message", "messages"))
					found = fetchListed(ctx, a, listed)
				case len(listed) > 0:
					continue
				}
				for message, err := range found {
					if !yield(message, err) {
						return
					}
				}
			}
		}
	}
}

// fetchListed brings pages of the web one by one, as slowly as a crawl.
func fetchListed(ctx context.Context, a *app.App, urls []string) iter.Seq2[*webgraph.Page, error] {
	return func(yield func(*webgraph.Page, error) bool) {
		live, err := engine.LiveFetcher(a, nil)
		if err != nil {
			yield(&webgraph.Page{}, err)
			return
		}
		paced := engine.NewPaced(a, live, time.Duration(a.Config.HostDelay))
		for _, url := range urls {
			page, err := paced.Fetch(ctx, crawler.Request{URL: url})
			if err != nil {
				page = &webgraph.Page{URL: url}
			} else if page.Status/100 != 2 {
				err = fmt.Errorf("%s answered with status %d", url, page.Status)
			}
			if !yield(page, err) || ctx.Err() != nil {
				return
			}
		}
	}
}
