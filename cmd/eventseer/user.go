package main

import (
	"fmt"
	"io"
	"time"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/eventseer/publish/account"
	"eventseer/internal/text"

	"github.com/spf13/cobra"
)

func newUserCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "user", Short: "Readers: list, forget, export",
		Example: `  eventseer user list
  eventseer user export ann@example.org
  eventseer user forget ann@example.org`,
		Args: args(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error { return app.Usagef("user needs a verb: list, forget or export") },
	}
	cmd.AddCommand(newUserListCommand(a), newUserForgetCommand(a), newUserExportCommand(a))
	return cmd
}

func newUserListCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List readers", Args: args(cobra.NoArgs), Annotations: formats("table", "jsonl", "json"),
		Example: "  eventseer user list\n  eventseer user list --format jsonl",
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := openClipsFile(cmd.Context(), a)
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

// userTable is the result of user list.
func userTable(now time.Time) app.Table[account.User] {
	return app.Table[account.User]{Head: "ACCOUNT\tREADER\tSINCE\tLISTS\tSTARS\tPENDING\tSTATE", Line: func(u account.User) string {
		return fmt.Sprintf("%s\t%s\t%s\t%d\t%d\t%d\t%s", u.ID, readerName(u), u.Created.UTC().Format("2006-01-02"),
			len(u.Lists), len(u.Stars), u.Pending, stateOf(u, now))
	}}
}

// stateOf says whether a reader gets mail, and if not, why.
func stateOf(u account.User, now time.Time) string {
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
		Use: "forget NAME", Short: "Remove a reader with all that is kept of them", Args: args(cobra.ExactArgs(1)),
		Example: "  eventseer user forget ann@example.org",
		Long: `Remove a reader, named by address, user name or account, with lists, finds, digests,
votes and waiting mails. It cannot be undone. Backups made before still have them.`,
		RunE: func(cmd *cobra.Command, given []string) error {
			s, u, err := openReader(cmd.Context(), a, given[0])
			if err != nil {
				return err
			}
			if err := s.Forget(cmd.Context(), u.ID); err != nil {
				return err
			}
			a.Logf("%s is forgotten", readerName(u))
			return nil
		},
	}
}

func newUserExportCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use: "export NAME", Short: "Write all that is kept of a reader as JSON", Args: args(cobra.ExactArgs(1)),
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
