package app

import (
	"log/slog"
	"regexp"
	"strings"
)

// Levels of the log beside slog's own.
const (
	Silent = slog.LevelError + 4 // with --quiet nothing is logged but why the command failed
	talk   = slog.LevelError + 1 // what is said to whoever runs the program, in a log
)

// LogLevel is how much is logged: warnings, everything with --verbose, nothing
// with --quiet.
func LogLevel(c Config) slog.Level {
	switch {
	case c.Quiet:
		return Silent
	case c.Verbose:
		return slog.LevelDebug
	}
	return slog.LevelWarn
}

// logLevelInForce is the level in force.
func (a *App) logLevelInForce() slog.Leveler {
	if a.Level == nil {
		return LogLevel(a.Config)
	}
	return a.Level
}

// Logger writes what the parts report to stderr.
func (a *App) Logger() *slog.Logger {
	o := &slog.HandlerOptions{Level: a.logLevelInForce(), ReplaceAttr: cleanAttr}
	if a.Config.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(a.Stderr, o))
	}
	return slog.New(slog.NewTextHandler(a.Stderr, o))
}

// mailAddress matches e-mail addresses, also within a URL.
var mailAddress = regexp.MustCompile(`[A-Za-z0-9._+-]+(@|%40)[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+`)

// cleanAttr keeps the addresses of persons out of the log, and names our own
// levels as others know them.
func cleanAttr(_ []string, a slog.Attr) slog.Attr {
	switch level := a.Value.Any(); {
	case level == talk:
		return slog.String(a.Key, slog.LevelInfo.String())
	case level == Silent:
		return slog.String(a.Key, slog.LevelError.String())
	}
	text := a.Value.String()
	if err, ok := a.Value.Any().(error); ok {
		text = err.Error()
	} else if a.Value.Kind() != slog.KindString {
		return a
	}
	if strings.Contains(text, "@") || strings.Contains(text, "%40") {
		a.Value = slog.StringValue(mailAddress.ReplaceAllString(text, "(address)"))
	}
	return a
}
