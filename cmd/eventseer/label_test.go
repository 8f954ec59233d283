package main

import (
	"bufio"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"eventseer/cmd/eventseer/internal/engine"
	"eventseer/datasets"
	"eventseer/eventseer/ui/tools"
	"eventseer/webgraph"

	"github.com/PuerkitoBio/goquery"
	"github.com/google/go-cmp/cmp"
)

const labelHeaderLine = "url\tpage_type\tis_cfp\tsubtype\tgroup\tlang\tdiscipline\thow\tsource\n"

func TestLabelFile(t *testing.T) {
	for name, test := range map[string]struct{ had, want string }{
		"absent":            {"", labelHeaderLine},
		"a line":            {labelHeaderLine + "u\tcfp\ttrue\t\tg\t\t\tread\t\n", labelHeaderLine + "u\tcfp\ttrue\t\tg\t\t\tread\t\n"},
		"without its end":   {"url\tpage_type\tis_cfp\nu\tcfp\ttrue", "url\tpage_type\tis_cfp\nu\tcfp\ttrue\n"},
		"torn":              {labelHeaderLine + "u\tcfp\ttrue\t\tg\t\t\tread\t\nv\tcf", labelHeaderLine + "u\tcfp\ttrue\t\tg\t\t\tread\t\n"},
		"a torn first line": {labelHeaderLine + "v\tcf", labelHeaderLine},
	} {
		path := filepath.Join(t.TempDir(), "labels.tsv")
		if test.had != "" {
			writeFile(t, path, test.had)
		}
		f, known, err := openLabelFile(path)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(test.want, readFile(t, path)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if known["u"] != strings.Contains(test.want, "u\tcfp") || known["v"] {
			t.Errorf("%s: known %v", name, known)
		}
		line, err := f.add(map[string]string{"url": "w", "page_type": "other", "is_cfp": "false"})
		if err != nil {
			t.Fatal(err)
		}
		if d, err := datasets.Open(path); err != nil || d.Problems.Len() > 0 {
			t.Errorf("%s: the file cannot be read again: %v, %v", name, err, d)
		}
		if err := f.remove(line); err != nil || readFile(t, path) != test.want {
			t.Errorf("%s: after undo %q, %v", name, readFile(t, path), err)
		}
		if err := f.close(); err != nil {
			t.Error(err)
		}
	}
}

func TestLabelFileRefuses(t *testing.T) {
	for name, had := range map[string]string{
		"no header":      "garden\triver\n",
		"no line end":    "%PDF-1.4",
		"too long lines": labelHeaderLine + strings.Repeat("x", maxLabelLine+1) + "\n",
	} {
		path := filepath.Join(t.TempDir(), "labels.tsv")
		writeFile(t, path, had)
		if _, _, err := openLabelFile(path); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", name, err)
		}
		if got := readFile(t, path); got != had {
			t.Errorf("%s: the file was changed", name)
		}
	}
	f, _, err := openLabelFile(filepath.Join(t.TempDir(), "labels.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.close() }()
	for _, bad := range []string{"a\tb", "a\nb", "\xff", strings.Repeat("x", maxLabelLine)} {
		if _, err := f.add(map[string]string{"url": bad, "page_type": "cfp", "is_cfp": "true"}); err == nil {
			t.Errorf("%.20q became a line", bad)
		}
	}
	line, err := f.add(map[string]string{"url": "u", "page_type": "cfp", "is_cfp": "true"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.f.WriteString("by another\n"); err != nil {
		t.Fatal(err)
	}
	if err := f.remove(line); err == nil {
		t.Error("a line that is not the last was removed")
	}
}

func TestDiverse(t *testing.T) {
	for groups, want := range map[string]string{
		"":           "",
		"aaaaa":      "aaaaa",
		"aaaaabbc":   "aaabaabc",
		"abababab":   "abababab",
		"aaaabbbbcc": "aaababbbcc",
	} {
		var list []*candidate
		for _, g := range groups {
			list = append(list, &candidate{group: string(g)})
		}
		got := ""
		for _, c := range diverse(list) {
			got += c.group
		}
		if got != want {
			t.Errorf("diverse(%s) = %s, want %s", groups, got, want)
		}
	}
}

// labelPages are pages of our own, some of which almost are calls.
func labelPages(n int) func(func(*webgraph.Page, error) bool) {
	return func(yield func(*webgraph.Page, error) bool) {
		for i := range n {
			text := fmt.Sprintf("<title>Page %d</title><p>We walked %d miles.", i, i) + strings.Repeat("<p>Authors submit papers. Deadline 1 May 2027.", i%5)
			if !yield(&webgraph.Page{URL: fmt.Sprintf("http://host%d.example/%d", i%4, i), Body: []byte(text)}, nil) {
				return
			}
		}
	}
}

func TestQueueIsSorted(t *testing.T) {
	judge, err := engine.NewPageJudge("shipped", nil)
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{"http://host0.example/0": true}
	for _, task := range []string{"cfp", "page-type"} {
		var orders [2][]string
		for i := range orders {
			q := newLabelQueue(judge, task, known, labelPages(30), func(url string, err error) { t.Errorf("%s: %v", url, err) })
			for _, c := range q.order {
				orders[i] = append(orders[i], c.url)
			}
			if len(q.order) != 29 || q.byID[q.order[0].id] != q.order[0] {
				t.Fatalf("%d pages, want 29", len(q.order))
			}
			first, last := q.order[0].unsure[0], q.order[28].unsure[0]
			if !(first > last) || first > 1 || last < 0 {
				t.Errorf("%s: uncertainty from %v to %v", task, first, last)
			}
		}
		if diff := cmp.Diff(orders[0], orders[1]); diff != "" {
			t.Errorf("%s: another order the second time:\n%s", task, diff)
		}
	}
}

func TestQueueFollowsSwappedModels(t *testing.T) {
	first, err := engine.NewPageJudge("shipped", nil)
	if err != nil {
		t.Fatal(err)
	}
	m, err := engine.OpenModel("cfp")
	if err != nil {
		t.Fatal(err)
	}
	m.Threshold = 0.99
	path := filepath.Join(t.TempDir(), "strict.model")
	if err := writeModel(path, m); err != nil {
		t.Fatal(err)
	}
	second, err := engine.NewPageJudge("shipped", []string{path})
	if err != nil {
		t.Fatal(err)
	}
	q := newLabelQueue(first, "cfp", nil, labelPages(10), func(string, error) {})
	if p, err := q.Page(t.Context(), ""); err != nil || p.Threshold == 0.99 {
		t.Fatalf("threshold of %+v, %v", p, err)
	}
	q.judge = second
	if p, err := q.Page(t.Context(), ""); err != nil || p.Threshold != 0.99 {
		t.Errorf("the new model is not asked: %+v, %v", p, err)
	}
}

func TestQueueRefusesUnnameablePages(t *testing.T) {
	judge, err := engine.NewPageJudge("shipped", nil)
	if err != nil {
		t.Fatal(err)
	}
	var bad []string
	pages := func(yield func(*webgraph.Page, error) bool) {
		_ = yield(&webgraph.Page{URL: "a\tb"}, nil) && yield(&webgraph.Page{URL: "absent"}, os.ErrNotExist) &&
			yield(&webgraph.Page{URL: "twice"}, nil) && yield(&webgraph.Page{URL: "twice"}, nil)
	}
	q := newLabelQueue(judge, "cfp", nil, pages, func(url string, _ error) { bad = append(bad, url) })
	if diff := cmp.Diff([]string{"a\tb", "absent"}, bad); diff != "" || len(q.order) != 1 {
		t.Errorf("%d pages, refused (-want +got):\n%s", len(q.order), diff)
	}
	if got, want := q.Progress(), (tools.LabelProgress{Left: 1}); got != want {
		t.Errorf("progress %+v, want %+v", got, want)
	}
}

// TestLabelServe labels in a browser's way, kills the program with its strongest
// signal, and goes on: no label is lost, and undo takes back the last.
func TestLabelServe(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pages, labels := filepath.Join(dir, "pages"), filepath.Join(dir, "labels.tsv")
	if err := os.Mkdir(pages, 0o755); err != nil {
		t.Fatal(err)
	}
	for i := range 6 {
		writeFile(t, filepath.Join(pages, fmt.Sprintf("%d.html", i)), fmt.Sprintf("<html lang=en><title>Page %d</title><p>Authors submit papers on gardens %d.", i, i))
	}
	s := startLabelServe(t, pages, labels)
	s.press("yes", "cfp")
	s.press("no", "other")
	s.send(url.Values{"press": {"skip"}})
	s.press("yes", "conference")
	s.send(url.Values{"press": {"undo"}})
	s.press("no", "weblog")
	if got := s.progress(); got != "3 labelled, 1 skipped, 2 left" {
		t.Errorf("progress %q", got)
	}
	s.kill()
	want := readFile(t, labels)
	d, err := datasets.Open(labels)
	if err != nil || d.Len() != 3 || d.Problems.Len() > 0 || strings.Contains(want, "conference") || !strings.Contains(want, "\tweblog\tfalse\t\t") {
		t.Fatalf("after kill -9 (%v):\n%s", err, want)
	}
	s = startLabelServe(t, pages, labels)
	if got := s.progress(); got != "0 labelled, 3 left" {
		t.Errorf("started again: %q", got)
	}
	s.press("no", "other")
	s.kill()
	if got := readFile(t, labels); !strings.HasPrefix(got, want) || strings.Count(got, "\n") != 5 {
		t.Errorf("labels are lost:\n%s", got)
	}
}

// A labelServe is a running label serve and its user.
type labelServe struct {
	testing.TB
	cmd    *exec.Cmd
	client *http.Client
	url    string
}

func startLabelServe(t *testing.T, pages, labels string) *labelServe {
	t.Helper()
	cmd := exec.Command(selfAs(t, "eventseer"), "label", "serve", pages, "--labels", labels, "--listen", "127.0.0.1:0", "--quiet")
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() }) // it may have ended already
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return &labelServe{t, cmd, http.DefaultClient, strings.TrimSpace(line)}
}

func (s *labelServe) kill() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
}

// show gets the page to label.
func (s *labelServe) show(address string) *goquery.Document {
	s.Helper()
	answer, err := s.client.Get(address)
	if err != nil {
		s.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	doc, err := goquery.NewDocumentFromReader(answer.Body)
	if err != nil {
		s.Fatal(err)
	}
	return doc
}

// send posts the form of the page shown with one more field.
func (s *labelServe) send(form url.Values) string {
	s.Helper()
	s.show(s.url).Find("form#label input").Each(func(_ int, in *goquery.Selection) {
		if name := in.AttrOr("name", ""); !form.Has(name) {
			form.Set(name, in.AttrOr("value", ""))
		}
	})
	answer, err := s.client.PostForm(s.url, form)
	if err != nil {
		s.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusOK {
		s.Fatalf("POST %v: status %d", form, answer.StatusCode)
	}
	return answer.Request.URL.String()
}

// press answers both questions, button by button.
func (s *labelServe) press(call, pageType string) {
	s.Helper()
	address := s.send(url.Values{"press": {"call=" + call}})
	chosen := s.show(address).Find("input[name=call]").AttrOr("value", "")
	s.send(url.Values{"call": {chosen}, "press": {"type=" + pageType}})
}

func (s *labelServe) progress() string {
	return strings.TrimSpace(s.show(s.url).Find(".queue label").Text())
}

func writeFile(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func readFile(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
