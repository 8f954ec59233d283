package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
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

// TestTerminalSafe reads a page whose language, tags, text and file name hold
// terminal escapes: none reaches stdout or stderr.
func TestTerminalSafe(t *testing.T) {
	dir := t.TempDir()
	page := "<html lang='\x1b['><title>Fifth Workshop on \x1b[31mLoom Engines LOOM 2027</title><x\x1b[31my>" +
		"<h1>Call for Papers: Fifth Workshop on Loom Engines (LOOM 2027)</h1><p>Paper submission: January 15, 2027</p></x></html>"
	for name, text := range map[string]string{"a\x1b[31m.html": page, "b\x1b[31m.pdf": "no pdf"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"extract", "--explain", dir}, {"classify", "--explain", dir}, {"extract", dir + "/none\x1b[31m"}} {
		code, stdout, stderr := runCaptured(t, args...)
		if code != exitPartly || strings.ContainsRune(stdout+stderr, 0x1b) {
			t.Errorf("%q exits with %d and writes %q, %q; want %d and no escape", args, code, stdout, stderr, exitPartly)
		}
	}
}
