package app

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/eventseer/eventseer/internal/atomicfile"
)

// Bounds of the token of a file, in bytes.
const (
	leastToken = 16
	mostToken  = 1000
)

// OperatorToken returns the token of the operator's pages: that of the settings, otherwise that of
// the file in dir, which is created if missing. firstPage is the sign-in path of a new token only,
// because a URL with a secret is shown only once.
func OperatorToken(a *App, dir string) (token, firstPage string, err error) {
	if a.Config.AdminToken != "" {
		return string(a.Config.AdminToken), "", nil
	}
	path := filepath.Join(dir, TokenFile)
	if token, err = ReadToken(path); !errors.Is(err, fs.ErrNotExist) {
		return token, "", err
	}
	token = rand.Text()
	err = atomicfile.WritePrivate(path, func(w io.Writer) error {
		_, err := io.WriteString(w, token+"\n")
		return err
	})
	if err != nil {
		return "", "", fmt.Errorf("the token of the operator's pages could not be stored: %w", err)
	}
	return token, "/admin?token=" + token, nil
}

// ReadToken reads a token file. A file that other users may read or change is rejected, because its
// token gives full access.
func ReadToken(path string) (string, error) {
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return "", err
	case !info.Mode().IsRegular() || info.Size() > mostToken:
		return "", fmt.Errorf("%s is not a token file; remove it, and the next start creates one", path)
	case info.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows":
		return "", fmt.Errorf("%s has mode %04o: other users of this machine may have read the token; remove it, and the next start creates another", path, info.Mode().Perm())
	}
	content, err := os.ReadFile(path)
	token := strings.TrimSpace(string(content))
	if err == nil && len(token) < leastToken {
		err = fmt.Errorf("%s: a token has at least %d characters; remove it, and the next start creates one", path, leastToken)
	}
	return token, err
}
