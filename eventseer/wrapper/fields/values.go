package fields

import (
	"fmt"
	"io"

	"eventseer/eventseer/wrapper"
	"eventseer/internal/text"
)

// A Record is one line of `wrapper apply --format jsonl`.
type Record struct {
	URL       string              `json:"url"`
	Fields    map[string][]string `json:"fields"`
	Unmatched int                 `json:"unmatched"`
	Error     string              `json:"error,omitempty"`
}

// Read takes the values of the fields that the operator has not set aside. Fields of
// one meaning are one.
func (r *Record) Read(w *wrapper.Wrapper, got wrapper.Reading) {
	r.Unmatched = got.Unmatched
	for _, f := range w.Fields {
		if texts := got.Texts(f); len(texts) > 0 && !f.Ignored {
			r.Fields[f.Name()] = append(r.Fields[f.Name()], texts...)
		}
	}
}

// Show writes a record for a terminal.
func (r *Record) Show(out io.Writer, w *wrapper.Wrapper) error {
	if r.Error != "" {
		_, err := fmt.Fprintf(out, "%s: %s\n", text.Printable(r.URL), text.Printable(r.Error))
		return err
	}
	if _, err := fmt.Fprintf(out, "%s: %d fields, %d unmatched\n", text.Printable(r.URL), len(r.Fields), r.Unmatched); err != nil {
		return err
	}
	return WriteValues(out, w, r.Fields)
}

// WriteValues shows the values of fields in the order of the template.
func WriteValues(out io.Writer, w *wrapper.Wrapper, values map[string][]string) error {
	shown := make(map[string]bool)
	for _, f := range w.Fields {
		name := f.Name()
		if shown[name] {
			continue
		}
		shown[name] = true
		for _, value := range values[name] {
			if _, err := fmt.Fprintf(out, "  %-20s %s\n", text.Printable(name), text.Printable(value)); err != nil {
				return err
			}
		}
	}
	return nil
}
