package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/features/tagtree/report"
	"github.com/eventseer/eventseer/internal/golden"

	"github.com/PuerkitoBio/goquery"
)

// runAnalyze runs analyze and returns its exit code and stdout.
func runAnalyze(t *testing.T, args ...string) (int, string) {
	t.Helper()
	var out bytes.Buffer
	a := newTestApp(t)
	a.Stdout = &out
	code := run(context.Background(), append([]string{"analyze"}, args...), a)
	return code, out.String()
}

// readAnalyses reads the lines of `analyze --format jsonl`.
func readAnalyses(t *testing.T, lines string) []report.Page {
	t.Helper()
	var records []report.Page
	for line := range strings.Lines(lines) {
		var r report.Page
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatalf("%v in %.200s", err, line)
		}
		records = append(records, r)
	}
	return records
}

func TestAnalyzeReport(t *testing.T) {
	report := filepath.Join(t.TempDir(), "report.html")
	code, _ := runAnalyze(t, "testdata/analyze/call.html", "testdata/analyze/calendar.html", "testdata/analyze/hostile.html", "testdata/analyze/missing.html",
		"--keywords", "testdata/analyze/keywords.txt", "--report", report)
	if code != exitPartly {
		t.Errorf("exit code %d, want %d", code, exitPartly)
	}
	got, err := os.ReadFile(report)
	if err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "analyze/report.html", got)
	page, err := goquery.NewDocumentFromReader(bytes.NewReader(got))
	if err != nil {
		t.Fatal(err)
	}
	if n := page.Find("script, img, iframe, link, object, [src], [style], [onclick], [onload], [href^=javascript]").Length(); n > 0 {
		t.Errorf("%d elements that run or load something", n)
	}
	for selector, want := range map[string]string{
		"section:nth-of-type(3) h2": "Owls <b>at night</b>",
		".legend li:nth-child(2)":   "hub: links worth following",
		".contents li:nth-child(4)": "could not be read",
		"#p1 ~ .beside > .card":     "counting from cliffs, boats and drones",
		".sheet":                    "<script>alert(2)</script>",
		"#p1 ~ .under":              "people who share harbours with them",
		"#p2 ~ .under a":            "Fifth Workshop on Harbour Seals, Kirkwall",
	} {
		if !strings.Contains(page.Find(selector).Text(), want) {
			t.Errorf("%s: no %q in %.300q", selector, want, page.Find(selector).Text())
		}
	}
	page.Find("[href^='#']").Each(func(_ int, link *goquery.Selection) {
		if target, _ := link.Attr("href"); page.Find(target).Length() != 1 {
			t.Errorf("%s leads to %d places", target, page.Find(target).Length())
		}
	})
}

// Infinite values, ratios without link text and links outside areas must not make the JSON invalid.
func TestAnalyzeOfOddPages(t *testing.T) {
	t.Parallel()
	pages := map[string]string{
		"deep":     strings.Repeat("<table><tr><td>", 400) + "<p>deep down",
		"pictures": "<a href=http://a.example/><img src=x></a>",
		"empty":    "",
		"script":   "<script>" + strings.Repeat("x()\n", 1000) + "</script>",
		"plain":    "a line\nhttp://b.example/\n",
		"wide":     strings.Repeat("<p>x<a href=http://a.example/>y</a>", 5_000),
		"columns":  "<table>" + strings.Repeat("<tr>"+strings.Repeat("<td>x", 50), 50) + "</table>",
	}
	for name, content := range pages {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			file := filepath.Join(dir, name+".html")
			if err := os.WriteFile(file, []byte("<html>"+content), 0o644); err != nil {
				t.Fatal(err)
			}
			for _, analyzer := range []string{"eventseer", "bouras"} {
				code, out := runAnalyze(t, file, "--analyzer", analyzer, "--format", "jsonl", "--report", filepath.Join(dir, "r.html"))
				if code != 0 {
					t.Fatalf("%s: exit code %d", analyzer, code)
				}
				records := readAnalyses(t, out)
				if len(records) != 1 || records[0].URL != file {
					t.Fatalf("%s: %d records, want one of %s", analyzer, len(records), file)
				}
			}
		})
	}
}

func TestReportIsBounded(t *testing.T) {
	t.Parallel()
	var page strings.Builder
	for i := range 5_000 {
		fmt.Fprintf(&page, "<p>paragraph %d <a href=http://a.example/%d>link</a>", i, i)
	}
	dir := t.TempDir()
	file, report := filepath.Join(dir, "page.html"), filepath.Join(dir, "report.html")
	if err := os.WriteFile(file, []byte(page.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	if code, _ := runAnalyze(t, file, "--report", report); code != 0 {
		t.Fatalf("exit code %d", code)
	}
	got, err := os.ReadFile(report)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"3000 more pieces of text are not drawn", "more bytes are not shown"} {
		if !strings.Contains(string(got), want) {
			t.Errorf("report of %d bytes does not say %q", len(got), want)
		}
	}
}

// The analyzer must lose none of the strings that readers found in calls for papers. They must be in its
// text, or at least in one area.
func TestAnalyzeKeepsWhatCallsSay(t *testing.T) {
	t.Parallel()
	pages := golden.SharedPath(t, "corpora/gold/pages.warc.gz")
	code, out := runAnalyze(t, pages, "--format", "jsonl")
	if code != 0 {
		t.Fatalf("exit code %d", code)
	}
	texts, areas := map[string]string{}, map[string][]string{}
	for _, r := range readAnalyses(t, out) {
		texts[r.URL] = folded(r.Text)
		for _, area := range r.Areas {
			areas[r.URL] = append(areas[r.URL], folded(area.Text))
		}
	}
	var all, inText, inArea int
	for _, g := range readGold(t, golden.SharedPath(t, "corpora/gold/gold.jsonl")) {
		for _, s := range g.strings() {
			all++
			found := strings.Contains(texts[g.URL], s)
			if found {
				inText++
			}
			for i := 0; !found && i < len(areas[g.URL]); i++ {
				found = strings.Contains(areas[g.URL][i], s)
			}
			if found {
				inArea++
			}
		}
	}
	text, area := float64(inText)/float64(all), float64(inArea)/float64(all)
	t.Logf("of %d strings %.4f stand in the text, %.4f in the text or an area", all, text, area)
	if text < .98 || area < .985 {
		t.Errorf("of %d strings %.4f stand in the text, %.4f in the text or an area, want .98 and .985", all, text, area)
	}
}

// A goldCall is what readers found in a call.
type goldCall struct {
	URL       string
	Title     string
	Location  struct{ Text string }
	Deadlines []struct{ Text string }
	Topics    []string
	Committee []struct{ Name, Affiliation string }
}

func readGold(t *testing.T, path string) []goldCall {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var calls []goldCall
	for line := range bytes.Lines(content) {
		var g goldCall
		if err := json.Unmarshal(line, &g); err != nil {
			t.Fatal(err)
		}
		calls = append(calls, g)
	}
	return calls
}

// strings returns all that the readers copied from the page.
func (g goldCall) strings() []string {
	list := []string{g.Title, g.Location.Text}
	for _, d := range g.Deadlines {
		list = append(list, d.Text)
	}
	list = append(list, g.Topics...)
	for _, p := range g.Committee {
		list = append(list, p.Name, p.Affiliation)
	}
	var kept []string
	for _, s := range list {
		if s = folded(s); s != "" {
			kept = append(kept, s)
		}
	}
	return kept
}

func folded(s string) string { return strings.Join(strings.Fields(s), " ") }
