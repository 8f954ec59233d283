package target

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/internal/usage"

	"github.com/google/go-cmp/cmp"
)

func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "targets")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestGroups reads a table of targets, determines their disciplines, and writes the targets of one discipline
// again.
func TestGroups(t *testing.T) {
	path := write(t, "url\tkind\tdiscipline\nhttp://a.example/\tpage\tphysics\nhttp://b.example/\tpage\t\n"+
		"http://c.example/\tmail\tphysics\nhttp://d.example/\tpdf\t\nhttp://e.example/\tpage\t\n")
	list, err := Read([]string{"http://A.example/"}, path, []string{"page", "pdf"})
	if err != nil {
		t.Fatal(err)
	}
	list.SetDisciplines(map[string]string{"http://d.example/": "physics", "http://a.example/": "biology"})
	err = list.ComputeDisciplines(t.Context(), func(url string) (string, error) {
		if url == "http://e.example/" {
			return "", errors.New("gone")
		}
		return "chemistry", nil
	})
	if err != nil {
		t.Fatal(err)
	}
	groups, err := list.Groups([]string{All}, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][]string{}
	for _, g := range groups {
		got[g.Name] = URLs(g.Targets)
	}
	want := map[string][]string{"biology": {"http://a.example/"}, "chemistry": {"http://b.example/"}, "physics": {"http://d.example/"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	var b strings.Builder
	if err := list.Write(&b, groups[2:]); err != nil {
		t.Fatal(err)
	}
	if want := "url\tkind\tdiscipline\nhttp://d.example/\tpdf\tphysics\n"; b.String() != want {
		t.Errorf("wrote %q, want %q", b.String(), want)
	}
}

func TestTellEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	list := List{Targets: []Target{{URL: "http://a.example/"}, {URL: "http://b.example/"}}}
	calls := 0
	err := list.ComputeDisciplines(ctx, func(string) (string, error) {
		calls++
		cancel()
		return "physics", nil
	})
	if !errors.Is(err, context.Canceled) || calls != 1 {
		t.Errorf("%d calls, %v", calls, err)
	}
}

func TestFaultsOfTheCaller(t *testing.T) {
	list, path := List{Targets: []Target{{URL: "http://a.example/"}}}, write(t, "# none\n")
	_, noURL := Read([]string{"::"}, "", nil)
	_, none := Read(nil, path, []string{"page"})
	_, unknown := list.Groups([]string{"alchemy"}, 0, 1)
	_, nobody := list.Groups([]string{All}, 0, 1)
	for name, err := range map[string]error{"no URL": noURL, "no target": none, "unknown discipline": unknown, "no discipline": nobody} {
		var fault usage.Error
		if !errors.As(err, &fault) {
			t.Errorf("%s: %v is no usage.Error", name, err)
		}
	}
}

func TestDraw(t *testing.T) {
	var targets []Target
	for _, c := range "abcdefgh" {
		targets = append(targets, Target{URL: string(c)})
	}
	first, again := URLs(DrawTargets(targets, 3, 1)), URLs(DrawTargets(targets, 3, 1))
	if len(first) != 3 || !cmp.Equal(first, again) {
		t.Errorf("drew %v, then %v", first, again)
	}
	if first[0] >= first[1] || first[1] >= first[2] {
		t.Errorf("%v are not in their order", first)
	}
	if all := DrawTargets(targets, 0, 1); len(all) != len(targets) {
		t.Errorf("0 draws %d of %d", len(all), len(targets))
	}
}
