package warc

import (
	"testing"

	"github.com/eventseer/eventseer/internal/golden"
)

// TestSharedPages reads a WARC of real pages, digests included.
func TestSharedPages(t *testing.T) {
	r, err := Open(golden.SharedPath(t, "corpora/gold/pages.warc.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	n := 0
	for r.Scan() {
		rec, err := r.Record()
		if err != nil {
			t.Fatal(err)
		}
		if err := rec.Verify(); err != nil {
			t.Errorf("%s: %v", rec.TargetURI(), err)
		}
		if rec.Type() != "response" {
			continue
		}
		n++
		if page, err := rec.Page(); err != nil || page.Truncated || page.FetchedAt.IsZero() || len(page.Body) == 0 {
			t.Errorf("%s: %v", rec.TargetURI(), err)
		}
	}
	if r.Err() != nil || n != 156 {
		t.Errorf("%d pages, %v, want 156", n, r.Err())
	}
}
