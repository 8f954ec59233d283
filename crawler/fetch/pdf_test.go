package fetch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/webtest"
)

// needPDFTool skips a test where pdftotext is missing; CI must have it.
func needPDFTool(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("pdftotext"); err == nil {
		return
	}
	if os.Getenv("CI") == "true" {
		t.Fatal("CI needs pdftotext: apt-get install poppler-utils")
	}
	t.Skip("no pdftotext: install poppler-utils")
}

// onePage returns a PDF of one page that holds a line of text.
func onePage(text string) string {
	stream := "BT /F1 12 Tf 72 720 Td (" + text + ") Tj ET"
	objects := []string{
		"<</Type/Catalog/Pages 2 0 R>>",
		"<</Type/Pages/Kids[3 0 R]/Count 1>>",
		"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
		fmt.Sprintf("<</Length %d>>stream\n%s\nendstream", len(stream), stream),
		"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
	}
	var b strings.Builder
	b.WriteString("%PDF-1.4\n")
	offsets := make([]int, len(objects))
	for i, o := range objects {
		offsets[i] = b.Len()
		fmt.Fprintf(&b, "%d 0 obj%s\nendobj\n", i+1, o)
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, at := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", at)
	}
	fmt.Fprintf(&b, "trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, start)
	return b.String()
}

func TestPDFText(t *testing.T) {
	needPDFTool(t)
	got, err := PDFText(t.Context(), []byte(onePage("Call for Papers")))
	if err != nil || strings.TrimSpace(got) != "Call for Papers" {
		t.Errorf("got %q, %v", got, err)
	}
	if _, err := PDFText(t.Context(), []byte("%PDF-1.4\nnothing more")); err == nil || !strings.Contains(err.Error(), "cannot read the PDF") {
		t.Errorf("of a broken PDF: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := PDFText(ctx, []byte(onePage("x"))); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// A tool that never stops writing is stopped, and what fits is kept.
func TestPDFTextIsBounded(t *testing.T) {
	dir := t.TempDir()
	script := "#!/bin/sh\nexec /bin/cat /dev/zero\n"
	if err := os.WriteFile(filepath.Join(dir, "pdftotext"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	text, err := PDFText(t.Context(), []byte("%PDF-1.4"))
	if err != nil || len(text) != maxPDFText {
		t.Errorf("%d bytes, %v", len(text), err)
	}
}

// The tool runs under limits of memory and processor time.
func TestPDFTextIsLimited(t *testing.T) {
	dir := t.TempDir()
	script := "#!/bin/sh\nulimit -t; ulimit -v\n"
	if err := os.WriteFile(filepath.Join(dir, "pdftotext"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	text, err := PDFText(t.Context(), []byte("%PDF-1.4"))
	if want := fmt.Sprintf("%d\n%d\n", maxPDFCPU, maxPDFSpace); err != nil || text != want {
		t.Errorf("limits %q, want %q, %v", text, want, err)
	}
}

func TestPDFTextWithoutTool(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if _, err := PDFText(t.Context(), []byte("%PDF-1.4")); !errors.Is(err, ErrNoPDFTool) || !strings.Contains(err.Error(), "poppler-utils") {
		t.Errorf("got %v", err)
	}
}

func TestFetchPDF(t *testing.T) {
	w := webtest.Serve(t, nil)
	f := newFetcher(t, w, func(o *Options) {
		o.PDF = func(_ context.Context, body []byte) (string, error) {
			switch {
			case strings.Contains(string(body), "locked"):
				return "", errors.New("locked")
			case strings.Contains(string(body), "no tool"):
				return "", ErrNoPDFTool
			}
			return "text of it", nil
		}
	})
	tests := []struct{ name, contentType, body, text string }{
		{"pdf", "application/pdf", "%PDF-1.7 x", "text of it"},
		{"mark after a banner", "application/pdf", "HTTP junk\n%PDF-1.7 x", "text of it"},
		{"called html", "text/html", "%PDF-1.7 x", "text of it"},
		{"no type", "", "%PDF-1.7 x", "text of it"},
		{"html called pdf", "application/pdf", "<!doctype html><p>please log in", ""},
		{"cannot be read", "application/pdf", "%PDF-1.7 locked", ""},
	}
	for i, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			u := fmt.Sprintf("http://conf.example/%d", i)
			w.Handle(u, webtest.Body(tt.contentType, tt.body))
			p, err := f.Fetch(t.Context(), crawler.Request{URL: u})
			if err != nil || p.Text != tt.text || string(p.Body) != tt.body {
				t.Errorf("got %+v, %v", p, err)
			}
		})
	}
	// Without the tool, the outcome mentions it.
	w.Handle("http://conf.example/none", webtest.Body("application/pdf", "%PDF-1.7 no tool"))
	if fe := fetchError(t, f, "http://conf.example/none"); fe.Fate != crawler.Refused || fe.Status != 200 || !errors.Is(fe, ErrNoPDFTool) {
		t.Errorf("without the tool: %+v", fe)
	}
}
