package app

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// PublishFile holds readers, their lists and the mails to them.
const PublishFile = "publish.db"

// MarksFile says in the data directory how far the folders of IMAP servers were
// read. It is replaced as a whole, so that a crash leaves the old one or the new.
const MarksFile = "imap.json"

const ModelsDir = "models" // of a data directory

const FrontierFile = "frontier.db"

const LinksFile = "links.db"

const StoreFile = "store.db"

const IndexDir = "index.bleve"

// DataDir returns the data directory, which must exist.
func DataDir(a *App) (string, error) {
	info, err := os.Stat(a.Config.Data)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("%w at %s; `eventseer init` or `eventseer crawl` makes one, --data names another", ErrNoData, a.Config.Data)
	case err != nil:
		return "", err
	case !info.IsDir():
		return "", fmt.Errorf("%w: %s is a file", ErrNoData, a.Config.Data)
	}
	return a.Config.Data, nil
}
