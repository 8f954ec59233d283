package store

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestWriteErrors lets every write of a Put fail: the file's descriptor is
// replaced by one that cannot write.
func TestWriteErrors(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	var file *os.File
	s := openStore(t, path, Options{OpenFile: func(name string, flag int, mode os.FileMode) (*os.File, error) {
		f, err := os.OpenFile(name, flag, mode)
		file = f
		return f, err
	}})
	put(t, s, call(0, day1))
	readOnly, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer readOnly.Close()
	if err := syscall.Dup3(int(readOnly.Fd()), int(file.Fd()), syscall.O_CLOEXEC); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Put(t.Context(), call(1, day1), nil); err == nil {
		t.Error("a Put that could not write reported success")
	}
	if got := len(outbox(t, s, 0)); got != 1 {
		t.Errorf("%d changes after a failed Put, want 1", got)
	}
	_ = s.Close()
	s = openStore(t, path, Options{})
	checkClean(t, s)
	if got := len(outbox(t, s, 0)); got != 1 {
		t.Errorf("%d changes after reopening, want 1", got)
	}
}
