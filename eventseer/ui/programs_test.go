package ui

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"
	"time"

	"github.com/eventseer/eventseer/eventseer/exchange"
	"github.com/eventseer/eventseer/eventseer/search"
	"github.com/eventseer/eventseer/eventseer/series"
	"github.com/eventseer/eventseer/eventseer/store"
	"github.com/eventseer/eventseer/internal/eventstest"
)

// realWorld are the options of a UI over a real store and index that hold n seeded
// events and fullEvent, with all formats.
func realWorld(t testing.TB, n int) (Options, *store.Store) {
	t.Helper()
	st, err := store.Open(filepath.Join(t.TempDir(), "store.db"), store.Options{Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	full := fullEvent()
	full.Series = series.Of(full)
	for _, e := range append(eventstest.Events(1, n, now), full) {
		if _, err := st.Put(t.Context(), e, eventstest.Clips(e)); err != nil {
			t.Fatal(err)
		}
	}
	index, err := search.Open("", search.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := index.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := search.Sync(t.Context(), st, index); err != nil {
		t.Fatal(err)
	}
	return Options{
		Store: st, Index: index, Series: st, Recent: st, Formats: exchange.Formats(), Version: "1.2",
		Now: func() time.Time { return now }, Crawled: func() time.Time { return now.Add(-time.Hour) },
	}, st
}

// ask sends a GET with headers, in pairs.
func ask(t testing.TB, h http.Handler, path string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// patient serves h to clients that are never too many: each request comes from another.
func patient(h http.Handler) http.Handler {
	n := 0
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n++
		r.RemoteAddr = "10." + itoa(n>>16&255) + "." + itoa(n>>8&255) + "." + itoa(n&255) + ":80"
		h.ServeHTTP(w, r)
	})
}
