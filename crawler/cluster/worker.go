package cluster

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"eventseer/crawler"
)

// WorkerOptions are what a crawler of a cluster needs.
type WorkerOptions struct {
	Bus     Bus
	Name    string // of this crawler, at most MaxName bytes; the same after a restart
	Local   Local
	Version func(Conf) (string, error) // what Conf.Version would be here
	// Counts adds what the crawl counts: pages and targets. Nil: nothing.
	Counts func(*Counts)
	// Page answers for the pages kept here, or returns ErrNoPage. Nil: none are kept.
	Page func(ctx context.Context, url string, part func([]byte) error) error
	// MaxOutbox is how many links may wait in the outbox before no more pages are
	// fetched. Zero means 1,000,000.
	MaxOutbox int
	// Now is the clock. Nil means time.Now.
	Now func() time.Time
	Log *slog.Logger // nil: nobody is told
}

// A Worker is one crawler of a cluster: it keeps its lease, takes and hands over
// partitions, and moves links between its frontier and the bus. The crawl itself is
// crawler.Crawler over Frontier and Guard.
type Worker struct{ o WorkerOptions }

// Join waits until there is a cluster, checks that this crawler may work for it
// (ErrVersion), and takes its name. It fails if another process lives by that name.
func Join(ctx context.Context, o WorkerOptions) (*Worker, error) { return &Worker{o}, nil }

// Conf is what is crawled.
func (w *Worker) Conf() Conf { return Conf{} }

// Run works until ctx ends, when it lets go in order and returns nil, and until the
// crawl is over or this crawler has handed over all it owned, when it returns nil
// too. ErrVersion: the cluster has gone to another version; start again.
func (w *Worker) Run(ctx context.Context) error { return errors.ErrUnsupported }

// Frontier is Local as a crawl sees it: Next waits for links of others instead of
// returning crawler.ErrDrained until the crawl is over or this crawler drained, for
// orders to stop, for the outbox, and at the fence.
func (w *Worker) Frontier() crawler.Frontier { return w.o.Local }

// Guard is a fetcher that asks nobody past the fence, and no host that is not owned:
// such pages are Deferred, and requests on their way are cut.
func (w *Worker) Guard(f crawler.Fetcher) crawler.Fetcher { return f }

// Order is what the cluster is to do now.
func (w *Worker) Order() Order { return Order{} }

// PublishEvent hands something found to the manager. id is the same if the same is
// published again.
func (w *Worker) PublishEvent(ctx context.Context, id string, data []byte) error {
	return errors.ErrUnsupported
}
