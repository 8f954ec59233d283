package bolt

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
)

// ErrDamaged means that a file holds something else than what was written to it.
var ErrDamaged = errors.New("the file is damaged")

// nextStep ends the messages of those who meet damage.
const nextStep = "`eventseer check` lists all damage, and with --repair it recovers what is sound; or restore a backup, or crawl --replay a recording"

// A DamageError is an ErrDamaged that says where.
type DamageError struct {
	File   string // its name; "" where the caller knows it
	Bucket string // "" where it is not known
	Key    []byte // nil where it is not one key
	Page   uint64 // 0 where it is not known
	Reason string
}

func (e *DamageError) Error() string {
	var s strings.Builder
	for _, part := range []struct {
		known bool
		text  string
	}{
		{e.File != "", e.File}, {e.Bucket != "", "bucket " + e.Bucket},
		{e.Key != nil, fmt.Sprintf("key %q", abridge(e.Key))}, {e.Page != 0, fmt.Sprintf("page %d", e.Page)},
	} {
		if part.known {
			s.WriteString(part.text)
			s.WriteString(": ")
		}
	}
	return s.String() + e.Reason
}

// Is makes a DamageError an ErrDamaged.
func (e *DamageError) Is(target error) bool { return target == ErrDamaged }

// abridge shortens keys for messages.
func abridge(key []byte) []byte {
	const most = 120
	if len(key) > most {
		return key[:most]
	}
	return key
}

// Guard turns damage that this goroutine meets while it reads into an error. That is values that do
// not match their checksums, failed reads of mapped memory, and panics of bbolt over pages that
// changed since they were checked. Other panics go on. View, Update and Batch do so themselves; who
// uses Begin defers what Guard returns:
//
//	defer db.Guard()(&err)
func (db *DB) Guard() func(err *error) {
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
		*err = db.damaged(found)
	}
}

// damaged completes an error with the file and the next step.
func (db *DB) damaged(e *DamageError) error {
	named := *e
	if db.DB != nil { // it is while the file is opened
		named.File = filepath.Base(db.Path())
	}
	return fmt.Errorf("%w; %s", &named, nextStep)
}

// damageOf returns the damage that a panic speaks of; nil if it is of something else. It is
// called while the panic is handled.
func damageOf(p any) *DamageError {
	if e, ok := p.(*DamageError); ok {
		return e
	}
	if fault, ok := p.(interface{ Addr() uintptr }); ok {
		return &DamageError{Reason: fmt.Sprintf("the disk does not give what should be there (%v): the file was cut short while it was open, or its disk fails", fault)}
	}
	if fromBbolt() {
		return &DamageError{Reason: fmt.Sprintf("a page is not as it was when the file was opened (%v)", p)}
	}
	return nil
}

// fromBbolt reports whether the panic that is being handled began in a function of bbolt.
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
