package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
)

// TestClassifyJSON: --format json is one document of all pages.
func TestClassifyJSON(t *testing.T) {
	page := filepath.Join(t.TempDir(), "a.txt")
	if err := os.WriteFile(page, []byte("Call for papers"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := runCaptured(t, "classify", "--format", "json", page, page)
	var all []classification
	if err := json.Unmarshal([]byte(stdout), &all); code != 0 || err != nil || len(all) != 2 || all[1].URL != page {
		t.Errorf("exit %d, %v: %s%s; want both pages", code, err, stdout, stderr)
	}
}

// Commands that read pages write no control characters of pages to stdout or stderr. The page has them in
// language, tags, classes, text and file name.
func TestTerminalSafe(t *testing.T) {
	dir := t.TempDir()
	page := "<html lang='\x1b['><title>Fifth Workshop on \x1b[31mLoom Engines LOOM 2027</title><x\x1b[31my class='a\x1b]0;b\x07' id=\u009b2m>" +
		"<h1>Call for Papers: Fifth Workshop on Loom Engines (LOOM 2027)</h1><p>Paper submission: January 15, 2027\u202e</p>" +
		strings.Repeat("<ul><li><a href='/\x1b[1m'>Talk \x1b[7m one</a> \x08\u009b1m two</ul>", 3) + "</x></html>"
	for name, text := range map[string]string{"a\x1b[31m.html": page, "b\x1b[31m.pdf": "no pdf", "c.txt": "Call for papers\x1b[31m\n\x07\u009b1m\f LOOM 2027"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	html, text := filepath.Join(dir, "a\x1b[31m.html"), filepath.Join(dir, "c.txt")
	learned := filepath.Join(dir, "learned.wrapper")
	for _, c := range []struct {
		code int
		args []string
	}{
		{exitPartly, []string{"extract", "--explain", dir}}, {exitPartly, []string{"classify", "--explain", dir}},
		{exitPartly, []string{"extract", dir + "/none\x1b[31m"}}, {0, []string{"testcase", html}}, {0, []string{"testcase", text}},
		{0, []string{"wrapper", "records", "--all", html}}, {0, []string{"wrapper", "records", "--all", "--method", "mdr", html}},
		{0, []string{"wrapper", "records", "--all", "--format", "csv", html}},
		{0, []string{"wrapper", "induce", html, html, "-o", learned}}, {0, []string{"wrapper", "apply", learned, html}},
		{0, []string{"wrapper", "verify", learned, html}}, {0, []string{"analyze", html}}, {0, []string{"diff", html, text}},
	} {
		code, stdout, stderr := runCaptured(t, c.args...)
		if strings.HasPrefix(c.args[0], "diff") && code == 1 {
			code = 0 // the pages differ
		}
		bad := strings.IndexFunc(stdout+stderr, func(r rune) bool {
			return r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r))
		})
		if code != c.code || bad >= 0 || stdout+stderr == "" {
			t.Errorf("%q exits with %d and writes %q, %q; want %d and no control character (first at %d)", c.args, code, stdout, stderr, c.code, bad)
		}
	}
}

// A process that does not end within endWait of a signal is ended, with a message.
func TestEndLate(t *testing.T) {
	t.Parallel()
	var said bytes.Buffer
	code := -1
	exitAfterEndWait(&said, func(c int) { code = c })
	if code != exitInterrupted || !strings.Contains(said.String(), "did not end within 30s of the signal") {
		t.Errorf("exit %d, %q", code, &said)
	}
}
