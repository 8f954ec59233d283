package main

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/store"
)

// Visitors cannot have the crawl knock at other services than web servers.
func TestSubmitterQueuesWebPages(t *testing.T) {
	t.Parallel()
	st, err := store.Open(filepath.Join(t.TempDir(), app.StoreFile), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	s := submitter{desk: st}
	for address, taken := range map[string]bool{
		"https://conf.example/cfp": true, "http://conf.example:8080/": true, "http://conf.example:443/": true,
		"http://conf.example:22/": false, "http://conf.example:6379/x": false, "http://conf.example:99999999999/": false, "http://conf.example:0/": false,
	} {
		err := s.Queue(t.Context(), address)
		var input *eventseer.InputError
		if taken && err != nil || !taken && !errors.As(err, &input) {
			t.Errorf("%s: %v", address, err)
		}
	}
	if notes, err := st.Notes(t.Context(), false, eventseer.MaxNotes); err != nil || len(notes) != 3 {
		t.Errorf("%d pages wait (%v), want 3", len(notes), err)
	}
}
