package bolt

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
)

// ErrDamaged means that a file does not hold what was written to it.
var ErrDamaged = errors.New("the file is damaged")

// nextStep is the end of messages to users about damage.
const nextStep = "`eventseer check` lists all damage, and `eventseer check --repair` recovers the undamaged part; or restore a backup, or crawl --replay a recording"

// A DamageError is an ErrDamaged with the place of the damage.
type DamageError struct {
	File   string // name of the file; "" if the caller knows it
	Bucket string // "" if unknown
	Key    []byte // nil if unknown or several keys
	Page   uint64 // 0 if unknown
	Reason string
}

func (e *DamageError) Error() string {
	var s strings.Builder
	for _, part := range []struct {
		known bool
		text  string
	}{
		{e.File != "", e.File}, {e.Bucket != "", "bucket " + e.Bucket},
		{e.Key != nil, fmt.Sprintf("key %q", shortenKey(e.Key))}, {e.Page != 0, fmt.Sprintf("page %d", e.Page)},
	} {
		if part.known {
			s.WriteString(part.text)
			s.WriteString(": ")
		}
	}
	return s.String() + e.Reason
}

// Is makes errors.Is(e, ErrDamaged) true.
func (e *DamageError) Is(target error) bool { return target == ErrDamaged }

// shortenKey shortens long keys for messages.
func shortenKey(key []byte) []byte {
	const most = 120
	if len(key) > most {
		return key[:most]
	}
	return key
}

// DamageHandler returns a function that converts damage into an error, for use with defer around code that reads.
// It recovers from panics about values that do not match their checksums, failed reads of mapped memory,
// and pages that changed since they were checked. Other panics continue. View, Update and Batch use it
// themselves. Code that calls Begin defers the returned function:
//
//	defer db.DamageHandler()(&err)
func (db *DB) DamageHandler() func(err *error) {
	before := debug.SetPanicOnFault(true)
	return func(err *error) {
		debug.SetPanicOnFault(before)
		p := recover()
		if p == nil {
			return
		}
		found := damageOf(p)
		if found == nil {
			panic(p)
		}
		*err = db.describeDamage(found)
	}
}

// describeDamage adds the file's name and the next step to an error.
func (db *DB) describeDamage(e *DamageError) error {
	named := *e
	if db.DB != nil { // nil while the file is being opened
		named.File = filepath.Base(db.Path())
	}
	return fmt.Errorf("%w; %s", &named, nextStep)
}

// damageOf returns the damage that a panic value is about, nil if it is about something else. It must be
// called while the panic is being handled.
func damageOf(p any) *DamageError {
	if e, ok := p.(*DamageError); ok {
		return e
	}
	if fault, ok := p.(interface{ Addr() uintptr }); ok {
		return &DamageError{Reason: fmt.Sprintf("the disk did not return the expected data (%v): the file was truncated while it was open, or the disk fails", fault)}
	}
	if fromBbolt() {
		return &DamageError{Reason: fmt.Sprintf("a page changed since the file was opened (%v)", p)}
	}
	return nil
}

// fromBbolt reports whether the panic that is being handled started in a function of bbolt.
func fromBbolt() bool {
	var stack [64]uintptr
	frames := runtime.CallersFrames(stack[:runtime.Callers(1, stack[:])])
	panicking := false
	for {
		frame, more := frames.Next()
		switch {
		case frame.Function == "runtime.gopanic":
			panicking = true
		case panicking && !strings.HasPrefix(frame.Function, "runtime."):
			return strings.HasPrefix(frame.Function, "go.etcd.io/bbolt")
		}
		if !more {
			return false
		}
	}
}
