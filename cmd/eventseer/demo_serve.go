package main

import (
	"context"
	"path/filepath"
	"regexp"

	"eventseer/eventseer/publish/message"
	"eventseer/eventseer/search"

	"golang.org/x/sync/errgroup"
)

// serveDemo serves what the demo found, with readers whose mails are told on the
// terminal, until ctx ends.
func (a *app) serveDemo(ctx context.Context, state state, index *search.Index) error {
	a.config.Data = state.dir
	s := &service{dir: state.dir, store: state.store, index: index, monitor: state.monitor, mailsTold: "none: the demo tells its mails on the terminal it runs in"}
	s.console = &console{app: a, of: s}
	s.console.attach(&inspector{data: state.dir, frontier: state.frontier, links: state.links, now: a.now}, nil)
	var err error
	if s.wrappers, err = a.openWrappers(state); err != nil {
		return err
	}
	if err := a.openPublisher(ctx, s, terminalMailer{a}); err != nil {
		return err
	}
	used, err := shippedModels()
	if err != nil {
		return err
	}
	handler, err := a.serviceHandler(ctx, s, used, serveFlags{})
	if err != nil {
		return err
	}
	if err := a.writeDumps(ctx, s.store, filepath.Join(s.dir, dumpsDir)); err != nil {
		return err
	}
	silence, err := a.answerOperator(ctx, s, newRegistry())
	if err != nil {
		return err
	}
	defer silence()
	a.logf("other verbs run beside it with --data %s, as `eventseer find` and `eventseer crawl status`", s.dir)
	a.logf("mails to readers are not sent, but told here with their links")
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return s.readers.Run(ctx) })
	group.Go(func() error { return a.serveHTTP(ctx, handler, a.config.Listen, "/") })
	return group.Wait()
}

// A terminalMailer tells of letters where the demo runs, with the first link of each.
type terminalMailer struct{ *app }

var _ message.Mailer = terminalMailer{}

var firstLink = regexp.MustCompile(`https?://\S+`)

// Send implements publish.Mailer.
func (m terminalMailer) Send(_ context.Context, l message.Email) error {
	m.logf("a mail to %s: %q; its first link: %s", l.To, l.Subject, firstLink.FindString(l.Text))
	return nil
}
