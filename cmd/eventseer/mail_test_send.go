package main

import (
	"context"
	"fmt"
	"io"
	"strconv"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/cmd/eventseer/internal/engine"
	"eventseer/eventseer/publish/message"
	"eventseer/internal/text"

	"github.com/spf13/cobra"
)

func newMailTestCommand(a *app.App) *cobra.Command {
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
	cmd.RunE = func(cmd *cobra.Command, given []string) error { return mailTest(cmd.Context(), a, given[0], *dryRun) }
	return cmd
}

func mailTest(ctx context.Context, a *app.App, address, dryRun string) error {
	if dryRun == "" && !engine.SendsMail(a) {
		return engine.MailUnset(a)
	}
	site, err := engine.MailSite(a)
	if err != nil {
		return err
	}
	now := a.Now()
	letter, err := message.Test(site, address, now)
	if err != nil {
		return err
	}
	domain := "localhost"
	if dryRun == "" || a.Config.MailFrom != "" {
		if domain, err = engine.MailDomain(a); err != nil {
			return err
		}
	}
	letter.ID = "test." + strconv.FormatInt(now.UnixNano(), 36) + "@" + domain
	answer, err := sendTest(ctx, a, letter, dryRun)
	if err != nil {
		return fmt.Errorf("no mail to %s: %w", address, err)
	}
	return a.Printf("%s\n", text.Printable(answer))
}

// sendTest sends a letter and says what became of it.
func sendTest(ctx context.Context, a *app.App, l message.Email, dryRun string) (answer string, err error) {
	if dryRun != "" {
		box, err := engine.NewMailer(a, dryRun)
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("%s holds the mail to %s", dryRun, l.To), box.Send(ctx, l)
	}
	var dialogue io.Writer
	if a.Config.Verbose {
		dialogue = a.Stderr
	}
	server, err := engine.NewSMTP(a, dialogue)
	if err != nil {
		return "", err
	}
	said, err := server.Deliver(ctx, l)
	return fmt.Sprintf("%s took the mail to %s and answered: %s", a.Config.SMTPServer, l.To, said), err
}
