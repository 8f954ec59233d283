package engine

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"

	"github.com/google/go-cmp/cmp"
)

func gzipped(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestInputOfMails(t *testing.T) {
	const (
		from  = "From ann at example.org  Thu Feb 23 16:53:44 2006\n"
		mail  = "From: ann at example.org\nMessage-ID: <1@x.example>\nSubject: one\n\ntext\n"
		box   = from + mail + "\n" + from + "X-Corpus-Id: mail-2\nSubject: two\n\ntext\n"
		notes = "Subject: notes\nTo: all\n\ntext\n"
	)
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.mbox": box, "a.mbox.gz": gzipped(t, box), "2006-February.txt.gz": gzipped(t, box), "2006-March.txt": box, "spool": box,
		"b.eml": mail, "b.EML.GZ": gzipped(t, mail), "cur:2,S": mail,
		"notes.txt": notes, "page.html.gz": gzipped(t, "<p>From: here</p>"), "rotten.eml": "no header", "torn.mbox.gz": "this is no gzip file",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	two, one := []string{"mid:1@x.example", "mail-2"}, []string{"mid:1@x.example"}
	for _, tt := range []struct {
		name string
		want []string
	}{
		{"a.mbox", two},
		{"a.mbox.gz", two},
		{"2006-February.txt.gz", two},
		{"2006-March.txt", two},
		{"spool", two},
		{"b.eml", one},
		{"b.EML.GZ", one},
		{"cur:2,S", one},
		{"notes.txt", []string{"notes.txt"}},
		{"page.html.gz", []string{"page.html.gz"}},
		{"rotten.eml", []string{"rotten.eml: broken message"}},
		{"torn.mbox.gz", []string{"torn.mbox.gz: gzip: invalid header: it is not a gzip file, rename it without .gz"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := &app.App{Now: func() time.Time { return time.Unix(0, 0) }}
			var got []string
			for page, err := range PagesOfInputs(context.Background(), a, []string{filepath.Join(dir, tt.name)}, "") {
				line := page.URL
				if err != nil {
					line = err.Error()
				}
				got = append(got, strings.TrimPrefix(line, dir+string(filepath.Separator)))
			}
			if len(got) != len(tt.want) {
				t.Fatalf("got %q, want %q", got, tt.want)
			}
			for i := range got {
				if !strings.HasPrefix(got[i], tt.want[i]) {
					t.Errorf("page %d: got %q, want %q", i, got[i], tt.want[i])
				}
			}
		})
	}
	t.Run("directory", func(t *testing.T) {
		a := &app.App{Now: time.Now}
		n := map[string]int{}
		for page := range PagesOfInputs(context.Background(), a, []string{dir}, "") {
			n[strings.TrimPrefix(page.URL, dir)]++
		}
		want := map[string]int{"mid:1@x.example": 6, "mail-2": 4, "/notes.txt": 1, "/page.html.gz": 1, "/rotten.eml": 1, "/torn.mbox.gz": 1}
		if diff := cmp.Diff(want, n); diff != "" {
			t.Error(diff)
		}
	})
}

// TestPDFInWARC reads a WARC file with a PDF, whose text must be read, and one that pdftotext cannot read.
func TestPDFInWARC(t *testing.T) {
	tools := t.TempDir()
	if err := os.WriteFile(filepath.Join(tools, "pdftotext"), []byte("#!/bin/sh\nread line\ncase $line in *call) echo Call for papers on kites;; *) exit 1;; esac\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", tools)
	var archive strings.Builder
	for _, name := range []string{"call", "broken"} {
		body := "HTTP/1.1 200 OK\r\nContent-Type: application/pdf\r\n\r\n%PDF-1.4 a " + name + "\n"
		fmt.Fprintf(&archive, "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:x:%s>\r\nWARC-Date: 2027-01-02T03:04:05Z\r\nWARC-Target-URI: http://kites.example/%s.pdf\r\n"+
			"Content-Type: application/http; msgtype=response\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", name, name, len(body), body)
	}
	path := filepath.Join(t.TempDir(), "pages.warc")
	if err := os.WriteFile(path, []byte(archive.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for page, err := range filePages(t.Context(), &app.App{}, path) {
		got[page.URL] = page.Text
		if err != nil {
			got[page.URL] = "error"
		}
	}
	if diff := cmp.Diff(map[string]string{"http://kites.example/call.pdf": "Call for papers on kites\n", "http://kites.example/broken.pdf": "error"}, got); diff != "" {
		t.Error(diff)
	}
}
