package cluster

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"time"

	"eventseer/crawler"
)

// ManagerOptions are what a manager needs.
type ManagerOptions struct {
	Bus  Bus
	Name string // of this manager, at most MaxName bytes
	// Conf is what is to be crawled. The first manager of a cluster writes it; one with
	// another Version replaces it only if Replace is set, which ends all crawlers of the old.
	Conf    Conf
	Replace bool
	// Seeds are published once a Conf.Version, by whoever leads.
	Seeds []crawler.Candidate
	// Take takes what crawlers have published, before it is acknowledged: idempotent by
	// id. Nil: nobody takes it here.
	Take func(ctx context.Context, id string, data []byte) error
	// Now is the clock. Nil means time.Now.
	Now func() time.Time
	Log *slog.Logger // nil: nobody is told
}

// A Manager says which crawler owns which partition while it leads, and waits to
// lead while another does. All that it decides is in the bucket, so that the next
// leader goes on where it ended.
type Manager struct{ o ManagerOptions }

// NewManager returns a Manager, or an error that names the option that is wrong.
func NewManager(o ManagerOptions) (*Manager, error) { return &Manager{o}, nil }

// Run manages until ctx ends, then returns nil, or until the crawl is over, where
// Conf.Once is set. A bus that does not answer is told and tried again.
func (m *Manager) Run(ctx context.Context) error { return errors.ErrUnsupported }

// Status is what the leader knows, this one or another.
func (m *Manager) Status() Status { return Status{} }

// ReadStatus asks the bucket what the leader last counted.
func ReadStatus(ctx context.Context, b Bus) (Status, error) { return Status{}, errors.ErrUnsupported }

// Give tells all crawlers what to do from now on.
func Give(ctx context.Context, b Bus, o Order) error { return errors.ErrUnsupported }

// DrainWorker asks a crawler to hand over all it owns and to end; with undo it takes
// that back.
func DrainWorker(ctx context.Context, b Bus, name string, d Drain, undo bool) error {
	return errors.ErrUnsupported
}

// Page writes the copy of a page that some crawler keeps, headers and body as in HTTP,
// or returns ErrNoPage. The owner of its partition is asked first.
func Page(ctx context.Context, b Bus, url string, w io.Writer) error { return errors.ErrUnsupported }
