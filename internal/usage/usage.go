// Package usage marks errors that are the caller's: an option with a wrong
// value, options that exclude each other. A command that gets one ends with the
// exit code of a wrong command line.
package usage

import "fmt"

// An Error is a fault of the command line or configuration, not of the execution.
type Error struct{ err error }

// Error reports what is wrong.
func (e Error) Error() string { return e.err.Error() }

// Unwrap returns what is wrong.
func (e Error) Unwrap() error { return e.err }

// Errorf formats an Error as fmt.Errorf does.
func Errorf(format string, args ...any) error { return Error{fmt.Errorf(format, args...)} }

// Mark makes err an Error.
func Mark(err error) error { return Error{err} }
