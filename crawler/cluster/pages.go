package cluster

import (
	"context"
	"errors"
)

// serve answers for the pages kept here until ctx ends.
func (w *Worker) serve(ctx context.Context) error {
	for {
		err := w.o.Bus.Serve(ctx, pageQuestion+w.o.Name, w.answer)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			w.tell("serve pages", err)
		}
		if err := pause(ctx, beatEvery(w.conf.Lease)); err != nil {
			return err
		}
	}
}

// maxURL is the most bytes of a URL that is asked for.
const maxURL = 8 << 10

// answer says nothing, without an error, of a page that is not kept here.
func (w *Worker) answer(ctx context.Context, question []byte, part func([]byte) error) error {
	if w.o.Page == nil || len(question) > maxURL {
		return nil
	}
	if err := w.o.Page(ctx, string(question), part); !errors.Is(err, ErrNoPage) {
		return err
	}
	return nil
}
