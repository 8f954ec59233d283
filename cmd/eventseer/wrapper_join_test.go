package main

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/engine"
	"github.com/eventseer/eventseer/crawler/monitor"
	"github.com/eventseer/eventseer/eventseer/wrapper/collection"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/webgraph"
)

func TestWrapperJoin(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	dir, _ := engine.WrapperFiles(data)
	set, err := collection.OpenSet(dir, collection.SetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	pages := gardenPages(gardenTitles...)
	list := "<h1>Talks</h1><ul>"
	for i, title := range gardenTitles {
		list += fmt.Sprintf(`<li><a href="/talk/%d">%s</a> <i>room %c</i>, where all who like gardens are welcome`, i+1, title, 'A'+i)
	}
	pages = append(pages, &webgraph.Page{URL: "https://garden.example/talks", Status: http.StatusOK, Body: []byte(list + "</ul>")})
	for _, page := range pages {
		page.FetchedAt = time.Date(2027, 1, 10, 12, 0, 0, 0, time.UTC)
		teach(t, set, page)
	}
	join := func(args ...string) string {
		t.Helper()
		var out bytes.Buffer
		a := newTestApp(t)
		a.Stdout = &out
		if code := run(t.Context(), append([]string{"wrapper", "join", "--data", data}, args...), a); code != 0 {
			t.Fatalf("exit code %d", code)
		}
		return out.String()
	}
	if got := join("--format", "jsonl"); strings.Count(got, "\n") != len(gardenTitles) || strings.Contains(got, `"fields":{`) ||
		!strings.Contains(got, `{"url":"https://garden.example/talk/1","listed":[{"category":"https://garden.example/talks","anchor":"Roses at Night","fields":["Roses at Night",`) {
		t.Errorf("without copies of pages join prints\n%s", got)
	}

	m, err := monitor.Open(data, monitor.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Import(t.Context(), pages...); err != nil {
		t.Fatal(err)
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	if got := join("--format", "jsonl"); !strings.Contains(got, `"wrapper":"garden.example-1","fields":{`) || !strings.Contains(got, `["by Person B"]`) {
		t.Errorf("with copies of pages join prints\n%s", got)
	}
	if got := join(); !strings.Contains(got, "https://garden.example/talk/1\n") || !strings.Contains(got, "room A\n") {
		t.Errorf("the table is\n%s", got)
	}
}

// teach has a set learn a page and read it.
func teach(t *testing.T, set *collection.Set, page *webgraph.Page) {
	t.Helper()
	tree, err := tagtree.Parse(page)
	if err != nil {
		t.Fatal(err)
	}
	err = set.LearnPage(tree, func(l *collection.Lesson) error {
		if l.Wrapper != nil {
			l.Read()
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
