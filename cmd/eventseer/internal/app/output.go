package app

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"eventseer/internal/lines"
	"eventseer/internal/text"
)

// Format returns the output format: --format if given, else the first of those
// the command offers.
func (a *App) Format(offered ...string) (string, error) {
	if a.Config.Format == "" {
		return offered[0], nil
	}
	if !slices.Contains(offered, a.Config.Format) {
		return "", Usagef("--format %s: this command offers %s", a.Config.Format, strings.Join(offered, ", "))
	}
	return a.Config.Format, nil
}

// WithOutput has write produce the command's result: on stdout, or in the file
// --output names.
func (a *App) WithOutput(write func(io.Writer) error) (err error) {
	out := a.Stdout
	if a.Config.Output != "-" {
		f, createErr := a.CreateFile(a.Config.Output)
		if createErr != nil {
			return createErr
		}
		defer func() { err = errors.Join(err, f.Close()) }()
		out = f
	}
	buffered := bufio.NewWriter(out)
	if err := write(buffered); err != nil {
		return errors.Join(err, buffered.Flush())
	}
	if err := buffered.Flush(); err != nil {
		return fmt.Errorf("write %s: %w", a.Config.Output, err)
	}
	return nil
}

// WriteJSONLine writes v as one line of JSON, HTML characters unescaped.
func WriteJSONLine(w io.Writer, v any) error {
	return lines.WriteJSON(w, v)
}

// WriteJSONLines writes each row as one line of JSON.
func WriteJSONLines[T any](w io.Writer, rows []T) error {
	for _, row := range rows {
		if err := WriteJSONLine(w, row); err != nil {
			return err
		}
	}
	return nil
}

// WriteJSON writes v as indented JSON, HTML characters unescaped.
func WriteJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// MaxShown bounds a text on a line, in runes.
const MaxShown = text.MaxShown
