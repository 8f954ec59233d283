package lines

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
)

// ReadFile reads a file of at most limit bytes.
func ReadFile(path string, limit int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	return ReadAll(f, limit)
}

// ReadAll reads and closes r, which holds at most limit bytes.
func ReadAll(r io.ReadCloser, limit int64) ([]byte, error) {
	var b bytes.Buffer
	n, err := io.Copy(&b, io.LimitReader(r, limit+1))
	err = errors.Join(err, r.Close())
	if err == nil && n > limit {
		err = fmt.Errorf("it is longer than %d bytes", limit)
	}
	return b.Bytes(), err
}
