package serve

import (
	"context"
	"errors"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/admin"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/engine"
	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/publish"
	"github.com/eventseer/eventseer/eventseer/publish/account"
	"github.com/eventseer/eventseer/eventseer/publish/message"
	"github.com/eventseer/eventseer/eventseer/ui"

	"github.com/prometheus/client_golang/prometheus"
)

// OpenPublisher opens the readers and their lists. Without mail, items are only on the readers'
// pages and in feeds, and digests wait.
func OpenPublisher(ctx context.Context, a *app.App, s *Service, mails message.Mailer) error {
	o, err := engine.ReaderOptions(a)
	if err != nil {
		return err
	}
	o.Mailer, o.Store, o.Index, o.Series, o.People, o.Crawled = mails, s.Store, s.Index, s.Store, a.Config.People, s.Console.LastCrawled
	if o.Dictionary, err = app.OpenConfiguredDictionary(a); err != nil {
		return err
	}
	if o.Article, err = engine.NewArticleReader(a, s.Hosts); err != nil {
		return err
	}
	o.ArticlePause = time.Duration(a.Config.HostDelay)
	if s.Readers, err = publish.Open(ctx, o); err != nil {
		return err
	}
	a.OnClose(s.Readers.Close)
	s.Mails = mails != nil
	return nil
}

// Subscriptions returns the readers and their lists in the form that the web UI needs.
type Subscriptions struct{ *publish.Service }

var _ ui.Subscriptions = Subscriptions{}

// Account implements ui.Subscriptions.
func (s Subscriptions) Account(ctx context.Context, session string) (eventseer.Account, error) {
	reader, err := s.Service.Account(ctx, session)
	if errors.Is(err, account.ErrSignedOut) {
		err = errors.Join(ui.ErrSignedOut, err)
	}
	return reader, err
}

// NewAuditLog stores and logs the operator's actions.
func NewAuditLog(ctx context.Context, a *app.App, readers *publish.Service) func(ui.AuditEntry) {
	ctx = context.WithoutCancel(ctx)
	return func(e ui.AuditEntry) {
		a.Logger().Info("operator", "who", e.Who, "action", e.Action, "subject", e.Subject, "result", e.Result)
		err := readers.RecordAction(ctx, account.Entry(e))
		if err != nil {
			a.Logger().Error("the audit log is not written", "err", err)
		}
	}
}

// readerMetrics read the publisher's counters when the metrics are requested.
type readerMetrics struct {
	admin.Described
	*publish.Service
}

// Collect implements prometheus.Collector.
func (m readerMetrics) Collect(ch chan<- prometheus.Metric) {
	c := m.Counters()
	published := admin.MetricFamily(ch, prometheus.CounterValue, "eventseer_published_total",
		"Work of the publisher: changes read, items found, digests made, mails sent, retried, refused and lost, votes, passes.", "what")
	for what, n := range map[string]uint64{
		"changes": c.Changes, "items": c.Items, "digests": c.Digests, "sent": c.Sent, "retried": c.Retried,
		"refused": c.Refused, "lost": c.Lost, "votes": c.Votes, "passes": c.Passes,
	} {
		published(float64(n), what)
	}
	waiting, err := m.CountWaiting(context.Background())
	if err != nil {
		ch <- prometheus.NewInvalidMetric(prometheus.NewInvalidDesc(err), err)
		return
	}
	admin.MetricFamily(ch, prometheus.GaugeValue, "eventseer_letters_waiting", "Mails waiting to be sent.")(float64(waiting))
}
