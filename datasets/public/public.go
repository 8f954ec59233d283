// Package public downloads public datasets and verifies them.
package public

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/eventseer/eventseer/internal/usage"
)

// Limits of a download.
const (
	maxDownload = 2 << 30         // bytes
	maxStall    = 1 * time.Minute // without a byte
)

// A Set is a dataset that can be downloaded.
type Set struct {
	Name, URL, File string
	SHA256          string // published checksum, "" if no known source publishes one
	What            string
}

// Sets are the datasets known by name. Their checksums are those published by their sources; none was
// computed from our own download.
var Sets = []Set{
	{
		Name: "20newsgroups", URL: "https://ndownloader.figshare.com/files/5975967", File: "20news-bydate.tar.gz",
		SHA256: "8f1b2514ca22a5ade8fbb9cfa5727df95fa587f4c87b786e15c759fa66d95610",
		What:   "20 Newsgroups, 18,846 messages sorted by date (the file and checksum of scikit-learn's fetch_20newsgroups)",
	},
	{
		Name: "20newsgroups-original", URL: "http://qwone.com/~jason/20Newsgroups/20news-19997.tar.gz", File: "20news-19997.tar.gz",
		What: "20 Newsgroups, the original 19,997 messages",
	},
	{
		Name: "dbworld", URL: "https://archive.ics.uci.edu/static/public/219/dbworld+e+mails.zip", File: "dbworld.zip",
		What: "UCI DBWorld e-mails, 64 messages as ARFF files in a zip file",
	},
}

var isSum = regexp.MustCompile(`^[0-9a-f]{64}$`)

// Find returns the set with a name. If name is a URL, it returns a set for it with checksum sum.
func Find(name, sum string) (Set, error) {
	if sum != "" && !isSum.MatchString(sum) {
		return Set{}, usage.Errorf("--sha256 %.70s: must be 64 hexadecimal digits", sum)
	}
	set := Set{Name: name, URL: name, SHA256: sum}
	for _, s := range Sets {
		if s.Name == name {
			set = s
			set.SHA256 = cmp.Or(sum, s.SHA256)
		}
	}
	u, err := url.Parse(set.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return set, usage.Errorf("%q is neither a URL nor a set known by name: see `eventseer data fetch`", name)
	}
	if set.File == "" {
		set.File = path.Base(u.Path)
	}
	if set.File == "" || set.File == "." || set.File == "/" || strings.HasPrefix(set.File, ".") || strings.ContainsAny(set.File, "\\\x00") {
		return set, usage.Errorf("%s names no file", name)
	}
	if set.SHA256 == "" {
		return set, usage.Errorf("the checksum of %s is not known: give --sha256, from a source you trust", name)
	}
	return set, nil
}

// Fetch downloads the file of a set to dir unless it is already there. It calls client only if a request
// is needed.
func Fetch(ctx context.Context, client func() (*http.Client, error), set Set, dir string, logf func(format string, args ...any)) error {
	target := filepath.Join(dir, set.File)
	switch sum, err := hashFile(target); {
	case err == nil && sum == set.SHA256:
		logf("%s is there already", target)
		return nil
	case err == nil:
		return fmt.Errorf("%s exists already with sha256 %s, not %s: remove it, or name another folder", target, sum, set.SHA256)
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	c, err := client()
	if err != nil {
		return err
	}
	defer c.CloseIdleConnections()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	part, err := os.CreateTemp(dir, "."+set.File+".*")
	if err != nil {
		return err
	}
	n, err := download(ctx, c, set, part)
	if err = errors.Join(err, part.Close()); err == nil {
		err = os.Chmod(part.Name(), 0o644)
	}
	if err == nil {
		err = os.Rename(part.Name(), target)
	}
	if err != nil {
		return errors.Join(err, os.Remove(part.Name()))
	}
	logf("%s: %d bytes, sha256 %s", target, n, set.SHA256)
	return nil
}

// download writes the file of a set to w and verifies it.
func download(ctx context.Context, client *http.Client, set Set, w io.Writer) (int64, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stall := time.AfterFunc(maxStall, func() { cancel(fmt.Errorf("%s: no data arrived for %v", set.URL, maxStall)) })
	defer stall.Stop()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, set.URL, nil)
	if err != nil {
		return 0, err
	}
	res, err := client.Do(req)
	if err != nil {
		return 0, errors.Join(context.Cause(ctx), err)
	}
	defer func() { _ = res.Body.Close() }() // everything needed was read
	if res.StatusCode != http.StatusOK {
		return 0, fmt.Errorf("%s responded with status %s", set.URL, res.Status)
	}
	if res.ContentLength > maxDownload {
		return 0, fmt.Errorf("%s has %d bytes, a download may have %d", set.URL, res.ContentLength, maxDownload)
	}
	h := sha256.New()
	body := progressReader{res.Body, stall}
	n, err := io.Copy(io.MultiWriter(w, h), io.LimitReader(body, maxDownload+1))
	switch sum := hex.EncodeToString(h.Sum(nil)); {
	case err != nil:
		return n, fmt.Errorf("%s ended early after %d bytes: %w", set.URL, n, errors.Join(context.Cause(ctx), err))
	case n > maxDownload:
		return n, fmt.Errorf("%s has more than %d bytes, the maximum of a download", set.URL, maxDownload)
	case sum != set.SHA256:
		return n, fmt.Errorf("%s has sha256 %s, not %s: it was changed or is another file, so it was not kept", set.URL, sum, set.SHA256)
	}
	return n, nil
}

// A progressReader is a reader that extends the time limit of a download whenever data arrives.
type progressReader struct {
	io.Reader
	stall *time.Timer
}

func (a progressReader) Read(p []byte) (int, error) {
	n, err := a.Reader.Read(p)
	if n > 0 {
		a.stall.Reset(maxStall)
	}
	return n, err
}

// hashFile returns the SHA-256 of a file in hexadecimal digits.
func hashFile(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }() // opened for reading: an error on closing loses nothing
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
