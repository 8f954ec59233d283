package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/eventseer/mailbox"
	"eventseer/internal/atomicfile"
	"eventseer/webgraph"
)

// folderMarks are the marks of all folders, in the order they were first read.
type folderMarks struct {
	path    string
	folders []*folderMark
}

// A folderMark is how far one folder was read.
type folderMark struct {
	Server string `json:"server"`
	User   string `json:"user"` // a digest: a name is often an address
	Folder string `json:"folder"`
	mailbox.Mark

	all *folderMarks
}

func readMarks(dir string) (*folderMarks, error) {
	m := &folderMarks{path: filepath.Join(dir, app.MarksFile)}
	text, err := os.ReadFile(m.path)
	if errors.Is(err, fs.ErrNotExist) {
		return m, nil
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, &m.folders); err != nil {
		return nil, fmt.Errorf("%s: %w; remove it to have all messages read again", m.path, err)
	}
	for _, f := range m.folders {
		if f == nil {
			return nil, fmt.Errorf("%s: a folder is missing; remove it to have all messages read again", m.path)
		}
		f.all = m
	}
	return m, nil
}

// folder returns the mark of a folder, at the beginning if it was never read.
func (m *folderMarks) folder(server mailbox.IMAP, name string) *folderMark {
	user := string(webgraph.DigestOf([]byte(server.User)))
	for _, f := range m.folders {
		if f.Server == server.Server && f.User == user && f.Folder == name {
			return f
		}
	}
	f := &folderMark{Server: server.Server, User: user, Folder: name, all: m}
	m.folders = append(m.folders, f)
	return f
}

func (f *folderMark) save() error { return atomicfile.WriteJSON(f.all.path, f.all.folders) }
