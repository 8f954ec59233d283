package frontier_test

import (
	"path/filepath"
	"testing"

	"eventseer/crawler/frontier"
	"eventseer/crawler/frontier/frontiertest"
)

func TestFrontier(t *testing.T) {
	frontiertest.Run(t, func(t testing.TB, dir string) frontiertest.Store {
		f, err := frontier.Open(filepath.Join(dir, "frontier.db"), frontier.Options{NoWait: true, NoSync: true})
		if err != nil {
			t.Fatal(err)
		}
		return f
	})
}
