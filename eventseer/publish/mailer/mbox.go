package mailer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"time"

	"github.com/eventseer/eventseer/eventseer/publish/message"
	"github.com/eventseer/eventseer/internal/bolt"
)

// Mbox is a dry run: it appends mails to a file in mboxrd format, in the form in which they would be sent. It
// is safe for concurrent use within a process.
type Mbox struct {
	options Options
	mu      sync.Mutex // guards file
	file    *os.File
}

var _ message.Mailer = (*Mbox)(nil)

// OpenMbox opens or creates an mbox file that only its owner can read, because mails contain sign-in links.
// Options of the server are ignored.
func OpenMbox(path string, o Options) (*Mbox, error) {
	if err := o.encodeAddresses(); err != nil {
		return nil, err
	}
	f, err := AppendMbox(path)
	if err != nil {
		return nil, err
	}
	return &Mbox{options: o, file: f}, nil
}

// AppendMbox opens or creates an mbox file that only its owner can read, for appending.
func AppendMbox(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(endMbox(f), bolt.SyncDir(filepath.Dir(path))); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), f.Close())
	}
	return f, nil
}

// endMbox completes the file if its last message is incomplete, so that the next one starts on its own.
func endMbox(f *os.File) error {
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return err
	}
	end := make([]byte, min(2, info.Size()))
	if _, err := f.ReadAt(end, info.Size()-int64(len(end))); err != nil {
		return err
	}
	if string(end) != "\n\n" {
		_, err = f.WriteString("\n\n")
	}
	return err
}

// Send implements message.Mailer. It returns nil once the mail is on disk.
func (m *Mbox) Send(ctx context.Context, l message.Email) error {
	raw, _, err := m.options.composeMail(l)
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.appendMail(asMbox(raw, m.options.From.Address, l.At))
}

// appendMail writes a message completely or not at all.
func (m *Mbox) appendMail(message []byte) error {
	info, err := m.file.Stat()
	if err != nil {
		return err
	}
	_, err = m.file.Write(message)
	if err == nil && info.Mode().IsRegular() {
		err = m.file.Sync()
	}
	if err != nil && info.Mode().IsRegular() {
		return errors.Join(err, m.file.Truncate(info.Size()))
	}
	return err
}

// Close closes the file.
func (m *Mbox) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.file.Close()
}

// quotable matches lines that mboxrd quotes by another ">".
var quotable = regexp.MustCompile(`(?m)^>*From `)

// asMbox returns a mail in mboxrd format.
func asMbox(raw []byte, from string, at time.Time) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "From %s %s\n", from, at.UTC().Format(time.ANSIC))
	text := bytes.TrimRight(bytes.ReplaceAll(raw, []byte("\r\n"), []byte("\n")), "\n")
	b.Write(quotable.ReplaceAll(text, []byte(">$0")))
	b.WriteString("\n\n")
	return b.Bytes()
}
