package backlink

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Answers are read as a stream: a service that sends a million rows costs no more
// memory than one that sends a thousand.

// object reads the members of a JSON object. Those that members does not name are
// skipped; null is an object without members.
func object(d *json.Decoder, members map[string]func(*json.Decoder) error) error {
	if none, err := open(d, '{'); none || err != nil {
		return err
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		read := members[name.(string)]
		if read == nil {
			read = skip
		}
		if err := read(d); err != nil {
			return err
		}
	}
	_, err := d.Token()
	return err
}

// open reads the token that begins an object or a list, or null, which is none.
func open(d *json.Decoder, begin json.Delim) (none bool, err error) {
	switch t, err := d.Token(); {
	case err != nil:
		return false, err
	case t == nil:
		return true, nil
	case t != begin:
		return false, fmt.Errorf("%v stands where %v was expected", t, begin)
	}
	return false, nil
}

// into reads a value that must be of v's type.
func into(v any) func(*json.Decoder) error {
	return func(d *json.Decoder) error { return d.Decode(v) }
}

func skip(d *json.Decoder) error {
	var value json.RawMessage
	return d.Decode(&value)
}

// rows are the elements of a JSON list.
type rows[T any] struct {
	kept    []T
	dropped int // malformed, or beyond the MaxLimit first
}

// read reads a list; null is an empty one. The error is errCut if the list ends
// after some of its rows.
func (r *rows[T]) read(d *json.Decoder) error {
	if none, err := open(d, '['); none || err != nil {
		return err
	}
	for d.More() {
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return r.end(err)
		}
		var row T
		if len(r.kept) == MaxLimit || json.Unmarshal(raw, &row) != nil {
			r.dropped++
			continue
		}
		r.kept = append(r.kept, row)
	}
	_, err := d.Token()
	return r.end(err)
}

// end tells a list that is cut from one that is none.
func (r *rows[T]) end(err error) error {
	if len(r.kept) > 0 && (errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF)) {
		return errCut
	}
	return err
}

// errCut says that the end of an answer did not come, but rows before it did.
var errCut = errors.New("the answer is cut short")
