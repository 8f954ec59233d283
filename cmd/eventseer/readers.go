package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/engine"
	"github.com/eventseer/eventseer/eventseer/publish"
	"github.com/eventseer/eventseer/eventseer/publish/account"
	"github.com/eventseer/eventseer/eventseer/publish/message"
	"github.com/eventseer/eventseer/internal/bolt"
	"github.com/eventseer/eventseer/internal/text"

	"github.com/spf13/cobra"
)

func newPublishCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "publish", Short: "Send readers what is new: match lists, make digests, send mails",
		Example: `  eventseer publish --dry-run                # write the mails that would go into publish.mbox
  eventseer publish --dry-run=/tmp/now.mbox
  eventseer publish                          # send them`,
		Long: `Match what is new in the store with all keyword lists, make the digests that are due
and send the waiting mails, once; a running serve does so all the time. Without a mail
server (smtp-server) nothing is sent: items are stored and mails wait.

With --dry-run the mails go into an mbox and everything else is rolled back: no reader is
notified, and nothing is marked as sent. The links in these mails do not work.

Exit code 3 means that some mails wait to be tried again.`,
		Args: usageArgs(cobra.NoArgs),
	}
	dry := cmd.Flags().String("dry-run", "", "write the mails to this mbox instead of sending them")
	cmd.Flags().Lookup("dry-run").NoOptDefVal = "publish.mbox"
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if *dry != "" {
			return notifyReadersDryRun(cmd.Context(), a, *dry)
		}
		return notifyReaders(cmd.Context(), a)
	}
	return cmd
}

// openReaders opens readers and their lists with the store. Without m nothing is sent.
func openReaders(ctx context.Context, a *app.App, m message.Mailer) (*publish.Service, error) {
	st, index, err := engine.OpenEvents(ctx, a)
	if err != nil {
		return nil, err
	}
	o, err := engine.ReaderOptions(a)
	if err != nil {
		return nil, err
	}
	o.Store, o.Index, o.Series, o.Mailer = st, index, st, m
	if o.Dictionary, err = app.OpenConfiguredDictionary(a); err != nil {
		return nil, err
	}
	return openReadersWith(ctx, a, o)
}

// openReadersFile opens only the readers and their lists, to show or change them; the file must
// exist.
func openReadersFile(ctx context.Context, a *app.App) (*publish.Service, error) {
	if _, err := app.DataDir(a); err != nil {
		return nil, err
	}
	o, err := engine.ReaderOptions(a)
	if err != nil {
		return nil, err
	}
	o.MustExist = true
	return openReadersWith(ctx, a, o)
}

func openReadersWith(ctx context.Context, a *app.App, o publish.Options) (*publish.Service, error) {
	s, err := engine.Open(a, a.Config.Data, a.Open.Readers, func() (*publish.Service, error) { return publish.Open(ctx, o) })
	if errors.Is(err, bolt.ErrMissing) {
		err = fmt.Errorf("%w: there are no readers yet; `eventseer clip add QUERY --mail ADDRESS` and sign-ups at `eventseer serve` create the database", err)
	}
	if errors.Is(err, bolt.ErrLocked) {
		err = fmt.Errorf("%w; a running serve shows its readers at /admin/readers", err)
	}
	return s, err
}

func notifyReaders(ctx context.Context, a *app.App) error {
	if a.Open.Readers != nil {
		return fmt.Errorf("%w; a running serve sends the mails itself, --dry-run shows those that wait", bolt.ErrLocked)
	}
	var m message.Mailer
	if engine.SendsMail(a) {
		var err error
		if m, err = engine.NewMailer(a, ""); err != nil {
			return err
		}
	}
	s, err := openReaders(ctx, a, m)
	if err != nil {
		return err
	}
	d, err := s.Publish(ctx)
	if err != nil {
		return err
	}
	if err := writePublished(a, d, "sent"); err != nil {
		return err
	}
	switch {
	case d.Waiting > 0 && m == nil:
		a.Logf("no smtp-server is set, so %s", text.Count(d.Waiting, "mail waits", "mails wait"))
	case d.Waiting > 0:
		return fmt.Errorf("%w: %s to be tried again; --verbose shows why", app.ErrPartly, text.Count(d.Waiting, "mail waits", "mails wait"))
	}
	return nil
}

func notifyReadersDryRun(ctx context.Context, a *app.App, path string) error {
	s, err := openReaders(ctx, a, nil)
	if err != nil {
		return err
	}
	box, err := engine.NewMailer(a, path)
	if err != nil {
		return err
	}
	d, err := s.DryRun(ctx, box)
	if err != nil {
		return errors.Join(err, writePublished(a, d, "in "+path))
	}
	return writePublished(a, d, "in "+path)
}

// writePublished prints the results of a pass.
func writePublished(a *app.App, d publish.PassCounts, where string) error {
	return a.Printf("%s read, %s found, %s made, %s %s\n", text.Count(d.Changes, "change", "changes"), text.Count(d.Items, "item", "items"),
		text.Count(d.Digests, "digest", "digests"), text.Count(d.Sent, "mail", "mails"), text.Printable(where))
}

func newUserCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "user", Short: "Manage readers: list, export, forget",
		Example: `  eventseer user list
  eventseer user export ann@example.org
  eventseer user forget ann@example.org`,
		Args: usageArgs(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			return app.Usagef("user needs a command: list, forget or export")
		},
	}
	cmd.AddCommand(newUserListCommand(a), newUserForgetCommand(a), newUserExportCommand(a))
	return cmd
}

func newUserListCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List readers", Args: usageArgs(cobra.NoArgs), Annotations: formatAnnotations("table", "jsonl", "json"),
		Example: "  eventseer user list\n  eventseer user list --format jsonl",
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := openReadersFile(cmd.Context(), a)
			if err != nil {
				return err
			}
			users, err := s.Users(cmd.Context())
			if err != nil {
				return err
			}
			return userTable(a.Now()).Print(a, append([]account.User{}, users...))
		},
	}
}

// userTable returns the output format of user list.
func userTable(now time.Time) app.Table[account.User] {
	return app.Table[account.User]{Head: "ACCOUNT\tREADER\tSINCE\tLISTS\tSTARS\tPENDING\tSTATE", Line: func(u account.User) string {
		return fmt.Sprintf("%s\t%s\t%s\t%d\t%d\t%d\t%s", u.ID, readerName(u), u.Created.UTC().Format("2006-01-02"),
			len(u.Lists), len(u.Stars), u.Pending, mailStateOf(u, now))
	}}
}

// mailStateOf returns whether a reader receives mail, and if not, why.
func mailStateOf(u account.User, now time.Time) string {
	switch {
	case u.Refused != "":
		return "no mail: " + text.OneLine(u.Refused, 80)
	case !u.Left.IsZero():
		return "left all lists on " + u.Left.UTC().Format("2006-01-02")
	case u.Paused.After(now):
		return "paused until " + u.Paused.UTC().Format("2006-01-02")
	case u.Address == "":
		return "has no address"
	}
	return "gets mail"
}

func newUserForgetCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use: "forget NAME", Short: "Remove a reader and all their data", Args: usageArgs(cobra.ExactArgs(1)),
		Example: "  eventseer user forget ann@example.org",
		Long: `Remove a reader, named by address, user name or account, with lists, items, digests,
votes and waiting mails. It cannot be undone. Earlier backups still have them.`,
		RunE: func(cmd *cobra.Command, given []string) error {
			s, u, err := openReader(cmd.Context(), a, given[0])
			if err != nil {
				return err
			}
			if err := s.DeleteAccount(cmd.Context(), u.ID); err != nil {
				return err
			}
			a.Logf("%s is removed", readerName(u))
			return nil
		},
	}
}

func newUserExportCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use: "export NAME", Short: "Export all data of a reader as JSON", Args: usageArgs(cobra.ExactArgs(1)),
		Example: "  eventseer user export ann@example.org -o ann.json",
		RunE: func(cmd *cobra.Command, given []string) error {
			s, u, err := openReader(cmd.Context(), a, given[0])
			if err != nil {
				return err
			}
			x, err := s.Export(cmd.Context(), u.ID)
			if err != nil {
				return err
			}
			return a.WithOutput(func(w io.Writer) error { return app.WriteJSON(w, x) })
		},
	}
}
