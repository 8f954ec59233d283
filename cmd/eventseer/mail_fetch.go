package main

import (
	"cmp"
	"context"
	"crypto/x509"
	"fmt"
	"os"
	"path/filepath"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/cmd/eventseer/internal/member"
	"eventseer/eventseer/mailbox"
	"eventseer/eventseer/mailbox/taker"

	"github.com/spf13/cobra"
)

// mailFlags say where mail is fetched, besides the configuration.
type mailFlags struct {
	server, user, authorities string
	folders                   []string
	startTLS, insecure, again bool
}

// add adds the flags; the folders are else those of a key of the configuration.
func (f *mailFlags) add(cmd *cobra.Command, foldersKey string) {
	flags := cmd.Flags()
	flags.StringVar(&f.server, "server", "", "HOST:PORT of the IMAP server (config: imap-server)")
	flags.StringVar(&f.user, "user", "", "name to log in with (config: imap-user)")
	flags.StringArrayVar(&f.folders, "folder", nil, "folder to read, may be repeated (config: "+foldersKey+")")
	flags.StringVar(&f.authorities, "ca", "", "file of certificates in PEM that the server's may be signed by, instead of the system's")
	flags.BoolVar(&f.startTLS, "starttls", false, "ask for STARTTLS, as is done at port 143 anyway")
	flags.BoolVar(&f.insecure, "insecure", false, "no TLS, to a loopback address")
	flags.BoolVar(&f.again, "all", false, "read all messages again, not only those that have come since the last time")
}

func newMailFetchCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "fetch", Short: "Read the calls in folders of an IMAP server into the store",
		Example: `  EVENTSEER_IMAP_PASSWORD_FILE=~/.imap eventseer mail fetch --server mail.example:993 --user ann
  eventseer mail fetch --folder Lists/Calls --folder Lists/World   # the rest is in the config
  eventseer mail fetch --server mail.example:143 --user ann        # STARTTLS`,
		Long: `Read what has come into folders of an IMAP server since the last time, and merge
the calls among it into the store of --data. Nothing is changed on the server:
folders are opened read-only, and messages stay unread. TLS is needed, except to a
loopback address with --insecure. The password comes from ` + "`imap-password`" + ` of the
config, EVENTSEER_IMAP_PASSWORD, or the file EVENTSEER_IMAP_PASSWORD_FILE names.
How far each folder was read is kept in ` + app.MarksFile + ` of the data directory; a run
that was stopped at any point goes on there.

` + mailHelp + `
A message that cannot be read does not stop the others; exit 3 says that there
was one.`,
		Args: args(cobra.NoArgs), Annotations: formats("table", "jsonl"),
	}
	var f mailFlags
	f.add(cmd, "imap-folders")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return mailFetch(cmd.Context(), a, f) }
	return cmd
}

func mailFetch(ctx context.Context, a *app.App, f mailFlags) error {
	server, folders, err := imap(a, f)
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
	return run.write(ctx, func() error {
		for _, folder := range folders {
			if err := fetchFolder(ctx, run, server, marks.Folder(server, folder), f.again); err != nil {
				return err
			}
		}
		return nil
	})
}

// imap is the server of flags and configuration, and the folders to read.
func imap(a *app.App, f mailFlags) (server mailbox.IMAP, folders []string, err error) {
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
		folders = member.SplitList(c.IMAPFolders)
	}
	return server, folders, nil
}

// fetchFolder takes the messages of one folder. Its mark moves after they are in
// the store.
func fetchFolder(ctx context.Context, run *mailRun, server mailbox.IMAP, at *mailbox.Folder, again bool) error {
	after := at.Mark
	if again {
		after = mailbox.Mark{}
	}
	return at.ReadOn(server.Fetch(ctx, at.Folder, after), func(m mailbox.Fetched, broken error) error {
		return run.takeAll(ctx, m, broken, fmt.Sprintf("imap:%s#%d", at.Folder, m.Mark.UID))
	})
}

// takeAll takes the pages of one message, or notes that it is broken.
func (r *mailRun) takeAll(ctx context.Context, m mailbox.Fetched, broken error, name string) error {
	if broken != nil {
		return r.note(taker.BrokenMail(name, broken))
	}
	for _, page := range m.Pages {
		if err := r.takePage(ctx, page, nil); err != nil {
			return err
		}
	}
	return nil
}
