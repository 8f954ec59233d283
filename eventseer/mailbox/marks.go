package mailbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"

	"github.com/eventseer/eventseer/internal/atomicfile"
	"github.com/eventseer/eventseer/webgraph"
)

// Folders are the marks of all folders, in the order in which they were first read.
type Folders struct {
	path    string
	folders []*Folder
}

// A Folder is the position up to which one folder was read.
type Folder struct {
	Server string `json:"server"`
	User   string `json:"user"` // a digest, because the name is often an address
	Folder string `json:"folder"`
	FolderPosition

	all *Folders
}

// ReadFolders reads the marks in a file. It returns none if the file does not exist.
func ReadFolders(path string) (*Folders, error) {
	m := &Folders{path: path}
	text, err := os.ReadFile(m.path)
	if errors.Is(err, fs.ErrNotExist) {
		return m, nil
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, &m.folders); err != nil {
		return nil, fmt.Errorf("%s: %w; remove this file to read all messages again", m.path, err)
	}
	for _, f := range m.folders {
		if f == nil {
			return nil, fmt.Errorf("%s: a folder is missing; remove this file to read all messages again", m.path)
		}
		f.all = m
	}
	return m, nil
}

// Folder returns the mark of a folder. It is the zero Mark if the folder was never read.
func (m *Folders) Folder(server IMAP, name string) *Folder {
	user := string(webgraph.DigestOf([]byte(server.User)))
	for _, f := range m.folders {
		if f.Server == server.Server && f.User == user && f.Folder == name {
			return f
		}
	}
	f := &Folder{Server: server.Server, User: user, Folder: name, all: m}
	m.folders = append(m.folders, f)
	return f
}

func (f *Folder) savePosition() error { return atomicfile.WriteJSON(f.all.path, f.all.folders) }

// maxUnmarked is the number of messages processed before the mark of a folder is stored. After a crash at
// most this number of messages is read again.
const maxUnmarked = 100

// ReadNew calls take for each message of a folder, with the error of a damaged one. The mark moves
// after the messages were stored, by maxUnmarked messages at once.
func (at *Folder) ReadNew(mails iter.Seq2[FetchedMessage, error], take func(m FetchedMessage, broken error) error) error {
	unmarked := 0
	for m, err := range mails {
		if err != nil && !errors.Is(err, ErrMessage) {
			return errors.Join(err, at.savePosition())
		}
		if err := take(m, err); err != nil {
			return errors.Join(err, at.savePosition())
		}
		at.FolderPosition = m.Mark
		if unmarked++; unmarked >= maxUnmarked {
			if err := at.savePosition(); err != nil {
				return err
			}
			unmarked = 0
		}
	}
	return at.savePosition()
}
