package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/internal/bolt"
)

// writeLabFile writes a file beside path and renames it, so that path is whole at
// every moment.
func writeLabFile(path string, write func(io.Writer) error) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("%s: %w", path, errors.Join(err, os.Remove(f.Name())))
		}
	}()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return errors.Join(err, f.Close())
	}
	_, err = b.WriteTo(f)
	if err := errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

func writeJSONFile(path string, v any) error {
	return writeLabFile(path, func(w io.Writer) error { return encodeJSON(w, v) })
}

func encodeJSON(w io.Writer, v any) error {
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	return out.Encode(v)
}

// syncFile brings a file that is written to the disk: what is said of it later must
// not outlive it in a power cut.
func syncFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// lockLab keeps a second `lab run` out of a folder until the command ends, also if
// it is killed.
func lockLab(a *app.App, dir string) error {
	lock, err := bolt.Open(filepath.Join(dir, labLock), bolt.Options{Kind: "lab", Timeout: time.Second})
	if errors.Is(err, bolt.ErrLocked) {
		return fmt.Errorf("%s: %w: another `eventseer lab run` is at work there", dir, bolt.ErrLocked)
	}
	if err != nil {
		return err
	}
	a.OnClose(lock.Close)
	return nil
}
