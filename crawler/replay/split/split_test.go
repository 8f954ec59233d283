package split_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/crawler/replay/split"
	"github.com/eventseer/eventseer/internal/warc"

	"github.com/google/go-cmp/cmp"
)

// newWeb writes a web and returns the options that split it. It has n conferences with two pages each, mails
// that announce them, and pages without an event.
func newWeb(t *testing.T, n int) split.Options {
	t.Helper()
	dir := t.TempDir()
	at := time.Date(2027, 3, 1, 0, 0, 0, 0, time.UTC)
	w, err := warc.Create(filepath.Join(dir, "web.warc.gz"), warc.WriterOptions{Now: func() time.Time { return at }})
	if err != nil {
		t.Fatal(err)
	}
	add := func(url string) {
		if err := w.Write(warc.NewResponse(url, at, []byte("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\npage of "+url))); err != nil {
			t.Fatal(err)
		}
	}
	var targets, links, seeds strings.Builder
	targets.WriteString("url\tevent_site\tkind\n")
	links.WriteString("source\ttarget\tanchor\n")
	for i := range n {
		site := fmt.Sprintf("https://conf%d.example/2027/", i)
		add(site)
		add(site + "cfp.html")
		add(fmt.Sprintf("https://lists.example/mail%d", i))
		fmt.Fprintf(&targets, "%scfp.html\t%s\tpage\nhttps://lists.example/mail%d\t%s\tmail\n", site, site, i, site)
		fmt.Fprintf(&links, "https://hub.example/\t%s\tcall\n", site)
		fmt.Fprintf(&seeds, "%scfp.html\n", site)
	}
	add("https://hub.example/")
	add("https://conf0.example/about")
	links.WriteString("https://hub.example/\thttps://conf0.example/about\tabout\n")
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "seeds"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"targets.tsv": targets.String(), "links.tsv": links.String(), "seeds/00.txt": seeds.String(), "seeds/01.txt": "https://hub.example/\n", "hosts.json": "{}"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return split.Options{
		Web: filepath.Join(dir, "web.warc.gz"), Targets: filepath.Join(dir, "targets.tsv"), Links: filepath.Join(dir, "links.tsv"),
		Seeds: filepath.Join(dir, "seeds"), Parts: 3, Seed: 1, Into: filepath.Join(dir, "parts"),
	}
}

// addresses are those of the records of a part's web.
func addresses(t *testing.T, path string) (all []string) {
	t.Helper()
	for page, err := range warc.Pages(path) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, page.URL)
	}
	return all
}

// Every page of an event is in one part, with all of its site and its mails; every other page is in all.
func TestSplit(t *testing.T) {
	o := newWeb(t, 30)
	parts, err := split.Split(o)
	if err != nil {
		t.Fatal(err)
	}
	in := map[string][]int{}
	events, targets := 0, 0
	for i, p := range parts {
		for _, url := range addresses(t, filepath.Join(p.Dir, split.WebFile)) {
			in[url] = append(in[url], i)
		}
		events, targets = events+p.Events, targets+p.Targets
		if p.Events < 3 || p.Draws != 2 {
			t.Errorf("part %d has %d events and %d draws", i, p.Events, p.Draws)
		}
		if _, err := os.Stat(filepath.Join(p.Dir, split.HostsFile)); err != nil {
			t.Error(err)
		}
	}
	if events != 30 || targets != 60 {
		t.Errorf("%d events and %d targets, want 30 and 60", events, targets)
	}
	for i := range 30 {
		site := fmt.Sprintf("https://conf%d.example/2027/", i)
		if diff := cmp.Diff(in[site], in[site+"cfp.html"]); diff != "" || len(in[site]) != 1 {
			t.Errorf("%s: in %v, its call is not (-site +call): %s", site, in[site], diff)
		}
		if diff := cmp.Diff(in[site], in[fmt.Sprintf("https://lists.example/mail%d", i)]); diff != "" {
			t.Errorf("the mail on %s (-site +mail): %s", site, diff)
		}
	}
	for _, url := range []string{"https://hub.example/", "https://conf0.example/about"} {
		if len(in[url]) != 3 {
			t.Errorf("%s is in the parts %v, want all", url, in[url])
		}
	}
}

// Files that make no parts are refused, and nothing is left.
func TestSplitRefuses(t *testing.T) {
	for name, change := range map[string]func(*split.Options){
		"1 part":         func(o *split.Options) { o.Parts = 1 },
		"21 parts":       func(o *split.Options) { o.Parts = 21 },
		"no targets":     func(o *split.Options) { o.Targets = o.Web },
		"empty parts":    func(o *split.Options) { o.Parts = split.MaxParts },
		"no web":         func(o *split.Options) { o.Web += "x" },
		"no seeds":       func(o *split.Options) { o.Seeds = filepath.Dir(o.Seeds) + "/nowhere" },
		"no links":       func(o *split.Options) { o.Links += "x" },
		"a folder there": func(o *split.Options) { o.Into = o.Seeds },
	} {
		t.Run(name, func(t *testing.T) {
			o := newWeb(t, 3)
			change(&o)
			if _, err := split.Split(o); err == nil {
				t.Error("no error")
			}
			if _, err := os.Stat(o.Into); name != "a folder there" && err == nil {
				t.Errorf("%s is left", o.Into)
			}
		})
	}
}

// The same files and seed give the same bytes.
func TestSplitTwice(t *testing.T) {
	o := newWeb(t, 9)
	read := func() map[string]string {
		files := map[string]string{}
		if _, err := split.Split(o); err != nil {
			t.Fatal(err)
		}
		err := filepath.WalkDir(o.Into, func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			text, err := os.ReadFile(path)
			files[path] = string(text)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := os.RemoveAll(o.Into); err != nil {
			t.Fatal(err)
		}
		return files
	}
	if diff := cmp.Diff(read(), read()); diff != "" {
		t.Errorf("the second time (-first +second):\n%s", diff)
	}
}
