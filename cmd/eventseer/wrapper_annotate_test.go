package main

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/engine"
	"github.com/eventseer/eventseer/eventseer/wrapper"
	"github.com/eventseer/eventseer/eventseer/wrapper/collection"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/webgraph"
)

// gardenPages are the pages of a template, one for each title.
func gardenPages(titles ...string) (pages []*webgraph.Page) {
	for i, title := range titles {
		pages = append(pages, &webgraph.Page{
			URL: fmt.Sprintf("https://garden.example/talk/%d", i+1), Status: http.StatusOK,
			Body: fmt.Appendf(nil, "<html><body><h1>%s</h1><p class=by>by Person %c</p><p class=n>visitor %d</p><p>The garden is open.</p></body></html>", title, 'A'+i, 1200+7*i),
		})
	}
	return pages
}

var gardenTitles = []string{"Roses at Night", "The Compost of Kings", "Trees that Wait", "Snails and their Enemies"}

// gardenWrapper writes a wrapper of four pages.
func gardenWrapper(t *testing.T) string {
	t.Helper()
	w := wrapper.New("garden.example", "garden.example/talk/#")
	for _, page := range gardenPages(gardenTitles...) {
		tree, err := tagtree.Parse(page)
		if err != nil {
			t.Fatal(err)
		}
		w.Add(tree)
	}
	data, err := w.Encode()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "garden.wrapper")
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// dialog runs `wrapper annotate` with answers.
func dialog(t *testing.T, answers string, line ...string) string {
	t.Helper()
	a := newTestApp(t)
	var out, talk bytes.Buffer
	a.Stdin, a.Stdout, a.Stderr = strings.NewReader(answers), &out, &talk
	if code := run(t.Context(), append([]string{"wrapper", "annotate"}, line...), a); code != 0 {
		t.Fatalf("annotate exits with %d: %s%s", code, out.String(), talk.String())
	}
	return out.String()
}

// fieldOf returns the first field that has a value.
func fieldOf(t *testing.T, path, value string) *wrapper.Field {
	t.Helper()
	w, err := readWrapper(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range w.Fields {
		for _, x := range f.Examples {
			if x.Value == value {
				return f
			}
		}
	}
	t.Fatalf("no field has the value %q", value)
	return nil
}

func TestWrapperAnnotate(t *testing.T) {
	t.Parallel()
	path := gardenWrapper(t)
	title := fieldOf(t, path, gardenTitles[0])
	answers := ""
	w, err := readWrapper(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range w.Fields {
		if f.ID == title.ID {
			break
		}
		answers += "s\n"
	}
	out := dialog(t, answers+"9\n= No Name\nhow?\n= title\nu\n= talk.title\ni\nu\nl\nq\n", path)
	for _, want := range []string{
		"garden.example garden.example/talk/#, 4 pages", "“Roses at Night”", "there is no proposal 9", `"No Name" is not a name of a field`,
		`"how?" is no answer:`, "accept the first proposal", title.ID + "\ttalk.title\t", "1 fields have a meaning, 0 are ignored",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("annotate prints\n%s\nwant %q in it", out, want)
		}
	}
	if f := fieldOf(t, path, gardenTitles[0]); f.Meaning != "talk.title" || f.By != wrapper.ByOperator {
		t.Errorf("the title means %q by %q", f.Meaning, f.By)
	}
	if out := dialog(t, "", path); strings.Contains(out, "“Roses at Night”") || !strings.Contains(out, "1 fields have a meaning") {
		t.Errorf("the second time annotate prints\n%s", out)
	}
	other := filepath.Join(t.TempDir(), "other.wrapper")
	dialog(t, answers+"i\n", path, "--all", "-o", other)
	if f := fieldOf(t, other, gardenTitles[0]); !f.Ignored {
		t.Error("-o has no answer")
	}
	if f := fieldOf(t, path, gardenTitles[0]); f.Ignored {
		t.Error("with -o the wrapper itself is changed")
	}
}

func TestWrapperAnnotateByName(t *testing.T) {
	t.Parallel()
	data, path := seedData(t), gardenWrapper(t)
	dir, _ := engine.WrapperFiles(data)
	if err := errors.Join(os.Mkdir(dir, 0o755), os.Rename(path, filepath.Join(dir, "garden.example-1.wrapper"))); err != nil {
		t.Fatal(err)
	}
	dialog(t, "= talk.title\n", "garden.example-1", "--data", data)
	if out := dialog(t, "", "garden.example-1", "--data", data); !strings.Contains(out, "1 fields have a meaning") {
		t.Errorf("annotate prints\n%s", out)
	}
	output(t, 1, "wrapper", "annotate", "none.example-1", "--data", data)
	output(t, 1, "wrapper", "annotate", "../store", "--data", data)
}

func TestWrapperAnnotateProposes(t *testing.T) {
	t.Parallel()
	path := gardenWrapper(t)
	dir := t.TempDir()
	for i, page := range gardenPages("Workshop on Roses 2027", "Workshop on Compost 2027", "Workshop on Trees 2027") {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.html", i)), page.Body, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	out := dialog(t, "y\nq\n", path, dir)
	if !strings.Contains(out, "1. title, 100 % similar ") || !strings.Contains(out, "1 fields have a meaning") {
		t.Errorf("annotate prints\n%s", out)
	}
}

func TestWrapperUI(t *testing.T) {
	t.Parallel()
	a := newTestApp(t)
	a.Config.Data = t.TempDir()
	dir, notices := engine.WrapperFiles(a.Config.Data)
	set, err := collection.OpenSet(dir, collection.SetOptions{Archive: archiveOf(gardenPages(gardenTitles...))})
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range gardenPages(gardenTitles...) {
		teach(t, set, page)
	}
	if err := collection.NewNoticeLog(notices).Add(wrapper.Notice{Kind: wrapper.NewFields, Host: "garden.example", Text: "3 fields wait"}); err != nil {
		t.Fatal(err)
	}
	h, err := newWrapperUI(a, set)
	if err != nil {
		t.Fatal(err)
	}
	list, err := set.List()
	if err != nil || len(list) != 1 {
		t.Fatalf("%d wrappers, %v", len(list), err)
	}
	ask := func(method, path string, form url.Values) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(form.Encode()))
		r.Host, r.RemoteAddr = "localhost:8080", "127.0.0.1:4711"
		if form != nil {
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	if body := ask("GET", "/wrappers", nil).Body.String(); !strings.Contains(body, "3 fields wait") || !strings.Contains(body, `href="/wrappers/`+list[0].Name+`"`) {
		t.Errorf("the list is %s", body)
	}
	path := "/wrappers/" + list[0].Name
	if body := ask("GET", path, nil).Body.String(); !strings.Contains(body, "Roses at Night") {
		t.Errorf("the page is %s", body)
	}
	id := list[0].Wrapper.Fields[0].ID
	meaning := func() string {
		list, err := set.List()
		if err != nil {
			t.Fatal(err)
		}
		return list[0].Wrapper.Fields[0].Meaning
	}
	if w := ask("POST", path+"?field="+id, url.Values{"press": {"name"}, "meaning": {"talk.title"}}); w.Code != 303 || meaning() != "talk.title" {
		t.Errorf("naming is answered with %d, the field means %q", w.Code, meaning())
	}
	if w := ask("POST", path, url.Values{"press": {"undo"}}); w.Header().Get("Location") != path+"#"+id || meaning() != "" {
		t.Errorf("undo leads to %q, the field means %q", w.Header().Get("Location"), meaning())
	}
	for path, want := range map[string]int{path: 303, path + "?field=none": 404, "/wrappers/none-1?field=f1": 404, "/wrappers/none": 404} {
		press := "ignore"
		if want == 303 {
			press = "undo" // there is nothing to undo
		}
		if w := ask("POST", path, url.Values{"press": {press}}); w.Code != want {
			t.Errorf("POST %s = %d, want %d", path, w.Code, want)
		}
	}
}

// archiveOf gives pages again.
type archiveOf []*webgraph.Page

func (a archiveOf) LastVersion(url string) (*webgraph.Page, error) {
	for _, page := range a {
		if page.URL == url {
			return page, nil
		}
	}
	return nil, nil
}
