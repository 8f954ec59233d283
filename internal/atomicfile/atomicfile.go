// Package atomicfile replaces files atomically: a reader sees the old or the new contents, never a part.
package atomicfile

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Write writes a temporary file beside path and renames it to path, so that path is complete at every
// moment. All users may read the file.
func Write(path string, write func(io.Writer) error) error { return writeAs(path, 0o644, write) }

// WritePrivate is like Write, but only this user can read the file, at every moment.
func WritePrivate(path string, write func(io.Writer) error) error { return writeAs(path, 0o600, write) }

func writeAs(path string, mode os.FileMode, write func(io.Writer) error) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("%s: %w", path, errors.Join(err, os.Remove(f.Name())))
		}
	}()
	b := bufio.NewWriter(f)
	if err := write(b); err != nil {
		return errors.Join(err, f.Close())
	}
	if err := errors.Join(b.Flush(), f.Chmod(mode), f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// WriteJSON writes a value as indented JSON like Write.
func WriteJSON(path string, v any) error {
	return Write(path, func(w io.Writer) error { return EncodeJSON(w, v) })
}

// EncodeJSON writes a value as indented JSON.
func EncodeJSON(w io.Writer, v any) error {
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	return out.Encode(v)
}
