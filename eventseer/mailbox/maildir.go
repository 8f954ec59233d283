package mailbox

import (
	"cmp"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/webgraph"
)

// maildirParts are the directories of a maildir: two with messages, and one with messages being
// written.
var maildirParts = [...]string{"cur", "new", "tmp"}

// IsMaildir reports whether a directory is a maildir: whether it has cur, new and tmp.
func IsMaildir(dir string) bool {
	return !slices.ContainsFunc(maildirParts[:], func(part string) bool {
		info, err := os.Stat(filepath.Join(dir, part))
		return err != nil || !info.IsDir()
	})
}

// IsMaildirPart reports whether a directory is one of the directories that make up a maildir.
func IsMaildirPart(dir string) bool {
	return slices.Contains(maildirParts[:], filepath.Base(dir)) && IsMaildir(filepath.Dir(dir))
}

// A delivery is a message in a maildir. Its name without the flags after the colon does not change
// when a mail program moves it from new to cur.
type delivery struct{ name, path string }

// Maildir yields the messages of a maildir in the order of their names, which begin with the time
// of delivery. Nothing in the maildir is changed. A message that cannot be read, or was moved away,
// is yielded as an error with a page that has only its file as URL, and reading continues.
func (reader Reader) Maildir(dir string) iter.Seq2[*webgraph.Page, error] {
	return func(yield func(*webgraph.Page, error) bool) {
		deliveries, err := deliveriesIn(dir)
		if err != nil && !yield(&webgraph.Page{URL: dir}, err) {
			return
		}
		for _, d := range deliveries {
			pages, err := reader.readFile(d.path)
			if err != nil && !yield(&webgraph.Page{URL: d.path}, fmt.Errorf("%s: %w; the other messages are read", d.path, err)) {
				return
			}
			for _, page := range pages {
				if !yield(page, nil) {
					return
				}
			}
		}
	}
}

func deliveriesIn(dir string) (deliveries []delivery, err error) {
	for _, part := range maildirParts[:2] {
		files, readErr := os.ReadDir(filepath.Join(dir, part))
		err = cmp.Or(err, readErr)
		for _, f := range files {
			if !strings.HasPrefix(f.Name(), ".") && f.Type()&(fs.ModeDir|fs.ModeNamedPipe|fs.ModeSocket|fs.ModeDevice) == 0 {
				name, _, _ := strings.Cut(f.Name(), ":")
				deliveries = append(deliveries, delivery{name, filepath.Join(dir, part, f.Name())})
			}
		}
	}
	slices.SortFunc(deliveries, func(a, b delivery) int {
		return cmp.Or(strings.Compare(a.name, b.name), strings.Compare(a.path, b.path))
	})
	return deliveries, err
}

func (reader Reader) readFile(path string) ([]*webgraph.Page, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // opened for reading only
	return reader.Message(f)
}
