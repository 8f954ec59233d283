package app

import (
	"errors"
	"fmt"
)

// Errors that carry an exit code of their own; exitCode in main maps them.
var (
	ErrPartly  = errors.New("partly done")
	ErrGate    = errors.New("gate not met")
	ErrNoData  = errors.New("no data directory")
	ErrRefused = errors.New("refused")
)

// UsageError is a wrong command line.
type UsageError struct{ err error }

// Error returns what is wrong.
func (e UsageError) Error() string { return e.err.Error() }

// Unwrap returns what is wrong.
func (e UsageError) Unwrap() error { return e.err }

// Usagef formats an error of the command line.
func Usagef(format string, args ...any) error { return UsageError{fmt.Errorf(format, args...)} }

// Usage marks an error as one of the command line.
func Usage(err error) error { return UsageError{err} }
