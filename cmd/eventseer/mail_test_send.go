package main

import (
	"context"
	"fmt"
	"io"
	"strconv"

	"eventseer/eventseer/publish/message"

	"github.com/spf13/cobra"
)

func newMailTestCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use: "test ADDRESS", Short: "Send a mail to see whether mail arrives",
		Example: `  eventseer mail test you@example.org        # what the server answers is printed
  eventseer mail test you@example.org -v     # with all that is said to it and by it
  eventseer mail test you@example.org --dry-run test.mbox`,
		Long: `Send one mail by the mail server of the configuration (smtp-server, smtp-user,
smtp-password, smtp-tls, mail-from, mail-dkim-key), and print what the server
answered. With --verbose stderr has the dialogue, without the password. Exit 1 says
that the server did not take the mail, and why.

A mail that the server took may still be lost later: look for it in the mailbox, also
among the spam.`,
		Args: args(cobra.ExactArgs(1)),
	}
	dryRun := cmd.Flags().String("dry-run", "", "mbox file that the mail is added to instead of being sent")
	cmd.RunE = func(cmd *cobra.Command, given []string) error { return a.mailTest(cmd.Context(), given[0], *dryRun) }
	return cmd
}

func (a *app) mailTest(ctx context.Context, address, dryRun string) error {
	if dryRun == "" && !a.sendsMail() {
		return a.mailUnset()
	}
	site, err := a.mailSite()
	if err != nil {
		return err
	}
	now := a.now()
	letter, err := message.Test(site, address, now)
	if err != nil {
		return err
	}
	domain := "localhost"
	if dryRun == "" || a.config.MailFrom != "" {
		if domain, err = a.mailDomain(); err != nil {
			return err
		}
	}
	letter.ID = "test." + strconv.FormatInt(now.UnixNano(), 36) + "@" + domain
	answer, err := a.sendTest(ctx, letter, dryRun)
	if err != nil {
		return fmt.Errorf("no mail to %s: %w", address, err)
	}
	return a.withOutput(func(w io.Writer) error {
		_, err := fmt.Fprintln(w, printable(answer))
		return err
	})
}

// sendTest sends a letter and says what became of it.
func (a *app) sendTest(ctx context.Context, l message.Email, dryRun string) (answer string, err error) {
	if dryRun != "" {
		box, err := a.newMailer(dryRun)
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("%s holds the mail to %s", dryRun, l.To), box.Send(ctx, l)
	}
	var dialogue io.Writer
	if a.config.Verbose {
		dialogue = a.stderr
	}
	server, err := a.newSMTP(dialogue)
	if err != nil {
		return "", err
	}
	said, err := server.Deliver(ctx, l)
	return fmt.Sprintf("%s took the mail to %s and answered: %s", a.config.SMTPServer, l.To, said), err
}
