package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"eventseer/eventseer/publish"
	"eventseer/eventseer/publish/message"
	"eventseer/features/dictionary"
	"eventseer/internal/bolt"

	"github.com/spf13/cobra"
)

func newPublishCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use: "publish", Short: "Tell readers what is new: match, make digests, send mails",
		Example: `  eventseer publish --dry-run                # write the mails that would go into publish.mbox
  eventseer publish --dry-run=/tmp/now.mbox
  eventseer publish                          # send them`,
		Long: `Hold what is new in the store against all keyword lists, make the digests that are
due and send the mails that wait, once; a running serve does so all the time. Without
a mail server (smtp-server) nothing is sent: finds are kept and mails wait.

With --dry-run the mails go into an mbox and everything else is taken back: nothing is
told, and nothing is marked as sent. The links in them do not work.

Exit 3 says that some mails wait to be tried again.`,
		Args: args(cobra.NoArgs),
	}
	dry := cmd.Flags().String("dry-run", "", "write the mails into this mbox instead of sending them")
	cmd.Flags().Lookup("dry-run").NoOptDefVal = "publish.mbox"
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if *dry != "" {
			return a.tellDry(cmd.Context(), *dry)
		}
		return a.tellReaders(cmd.Context())
	}
	return cmd
}

// openClips opens readers and their lists beside the store. Without m nothing is sent.
func (a *app) openClips(ctx context.Context, m message.Mailer) (*publish.Service, error) {
	st, index, err := a.openEvents(ctx)
	if err != nil {
		return nil, err
	}
	o, err := a.clipsOptions()
	if err != nil {
		return nil, err
	}
	o.Store, o.Index, o.Series, o.Mailer = st, index, st, m
	if o.Dictionary, err = dictionary.Open(dictionary.Options{}); err != nil {
		return nil, err
	}
	return a.openClipsWith(ctx, o)
}

// openClipsFile opens readers and their lists alone, to look at them or to change
// them; they must be there.
func (a *app) openClipsFile(ctx context.Context) (*publish.Service, error) {
	if _, err := a.dataDir(); err != nil {
		return nil, err
	}
	o, err := a.clipsOptions()
	if err != nil {
		return nil, err
	}
	o.MustExist = true
	return a.openClipsWith(ctx, o)
}

func (a *app) clipsOptions() (publish.Options, error) {
	site, err := a.mailSite()
	return publish.Options{
		Path: filepath.Join(a.config.Data, publishFile), Site: site, Hour: publishHour, Weekday: time.Monday,
		PerMinute: a.config.MailRate, Now: a.now, Log: a.logger(),
		Crawled: func() time.Time { return lastCrawl(a.config.Data) },
	}, err
}

// publishHour is when digests are made in the reader's zone.
const publishHour = 7

func (a *app) openClipsWith(ctx context.Context, o publish.Options) (*publish.Service, error) {
	if a.guest != nil {
		return a.guest.of.readers, nil
	}
	if err := a.beside(a.config.Data); err != nil {
		return nil, err
	}
	s, err := publish.Open(ctx, o)
	if errors.Is(err, bolt.ErrLocked) {
		return nil, fmt.Errorf("%w; a running serve has its readers at /admin/readers", err)
	}
	if err != nil {
		return nil, err
	}
	a.onClose(s.Close)
	return s, nil
}

func (a *app) tellReaders(ctx context.Context) error {
	if a.guest != nil {
		return fmt.Errorf("%w; a running serve sends the mails itself, --dry-run shows those that wait", bolt.ErrLocked)
	}
	var m message.Mailer
	if a.sendsMail() {
		var err error
		if m, err = a.newMailer(""); err != nil {
			return err
		}
	}
	s, err := a.openClips(ctx, m)
	if err != nil {
		return err
	}
	d, err := s.Publish(ctx)
	if err != nil {
		return err
	}
	if err := a.writePublished(d, "sent"); err != nil {
		return err
	}
	switch {
	case d.Waiting > 0 && m == nil:
		a.logf("no smtp-server is set, so %s", someOf(d.Waiting, "mail waits", "mails wait"))
	case d.Waiting > 0:
		return fmt.Errorf("%w: %s to be tried again; --verbose says why", errPartly, someOf(d.Waiting, "mail waits", "mails wait"))
	}
	return nil
}

func (a *app) tellDry(ctx context.Context, path string) error {
	s, err := a.openClips(ctx, nil)
	if err != nil {
		return err
	}
	box, err := a.newMailer(path)
	if err != nil {
		return err
	}
	d, err := s.DryRun(ctx, box)
	if err != nil {
		return errors.Join(err, a.writePublished(d, "in "+path))
	}
	return a.writePublished(d, "in "+path)
}

// writePublished says what a pass did.
func (a *app) writePublished(d publish.Done, where string) error {
	return a.withOutput(func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "%s read, %s found, %s made, %s %s\n", someOf(d.Changes, "change", "changes"), someOf(d.Items, "item", "items"),
			someOf(d.Digests, "digest", "digests"), someOf(d.Sent, "mail", "mails"), printable(where))
		return err
	})
}

func someOf(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
