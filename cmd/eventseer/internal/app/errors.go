package app

import (
	"errors"

	"eventseer/internal/usage"
)

// Errors that carry an exit code of their own; exitCode in main maps them.
var (
	ErrPartly  = errors.New("partly done")
	ErrGate    = errors.New("gate not met")
	ErrNoData  = errors.New("no data directory")
	ErrRefused = errors.New("refused")
)

// UsageError is a wrong command line.
type UsageError = usage.Error

// Usagef formats an error of the command line.
func Usagef(format string, args ...any) error { return usage.Errorf(format, args...) }

// Usage marks an error as one of the command line.
func Usage(err error) error { return usage.Mark(err) }
