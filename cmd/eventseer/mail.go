package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/cmd/eventseer/internal/engine"
	"eventseer/eventseer"
	"eventseer/eventseer/mailbox"
	"eventseer/eventseer/mailbox/taker"
	"eventseer/internal/text"
	"eventseer/webgraph"

	"github.com/spf13/cobra"
)

func newMailCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "mail", Short: "Read mailing lists (mbox, maildir, web archives, IMAP); try the mail that we send",
		Example: "  eventseer mail import list.mbox\n  eventseer mail fetch --server mail.example:993 --user ann\n  eventseer mail test ann@home.example",
		Args:    args(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			return app.Usagef("mail needs a verb: import, fetch, test, bounces or dkim")
		},
	}
	cmd.AddCommand(newMailImportCommand(a), newMailFetchCommand(a), newMailTestCommand(a), newMailBouncesCommand(a), newMailDKIMCommand(a))
	return cmd
}

// mailHelp says what both verbs do with a message.
const mailHelp = `The messages of a digest and those that were forwarded are read one by one. What
the shipped models take for a call, or for another message about one event, is
read into a record and merged into the store: a call sent again is one event, and
a later deadline moves its deadline. Senders' and receivers' addresses are not kept.

stdout has a line for each message that gave an event; with --format jsonl a line
for each message: "result" is call, none or error, "event" its event, "change" new,
merged (it told something new) or known, and "fields" what it changed.`

// mailRun takes messages one after the other into the store, and says what came
// of each.
type mailRun struct {
	app   *app.App
	taker *taker.Taker
	out   io.Writer

	engine.Tally           // of messages
	calls, created, merged int
	spoke                  time.Time
}

// newMailRun opens what a run needs but its input.
func newMailRun(ctx context.Context, a *app.App) (*mailRun, error) {
	st, err := importStore(a)
	if err != nil {
		return nil, err
	}
	taker, err := newMailTaker(ctx, a, st)
	if err != nil {
		return nil, err
	}
	a.Mails = mailbox.Reader{Split: true}
	return &mailRun{app: a, taker: taker, spoke: time.Now()}, nil
}

func newMailTaker(ctx context.Context, a *app.App, st eventseer.Store) (*taker.Taker, error) {
	judge, err := engine.NewPageJudge("shipped", nil)
	if err != nil {
		return nil, err
	}
	return taker.New(ctx, taker.Options{
		Store: st, Judge: judge.For, Extractor: engine.NewReadOnce(engine.NewExtractor(a)), IsEvent: engine.IsEventPage, Now: a.Now,
	})
}

// takePage takes one message, or notes that it cannot be read. An error is one of
// the store.
func (r *mailRun) takePage(ctx context.Context, page *webgraph.Page, broken error) error {
	if broken != nil {
		return r.note(taker.BrokenMail(page.URL, broken))
	}
	t, err := r.taker.Take(ctx, page)
	if err != nil {
		return err
	}
	return r.note(t)
}

// note counts what came of a message and writes its line.
func (r *mailRun) note(t taker.Taken) error {
	var broken error
	if t.Result == taker.Broken {
		broken = t.Err
	}
	r.Note(broken)
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
	r.progress()
	switch {
	case r.app.Config.Format == "jsonl":
		return app.WriteJSONLine(r.out, t)
	case t.Result == taker.Call:
		_, err := fmt.Fprintf(r.out, "%-6s  %-24s  %s\n", t.Change, t.Event, text.Printable(t.Title))
		return err
	}
	return nil
}

// progress says now and then how far the run is.
func (r *mailRun) progress() {
	if r.app.ProgressMode() == "none" || time.Since(r.spoke) < app.LinePause {
		return
	}
	r.spoke = time.Now()
	r.app.Status(map[string]any{"messages": r.All, "calls": r.calls, "new": r.created, "merged": r.merged, "broken": r.Bad}, "%s", r)
}

// String says it in one line.
func (r *mailRun) String() string {
	return fmt.Sprintf("%s: %s (%s, %d merged), %d broken",
		text.Count(r.All, "message", "messages"), text.Count(r.calls, "about an event", "about events"), text.Count(r.created, "new event", "new events"), r.merged, r.Bad)
}

// write has read bring messages, writes the line of each, and sums the run up,
// unless ctx ended it.
func (r *mailRun) write(ctx context.Context, read func() error) error {
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
