package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// personalPage is a call with the addresses of people wherever a page can have them.
const personalPage = `<html lang=en><head><title>ICX 2027 Call for Papers</title></head><body>
<h1>International Conference on Index Xylography (ICX 2027): Call for Papers</h1>
<p>We invite papers on hedges, gardens and web crawling. Papers are reviewed by the program committee.</p>
<ul><li>Paper submission deadline: 1 March 2027</li><li>Notification: 1 April 2027</li></ul>
<p>ICX takes place on 8-11 June 2027 in Trondheim, Norway. Write to <a href="mailto:ann@personal.example">ann@personal.example</a>.</p>
<p><a href="/people/bob">bob@personal.example</a> <a href="/people/eve">eve [at] personal [dot] example</a> <a href="/people/kim" title="kim@personal.example"><img alt="kim@personal.example"></a>
<a href="/mailto:dan@personal.example">Dan</a> <a href="fay@personal.example">Fay</a> <a href="/contact?to=gus%40personal.example">Gus</a> <a href="http://mailto:hal@personal.example">Hal</a>
<a href="/moved">moved</a> <a href="/people/zoe">Zoe, phone +47 555 123 987</a> see http://127.0.0.1/write/ida@personal.example</p></body></html>`

// No file that a crawl writes contains the address of a person: links, anchors, the frontier, the lists of a
// run, events and their index. Archives of unchanged pages are an exception: versions of the data directory,
// which readers see without addresses, and the record that --record requests.
func TestCrawlKeepsNoAddresses(t *testing.T) {
	t.Parallel()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/robots.txt":
			http.NotFound(w, r)
		case r.URL.Path == "/moved":
			http.Redirect(w, r, "/mailto:joe@personal.example", http.StatusFound)
		case r.URL.Path == "/":
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, personalPage)
		default:
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprintf(w, "<title>%s</title><p>A page of a person, who is reached at len@personal.example, <a href=/>home: mia@personal.example</a>", r.URL.Path)
		}
	}))
	defer site.Close()
	dir := t.TempDir()
	code, stdout, stderr := runCaptured(t, "crawl", "--allow-private", "--contact", "me@site.example", "--host-delay", "0s", "--strategy", "breadth-first",
		"--data", filepath.Join(dir, "data"), "--run", filepath.Join(dir, "run"), "--budget", "20", site.URL+"/")
	if code != 0 {
		t.Fatalf("exit %d\n%s%s", code, stdout, stderr)
	}
	personal := regexp.MustCompile(`(?i)[a-z]{3}\s?(?:@|%40|\[at\])\s?personal|555.?123.?987`)
	names, links := 0, false
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		names++
		if filepath.Base(filepath.Dir(path)) == "versions" && strings.HasSuffix(path, ".warc.gz") {
			return nil
		}
		for _, text := range append(inflated(content), content) {
			if found := personal.FindAll(text, 5); found != nil {
				t.Errorf("%s holds %q", path, found)
			}
			links = links || strings.HasSuffix(path, "links.csv.gz") && bytes.Contains(text, []byte("/people/bob"))
		}
		return nil
	})
	if err != nil || names < 8 || !links {
		t.Errorf("%d files are read, the links among them: %t, %v", names, links, err)
	}
	if len(personal.FindAllString(personalPage, -1)) < 8 {
		t.Error("the pattern does not find the addresses of the page itself")
	}
}

// inflated returns the contents of the gzip members of a file.
func inflated(content []byte) (all [][]byte) {
	if z, err := gzip.NewReader(bytes.NewReader(content)); err == nil {
		if text, err := io.ReadAll(io.LimitReader(z, 64<<20)); err == nil || len(text) > 0 {
			all = append(all, text)
		}
	}
	return all
}
