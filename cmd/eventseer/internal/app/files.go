package app

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// The files and folders of a data directory.
const (
	FrontierFile = "frontier.db"
	LinksFile    = "links.db"
	StoreFile    = "store.db"
	IndexDir     = "index.bleve"
	ModelsDir    = "models"
	// PublishFile holds readers, their lists and the mails to them.
	PublishFile = "publish.db"
	// MarksFile says how far the folders of IMAP servers were read. It is replaced
	// as a whole, so that a crash leaves the old one or the new.
	MarksFile = "imap.json"
)

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
