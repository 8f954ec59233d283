package snapshot

import (
	"archive/tar"
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// ErrBadBackup means that a file is not a backup, or is incomplete or changed.
var ErrBadBackup = errors.New("not a complete backup")

// maxBackupManifest bounds the manifest of a backup, in bytes.
const maxBackupManifest = 64 << 20

// Beginnings of compressed files.
var (
	zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}
	gzipMagic = []byte{0x1f, 0x8b}
)

// decompress decompresses either of the two formats.
func decompress(r io.Reader) (io.ReadCloser, error) {
	buffered := bufio.NewReaderSize(r, 1<<16)
	magic, _ := buffered.Peek(len(zstdMagic)) // a short file is reported later
	switch {
	case bytes.Equal(magic, zstdMagic):
		d, err := zstd.NewReader(buffered, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(2*BackupWindow))
		if err != nil {
			return nil, err
		}
		return d.IOReadCloser(), nil
	case bytes.HasPrefix(magic, gzipMagic):
		return gzip.NewReader(buffered)
	}
	return nil, fmt.Errorf("%w: it is compressed neither with zstd nor with gzip", ErrBadBackup)
}

// A BackupReader reads an untrusted backup: names cannot lead elsewhere, and sizes are bounded.
type BackupReader struct {
	Ctx     context.Context
	MaxSize int64 // of all files together, unpacked
	// Keep receives each file with its name; nil only reads.
	Keep func(name string, r io.Reader) error

	meter *app.Meter // counts the compressed file; may be nil
	found []savedFile
	names map[string]bool
	size  int64
}

// Read reads a complete backup, checks all files against its manifest and returns it. Its error is
// an ErrBadBackup if they do not match.
func (b *BackupReader) Read(file io.Reader) (m backupManifest, err error) {
	plain, err := decompress(file)
	if err != nil {
		return m, invalidBackup(err)
	}
	defer func() { err = errors.Join(err, plain.Close()) }()
	archive, whole := tar.NewReader(plain), false
	for {
		if err := b.Ctx.Err(); err != nil {
			return m, err
		}
		header, err := archive.Next()
		switch {
		case err == io.EOF && whole:
			return m, b.compareManifest(m)
		case err == io.EOF:
			return m, fmt.Errorf("%w: it has no manifest, so it is incomplete", ErrBadBackup)
		case err != nil:
			return m, invalidBackup(err)
		case whole:
			return m, fmt.Errorf("%w: more data follows its manifest", ErrBadBackup)
		case header.Typeflag != tar.TypeReg:
			return m, fmt.Errorf("%w: %.100q is not a regular file", ErrBadBackup, header.Name)
		case header.Name == BackupManifestName:
			if m, err = readManifestOf(archive, header.Size); err != nil {
				return m, err
			}
			whole = true
		default:
			if err := b.readFile(header, archive); err != nil {
				return m, err
			}
		}
	}
}

func invalidBackup(err error) error {
	if errors.Is(err, ErrBadBackup) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrBadBackup, err)
}

// readFile reads one file.
func (b *BackupReader) readFile(header *tar.Header, r io.Reader) error {
	name := header.Name
	switch {
	case !IsBackupName(name):
		return fmt.Errorf("%w: %.100q is not a file of a data directory", ErrBadBackup, name)
	case len(b.found) >= maxBackedFiles:
		return fmt.Errorf("%w: it holds more than %d files", ErrBadBackup, maxBackedFiles)
	case b.names[name]:
		return fmt.Errorf("%w: it holds %s twice", ErrBadBackup, name)
	case header.Size < 0 || header.Size > b.MaxSize-b.size:
		return fmt.Errorf("%w: unpacked it is larger than %d bytes; --max-size allows more", ErrBadBackup, b.MaxSize)
	}
	if b.names == nil {
		b.names = map[string]bool{}
	}
	b.names[name] = true
	b.size += header.Size
	sum := sha256.New()
	both := io.TeeReader(contextReader{b.Ctx, r}, sum)
	if b.Keep != nil {
		if err := b.Keep(name, both); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	if _, err := io.Copy(io.Discard, both); err != nil {
		return invalidBackup(err)
	}
	b.found = append(b.found, savedFile{name, header.Size, hex.EncodeToString(sum.Sum(nil))})
	return nil
}

func readManifestOf(r io.Reader, size int64) (m backupManifest, err error) {
	if size > maxBackupManifest {
		return m, fmt.Errorf("%w: its manifest has %d bytes, too many", ErrBadBackup, size)
	}
	text, err := io.ReadAll(r)
	if err == nil {
		err = json.Unmarshal(text, &m)
	}
	switch {
	case err != nil:
		return m, fmt.Errorf("%w: manifest: %w", ErrBadBackup, err)
	case m.Format != BackupFormat:
		return m, fmt.Errorf("%w: its format is version %d, this program reads %d", ErrBadBackup, m.Format, BackupFormat)
	}
	return m, nil
}

// compareManifest checks the files read against the manifest.
func (b *BackupReader) compareManifest(m backupManifest) error {
	if len(b.found) != len(m.Files) {
		return fmt.Errorf("%w: it holds %d files, but its manifest lists %d", ErrBadBackup, len(b.found), len(m.Files))
	}
	for i, f := range b.found {
		if f != m.Files[i] {
			return fmt.Errorf("%w: its file %s differs from the entry %.100q of its manifest in name, size or checksum", ErrBadBackup, f.Name, m.Files[i].Name)
		}
	}
	return nil
}

// UnpackBackup unpacks the backup at path into the existing empty folder dir.
func UnpackBackup(ctx context.Context, path, dir string, maxSize int64) (backupManifest, error) {
	return unpackWithProgress(ctx, &app.App{Config: app.Config{Quiet: true}}, path, dir, maxSize)
}

// unpackWithProgress is like UnpackBackup and shows the progress.
func unpackWithProgress(ctx context.Context, a *app.App, path, dir string, maxSize int64) (backupManifest, error) {
	return readBackupFile(path, &BackupReader{Ctx: ctx, MaxSize: maxSize, meter: app.MeterFiles(a, "unpacking", []string{path}), Keep: func(name string, r io.Reader) error {
		at := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			return err
		}
		f, err := os.OpenFile(at, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return err
		}
		if _, err = io.Copy(f, r); err == nil {
			err = f.Sync()
		}
		return errors.Join(err, f.Close())
	}})
}

func readBackupFile(path string, b *BackupReader) (backupManifest, error) {
	f, err := os.Open(path)
	if err != nil {
		return backupManifest{}, err
	}
	defer func() { _ = f.Close() }() // only read
	defer b.meter.RemoveBar()
	m, err := b.Read(b.meter.Reader(f))
	if err != nil {
		return m, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

// A contextReader reads until its context ends.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (r contextReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.r.Read(p)
}
