package main

import (
	"bufio"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/datasets"

	"github.com/PuerkitoBio/goquery"
)

// TestLabelServe labels as a browser does, kills the program with SIGKILL, and continues. No label
// is lost, and undo removes the last.
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
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	address := strings.TrimSpace(line)
	s := &labelServe{t, cmd, &http.Client{Jar: jar}, address}
	s.show(address) // its token begins a session
	s.url, _, _ = strings.Cut(address, "?")
	return s
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
