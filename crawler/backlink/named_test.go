package backlink_test

import (
	"errors"
	"testing"

	"github.com/eventseer/eventseer/crawler/backlink"
	"github.com/eventseer/eventseer/crawler/backlink/backlinktest"
)

// A provider under another name is known by it in its errors too: one of two wikis
// may fail.
func TestNamedErrors(t *testing.T) {
	server := backlinktest.NewSearX(t, backlinktest.Options{})
	p, err := backlink.NewSearX(backlink.SearXOptions{ClientOptions: clientOptions(server), API: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	server.Always(backlinktest.HTML())
	_, err = backlink.WithName(p, "mine").Backlinks(t.Context(), backlink.Query{Target: target, Scope: backlink.Page, Limit: 5})
	if failed := troubleOf(t, err); failed.Provider != "mine" || failed.Trouble != backlink.Nonsense {
		t.Errorf("%+v", failed)
	}
	server.Always(nil)
	if _, err = backlink.WithName(p, "mine").Backlinks(t.Context(), backlink.Query{Target: target, Scope: backlink.Page, Limit: 5}); err != nil {
		t.Error(errors.Unwrap(err))
	}
}
