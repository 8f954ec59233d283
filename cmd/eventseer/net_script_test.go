package main

import (
	"fmt"
	"path"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/internal/golden"

	"github.com/rogpeppe/go-internal/testscript"
)

// A scriptT runs scripts as subtests and compares what each of them prints, commands with
// their stdout and stderr, with testdata/net/script.
type scriptT struct{ *testing.T }

// Run implements testscript.T.
func (t scriptT) Run(name string, f func(testscript.T)) {
	t.T.Run(name, func(t *testing.T) { f(scriptT{t}) })
}

// Verbose implements testscript.T: scripts keep the whole log.
func (t scriptT) Verbose() bool { return true }

// Log implements testscript.T. It receives the log of a script once, at its end.
func (t scriptT) Log(args ...any) {
	t.Helper()
	text := fmt.Sprint(args...)
	if t.Failed() || t.Skipped() {
		t.T.Log(text)
		return
	}
	_, text, _ = strings.Cut(text, "\n\n") // the environment
	golden.Check(t.T, path.Join("net/script", path.Base(t.Name())+".txt"), []byte(normalise(text)))
}
