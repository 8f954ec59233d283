// Package usage marks errors of the caller, such as an option with a wrong value or options that exclude
// each other. A command that gets one ends with the exit code for a wrong command line.
package usage

import "fmt"

// An Error is an error in the command line or configuration, not in the execution.
type Error struct{ err error }

// Error reports what is wrong.
func (e Error) Error() string { return e.err.Error() }

// Unwrap returns what is wrong.
func (e Error) Unwrap() error { return e.err }

// Errorf returns an Error formatted like fmt.Errorf.
func Errorf(format string, args ...any) error { return Error{fmt.Errorf(format, args...)} }

// Mark returns err as an Error.
func Mark(err error) error { return Error{err} }
