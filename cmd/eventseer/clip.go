package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/eventseer/eventseer/classify/active"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/exchange/show"
	"github.com/eventseer/eventseer/eventseer/publish"
	"github.com/eventseer/eventseer/eventseer/publish/account"
	"github.com/eventseer/eventseer/internal/text"

	"github.com/spf13/cobra"
)

func newClipCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "clip", Short: "Manage keyword lists of readers",
		Example: `  eventseer clip test 'crawling -workshop' --since 90d
  eventseer clip add '"web crawling" OR spiders' --rhythm weekly --mail ann@example.org
  eventseer clip list`,
		Args: usageArgs(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			return app.Usagef("clip needs a command: add, list, test, remove or labels")
		},
	}
	cmd.AddCommand(newClipAddCommand(a), newClipListCommand(a), newClipTestCommand(a), newClipRemoveCommand(a), newClipLabelsCommand(a))
	return cmd
}

// listFlags are the flags of a list.
type listFlags struct {
	exact, synonyms bool
	without         []string
}

func (f *listFlags) add(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.exact, "exact", false, "match words as written, not their other forms")
	cmd.Flags().BoolVar(&f.synonyms, "synonyms", true, "also match words of the same meaning (synonyms); --synonyms=false does not")
	cmd.Flags().StringSliceVar(&f.without, "without", nil, "synonyms to leave out, separated by commas")
}

func (f listFlags) listFor(query string) eventseer.List {
	return eventseer.List{Query: query, Exact: f.exact, Synonyms: f.synonyms, Without: f.without}
}

func newClipAddCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "add QUERY", Short: "Add a keyword list for a reader", Args: usageArgs(cobra.ExactArgs(1)),
		Example: `  eventseer clip add 'web crawling' --rhythm weekly --mail ann@example.org
  eventseer clip add 'topic:"digital libraries" -workshop' --mail ann@example.org --name libraries`,
		Long: `Add a keyword list for a reader, named by an address or, with --user, by the name in the
configured header. QUERY is in the language of eventseer find. A new reader gets a mail
that asks for confirmation, and nothing else before it is confirmed. --confirmed means
that the reader has already agreed.`,
	}
	var f listFlags
	f.add(cmd)
	rhythm := cmd.Flags().String("rhythm", string(eventseer.Daily), "how often new calls are mailed: immediate, daily, weekly or quiet")
	address := cmd.Flags().String("mail", "", "address of the reader")
	user := cmd.Flags().String("user", "", "name of the reader in the configured header")
	name := cmd.Flags().String("name", "", "name of the list (default the query)")
	confirmed := cmd.Flags().Bool("confirmed", false, "the reader has already agreed: send no confirmation mail")
	cmd.RunE = func(cmd *cobra.Command, query []string) error {
		if (*address == "") == (*user == "") {
			return app.Usagef("clip add needs --mail ADDRESS or --user NAME")
		}
		l := f.listFor(query[0])
		l.Name, l.Rhythm = *name, eventseer.Rhythm(*rhythm)
		return usageIf[*eventseer.InputError](clipAdd(cmd.Context(), a, l, *address, *user, *confirmed))
	}
	return cmd
}

func clipAdd(ctx context.Context, a *app.App, l eventseer.List, address, user string, confirmed bool) error {
	s, err := openReaders(ctx, a, nil)
	if err != nil {
		return err
	}
	var reader eventseer.Account
	switch {
	case user != "":
		reader, err = s.AccountOf(ctx, user)
	case confirmed:
		reader, err = s.MakeUser(ctx, address)
	default:
		var known account.User
		known, err = s.Find(ctx, address)
		if errors.Is(err, eventseer.ErrNotFound) {
			if err := s.RequestSignIn(ctx, "operator", address, l); err != nil {
				return err
			}
			a.Logf("%s is a new address: the list begins when its owner opens the link that `eventseer publish` or `eventseer serve` mails to it", address)
			return nil
		}
		reader = known.Account
	}
	if err != nil {
		return err
	}
	l.Account = reader.ID
	if l, err = s.SaveList(ctx, l); err != nil {
		return err
	}
	return a.Printf("%s\n", l.ID)
}

func newClipListCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "list", Short: "List keyword lists", Args: usageArgs(cobra.NoArgs), Annotations: formatAnnotations("table", "jsonl", "json"),
		Example: "  eventseer clip list\n  eventseer clip list --mail ann@example.org --format jsonl",
	}
	address := cmd.Flags().String("mail", "", "only lists of this address")
	user := cmd.Flags().String("user", "", "only lists of this user")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		s, err := openReadersFile(cmd.Context(), a)
		if err != nil {
			return err
		}
		users, err := usersNamed(cmd.Context(), s, *address+*user)
		if err != nil {
			return err
		}
		lists := []listRow{}
		for _, u := range users {
			for _, l := range u.Lists {
				lists = append(lists, listRow{l, readerName(u)})
			}
		}
		return listTable.Print(a, lists)
	}
	return cmd
}

// usersNamed returns one reader, or all if name is "".
func usersNamed(ctx context.Context, s *publish.Service, name string) ([]account.User, error) {
	if name == "" {
		return s.Users(ctx)
	}
	u, err := readerNamed(ctx, s, name)
	return []account.User{u}, err
}

// readerNamed returns the reader with an address, a user's name or an account ID.
func readerNamed(ctx context.Context, s *publish.Service, name string) (account.User, error) {
	u, err := s.Find(ctx, name)
	if errors.Is(err, eventseer.ErrNotFound) {
		err = fmt.Errorf("there is no reader %q; `eventseer user list` lists them", name)
	}
	return u, err
}

// openReader opens the database of readers and returns the reader with a name.
func openReader(ctx context.Context, a *app.App, name string) (*publish.Service, account.User, error) {
	s, err := openReadersFile(ctx, a)
	if err != nil {
		return nil, account.User{}, err
	}
	u, err := readerNamed(ctx, s, name)
	return s, u, err
}

// A listRow is a keyword list with its reader, shown in the table only.
type listRow struct {
	eventseer.List
	reader string
}

var listTable = app.Table[listRow]{
	Head: "LIST\tREADER\tRHYTHM\tNAME\tQUERY",
	Line: func(l listRow) string {
		return fmt.Sprintf("%s\t%s\t%s\t%s\t%s", l.ID, l.reader, l.Rhythm, text.Printable(l.Name), text.Printable(l.Query))
	},
}

func readerName(u account.User) string {
	if u.Address != "" {
		return text.Printable(u.Address)
	}
	return text.Printable(u.User)
}

func newClipRemoveCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use: "remove LIST", Short: "Remove a keyword list and its items", Args: usageArgs(cobra.ExactArgs(1)),
		Example: "  eventseer clip remove 4f1d2c3b5a697887",
		RunE: func(cmd *cobra.Command, given []string) error {
			s, err := openReadersFile(cmd.Context(), a)
			if err != nil {
				return err
			}
			l, err := listNamed(cmd.Context(), s, given[0])
			if errors.Is(err, eventseer.ErrNotFound) {
				return fmt.Errorf("there is no list %q; `eventseer clip list` lists them", given[0])
			}
			if err != nil {
				return err
			}
			a.Logf("%q is removed", l.Name)
			err = s.RemoveList(cmd.Context(), l.Account, l.ID)
			return errors.Join(err, s.RecordAction(cmd.Context(), account.Entry{At: a.Now(), Who: "operator", Action: "remove list", Subject: l.ID}))
		},
	}
}

// listNamed returns the list with an ID.
func listNamed(ctx context.Context, s *publish.Service, id string) (eventseer.List, error) {
	users, err := s.Users(ctx)
	if err != nil {
		return eventseer.List{}, err
	}
	for _, u := range users {
		for _, l := range u.Lists {
			if l.ID == id {
				return l, nil
			}
		}
	}
	return eventseer.List{}, eventseer.ErrNotFound
}

func newClipTestCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "test QUERY|LIST", Short: "Show which calls a keyword list would have found", Args: usageArgs(cobra.ExactArgs(1)), Annotations: formatAnnotations("table", "json"),
		Example: `  eventseer clip test 'crawling -workshop' --since 90d
  eventseer clip test 'web crawler' --synonyms=false
  eventseer clip test 4f1d2c3b5a697887          # a list of clip list`,
		Long: `Show which calls a query, or a list of clip list, would have found: the newest 20 calls
with the passage that holds the words, marked [so], the reason for each match, and the
number of calls a week. Nothing is sent or stored.`,
	}
	var f listFlags
	f.add(cmd)
	since := app.Duration(publish.PreviewDays * 24 * time.Hour)
	cmd.Flags().Var(&since, "since", "how far to look back")
	cmd.RunE = func(cmd *cobra.Command, given []string) error {
		return usageIf[*eventseer.InputError](clipTest(cmd.Context(), a, f.listFor(given[0]), time.Duration(since)))
	}
	return cmd
}

func clipTest(ctx context.Context, a *app.App, l eventseer.List, since time.Duration) error {
	s, err := openReaders(ctx, a, nil)
	if err != nil {
		return err
	}
	if kept, err := listNamed(ctx, s, l.Query); err == nil {
		l = kept
	} else if !errors.Is(err, eventseer.ErrNotFound) {
		return err
	}
	p, err := s.PreviewSince(ctx, l, a.Now().Add(-since))
	if err != nil {
		return err
	}
	return a.PrintRecord(p, func(w io.Writer) error { return show.WritePreview(w, p) })
}

func newClipLabelsCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use: "labels", Short: "Write readers' votes as a labels file", Args: usageArgs(cobra.NoArgs),
		Example: "  eventseer clip labels -o votes.tsv && eventseer train --labels votes.tsv INPUT",
		Long: `Write the votes of readers on calls as a labels file, one page per line, for training.
A page with more votes for than against is a call. Pages with as many votes for as
against are left out. No reader is named.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := openReadersFile(cmd.Context(), a)
			if err != nil {
				return err
			}
			lines, err := voteLabels(cmd.Context(), s)
			if err != nil {
				return err
			}
			return a.Printf("%s", lines)
		},
	}
}

// voteLabels returns a labels file in the order of the pages' URLs.
func voteLabels(ctx context.Context, s *publish.Service) (string, error) {
	votes, err := s.Votes(ctx)
	if err != nil {
		return "", err
	}
	sum := map[string]int{}
	for _, v := range votes {
		if v.URL != "" && active.IsField(v.URL) {
			sum[v.URL] += v.Useful
		}
	}
	return labelLines(sum, "readers"), nil
}

// labelLines returns a labels file: pages above 0 are calls, those below are not. source is its
// origin.
func labelLines(sum map[string]int, source string) string {
	var lines []string
	for url, n := range sum {
		if n == 0 || !active.IsField(url) {
			continue
		}
		label := map[string]string{"url": url, "page_type": "other", "is_cfp": strconv.FormatBool(n > 0), "how": "vote", "source": source}
		if n > 0 {
			label["page_type"] = "cfp"
		}
		var fields []string
		for _, column := range active.Columns {
			fields = append(fields, label[column])
		}
		lines = append(lines, strings.Join(fields, "\t"))
	}
	slices.Sort(lines)
	return strings.Join(append([]string{strings.Join(active.Columns, "\t")}, lines...), "\n") + "\n"
}
