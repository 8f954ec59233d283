package main

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/cmd/eventseer/internal/engine"
	"eventseer/eventseer"
	"eventseer/eventseer/publish"
	"eventseer/eventseer/publish/bounce"
	"eventseer/eventseer/ui"
	"eventseer/features/dictionary"

	"github.com/prometheus/client_golang/prometheus"
)

// openPublisher opens the readers and their lists. Without mail, finds are at the readers'
// pages and feeds only, and digests wait.
func openPublisher(ctx context.Context, a *app.App, s *service, mails publish.Mailer) error {
	o := publish.Options{
		Mailer: mails,
		Path:   filepath.Join(s.dir, app.PublishFile), Store: s.store, Index: s.index, Series: s.store,
		PerMinute: a.Config.MailRate, Hour: digestHour, Weekday: time.Monday, People: a.Config.People, Crawled: s.console.lastCrawled, Now: a.Now, Log: a.Logger(),
	}
	var err error
	if o.Site, err = engine.MailSite(a); err != nil {
		return err
	}
	if o.Dictionary, err = dictionary.Open(dictionary.Options{}); err != nil {
		return err
	}
	if s.readers, err = publish.Open(ctx, o); err != nil {
		return err
	}
	a.OnClose(s.readers.Close)
	s.mails = mails != nil
	return nil
}

// digestHour is when digests are made, in the reader's zone.
const digestHour = 7

// bouncePause is how often the folder of mails that came back is read.
const bouncePause = 15 * time.Minute

// keepBounces ends mails to addresses whose mails came back, until ctx ends.
func keepBounces(ctx context.Context, a *app.App, readers *publish.Service) error {
	for ctx.Err() == nil {
		own := engine.Child(a)
		t := bounce.Taker{Readers: readers, Note: func(bounce.Note) error { return nil }}
		err := errors.Join(fetchBounces(ctx, own, mailFlags{}, &t), own.Close())
		switch {
		case err != nil && ctx.Err() == nil:
			a.Logger().Error("mails that came back are not read", "folder", a.Config.BounceFolder, "err", err)
		case t.Mails > 0:
			a.Logf("%s", &t)
		}
		engine.Rest(ctx, bouncePause)
	}
	return nil
}

// subscriptions are the readers as the web UI knows them.
type subscriptions struct{ *publish.Service }

var _ ui.Subscriptions = subscriptions{}

// Account implements ui.Subscriptions.
func (s subscriptions) Account(ctx context.Context, session string) (eventseer.Account, error) {
	account, err := s.Service.Account(ctx, session)
	if errors.Is(err, publish.ErrSignedOut) {
		err = errors.Join(ui.ErrSignedOut, err)
	}
	return account, err
}

// audit keeps what the operator did, and says it in the log.
func audit(ctx context.Context, a *app.App, readers *publish.Service) func(ui.AuditEntry) {
	ctx = context.WithoutCancel(ctx)
	return func(e ui.AuditEntry) {
		a.Logger().Info("operator", "who", e.Who, "action", e.Action, "subject", e.Subject, "result", e.Result)
		err := readers.Audit(ctx, publish.Entry(e))
		if err != nil {
			a.Logger().Error("the audit log is not written", "err", err)
		}
	}
}

var (
	publishedDesc = prometheus.NewDesc("eventseer_published_total", "What the publisher did: changes read, items found, digests made, mails sent, retried, refused and lost, votes, passes.", []string{"what"}, nil)
	queueDesc     = prometheus.NewDesc("eventseer_letters_waiting", "Mails that wait to be sent.", nil, nil)
)

// readerMetrics read the publisher's counters when somebody asks for the metrics.
type readerMetrics struct{ *publish.Service }

// Describe implements prometheus.Collector.
func (m readerMetrics) Describe(ch chan<- *prometheus.Desc) {
	ch <- publishedDesc
	ch <- queueDesc
}

// Collect implements prometheus.Collector.
func (m readerMetrics) Collect(ch chan<- prometheus.Metric) {
	c := m.Counters()
	for what, n := range map[string]uint64{
		"changes": c.Changes, "items": c.Items, "digests": c.Digests, "sent": c.Sent, "retried": c.Retried,
		"refused": c.Refused, "lost": c.Lost, "votes": c.Votes, "passes": c.Passes,
	} {
		ch <- prometheus.MustNewConstMetric(publishedDesc, prometheus.CounterValue, float64(n), what)
	}
	waiting, err := m.Waiting(context.Background())
	if err != nil {
		ch <- prometheus.NewInvalidMetric(queueDesc, err)
		return
	}
	ch <- prometheus.MustNewConstMetric(queueDesc, prometheus.GaugeValue, float64(waiting))
}
