package begin

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
)

func testApp(t *testing.T) (*app.App, *strings.Builder) {
	var talk strings.Builder
	a := &app.App{Stderr: &talk, Getenv: func(string) string { return "" }, Now: func() time.Time { return time.Date(2026, 11, 27, 0, 0, 0, 0, time.UTC) }}
	a.Config.Data = t.TempDir()
	return a, &talk
}

// TestAsk asks again after a bad answer, takes defaults, and gives up.
func TestAsk(t *testing.T) {
	var out strings.Builder
	got, err := AskSettings(strings.NewReader("nobody\nops@site.example\nalchemy\ndatabases, security\n\n"), &out, Answers{Listen: "127.0.0.1:8080"}, true, true)
	if err != nil || got.Contact != "ops@site.example" || len(got.Fields) != 2 || got.Listen != "127.0.0.1:8080" || !strings.Contains(out.String(), `no field "alchemy"`) {
		t.Errorf("%+v, %v\n%s", got, err, &out)
	}
	if _, err := AskSettings(strings.NewReader(""), &out, Answers{}, true, true); err == nil || !strings.Contains(err.Error(), "no answer") {
		t.Errorf("without an answer: %v", err)
	}
	if _, err := AskSettings(strings.NewReader("a\nb\nc\nops@site.example\n"), &out, Answers{}, true, true); err == nil || !strings.Contains(err.Error(), "no valid answer") {
		t.Errorf("bad answers: %v", err)
	}
}

// TestSeedsOfService reads the setting and the file, and adds to the file once.
func TestSeedsOfService(t *testing.T) {
	a, talk := testApp(t)
	list := filepath.Join(t.TempDir(), "list.txt")
	if err := os.WriteFile(list, []byte("https://list.site.example/\nconf.site.example/cfp\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	a.Config.Seeds = "https://one.site.example/, " + list
	if n, err := AddSeeds(a, "a test", []string{"https://own.site.example/#x", "https://own.site.example/", "nothing"}); n != 1 || err != nil {
		t.Fatalf("%d added, %v", n, err)
	}
	if n, err := AddSeeds(a, "a test", []string{"https://own.site.example/"}); n != 0 || err != nil {
		t.Errorf("%d added again, %v", n, err)
	}
	got, err := ServiceSeeds(a, false)
	want := []string{"https://one.site.example/", "https://list.site.example/", "https://own.site.example/"}
	if err != nil || !slices.Equal(got, want) || !strings.Contains(talk.String(), "line 2: \"conf.site.example/cfp\" is not an http or https URL; did you mean") {
		t.Errorf("%q, %v; said %s", got, err, talk)
	}
	text, _ := os.ReadFile(filepath.Join(a.Config.Data, app.SeedsFile))
	if string(text) != "# a test, added 2026-11-27\nhttps://own.site.example/\n" {
		t.Errorf("the file is %q", text)
	}
	a.Config.Seeds = "absent.txt"
	if _, err := ServiceSeeds(a, true); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
}

// TestWriteConfig creates a file that only its owner may read, and does not replace an existing one.
func TestWriteConfig(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "config.yaml")
	a, _ := testApp(t)
	a.Config.Contact, a.Origins = "ops@site.example", map[string]string{}
	for _, s := range app.Settings {
		a.Origins[s.Key] = "default"
	}
	if err := WriteConfig(a, path); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if err := WriteConfig(a, path); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a second one: %v", err)
	}
}

// TestChooseStarting knows fields, disciplines and none.
func TestChooseStarting(t *testing.T) {
	all, err := ChooseStarting(nil)
	security, err2 := ChooseStarting([]string{"security"})
	natural, err3 := ChooseStarting([]string{"natural"})
	if err != nil || err2 != nil || err3 != nil || len(all) < 400 || len(security) >= len(all) || len(security) == 0 || len(natural) == 0 {
		t.Errorf("%d, %d, %d; %v %v %v", len(all), len(security), len(natural), err, err2, err3)
	}
}
