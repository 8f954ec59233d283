package main

import (
	"testing"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"

	"github.com/spf13/pflag"
)

func TestSize(t *testing.T) {
	for text, want := range map[string]string{
		"1GB": "1GB", "1024MB": "1GB", "1500KB": "1500KB", "0": "0", "7": "7", "2048": "2KB",
		"1TB": "", "-1MB": "", "1.5GB": "", "GB": "", "9999999999GB": "", "": "",
	} {
		var z app.Size
		err := z.UnmarshalText([]byte(text))
		if got := z.String(); (err != nil) != (want == "") || err == nil && got != want {
			t.Errorf("size %q reads as %s, %v; want %q", text, got, err, want)
		}
	}
}

// TestSettings: every field of the config is a setting, and every setting a
// field, so that config show and init leave none out.
func TestSettings(t *testing.T) {
	values := app.Config{}.Values()
	for _, s := range app.Settings {
		if _, ok := values[s.Key]; !ok {
			t.Errorf("setting %s has no field", s.Key)
		}
		delete(values, s.Key)
	}
	for key := range values {
		t.Errorf("field %s is no setting", key)
	}
}

// TestCrawlFlagGroups: crawl --help shows every flag under a heading, and each
// heading names flags that exist.
func TestCrawlFlagGroups(t *testing.T) {
	cmd := newCrawlCommand(newTestApp(t))
	grouped := map[string]bool{}
	for _, g := range crawlFlagGroups {
		for _, name := range g.flags {
			if grouped[name] || cmd.Flags().Lookup(name) == nil {
				t.Errorf("%s: --%s is no flag, or named twice", g.title, name)
			}
			grouped[name] = true
		}
	}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !grouped[f.Name] {
			t.Errorf("--%s stands under no heading", f.Name)
		}
	})
}
