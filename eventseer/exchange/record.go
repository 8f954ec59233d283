package exchange

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/internal/coding"
	"github.com/eventseer/eventseer/internal/text"
)

// MaxRecord bounds a line of records, in bytes.
const MaxRecord = 8 << 20

// Gunzipped returns the decompressed contents of a stream, which may be uncompressed.
func Gunzipped(r io.Reader) (io.Reader, error) {
	b := bufio.NewReader(r)
	if magic, _ := b.Peek(2); !bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		return b, nil
	}
	return coding.Gunzip(b)
}

// ReadRecord reads a line of records from export, extract or show. ok is false for a line without
// an event, such as for an unreadable page.
func ReadRecord(line []byte) (e eventseer.Event, ok bool, err error) {
	if len(bytes.TrimSpace(line)) == 0 {
		return e, false, nil
	}
	var row struct {
		eventseer.Event
		Shown *eventseer.Event `json:"event"`
		Error string           `json:"error"`
	}
	if err := json.Unmarshal(line, &row); err != nil {
		return e, false, fmt.Errorf("no record: %w", err)
	}
	if e = row.Event; row.Shown != nil {
		e = *row.Shown
	}
	switch {
	case row.Error != "" || e.Title == "" && e.Acronym == "" && e.URL != "":
		return e, false, nil
	case e.URL == "":
		return e, false, errors.New("it is not a record: it has no url")
	}
	return e, true, nil
}

// recordFields are the members of a record in JSON.
var recordFields = sync.OnceValue(func() []string {
	names := []string{"event", "error"}
	record := reflect.TypeFor[eventseer.Event]()
	for i := range record.NumField() {
		if name, _, _ := strings.Cut(record.Field(i).Tag.Get("json"), ","); name != "" && name != "-" {
			names = append(names, name)
		}
	}
	return names
})

// RenamedFields returns the unknown members of a line of records that may be renamed ones. Each has
// a name similar to a member that the line lacks. For a line that is not a JSON object it returns
// none.
func RenamedFields(line []byte) (errs []error) {
	var row map[string]json.RawMessage
	if json.Unmarshal(line, &row) != nil {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(row)) {
		if slices.Contains(recordFields(), name) {
			continue
		}
		for _, known := range recordFields() {
			if _, ok := row[known]; !ok && areSpeltAlike(name, known) {
				errs = append(errs, fmt.Errorf("%q is not a field of a record; did you mean %q?", text.OneLine(name, 40), known))
				break
			}
		}
	}
	return errs
}
