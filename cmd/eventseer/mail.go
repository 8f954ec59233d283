package main

import (
	"cmp"
	"context"
	"crypto/x509"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/engine"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/judges"
	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/eventseer/mailbox"
	"github.com/eventseer/eventseer/eventseer/mailbox/taker"
	"github.com/eventseer/eventseer/internal/text"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/spf13/cobra"
)

func newMailCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "mail", Short: "Import calls from mailing lists, and test outgoing mail",
		Example: "  eventseer mail import list.mbox\n  eventseer mail fetch --server mail.example:993 --user ann\n  eventseer mail test ann@home.example",
		Args:    usageArgs(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			return app.Usagef("mail needs a command: import, fetch, test, bounces or dkim")
		},
	}
	cmd.AddCommand(newMailImportCommand(a), newMailFetchCommand(a), newMailTestCommand(a), newMailBouncesCommand(a), newMailDKIMCommand(a))
	return cmd
}

// mailHelp describes how both commands process a message.
const mailHelp = `The messages of a digest and forwarded messages are read one by one. A message that
the shipped models classify as a call, or as another message about one event, is
read into a record and merged into the store: a repeated call is the same event, and
a later deadline replaces the earlier one. Addresses of senders and receivers are not
stored.

stdout has a line for each message that gave an event; with --format jsonl a line
for each message: "result" is call, none or error, "event" its event, "change" new,
merged (it added something) or known, and "fields" the changed fields.`

// mailRun adds messages one by one to the store, and reports each result.
type mailRun struct {
	app   *app.App
	taker *taker.Processor
	out   io.Writer

	engine.Tally           // of messages
	calls, created, merged int
	spoke                  time.Time
}

// newMailRun opens the resources of a run, except its input.
func newMailRun(ctx context.Context, a *app.App) (*mailRun, error) {
	st, err := importStore(a)
	if err != nil {
		return nil, err
	}
	taker, err := newMailProcessor(ctx, a, st)
	if err != nil {
		return nil, err
	}
	a.Mails = mailbox.Reader{Split: true}
	return &mailRun{app: a, taker: taker, spoke: a.Now()}, nil
}

func newMailProcessor(ctx context.Context, a *app.App, st taker.Store) (*taker.Processor, error) {
	set, err := judges.Open(a, judges.Own)
	if err == nil {
		set, err = set.WithShadow(a)
	}
	if err != nil {
		return nil, err
	}
	judge, err := set.PageJudge()
	if err != nil {
		return nil, err
	}
	return taker.New(ctx, taker.Options{
		Store: st, Judge: judge.For, Extractor: engine.NewReadOnce(engine.NewExtractor(a, set)), IsEvent: engine.IsEventPage, Now: a.Now,
	})
}

// processMessagePage processes one message, or records that it cannot be read. Its error is that of the
// store.
func (r *mailRun) processMessagePage(ctx context.Context, page *webgraph.Page, broken error) error {
	if broken != nil {
		return r.countResult(taker.BrokenMail(page.URL, broken))
	}
	t, err := r.taker.ReadMessage(ctx, page)
	if err != nil {
		return err
	}
	return r.countResult(t)
}

// countResult counts the result of a message and writes its line.
func (r *mailRun) countResult(t taker.Result) error {
	var broken error
	if t.Result == taker.Broken {
		broken = t.Err
	}
	r.CountInput(broken)
	switch t.Result {
	case taker.Broken:
		r.app.Logf("%v", t.Err)
	case taker.Call:
		r.calls++
		switch t.Change {
		case taker.ChangeNew:
			r.created++
		case taker.ChangeMerged:
			r.merged++
		}
	}
	r.showProgress()
	switch {
	case r.app.Config.Format == "jsonl":
		return app.WriteJSONLine(r.out, t)
	case t.Result == taker.Call:
		_, err := fmt.Fprintf(r.out, "%-6s  %-24s  %s\n", t.Change, t.Event, text.Printable(t.Title))
		return err
	}
	return nil
}

// showProgress shows the progress of the run from time to time.
func (r *mailRun) showProgress() {
	if r.app.ProgressMode() == "none" || r.app.Now().Sub(r.spoke) < app.LinePause {
		return
	}
	r.spoke = r.app.Now()
	r.app.Status(map[string]any{"messages": r.All, "calls": r.calls, "new": r.created, "merged": r.merged, "broken": r.Bad}, "%s", r)
}

// String returns the result in one line.
func (r *mailRun) String() string {
	return fmt.Sprintf("%s: %s (%s, %d merged), %d unreadable",
		text.Count(r.All, "message", "messages"), text.Count(r.calls, "about an event", "about events"), text.Count(r.created, "new event", "new events"), r.merged, r.Bad)
}

// writeLines calls read to process messages, writes the line of each, and prints the totals, unless ctx
// ended.
func (r *mailRun) writeLines(ctx context.Context, read func() error) error {
	err := r.app.WithOutput(func(w io.Writer) error {
		r.out = w
		return read()
	})
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	r.app.Logf("%s", r)
	return r.Err() // exit 3 for messages that could not be read
}

func newMailImportCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use: "import INPUT…", Short: "Import the calls of mailboxes and list archives into the store",
		Example: `  eventseer mail import list.mbox old.mbox.gz        # mailboxes
  eventseer mail import ~/Maildir                    # a maildir, or a directory of mails
  eventseer mail import 2027-January.txt.gz          # a month of a Mailman archive
  eventseer mail import archive/ --format jsonl      # saved pages of a list's archive
  eventseer mail import call.eml`,
		Long: `Read messages and merge the calls among them into the store of --data. INPUT is
an mbox, a maildir, an .eml file, a page of a list's archive (Pipermail, Hypermail,
MHonArc, DBWorld), a directory of these, or "-"; for an archive on the web it is the
URL of a message, or of a list of messages, which are then fetched one by one. Repeated
or resumed after an interruption, it changes nothing. The mailboxes are not changed.

` + mailHelp + `
A message that cannot be read does not stop the others; exit code 3 means that there
was one.`,
		Args: usageArgs(cobra.MinimumNArgs(1)), Annotations: formatAnnotations("table", "jsonl"),
		RunE: func(cmd *cobra.Command, inputs []string) error { return mailImport(cmd.Context(), a, inputs) },
	}
}

func mailImport(ctx context.Context, a *app.App, inputs []string) error {
	run, err := newMailRun(ctx, a)
	if err != nil {
		return err
	}
	return run.writeLines(ctx, func() error {
		for page, err := range mailPages(ctx, a, inputs) {
			if err := run.processMessagePage(ctx, page, err); err != nil {
				return err
			}
		}
		return nil
	})
}

// mailPages yields the pages of all INPUT arguments; an archive's index on the web is replaced by
// its messages.
func mailPages(ctx context.Context, a *app.App, inputs []string) iter.Seq2[*webgraph.Page, error] {
	return func(yield func(*webgraph.Page, error) bool) {
		for _, input := range inputs {
			live := strings.HasPrefix(input, "http://") || strings.HasPrefix(input, "https://")
			for page, err := range engine.PagesOfInputs(ctx, a, []string{input}, "") {
				found := engine.SinglePage(page, err)
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

// fetchListed fetches pages one by one, at the speed of a crawl.
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

// mailFlags select where mail is fetched, besides the configuration.
type mailFlags struct {
	server, user, authorities string
	folders                   []string
	startTLS, insecure, again bool
}

// add adds the flags; the default folders are those of a config key.
func (f *mailFlags) add(cmd *cobra.Command, foldersKey string) {
	flags := cmd.Flags()
	flags.StringVar(&f.server, "server", "", "HOST:PORT of the IMAP server (config: imap-server)")
	flags.StringVar(&f.user, "user", "", "name to log in with (config: imap-user)")
	flags.StringArrayVar(&f.folders, "folder", nil, "folder to read, may be repeated (config: "+foldersKey+")")
	flags.StringVar(&f.authorities, "ca", "", "file of certificates in PEM of the authorities that sign the server's certificate, instead of the system's")
	flags.BoolVar(&f.startTLS, "starttls", false, "use STARTTLS, the default at port 143")
	flags.BoolVar(&f.insecure, "insecure", false, "use no TLS, for a loopback address only")
	flags.BoolVar(&f.again, "all", false, "read all messages again, not only those since the last time")
}

func newMailFetchCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "fetch", Short: "Import the calls in folders of an IMAP server into the store",
		Example: `  EVENTSEER_IMAP_PASSWORD_FILE=~/.imap eventseer mail fetch --server mail.example:993 --user ann
  eventseer mail fetch --folder Lists/Calls --folder Lists/World   # the rest is in the config
  eventseer mail fetch --server mail.example:143 --user ann        # STARTTLS`,
		Long: "Read the new messages in folders of an IMAP server, and merge the calls among them\n" +
			"into the store of --data. Nothing is changed on the server: folders are opened\n" +
			"read-only, and messages stay unread. TLS is required, except for a loopback address with\n" +
			"--insecure. The password comes from `imap-password` of the config,\n" +
			"EVENTSEER_IMAP_PASSWORD, or the file EVENTSEER_IMAP_PASSWORD_FILE names.\n" +
			"The position in each folder is stored in " + app.MarksFile + ` of the data directory; a run that was
stopped at any point continues there.

` + mailHelp + `
A message that cannot be read does not stop the others; exit code 3 means that there
was one.`,
		Args: usageArgs(cobra.NoArgs), Annotations: formatAnnotations("table", "jsonl"),
	}
	var f mailFlags
	f.add(cmd, "imap-folders")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return mailFetch(cmd.Context(), a, f) }
	return cmd
}

func mailFetch(ctx context.Context, a *app.App, f mailFlags) error {
	server, folders, err := imapFolders(a, f)
	if err != nil {
		return err
	}
	run, err := newMailRun(ctx, a)
	if err != nil {
		return err
	}
	server.Reader = a.Mails
	marks, err := mailbox.ReadFolders(filepath.Join(a.Config.Data, app.MarksFile))
	if err != nil {
		return err
	}
	return run.writeLines(ctx, func() error {
		for _, folder := range folders {
			if err := fetchFolder(ctx, run, server, marks.Folder(server, folder), f.again); err != nil {
				return err
			}
		}
		return nil
	})
}

// imapFolders returns the server of flags and configuration, and the folders to read.
func imapFolders(a *app.App, f mailFlags) (server mailbox.IMAP, folders []string, err error) {
	c := a.Config
	server = mailbox.IMAP{
		Server: cmp.Or(f.server, c.IMAPServer), User: cmp.Or(f.user, c.IMAPUser), Password: string(c.IMAPPassword),
		StartTLS: f.startTLS, Insecure: f.insecure,
	}
	switch {
	case server.Server == "" || server.User == "":
		return server, nil, app.Usagef("mail fetch needs --server and --user, or imap-server and imap-user in the config")
	case server.Password == "":
		return server, nil, app.Usagef("mail fetch needs a password: set EVENTSEER_IMAP_PASSWORD or EVENTSEER_IMAP_PASSWORD_FILE, or imap-password in the config")
	case f.authorities != "":
		pem, err := os.ReadFile(f.authorities)
		if err != nil {
			return server, nil, err
		}
		if server.Roots = x509.NewCertPool(); !server.Roots.AppendCertsFromPEM(pem) {
			return server, nil, app.Usagef("--ca %s holds no certificate in PEM", f.authorities)
		}
	}
	if folders = f.folders; len(folders) == 0 {
		folders = app.SplitList(c.IMAPFolders)
	}
	return server, folders, nil
}

// fetchFolder processes the messages of one folder. Its mark moves after they are stored.
func fetchFolder(ctx context.Context, run *mailRun, server mailbox.IMAP, at *mailbox.Folder, again bool) error {
	after := at.FolderPosition
	if again {
		after = mailbox.FolderPosition{}
	}
	return at.ReadNew(server.Fetch(ctx, at.Folder, after), func(m mailbox.FetchedMessage, broken error) error {
		return run.processMessage(ctx, m, broken, fmt.Sprintf("imap:%s#%d", at.Folder, m.Mark.UID))
	})
}

// processMessage processes the pages of one message, or records that it is damaged.
func (r *mailRun) processMessage(ctx context.Context, m mailbox.FetchedMessage, broken error, name string) error {
	if broken != nil {
		return r.countResult(taker.BrokenMail(name, broken))
	}
	for _, page := range m.Pages {
		if err := r.processMessagePage(ctx, page, nil); err != nil {
			return err
		}
	}
	return nil
}
