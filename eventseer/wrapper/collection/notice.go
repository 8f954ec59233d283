package collection

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"eventseer/eventseer/wrapper"
	"eventseer/internal/atomicfile"
)

// Bounds on the log of notices.
const (
	maxNotices    = 200
	maxNoticeFile = 4 << 20 // bytes of it that are read
)

// A NoticeLog keeps the last notices in a file, a JSON object a line, oldest first. It
// is safe for concurrent use by one process.
type NoticeLog struct {
	path string
	mu   sync.Mutex // held while the file is rewritten
}

// NewNoticeLog returns the log at path; the file need not be there.
func NewNoticeLog(path string) *NoticeLog { return &NoticeLog{path: path} }

// Add appends notices, and forgets the oldest beyond the bound. The file is replaced as
// a whole, so that a crash leaves the one before.
func (l *NoticeLog) Add(notices ...wrapper.Notice) error {
	if len(notices) == 0 {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	all, err := l.List()
	if err != nil {
		return err
	}
	all = append(all, notices...)
	if err := os.MkdirAll(filepath.Dir(l.path), 0o755); err != nil {
		return fmt.Errorf("notices: %w", err)
	}
	err = atomicfile.Write(l.path, func(w io.Writer) (err error) {
		out := json.NewEncoder(w)
		for _, n := range all[max(0, len(all)-maxNotices):] {
			err = errors.Join(err, out.Encode(n))
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("notices: %w", err)
	}
	return nil
}

// List returns the notices, oldest first. Lines that cannot be read are left out.
func (l *NoticeLog) List() (notices []wrapper.Notice, err error) {
	data, err := os.ReadFile(l.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("notices: %w", err)
	}
	for line := range bytes.Lines(data[:min(len(data), maxNoticeFile)]) {
		var n wrapper.Notice
		if json.Unmarshal(line, &n) == nil && n.Kind != "" {
			notices = append(notices, n)
		}
	}
	return notices, nil
}
