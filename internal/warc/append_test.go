package warc

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestAppend checks that records are at the places that Append returns. This includes series of files,
// converted files, and files opened again.
func TestAppend(t *testing.T) {
	dir := t.TempDir()
	prefix := filepath.Join(dir, "pages")
	type kept struct {
		url string
		at  []Place
	}
	var all []kept
	for round := range 2 {
		w := create(t, prefix, 2000)
		for n := range 6 {
			url := fmt.Sprintf("https://conf.example/%d/%d", round, n)
			block := []byte("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n" + strings.Repeat(url, 20))
			response := NewResponse(url, frozen(), block)
			at, err := w.Append(response, NewConversion(response, frozen(), "application/json", []byte(`{"n":1}`)))
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, kept{url, at})
		}
		if err := errors.Join(w.Sync(), w.Close()); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(series(t, prefix)); n < 3 {
		t.Errorf("%d files", n)
	}
	for _, k := range all {
		var got []string
		for _, at := range k.at {
			rec, err := ReadAt(filepath.Join(dir, at.File), at.Offset)
			if err != nil {
				t.Fatal(err)
			}
			if err := rec.Verify(); err != nil {
				t.Error(err)
			}
			got = append(got, rec.Type()+" "+rec.TargetURI())
		}
		if diff := cmp.Diff([]string{"response " + k.url, "conversion " + k.url}, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	if _, err := ReadAt(filepath.Join(dir, all[0].at[0].File), 1<<40); !errors.Is(err, ErrNotFound) {
		t.Errorf("beyond the end: %v", err)
	}
}
