package main

import (
	"context"
	"path/filepath"
	"regexp"

	"eventseer/cmd/eventseer/internal/admin"
	"eventseer/cmd/eventseer/internal/app"
	"eventseer/cmd/eventseer/internal/engine"
	"eventseer/cmd/eventseer/internal/serve"
	"eventseer/eventseer/publish/message"
	"eventseer/eventseer/search"

	"golang.org/x/sync/errgroup"
)

// serveDemo serves what the demo found, with readers whose mails are told on the
// terminal, until ctx ends.
func serveDemo(ctx context.Context, a *app.App, state engine.State, index *search.Index) error {
	a.Config.Data = state.Dir
	s := &serve.Service{Dir: state.Dir, Store: state.Store, Index: index, Monitor: state.Monitor, Execute: run, MailsTold: "none: the demo tells its mails on the terminal it runs in"}
	s.Console = &serve.Console{App: a, Of: s}
	s.Console.Attach(&admin.Inspector{Data: state.Dir, Frontier: state.Frontier, Links: state.Links, Now: a.Now}, nil)
	var err error
	if s.Wrappers, err = engine.OpenWrappers(a, state); err != nil {
		return err
	}
	if err := serve.OpenPublisher(ctx, a, s, terminalMailer{a}); err != nil {
		return err
	}
	used, err := serve.ShippedModels()
	if err != nil {
		return err
	}
	handler, err := serviceHandler(ctx, a, s, used, serveFlags{})
	if err != nil {
		return err
	}
	if err := writeDumps(ctx, a, s.Store, filepath.Join(s.Dir, dumpsDir)); err != nil {
		return err
	}
	silence, err := serve.AnswerOperator(ctx, a, s, admin.NewRegistry())
	if err != nil {
		return err
	}
	defer silence()
	a.Logf("other verbs run beside it with --data %s, as `eventseer find` and `eventseer crawl status`", s.Dir)
	a.Logf("mails to readers are not sent, but told here with their links")
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return s.Readers.Run(ctx) })
	group.Go(func() error { return serve.HTTP(ctx, a, handler, a.Config.Listen, "/") })
	return group.Wait()
}

// A terminalMailer tells of letters where the demo runs, with the first link of each.
type terminalMailer struct{ *app.App }

var _ message.Mailer = terminalMailer{}

var firstLink = regexp.MustCompile(`https?://\S+`)

// Send implements message.Mailer.
func (m terminalMailer) Send(_ context.Context, l message.Email) error {
	m.Logf("a mail to %s: %q; its first link: %s", l.To, l.Subject, firstLink.FindString(l.Text))
	return nil
}
