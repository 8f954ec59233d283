package classify

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/eventseer/eventseer/webgraph"
)

// A Live judge applies the models of a folder, cfp.model and page-type.model, and switches to newer files
// while it is in use. Both models are replaced at the same time. Files that cannot be used are refused,
// and the models in use are kept. It is safe for concurrent use.
type Live struct {
	dir     string
	shipped fs.FS // replaces missing files; nil: a missing file is an error
	current atomic.Pointer[Loaded]

	mu     sync.Mutex // guards below
	stamps fileStamps // at the last Check
	tried  fileStamps // of the files that were read last
}

// A Loaded is a judge with the digests of the files it was read from. It never changes.
type Loaded struct {
	*Judge
	// CFPFile and PageTypeFile are the digests of the model files.
	CFPFile, PageTypeFile webgraph.Digest
	// Own means that the folder had at least one of the files.
	Own bool
}

// OpenLive reads the models of dir. Those that it lacks are read from shipped, unless that is nil. It
// returns ErrIncompatible if a model has a format version, task or classes that do not fit; the error names
// the file.
func OpenLive(dir string, shipped fs.FS) (*Live, error) {
	l := &Live{dir: dir, shipped: shipped}
	l.stamps = readFileStamps(dir)
	l.tried = l.stamps
	loaded, err := l.load()
	if err != nil {
		return nil, err
	}
	l.current.Store(loaded)
	return l, nil
}

// Current returns the judge in use. Callers that judge one page by several calls must use the same Loaded
// for all of them.
func (l *Live) Current() *Loaded { return l.current.Load() }

// For returns the judge in use, because it judges the pages of all hosts alike. Compare Folded.For.
func (l *Live) For(string) *Judge { return l.Current().Judge }

// Check looks for changed model files in the folder. It reads changed files at the first Check that finds
// them unchanged since the previous Check, so neither a half-copied file nor a mixed pair is used. Each
// version is read only once, whether it is used or refused. Check reports whether the models were
// replaced; its error says which file was refused, why, and what to do.
func (l *Live) Check() (swapped bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := readFileStamps(l.dir)
	settled := now == l.stamps
	l.stamps = now
	if !settled || now == l.tried {
		return false, nil
	}
	next, err := l.load()
	if readFileStamps(l.dir) != now {
		return false, nil // a file changed while it was read
	}
	l.tried = now
	if err != nil {
		return false, fmt.Errorf("%w; the models in use stay until the file is replaced", err)
	}
	if last := l.Current(); last.CFPFile == next.CFPFile && last.PageTypeFile == next.PageTypeFile {
		return false, nil
	}
	l.current.Store(next)
	return true, nil
}

// Watch checks the folder at every tick until ctx ends. It calls report with
// the judge in use after each swap, and with an error after each refusal.
func (l *Live) Watch(ctx context.Context, tick <-chan time.Time, report func(*Loaded, error)) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick:
		}
		if swapped, err := l.Check(); swapped || err != nil {
			report(l.Current(), err)
		}
	}
}

// fileStamps are the stamps of the two model files; a difference shows that a file changed.
type fileStamps [2]fileStamp

// A fileStamp is the size and modification time of a file. The zero value stands for a missing file.
type fileStamp struct {
	modified int64 // Unix nanoseconds
	size     int64
}

func readFileStamps(dir string) (s fileStamps) {
	for i, name := range [...]string{cfpFile, pageTypeFile} {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil {
			s[i] = fileStamp{info.ModTime().UnixNano(), info.Size()}
		}
	}
	return s
}

// load reads both models and makes a judge of them.
func (l *Live) load() (*Loaded, error) {
	own := readFileStamps(l.dir) != fileStamps{}
	cfp, cfpDigest, err := l.loadModel(cfpFile, TaskCFP)
	if err != nil {
		return nil, err
	}
	pageType, pageTypeDigest, err := l.loadModel(pageTypeFile, TaskPageType)
	if err != nil {
		return nil, err
	}
	judge, err := NewJudge(cfp, pageType)
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %w: train the model again with this program", l.dir, ErrIncompatible, err)
	}
	return &Loaded{Judge: judge, CFPFile: cfpDigest, PageTypeFile: pageTypeDigest, Own: own}, nil
}

// loadModel reads a whole model file into memory, decodes it and checks that it has the given task.
func (l *Live) loadModel(name, task string) (*Model, webgraph.Digest, error) {
	path := filepath.Join(l.dir, name)
	data, err := readWholeFile(path)
	if errors.Is(err, fs.ErrNotExist) && l.shipped != nil {
		data, err = fs.ReadFile(l.shipped, name)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, "", fmt.Errorf("%w: train one with `eventseer train --task %s -o %s`", err, task, path)
	}
	if err != nil {
		return nil, "", err
	}
	m, err := ReadModel(bytes.NewReader(data))
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", path, err)
	}
	if m.Task != task {
		return nil, "", fmt.Errorf("%s: %w: the model is of task %q, but this file must hold a model of task %q", path, ErrIncompatible, m.Task, task)
	}
	return m, webgraph.DigestOf(data), nil
}

// readWholeFile returns the contents of a regular file. It reads at most one byte more than a model may have,
// so that ReadModel refuses a file that is too large.
func readWholeFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // opened for reading: an error on closing loses nothing
	return io.ReadAll(io.LimitReader(f, maxModelBytes+1))
}
