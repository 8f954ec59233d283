package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strings"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/engine"
	"github.com/eventseer/eventseer/eventseer/mailbox"
	"github.com/eventseer/eventseer/eventseer/publish/bounce"
	"github.com/eventseer/eventseer/internal/bolt"
	"github.com/eventseer/eventseer/internal/text"

	"github.com/spf13/cobra"
)

func newMailBouncesCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "bounces [INPUT…]", Short: "Read bounced mails, and stop sending to addresses that no longer exist", Annotations: formatAnnotations("table", "jsonl"),
		Example: `  eventseer mail bounces                      # what has come since the last time into bounce-folder of imap-server
  eventseer mail bounces ~/Maildir            # a maildir, an mbox, or single mails
  eventseer mail bounces - < mail             # as a mail server pipes them`,
		Long: `Read the mails that bounced to mail-from. If one reports that an address no longer
exists, or that its owner marked our mails as spam, nothing more is sent there. A
full mailbox, a delay, or a complaint about this server changes nothing. Mails to
mail-leave, by which mail programs leave a list, end that list.

A bounce is believed only if it contains the Message-ID of a mail of ours, which only
we and the recipient know; --by-address also believes bounces without one, by their
address. INPUT is an mbox, a maildir, a mail, or "-"; without one the folder
bounce-folder of imap-server is read from where the last run stopped, and nothing is
changed there.

stdout has a line per bounce: gone (nothing more is sent), kept (for another try),
unknown (not a mail of ours), or left (a list was left).`,
	}
	var f mailFlags
	f.add(cmd, "bounce-folder")
	byAddress := cmd.Flags().Bool("by-address", false, "also believe bounces that do not name the bounced mail")
	cmd.RunE = func(cmd *cobra.Command, inputs []string) error {
		return mailBounces(cmd.Context(), a, f, inputs, *byAddress)
	}
	return cmd
}

func mailBounces(ctx context.Context, a *app.App, f mailFlags, inputs []string, byAddress bool) error {
	if len(inputs) == 0 && len(f.folders) == 0 && a.Config.BounceFolder == "" {
		return app.Usagef("mail bounces needs mails: an INPUT, --folder, or bounce-folder in %s", engine.ConfigPath(a))
	}
	readers, err := openReadersFile(ctx, a)
	if errors.Is(err, bolt.ErrMissing) {
		err = fmt.Errorf("%w; no reader has signed up for mail yet", err)
	}
	if err != nil {
		return err
	}
	return a.WithOutput(func(w io.Writer) error {
		t := bounce.Processor{Readers: readers, ByAddress: byAddress, Note: func(b bounce.Note) error { return writeBounceNote(w, b, a.Config.Format) }}
		if len(inputs) > 0 {
			err = t.ProcessAll(ctx, rawMails(a, inputs))
		} else {
			err = fetchBounces(ctx, a, f, &t)
		}
		a.Logf("%s", &t)
		return errors.Join(err, engine.Tally{All: t.Mails, Bad: t.Bad, First: t.First}.Err())
	})
}

// rawMails yields the unparsed mails of INPUT arguments.
func rawMails(a *app.App, inputs []string) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for _, input := range inputs {
			for raw, err := range rawInput(a, input) {
				if !yield(raw, err) {
					return
				}
			}
		}
	}
}

func rawInput(a *app.App, input string) iter.Seq2[[]byte, error] {
	if input == "-" {
		return mailbox.RawMessages(a.Stdin, "-")
	}
	if mailbox.IsMaildir(input) {
		return mailbox.RawMaildir(input)
	}
	return func(yield func([]byte, error) bool) {
		f, err := os.Open(input)
		if err != nil {
			yield(nil, err)
			return
		}
		defer func() { _ = f.Close() }() // read only: nothing to lose
		if info, err := f.Stat(); err == nil && info.IsDir() {
			yield(nil, fmt.Errorf("%s is not a file, nor a maildir, which has the folders cur, new and tmp", input))
			return
		}
		mailbox.RawMessages(f, input)(yield)
	}
}

// fetchBounces processes new mails in the folders of bounces.
func fetchBounces(ctx context.Context, a *app.App, f mailFlags, t *bounce.Processor) error {
	if len(f.folders) == 0 {
		f.folders = []string{a.Config.BounceFolder}
	}
	server, folders, err := imapFolders(a, f)
	if err != nil {
		return err
	}
	marks, err := mailbox.ReadFolders(filepath.Join(a.Config.Data, app.MarksFile))
	if err != nil {
		return err
	}
	for _, folder := range folders {
		// Calls and bounces may be in one folder, with separate marks.
		at := marks.Folder(server, "bounces in "+folder)
		after := at.FolderPosition
		if f.again {
			after = mailbox.FolderPosition{}
		}
		err := at.ReadNew(server.Fetch(ctx, folder, after), func(m mailbox.FetchedMessage, _ error) error { // the mark moves after the result of a mail is stored
			if m.Raw == nil {
				return nil
			}
			return t.ProcessMail(ctx, m.Raw)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// writeBounceNote writes the result of a mail as a line.
func writeBounceNote(w io.Writer, b bounce.Note, format string) error {
	if format == "jsonl" {
		return app.WriteJSONLine(w, b)
	}
	line := fmt.Sprintf("%-7s  %s  %s  %s", b.Result, cmp.Or(b.Address, "-"), cmp.Or(b.Letter, "-"), b.Detail)
	_, err := fmt.Fprintln(w, strings.TrimRight(text.Printable(line), " "))
	return err
}
