package snapshot

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/crawler/backlink"
	"github.com/eventseer/eventseer/internal/bolt"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// BackupManifestName is the last file of a backup. Without it the backup is incomplete.
const BackupManifestName = "manifest.json"

// BackupFormat is the version of the format of backups:
//
//	1  a tar file, compressed with zstd or gzip: the databases and the files beside them,
//	   regular files only, and at the end the manifest
const BackupFormat = 1

// A backupManifest lists the contents of a backup.
type backupManifest struct {
	Format  int         `json:"format"`
	Made    time.Time   `json:"made"`
	Version string      `json:"version"` // of the program that made it
	Files   []savedFile `json:"files"`   // in the order of the archive
	// Contents has, for each database, the counts and digests of its values; older backups have
	// none.
	Contents map[string][]bolt.Contents `json:"contents,omitempty"`
	LeftOut  []string                   `json:"left_out,omitempty"`
}

// A savedFile is a file of a backup.
type savedFile struct {
	Name   string `json:"name"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

func (m backupManifest) totalBytes() (n int64) {
	for _, f := range m.Files {
		n += f.Size
	}
	return n
}

// compressor returns a compressing writer, by the extension of a name.
func compressor(name string, w io.Writer) (io.WriteCloser, error) {
	switch {
	case strings.HasSuffix(name, ".tar.zst"):
		return zstd.NewWriter(w, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(BackupWindow))
	case strings.HasSuffix(name, ".tar.gz"), strings.HasSuffix(name, ".tgz"):
		return gzip.NewWriterLevel(w, gzip.BestSpeed)
	}
	return nil, app.Usagef("%s: the file name of a backup must end in .tar.zst or .tar.gz", name)
}

// BackupWindow is the memory that reading a backup takes, in bytes.
const BackupWindow = 4 << 20

// A backupWriter writes a backup file by file.
type backupWriter struct {
	ctx      context.Context
	tar      *tar.Writer
	manifest backupManifest
}

// WriteBackup writes a backup of dir as a tar file. open has the open databases of this process by
// name; no process may have the others open for writing. All are copied in the state of one moment;
// writers are blocked only briefly, not while they are written to w. Versions of pages are written
// before a database names them, so the files beside are those of that moment or later.
func WriteBackup(ctx context.Context, a *app.App, w io.Writer, dir string, open map[string]bolt.Source) (m backupManifest, err error) {
	var names []string
	var sources []bolt.Source
	defer func() {
		for i, s := range sources {
			if _, ours := open[names[i]]; !ours {
				err = errors.Join(err, s.Close())
			}
		}
	}()
	for _, name := range backedDatabases {
		source, ours := open[name]
		if !ours {
			source, err = bolt.OpenForCopying(filepath.Join(dir, name))
		}
		if errors.Is(err, bolt.ErrMissing) {
			err = nil
			continue
		}
		if err != nil {
			return m, err
		}
		names, sources = append(names, name), append(sources, source)
	}
	if len(names) == 0 {
		return m, fmt.Errorf("%w at %s: it holds no database", app.ErrNoData, dir)
	}
	b := &backupWriter{ctx: ctx, tar: tar.NewWriter(w), manifest: backupManifest{Format: BackupFormat, Made: a.Now().UTC(), Version: app.FullVersion()}}
	var journal []byte
	var files []backedFile
	snapshots, err := bolt.TakeSnapshots(func() (err error) {
		if journal, err = os.ReadFile(filepath.Join(dir, app.LinksFile+backlink.JournalSuffix)); errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		if err == nil {
			files, b.manifest.LeftOut, err = filesBesideDatabases(dir)
		}
		return err
	}, sources...)
	if err != nil {
		return m, err
	}
	b.manifest.Contents, err = contentsOf(names, snapshots)
	for i, s := range snapshots {
		err = errors.Join(err, b.putSnapshot(names[i], s, err), s.Close())
	}
	if err != nil {
		return m, err
	}
	if journal != nil {
		if err := b.putReader(app.LinksFile+backlink.JournalSuffix, int64(len(journal)), strings.NewReader(string(journal))); err != nil {
			return m, err
		}
	}
	for _, f := range files {
		if err := b.putFile(dir, f); err != nil {
			return m, err
		}
	}
	return b.manifest, b.writeManifest()
}

// contentsOf computes the counts and digests of the databases. A damaged one is an error: its
// backup would pass for good.
func contentsOf(names []string, snapshots []*bolt.Snapshot) (map[string][]bolt.Contents, error) {
	all := map[string][]bolt.Contents{}
	for i, s := range snapshots {
		contents, problems := s.Contents()
		if len(problems) > 0 {
			return nil, fmt.Errorf("backup: %s: %w: %w; `eventseer check` lists all damage, and `eventseer check --repair` recovers the undamaged part", names[i], bolt.ErrDamaged, problems[0])
		}
		all[names[i]] = contents
	}
	return all, nil
}

// compareContents compares the unpacked databases of a backup with its manifest, if that has their
// contents.
func (m backupManifest) compareContents(dir string) error {
	if m.Contents == nil {
		return nil
	}
	for _, name := range backedDatabases {
		has, problems, err := bolt.ReadContents(filepath.Join(dir, name))
		if errors.Is(err, bolt.ErrMissing) && m.Contents[name] == nil {
			continue
		}
		if err = errors.Join(append(problems, err)...); err != nil {
			return fmt.Errorf("%w: %s: %w", ErrBadBackup, name, err)
		}
		if err := sameContents(has, m.Contents[name]); err != nil {
			return fmt.Errorf("%w: %s: %w", ErrBadBackup, name, err)
		}
	}
	return nil
}

// sameContents compares the contents of a database with those recorded in its backup.
func sameContents(has, want []bolt.Contents) error {
	for i := range max(len(has), len(want)) {
		switch {
		case i >= len(has) || i >= len(want):
			return fmt.Errorf("it has %d buckets, but had %d when the backup was made", len(has), len(want))
		case has[i].Bucket != want[i].Bucket:
			return fmt.Errorf("it has the bucket %q where it had %q when the backup was made", has[i].Bucket, want[i].Bucket)
		case has[i] != want[i]:
			return fmt.Errorf("bucket %q: its %d values differ from the %d values it had when the backup was made", has[i].Bucket, has[i].Values, want[i].Values)
		}
	}
	return nil
}

// putSnapshot writes a database, unless an earlier one could not be written.
func (b *backupWriter) putSnapshot(name string, s *bolt.Snapshot, earlier error) error {
	if earlier != nil {
		return nil
	}
	return b.putFrom(name, s.Size(), s.WriteTo)
}

// putFile writes a file beside the databases. A file deleted meanwhile was replaced after the
// snapshot and is left out; of a file that grew only the original part is written.
func (b *backupWriter) putFile(dir string, file backedFile) error {
	if file.name == app.LinksFile+backlink.JournalSuffix {
		return nil // written with the databases
	}
	f, err := os.Open(filepath.Join(dir, filepath.FromSlash(file.name)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // only read
	info, err := f.Stat()
	if err != nil {
		return err
	}
	return b.putReader(file.name, min(file.size, info.Size()), io.LimitReader(f, file.size))
}

func (b *backupWriter) putReader(name string, size int64, r io.Reader) error {
	return b.putFrom(name, size, func(w io.Writer) (int64, error) { return io.CopyN(w, r, size) })
}

// putFrom writes a file of that size that from writes.
func (b *backupWriter) putFrom(name string, size int64, from func(io.Writer) (int64, error)) error {
	if err := b.ctx.Err(); err != nil {
		return err
	}
	if len(b.manifest.Files) >= maxBackedFiles {
		return fmt.Errorf("backup: more than %d files", maxBackedFiles)
	}
	if err := b.writeHeader(name, size); err != nil {
		return fmt.Errorf("backup: %s: %w", name, err)
	}
	sum := sha256.New()
	n, err := from(contextWriter{b.ctx, io.MultiWriter(b.tar, sum)})
	if err == nil && n != size {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return fmt.Errorf("backup: %s: %w", name, err)
	}
	b.manifest.Files = append(b.manifest.Files, savedFile{name, size, hex.EncodeToString(sum.Sum(nil))})
	return nil
}

func (b *backupWriter) writeHeader(name string, size int64) error {
	return b.tar.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Size: size, Mode: 0o600, ModTime: b.manifest.Made, Format: tar.FormatPAX})
}

// writeManifest writes the manifest.
func (b *backupWriter) writeManifest() error {
	text, err := json.MarshalIndent(b.manifest, "", " ")
	if err != nil {
		return err
	}
	if err := b.writeHeader(BackupManifestName, int64(len(text))); err != nil {
		return err
	}
	_, err = b.tar.Write(text)
	return errors.Join(err, b.tar.Close())
}

// A contextWriter writes until its context ends.
type contextWriter struct {
	ctx context.Context
	w   io.Writer
}

func (w contextWriter) Write(p []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	return w.w.Write(p)
}
