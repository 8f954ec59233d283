package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/engine"
)

// A key file holds the key in its first line; a provider without its key says where
// keys come from.
func TestProviderKey(t *testing.T) {
	a := newTestApp(t)
	path := filepath.Join(t.TempDir(), "moz.key")
	if err := os.WriteFile(path, []byte("\nopen-sesame \r\n# of the group\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if key, err := app.ProviderKey(a, app.ProviderConfig{Type: "moz", KeyFile: path}); key != "open-sesame" || err != nil {
		t.Errorf("key %q, %v", key, err)
	}
	a.Config.Contact = "me@site.example"
	_, err := engine.OpenProviders(a, app.ProviderList{{Type: "moz", Name: "big-one"}})
	if err == nil || !strings.Contains(err.Error(), "big-one: it has no key") || !strings.Contains(err.Error(), "EVENTSEER_BACKLINKS_BIG_ONE_KEY") {
		t.Errorf("without a key: %v", err)
	}
}
