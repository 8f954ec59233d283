package main

import (
	"context"
	"crypto"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/engine"
	"github.com/eventseer/eventseer/eventseer/publish/message"
	"github.com/eventseer/eventseer/internal/text"

	"github.com/spf13/cobra"
)

func newMailTestCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "test ADDRESS", Short: "Send a test mail",
		Example: `  eventseer mail test you@example.org        # prints the response of the server
  eventseer mail test you@example.org -v     # also prints the dialogue with it
  eventseer mail test you@example.org --dry-run test.mbox`,
		Long: `Send one mail by the mail server of the configuration (smtp-server, smtp-user,
smtp-password, smtp-tls, mail-from, mail-dkim-key), and print the server's response.
With --verbose stderr has the dialogue, without the password. Exit code 1 means that the
server rejected the mail, with the reason.

An accepted mail may still be lost later: look for it in the mailbox, and in its spam
folder.`,
		Args: usageArgs(cobra.ExactArgs(1)),
	}
	dryRun := cmd.Flags().String("dry-run", "", "mbox file to which the mail is added instead of being sent")
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
	letter, err := message.NewTestMail(site, address, now)
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
		return fmt.Errorf("the mail to %s cannot be sent: %w", address, err)
	}
	return a.Printf("%s\n", text.Printable(answer))
}

// sendTest sends a mail and describes the result.
func sendTest(ctx context.Context, a *app.App, l message.Email, dryRun string) (answer string, err error) {
	if dryRun != "" {
		box, err := engine.NewMailer(a, dryRun)
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("%s contains the mail to %s", dryRun, l.To), box.Send(ctx, l)
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
	return fmt.Sprintf("%s accepted the mail to %s and responded: %s", a.Config.SMTPServer, l.To, said), err
}

func newMailDKIMCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "dkim", Short: "Print the DNS record of the key that signs our mails, or create a key",
		Example: `  eventseer mail dkim --make ~/.config/eventseer/dkim.pem   # a new key, and its record
  eventseer mail dkim                                        # the record of mail-dkim-key`,
		Long: `Print the TXT record that DNS must have so that others can check the signatures
of our mails (DKIM, RFC 6376). The key is that of mail-dkim-key, the domain that of
mail-from, the name in DNS mail-dkim-selector. No key is needed if the mail server
signs itself, as those of providers do.

The record is printed as a line of a zone file. For the web forms of DNS providers, use
its name and the joined texts between the quotation marks.`,
		Args: usageArgs(cobra.NoArgs),
	}
	newFile := cmd.Flags().String("make", "", "file for a new key; it must not exist")
	kind := cmd.Flags().String("kind", "rsa", "kind of a new key: rsa, which every server can check, or ed25519")
	cmd.RunE = func(*cobra.Command, []string) error { return mailDKIM(a, *newFile, *kind) }
	return cmd
}

func mailDKIM(a *app.App, newFile, kind string) error {
	if _, err := engine.MailDomain(a); err != nil {
		return err
	}
	if newFile != "" {
		if err := makeKey(newFile, kind); err != nil {
			return err
		}
		a.Config.MailDKIMKey = newFile
		if full, err := filepath.Abs(newFile); err == nil {
			newFile = full
		}
		a.Logf("created %s; put `mail-dkim-key: %s` into %s when the record is in DNS", newFile, newFile, engine.ConfigPath(a))
	}
	if a.Config.MailDKIMKey == "" {
		return app.Usagef("mail-dkim-key is not set: `eventseer mail dkim --make FILE` creates a key")
	}
	key, err := engine.DkimKey(a)
	if err != nil {
		return err
	}
	name, value, err := key.Record()
	if err != nil {
		return err
	}
	return a.Printf("%s. IN TXT (%s)\n", name, quotedStrings(value))
}

// quotedStrings splits a text into DNS strings of at most 255 bytes each.
func quotedStrings(text string) string {
	const most = 255
	out := ""
	for len(text) > 0 {
		n := min(most, len(text))
		out, text = out+` "`+text[:n]+`"`, text[n:]
	}
	return out + " "
}

// makeKey writes a new private key to a file of its own.
func makeKey(path, kind string) (err error) {
	var key crypto.Signer
	switch kind {
	case "rsa":
		key, err = rsa.GenerateKey(rand.Reader, 2048)
	case "ed25519":
		_, key, err = ed25519.GenerateKey(rand.Reader)
	default:
		return app.Usagef("--kind %q is not rsa or ed25519", kind)
	}
	if err != nil {
		return err
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(pem.Encode(f, &pem.Block{Type: "PRIVATE KEY", Bytes: der}), f.Sync(), f.Close())
}
