// Package registry stores versions of models in a folder, and puts one of each task in use. That one is
// the file TASK.model, which all commands read.
package registry

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/internal/atomicfile"
	"github.com/eventseer/eventseer/webgraph"
)

// Names below the folder.
const (
	stateFile   = "registry.json"
	lockFile    = "registry.lock"
	versionsDir = "versions"
)

// Bounds of a registry.
const (
	maxState    = 4 << 20 // bytes of stateFile
	maxModel    = 1 << 30 // bytes of a model
	maxVersions = 100     // stored of a task; older ones that nothing refers to are removed
	maxHistory  = 20      // versions of a task that can be rolled back to
)

// format is the version of stateFile.
const format = 1

// A Version is a stored model, or with number 0 the shipped one.
type Version struct {
	Task   string          `json:"task"`
	Number int             `json:"number"`
	Digest webgraph.Digest `json:"digest"` // of the file
	From   string          `json:"from"`   // file that it was read from
	Added  time.Time       `json:"added"`
}

// Name returns TASK@NUMBER.
func (v Version) Name() string { return v.Task + "@" + strconv.Itoa(v.Number) }

// A state is the contents of stateFile.
type state struct {
	Format   int              `json:"format"`
	Versions []Version        `json:"versions"` // oldest first
	Before   map[string][]int `json:"before"`   // by task: numbers that were in use, oldest first
	Shadow   string           `json:"shadow,omitempty"`
}

// A Registry is the versions in a folder. TASK.model alone decides which model is in use: it is replaced
// atomically, so after a process is killed either the old or the new version is in use. Several processes may
// use a folder.
type Registry struct {
	dir   string
	check func(task string, data []byte) error
	now   func() time.Time
}

// New returns the registry of a folder, which need not exist. check returns an error for a model that
// the program cannot use.
func New(dir string, check func(task string, data []byte) error, now func() time.Time) *Registry {
	return &Registry{dir, check, now}
}

// ErrUnknown means that no version has the given name.
var ErrUnknown = errors.New("unknown model")

// readState returns the state; that of a folder without one is empty.
func (r *Registry) readState() (s state, err error) {
	path := filepath.Join(r.dir, stateFile)
	s = state{Format: format, Before: map[string][]int{}}
	data, err := readBounded(path, maxState)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &s)
	}
	switch {
	case err != nil:
		return s, fmt.Errorf("%s: %w; restore it from a backup, or remove it: the models in use stay", path, err)
	case s.Format != format:
		return s, fmt.Errorf("%s: %w: format %d, this program knows %d", path, classify.ErrIncompatible, s.Format, format)
	}
	if s.Before == nil {
		s.Before = map[string][]int{}
	}
	return s, nil
}

// readBounded reads a regular file of at most a number of bytes.
func readBounded(path string, most int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // read only: nothing to lose
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(fmt.Errorf("%s is not a file", path), err)
	}
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(data)) > most {
		err = fmt.Errorf("%s is larger than %d MB", path, most>>20)
	}
	return data, err
}

// Versions returns all stored versions, oldest first.
func (r *Registry) Versions() ([]Version, error) {
	s, err := r.readState()
	return s.Versions, err
}

// Find returns the version named TASK@NUMBER. Its error is ErrUnknown if there is none.
func (r *Registry) Find(name string) (Version, error) {
	s, err := r.readState()
	if err != nil {
		return Version{}, err
	}
	return s.findVersion(r.dir, name)
}

func (s *state) findVersion(dir, name string) (Version, error) {
	for _, v := range s.Versions {
		if v.Name() == name {
			return v, nil
		}
	}
	return Version{}, fmt.Errorf("%w: %s has no %s, see `eventseer model list`", ErrUnknown, dir, name)
}

// Path returns the file of a stored version.
func (r *Registry) Path(v Version) string {
	return filepath.Join(r.dir, versionsDir, v.Name()+".model")
}

// FileInUse returns the file of the model in use of a task. If it does not exist, the shipped one is
// in use.
func (r *Registry) FileInUse(task string) string { return filepath.Join(r.dir, task+".model") }

// InUse returns the version in use of a task. Number 0 with an empty digest is the shipped model;
// number 0 with a digest is a file that the registry does not know.
func (r *Registry) InUse(task string) (Version, error) {
	s, err := r.readState()
	if err != nil {
		return Version{}, err
	}
	return r.inUse(&s, task)
}

func (r *Registry) inUse(s *state, task string) (Version, error) {
	v := Version{Task: task}
	data, err := readBounded(r.FileInUse(task), maxModel)
	if errors.Is(err, fs.ErrNotExist) {
		return v, nil
	}
	if err != nil {
		return v, err
	}
	v.Digest = webgraph.DigestOf(data)
	for _, known := range s.Versions {
		if known.Task == task && known.Digest == v.Digest {
			return known, nil
		}
	}
	v.From = r.FileInUse(task)
	return v, nil
}

// ShadowVersion returns the version that judges as a shadow model; ok is false if none does.
func (r *Registry) ShadowVersion() (v Version, ok bool, err error) {
	s, err := r.readState()
	if err != nil || s.Shadow == "" {
		return v, false, err
	}
	v, err = s.findVersion(r.dir, s.Shadow)
	return v, err == nil, err
}

// Add stores a model read from a file, and returns its version. A model that is stored already keeps
// its version. Its error is classify.ErrIncompatible for a model that the program cannot use.
func (r *Registry) Add(data []byte, from string) (v Version, err error) {
	err = r.updateState(func(s *state) error {
		v, err = r.addVersion(s, data, from)
		return err
	})
	return v, err
}

func (r *Registry) addVersion(s *state, data []byte, from string) (Version, error) {
	meta, err := classify.ReadMeta(data)
	if err == nil {
		err = r.check(meta.Task, data)
	}
	if err != nil {
		return Version{}, fmt.Errorf("%s: %w", from, err)
	}
	v := Version{Task: meta.Task, Number: 1, Digest: webgraph.DigestOf(data), From: from, Added: r.now().UTC().Truncate(time.Second)}
	for _, known := range s.Versions {
		if known.Task == v.Task && known.Digest == v.Digest {
			return known, nil
		}
		if known.Task == v.Task {
			v.Number = max(v.Number, known.Number+1)
		}
	}
	if err := os.MkdirAll(filepath.Join(r.dir, versionsDir), 0o755); err != nil {
		return v, err
	}
	if err := writeModel(r.Path(v), data); err != nil {
		return v, err
	}
	s.Versions = append(s.Versions, v)
	return v, r.pruneOldest(s, v)
}

func writeModel(path string, data []byte) error {
	return atomicfile.Write(path, func(w io.Writer) error {
		_, err := io.Copy(w, bytes.NewReader(data))
		return err
	})
}

// pruneOldest removes the oldest versions of a task beyond maxVersions. It keeps those that are or were in
// use, and the shadow model.
func (r *Registry) pruneOldest(s *state, added Version) error {
	used, err := r.inUse(s, added.Task)
	if err != nil {
		return err
	}
	n := 0
	for _, v := range s.Versions {
		if v.Task == added.Task {
			n++
		}
	}
	s.Versions = slices.DeleteFunc(s.Versions, func(v Version) bool {
		if n <= maxVersions || v.Task != added.Task || v == added || v == used || v.Name() == s.Shadow || slices.Contains(s.Before[v.Task], v.Number) {
			return false
		}
		n--
		err = errors.Join(err, os.Remove(r.Path(v)))
		return true
	})
	return err
}

// PutInUse puts a version in use, number 0 the shipped model, and returns the version that was in use. A
// file in use that the registry does not know is stored first.
func (r *Registry) PutInUse(v Version) (before Version, err error) {
	err = r.updateState(func(s *state) error {
		if before, err = r.inUseOrStored(s, v.Task); err != nil || before.Number == v.Number {
			return err
		}
		past := append(s.Before[v.Task], before.Number)
		s.Before[v.Task] = past[max(0, len(past)-maxHistory):]
		if err := r.writeState(s); err != nil { // first, so that the version before can be rolled back to
			return err
		}
		return r.putInUse(v)
	})
	return before, err
}

// inUseOrStored returns the version in use of a task, and stores a file that is not known.
func (r *Registry) inUseOrStored(s *state, task string) (Version, error) {
	v, err := r.inUse(s, task)
	if err != nil || v.Number > 0 || v.Digest == "" {
		return v, err
	}
	data, err := readBounded(v.From, maxModel)
	if err != nil {
		return v, err
	}
	return r.addVersion(s, data, v.From)
}

// putInUse replaces the file in use of a task by a version.
func (r *Registry) putInUse(v Version) error {
	if v.Number == 0 {
		if err := os.Remove(r.FileInUse(v.Task)); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	data, err := r.Read(v)
	if err != nil {
		return err
	}
	return writeModel(r.FileInUse(v.Task), data)
}

// Read returns the file of a stored version, whose digest and use it checks.
func (r *Registry) Read(v Version) ([]byte, error) {
	path := r.Path(v)
	data, err := readBounded(path, maxModel)
	if err != nil {
		return nil, err
	}
	if webgraph.DigestOf(data) != v.Digest {
		return nil, fmt.Errorf("%s is damaged: it is not the file that was stored; restore it from a backup, or train the model again", path)
	}
	if err := r.check(v.Task, data); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return data, nil
}

// Rollback puts the version in use that was in use before the present one.
func (r *Registry) Rollback(task string) (from, to Version, err error) {
	err = r.updateState(func(s *state) error {
		if from, err = r.inUseOrStored(s, task); err != nil {
			return err
		}
		past := s.Before[task]
		for len(past) > 0 && past[len(past)-1] == from.Number {
			past = past[:len(past)-1]
		}
		if len(past) == 0 {
			return fmt.Errorf("%w: no other model of task %s was in use in %s", ErrUnknown, task, r.dir)
		}
		to = Version{Task: task}
		if n := past[len(past)-1]; n > 0 {
			if to, err = s.findVersion(r.dir, Version{Task: task, Number: n}.Name()); err != nil {
				return err
			}
		}
		if err := r.putInUse(to); err != nil { // first: if writing the state fails, a rollback begins from here
			return err
		}
		s.Before[task] = past[:len(past)-1]
		return nil
	})
	return from, to, err
}

// SetShadow makes a stored version the shadow model; "" ends it.
func (r *Registry) SetShadow(name string) error {
	return r.updateState(func(s *state) error {
		if name != "" {
			if _, err := s.findVersion(r.dir, name); err != nil {
				return err
			}
		}
		s.Shadow = name
		return nil
	})
}

// updateState calls change with the state and writes the result. It returns an error if another process is
// changing the state.
func (r *Registry) updateState(change func(s *state) error) error {
	if err := os.MkdirAll(r.dir, 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(r.dir, lockFile), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // this ends the lock
	if err := lockStateFile(f); err != nil {
		return fmt.Errorf("%s: another command changes the models: %w; try again", f.Name(), err)
	}
	s, err := r.readState()
	if err != nil {
		return err
	}
	if err := change(&s); err != nil {
		return err
	}
	return r.writeState(&s)
}

func (r *Registry) writeState(s *state) error {
	return atomicfile.WriteJSON(filepath.Join(r.dir, stateFile), s)
}

// ParseName splits a name TASK@NUMBER; ok is false for other names.
func ParseName(name string) (task string, number int, ok bool) {
	task, digits, found := strings.Cut(name, "@")
	n, err := strconv.Atoi(digits)
	return task, n, found && task != "" && err == nil && n >= 0 && !strings.ContainsAny(name, `/\`)
}
