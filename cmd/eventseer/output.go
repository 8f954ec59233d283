package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// format returns the output format: --format if given, else the first of those
// the command offers.
func (a *app) format(offered ...string) (string, error) {
	if a.config.Format == "" {
		return offered[0], nil
	}
	if !slices.Contains(offered, a.config.Format) {
		return "", usagef("--format %s: this command offers %s", a.config.Format, strings.Join(offered, ", "))
	}
	return a.config.Format, nil
}

// withOutput has write produce the command's result: on stdout, or in the file
// --output names.
func (a *app) withOutput(write func(io.Writer) error) (err error) {
	out := a.stdout
	if a.config.Output != "-" {
		f, createErr := a.create(a.config.Output)
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
		return fmt.Errorf("write %s: %w", a.config.Output, err)
	}
	return nil
}

// writeJSONLine writes v as one line of JSON, HTML characters unescaped.
func writeJSONLine(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// writeJSONLines writes each row as one line of JSON.
func writeJSONLines[T any](w io.Writer, rows []T) error {
	for _, row := range rows {
		if err := writeJSONLine(w, row); err != nil {
			return err
		}
	}
	return nil
}
