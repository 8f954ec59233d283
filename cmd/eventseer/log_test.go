package main

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
)

// TestLogHoldsNoAddress checks that addresses of persons in pages or errors do not reach the log.
func TestLogHoldsNoAddress(t *testing.T) {
	var out bytes.Buffer
	a := newTestApp(t)
	a.Stderr = &out
	for _, format := range []string{"text", "json"} {
		a.Config.LogFormat = format
		log := a.Logger()
		log.Warn("mail to ann.lee@site.example failed", "url", "http://x.example/?to=ann.lee%40site.example", "err", errors.New("no ann.lee@site.example"), "n", 3)
	}
	a.Logf("said of ann.lee@site.example")
	if strings.Contains(out.String(), "ann.lee") {
		t.Errorf("the log says\n%s", &out)
	}
	if !strings.Contains(out.String(), `"level":"INFO","msg":"said of (address)"`) {
		t.Errorf("talk in JSON is not as expected:\n%s", &out)
	}
}

// TestComplainsInJSON: with --log-format json, why a command fails is a line of
// the log, also with --quiet.
func TestComplainsInJSON(t *testing.T) {
	code, _, stderr := runCaptured(t, "find", "--log-format", "json", "--quiet", "anything")
	if code != exitNoData || !strings.HasPrefix(stderr, `{"time":`) || !strings.Contains(stderr, `"level":"ERROR","msg":"no data directory`) || !strings.Contains(stderr, `"exit_code":10`) {
		t.Errorf("exit %d, %s", code, stderr)
	}
}

func TestLogLevel(t *testing.T) {
	for want, c := range map[slog.Level]app.Config{slog.LevelWarn: {}, slog.LevelDebug: {Verbose: true}, app.Silent: {Verbose: true, Quiet: true}} {
		if got := app.LogLevel(c); got != want {
			t.Errorf("level of %+v is %s, want %s", c, got, want)
		}
	}
}
