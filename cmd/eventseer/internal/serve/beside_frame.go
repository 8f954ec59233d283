package serve

import (
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"
)

// A frame is one piece of what a guest gives: its kind, a byte for the file it belongs to
// or the exit code, the length of the data in four bytes, big endian, and the data.
type frame struct {
	kind, file byte
	data       []byte
}

const (
	FrameOut    = 'o' // of stdout
	frameTalk   = 'e' // of stderr
	FrameCreate = 'f' // the name of a file that is made anew
	frameBox    = 'm' // the name of an mbox that is added to
	FrameFile   = 'w' // of a file
	frameClose  = 'c' // the file is whole
	FrameExit   = 'x' // nothing follows

	frameHead = 6
	maxFrame  = 32 << 10 // bytes of data
	// framePatience is how long an asker may leave a frame unread; a pager that nobody
	// pages must not keep a place for ever.
	framePatience = 15 * time.Minute
)

func readFrame(r io.Reader) (f frame, err error) {
	var head [frameHead]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return f, err
	}
	n := binary.BigEndian.Uint32(head[2:])
	if n > maxFrame {
		return f, fmt.Errorf("a frame of %d bytes", n)
	}
	f = frame{head[0], head[1], make([]byte, n)}
	_, err = io.ReadFull(r, f.data)
	return f, err
}

// Frames writes what a guest gives as an answer. It is safe for concurrent use.
type Frames struct {
	mu   sync.Mutex // guards below
	W    http.ResponseWriter
	last byte // file that was opened
}

// Write writes data of any length.
func (s *Frames) Write(kind, file byte, data []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	control := http.NewResponseController(s.W)
	if err := control.SetWriteDeadline(time.Now().Add(framePatience)); err != nil {
		return err
	}
	for first := true; first || len(data) > 0; first = false {
		part := data[:min(len(data), maxFrame)]
		data = data[len(part):]
		head := binary.BigEndian.AppendUint32([]byte{kind, file}, uint32(len(part)))
		if _, err := s.W.Write(append(head, part...)); err != nil {
			return err
		}
	}
	return control.Flush()
}

// open has the asker open a file.
func (s *Frames) open(kind byte, name string) (io.WriteCloser, error) {
	s.mu.Lock()
	s.last++
	file := s.last
	s.mu.Unlock()
	return framed{s, FrameFile, file}, s.Write(kind, file, []byte(name))
}

// framed is a stream or a file of a guest.
type framed struct {
	to         *Frames
	kind, file byte
}

func (f framed) Write(p []byte) (int, error) {
	if err := f.to.Write(f.kind, f.file, p); err != nil {
		return 0, err
	}
	return len(p), nil
}

func (f framed) Close() error { return f.to.Write(frameClose, f.file, nil) }
