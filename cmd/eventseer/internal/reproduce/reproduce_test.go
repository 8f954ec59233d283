package reproduce

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
)

// writeWeb writes a frozen web of n calls and returns its folder. A list page and a page of its own site link to each call.
func writeWeb(t *testing.T, n int) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "web")
	var targets, links, labels strings.Builder
	targets.WriteString("url\tkind\n")
	links.WriteString("source\ttarget\n")
	labels.WriteString("url\tdiscipline\n")
	nodes := "url\tpage_type\n"
	for i := range n {
		url := fmt.Sprintf("http://c%d.example/cfp", i)
		fmt.Fprintf(&targets, "%s\tpage\n", url)
		fmt.Fprintf(&labels, "%s\tinformatics\n", url)
		fmt.Fprintf(&links, "http://list%d.example/\t%s\nhttp://c%d.example/\t%s\nhttp://home%d.example/\thttp://list%d.example/\n", i%3, url, i, url, i, i%3)
	}
	for i := range 3 {
		nodes += fmt.Sprintf("http://list%d.example/\tcfp_list\n", i)
	}
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	if _, err := io.WriteString(z, links.String()); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{"targets.tsv": targets.String(), "nodes.tsv": nodes, "links.tsv.gz": zipped.String(), "../pages/labels.tsv": labels.String()} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// small are flags with generated webs of little size.
func small(web string) Options { return Options{Web: web, Draws: 2, Hosts: 120, Pages: 1500} }

func newApp(output string) *app.App {
	a := &app.App{Stdout: io.Discard, Stderr: io.Discard}
	a.Config.Output, a.Config.Quiet = output, true
	return a
}

const document = `# Tables
<!-- layers: written by eventseer lab reproduce -->
old
<!-- end of layers -->
between
<!-- parents: written by eventseer lab reproduce -->
<!-- end of parents -->
after
`

// TestReproduce writes the tables into a document twice: the bytes are the same, and the text around the tables stays.
func TestReproduce(t *testing.T) {
	web := writeWeb(t, 45)
	path := filepath.Join(t.TempDir(), "doc.md")
	if err := os.WriteFile(path, []byte(document), 0o600); err != nil {
		t.Fatal(err)
	}
	var written [2]string
	for i := range written {
		if err := Run(t.Context(), newApp(path), small(web)); err != nil {
			t.Fatal(err)
		}
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		written[i] = string(content)
	}
	if written[0] != written[1] {
		t.Errorf("two runs differ:\n%s\n%s", written[0], written[1])
	}
	for _, want := range []string{
		"# Tables\n", "\nbetween\n", "\nafter\n",
		"| informatics | frozen web, 45 targets | between sites | 2/13/64/305/1504 |", "| 40 ± 0 / 3 ± 0 / 45 ± 0 / 0 ± 0 / 0 ± 0 |\n",
		"| mathematics | generated (seed 2; 0 in the frozen web), ", "| sociology | generated (seed 5; 0 in the frozen web), ",
		"3 pages of other sites have 45 links to the 45 targets", "| CFP list | 24 | 29 | 3 (45) |",
	} {
		if !strings.Contains(written[0], want) {
			t.Errorf("the document lacks %q:\n%s", want, written[0])
		}
	}
	if strings.Contains(written[0], "old") {
		t.Errorf("the old table is still there:\n%s", written[0])
	}
}

// TestReproduceFailures runs with input that cannot be measured: the error says what is missing, and the document stays.
func TestReproduceFailures(t *testing.T) {
	web := writeWeb(t, 45)
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	for name, c := range map[string]struct {
		ctx      context.Context
		change   func(f *Options)
		document string
		want     string
	}{
		"no web":         {t.Context(), func(f *Options) { f.Web += "/none" }, document, "no such file"},
		"no labels":      {t.Context(), func(f *Options) { f.Labels = "none.tsv" }, document, "none.tsv"},
		"one draw":       {t.Context(), func(f *Options) { f.Draws = 1 }, document, "--draws 1 is not from 2 to 1000"},
		"a tiny web":     {t.Context(), func(f *Options) { f.Hosts, f.Pages = 5, 20 }, document, "fewer than 40"},
		"no hosts":       {t.Context(), func(f *Options) { f.Hosts = 0 }, document, "hosts=0"},
		"no marks":       {t.Context(), func(*Options) {}, "# Tables\n", "no place for the table layers"},
		"one mark twice": {t.Context(), func(*Options) {}, document + document, "or several"},
		"interrupted":    {canceled, func(*Options) {}, document, "canceled"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "doc.md")
			if err := os.WriteFile(path, []byte(c.document), 0o600); err != nil {
				t.Fatal(err)
			}
			f := small(web)
			c.change(&f)
			if err := Run(c.ctx, newApp(path), f); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("the error is %v; want one with %q", err, c.want)
			}
			if content, err := os.ReadFile(path); err != nil || string(content) != c.document {
				t.Errorf("the document changed: %v\n%s", err, content)
			}
		})
	}
}
