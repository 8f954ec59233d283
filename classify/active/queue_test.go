package active

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/datasets"
	"github.com/eventseer/eventseer/eventseer/ui/tools"
	"github.com/eventseer/eventseer/models"
	"github.com/eventseer/eventseer/webgraph"

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
		f, known, err := OpenFile(path)
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
		line, err := f.appendLabel(map[string]string{"url": "w", "page_type": "other", "is_cfp": "false"})
		if err != nil {
			t.Fatal(err)
		}
		if d, err := datasets.Open(path); err != nil || d.Problems.Len() > 0 {
			t.Errorf("%s: the file cannot be read again: %v, %v", name, err, d)
		}
		if err := f.removeLastLine(line); err != nil || readFile(t, path) != test.want {
			t.Errorf("%s: after undo %q, %v", name, readFile(t, path), err)
		}
		if err := f.Close(); err != nil {
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
		if _, _, err := OpenFile(path); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", name, err)
		}
		if got := readFile(t, path); got != had {
			t.Errorf("%s: the file was changed", name)
		}
	}
	f, _, err := OpenFile(filepath.Join(t.TempDir(), "labels.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	for _, bad := range []string{"a\tb", "a\nb", "\xff", strings.Repeat("x", maxLabelLine)} {
		if _, err := f.appendLabel(map[string]string{"url": bad, "page_type": "cfp", "is_cfp": "true"}); err == nil {
			t.Errorf("%.20q became a line", bad)
		}
	}
	line, err := f.appendLabel(map[string]string{"url": "u", "page_type": "cfp", "is_cfp": "true"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.f.WriteString("by another\n"); err != nil {
		t.Fatal(err)
	}
	if err := f.removeLastLine(line); err == nil {
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
		for _, c := range limitGroupRuns(list) {
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
	judge, err := classify.ReadJudge(models.Files(), ".")
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{"http://host0.example/0": true}
	for _, task := range []string{"cfp", "page-type"} {
		var orders [2][]string
		for i := range orders {
			q := NewQueue(judge, task, known, labelPages(30), func(url string, err error) { t.Errorf("%s: %v", url, err) })
			for _, c := range q.order {
				orders[i] = append(orders[i], c.url)
			}
			if len(q.order) != 29 || q.byID[q.order[0].id] != q.order[0] {
				t.Fatalf("%d pages, want 29", len(q.order))
			}
			first, last := q.order[0].uncertainty[0], q.order[28].uncertainty[0]
			if !(first > last) || first > 1 || last < 0 {
				t.Errorf("%s: uncertainty from %v to %v", task, first, last)
			}
		}
		if diff := cmp.Diff(orders[0], orders[1]); diff != "" {
			t.Errorf("%s: another order the second time:\n%s", task, diff)
		}
	}
}

// A page is judged in the context of its host's other pages, in whatever order they came. Whether it is a call depends on
// the page alone.
func TestQueueJudgesInContext(t *testing.T) {
	judge, err := classify.ReadJudge(models.Files(), ".")
	if err != nil {
		t.Fatal(err)
	}
	backwards := func(yield func(*webgraph.Page, error) bool) {
		var pages []*webgraph.Page
		for p := range labelPages(30) {
			pages = append(pages, p)
		}
		for _, p := range slices.Backward(pages) {
			if !yield(p, nil) {
				return
			}
		}
	}
	q := NewQueue(judge, "page-type", nil, labelPages(30), func(string, error) {})
	again := NewQueue(judge, "page-type", nil, backwards, func(string, error) {})
	hosts := classify.NewHostContext(judge.PageType().Meta)
	for _, c := range q.order {
		hosts.Add(c.url, c.alone)
	}
	for i, c := range q.order {
		if diff := cmp.Diff(hosts.Judge(c.url, c.alone), c.Judgement); diff != "" || !c.InContext || c.CFPScore != c.alone.CFPScore {
			t.Errorf("%s (-want +got):\n%s", c.url, diff)
		}
		if a := again.order[i]; a.url != c.url || !cmp.Equal(a.Judgement, c.Judgement) {
			t.Errorf("page %d is %s, in another order of pages %s", i, c.url, a.url)
		}
	}
}

func TestQueueFollowsSwappedModels(t *testing.T) {
	first, err := classify.ReadJudge(models.Files(), ".")
	if err != nil {
		t.Fatal(err)
	}
	m := *first.CFP()
	m.Threshold = 0.99
	strict, err := classify.NewModel(m)
	if err != nil {
		t.Fatal(err)
	}
	second, err := classify.NewJudge(strict, first.PageType())
	if err != nil {
		t.Fatal(err)
	}
	q := NewQueue(first, "cfp", nil, labelPages(10), func(string, error) {})
	if p, err := q.Page(t.Context(), ""); err != nil || p.Threshold == 0.99 {
		t.Fatalf("threshold of %+v, %v", p, err)
	}
	q.judge = second
	if p, err := q.Page(t.Context(), ""); err != nil || p.Threshold != 0.99 {
		t.Errorf("the new model is not asked: %+v, %v", p, err)
	}
}

func TestQueueRefusesUnnameablePages(t *testing.T) {
	judge, err := classify.ReadJudge(models.Files(), ".")
	if err != nil {
		t.Fatal(err)
	}
	var bad []string
	pages := func(yield func(*webgraph.Page, error) bool) {
		_ = yield(&webgraph.Page{URL: "a\tb"}, nil) && yield(&webgraph.Page{URL: "absent"}, os.ErrNotExist) &&
			yield(&webgraph.Page{URL: "twice"}, nil) && yield(&webgraph.Page{URL: "twice"}, nil)
	}
	q := NewQueue(judge, "cfp", nil, pages, func(url string, _ error) { bad = append(bad, url) })
	if diff := cmp.Diff([]string{"a\tb", "absent"}, bad); diff != "" || len(q.order) != 1 {
		t.Errorf("%d pages, refused (-want +got):\n%s", len(q.order), diff)
	}
	if got, want := q.Progress(), (tools.LabelProgress{Left: 1}); got != want {
		t.Errorf("progress %+v, want %+v", got, want)
	}
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
