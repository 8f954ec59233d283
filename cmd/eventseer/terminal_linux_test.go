package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/sys/unix"
)

// runOnTerminal runs a command whose result goes to a terminal, and returns its exit code and what
// the terminal gets.
func runOnTerminal(t *testing.T, line ...string) (code int, shown string) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo-terminal: %v", err)
	}
	defer func() { _ = master.Close() }() // ends the reader
	fd := int(master.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Skipf("no pseudo-terminal: %v", err)
	}
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	terminal, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo-terminal: %v", err)
	}
	read := make(chan string, 1)
	go func() {
		data, _ := io.ReadAll(master) // ends with EIO when the terminal is closed
		read <- string(data)
	}()
	a := newTestApp(t)
	a.Stdout = terminal
	code = run(t.Context(), line, a)
	if err := terminal.Close(); err != nil {
		t.Fatal(err)
	}
	return code, strings.ReplaceAll(<-read, "\r\n", "\n") // the terminal's own line ends
}

// Results that are HTML, calendars or feeds contain texts of pages unchanged, except on a terminal.
func TestResultsOnATerminal(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	page, data := filepath.Join(dir, "a.html"), filepath.Join(dir, "data")
	write(t, page, "<title>Looms</title><p>Looms \u009b31m are red\u202e and \x1b[31m woven</p>")
	call := fairCall("2027-02-15", opening)
	call.Title += " \u009b31m\x1b]0;owned\x07"
	put(t, data, call)
	for _, line := range [][]string{
		{"slice", page, "--query", "looms"}, {"slice", page, "--query", "looms", "--format", "jsonl"}, {"diff", "--no-color", page, page},
		{"export", "--data", data, "--format", "ics"}, {"export", "--data", data, "--format", "atom"}, {"export", "--data", data, "--format", "csv"},
		{"export", "--data", data, "--format", "jsonl"}, {"find", "gardens", "--all", "--data", data, "--format", "rss"}, {"find", "gardens", "--all", "--data", data},
	} {
		code, shown := runOnTerminal(t, line...)
		bad := strings.IndexFunc(shown, func(r rune) bool {
			return r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r))
		})
		if code != 0 || shown == "" || bad >= 0 {
			t.Errorf("%q: exit %d, control character at %d of\n%.600q", line, code, bad, shown)
		}
	}
	if _, stdout, _ := runCaptured(t, "slice", page, "--query", "looms"); !strings.Contains(stdout, "\u009b31m") {
		t.Errorf("in a file the text is changed: %.300q", stdout)
	}
}
