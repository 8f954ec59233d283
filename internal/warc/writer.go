package warc

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/klauspost/compress/gzip"
)

// WriterOptions configure a Writer: the contents of its warcinfo records and the size of files.
type WriterOptions struct {
	// Software is the program named in the warcinfo record. "" means "eventseer".
	Software string
	// Operator is the person or organization responsible for the recording, with an address. "" omits it.
	Operator string
	// UserAgent is the User-Agent of the recorded client. "" omits it.
	UserAgent string
	// Robots is the policy towards robots.txt, such as "RFC 9309". "" omits it.
	Robots string
	// Description is a text for the warcinfo record. "" omits it.
	Description string
	// MaxSize is the size limit of a file in bytes. If it is set, the path is a prefix: the first file is
	// PATH-00001.warc.gz, and the next one begins when a file would exceed MaxSize. An exchange larger
	// than that has a file of its own. 0 means one file, named PATH, of any size.
	MaxSize int64
	// Now is the clock for the warcinfo record and for Writer.Now. Nil means time.Now.
	Now func() time.Time
}

// A Writer writes compressed WARC 1.1 files, one gzip member per record. It is safe for concurrent use.
//
// When Write returns nil, the records are with the operating system, so that killing the process leaves a
// complete file. They are not yet synced to disk. Close syncs, and so does the change to the next file: a
// power failure loses only records of the last file. Create removes a record that was partly written.
type Writer struct {
	torn    int64
	options WriterOptions
	path    string
	zips    sync.Pool // of *zipper

	mu     sync.Mutex // guards below
	file   *os.File
	begin  int64 // offset of the end of a new file's warcinfo record; 0 for existing files
	end    int64 // offset of the end of the last complete member
	count  int   // number of the current file; 0 without MaxSize
	places bodyPlaces
	err    error // first error; after it nothing is written
}

// Create opens path for appending and writes a warcinfo record. If MaxSize has made several files, it
// opens the last one. It cuts off an incomplete member at the end of the file, which a full disk or a
// power failure left; Torn returns its size. If a file is not empty and holds no records, Create does not
// change it and returns an error.
func Create(path string, o WriterOptions) (*Writer, error) {
	o.Software = cmp.Or(o.Software, "eventseer")
	if o.Now == nil {
		o.Now = time.Now
	}
	w := &Writer{path: path, options: o}
	if o.MaxSize > 0 {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return nil, err
		}
		last, err := lastFileNumber(path)
		if err != nil {
			return nil, err
		}
		w.count = max(last, 1)
	}
	if err := w.open(); err != nil {
		return nil, err
	}
	return w, nil
}

// open opens the file with the current number and writes its warcinfo record. It closes the file only on
// errors.
func (w *Writer) open() error {
	path := w.path
	if w.count > 0 {
		path = nameOf(w.path, w.count)
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	w.file = file
	fresh := false
	if err = w.cutIncomplete(path); err == nil {
		fresh = w.end == 0
		err = w.appendRecord(warcinfoRecord(path, w.options))
	}
	if err != nil {
		return errors.Join(err, file.Close())
	}
	if w.begin = 0; fresh {
		w.begin = w.end
	}
	return nil
}

// cutIncomplete finds the end of the last complete record and cuts off the rest of the file. It remembers the
// bodies of the records it reads.
func (w *Writer) cutIncomplete(path string) error {
	stat, err := w.file.Stat()
	if err != nil {
		return err
	}
	r := NewReader(w.file, stat.Size(), path)
	good := 0
	w.end = stat.Size()
	for r.Scan() {
		rec, err := r.Record()
		var bad *BadRecord
		if errors.As(err, &bad) && errors.Is(err, ErrRotten) {
			w.end = min(w.end, bad.Position.Offset)
			continue
		}
		if err == nil {
			good++
			if rec.Position.Skip > 0 {
				return fmt.Errorf("%s does not have one gzip member per record; write to a new file", path)
			}
			w.places.addBody(rec)
		}
		w.end = stat.Size()
	}
	if err := r.Err(); err != nil {
		return err
	}
	tornInfo := w.count > 0 && w.end == 0 && stat.Size() < MaxHeader // the name shows that this package created the file
	if stat.Size() > 0 && !tornInfo && (good == 0 || r.src.packed != gzipped) {
		return fmt.Errorf("%s: %w that are compressed one by one; write to a new file", path, ErrNoRecords)
	}
	if torn := stat.Size() - w.end; torn > 0 {
		w.torn += torn
		return w.file.Truncate(w.end)
	}
	return nil
}

// warcinfoRecord returns the warcinfo record of the file at path (WARC 1.1 §6.2).
func warcinfoRecord(path string, o WriterOptions) *Record {
	var fields []Field
	for _, f := range []Field{
		{"software", o.Software},
		{"format", "WARC File Format 1.1"},
		{"conformsTo", "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/"},
		{"operator", o.Operator},
		{"http-header-user-agent", o.UserAgent},
		{"robots", o.Robots},
		{"description", o.Description},
	} {
		if f.Value != "" {
			fields = append(fields, f)
		}
	}
	return withDigests(Header{
		{"WARC-Type", "warcinfo"},
		{"WARC-Record-ID", ""},
		{"WARC-Date", o.Now().UTC().Format(dateFormat)},
		{"WARC-Filename", filepath.Base(path)},
		{"Content-Type", "application/warc-fields"},
	}, fieldLines(fields))
}

// CutOffBytes returns the number of bytes of an incomplete record that Create cut off.
func (w *Writer) CutOffBytes() int64 { return w.torn }

// Now returns the time by the Writer's clock.
func (w *Writer) Now() time.Time { return w.options.Now() }

// Err returns the error after which nothing can be written, nil if there is none.
func (w *Writer) Err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// WrittenBefore returns where the body of a response was written before, if it is remembered. The latest
// 65,536 different complete bodies of at least 256 bytes are remembered, including those that were in the
// file when it was opened.
func (w *Writer) WrittenBefore(response *Record) (Original, bool) {
	digest := digestToRemember(response)
	w.mu.Lock()
	defer w.mu.Unlock()
	original, ok := w.places.originals[digest]
	return original, ok
}

// Write appends records, which were made by functions such as NewResponse or read from another WARC,
// together to one file. After an error other than ErrTooLarge or ErrNotWARC nothing more can be written.
func (w *Writer) Write(recs ...*Record) error {
	_, err := w.Append(recs...)
	return err
}

// check returns an error if a file cannot hold the record.
func check(rec *Record) error {
	if len(rec.Block) > MaxRecord {
		return fmt.Errorf("%w: %.200s", ErrTooLarge, rec.TargetURI())
	}
	for _, f := range rec.Header {
		if strings.ContainsAny(f.Name+f.Value, "\r\n") || f.Name == "" {
			return fmt.Errorf("%w: the header field %.40q has the value %.200q", ErrNotWARC, f.Name, f.Value)
		}
	}
	return nil
}

// nextFile closes the file and begins the next one.
func (w *Writer) nextFile() error {
	err := errors.Join(w.file.Sync(), w.file.Close())
	if err == nil {
		w.count++
		err = w.open()
	}
	return err
}

// appendRecord writes one record that this package made to the file.
func (w *Writer) appendRecord(rec *Record) error {
	z := w.newCompressor()
	defer w.zips.Put(z)
	_, err := z.compressRecords([]*Record{rec})
	if err := errors.Join(check(rec), err); err != nil {
		return err
	}
	return w.writeMembers(z.out.Bytes())
}

// writeMembers appends complete members to the file.
func (w *Writer) writeMembers(members []byte) error {
	n, err := w.file.WriteAt(members, w.end)
	if err != nil {
		w.err = fmt.Errorf("no more records can be written to the WARC: %w", err)
		return errors.Join(w.err, w.file.Truncate(w.end))
	}
	w.end += int64(n)
	return nil
}

// Close syncs the file to disk and closes it.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.err = errors.New("WARC is closed")
	}
	return errors.Join(w.file.Sync(), w.file.Close())
}

// A recordCompressor compresses records without holding the Writer's lock.
type recordCompressor struct {
	gz  *gzip.Writer
	out bytes.Buffer
}

func (w *Writer) newCompressor() *recordCompressor {
	if z, ok := w.zips.Get().(*recordCompressor); ok {
		return z
	}
	return &recordCompressor{gz: gzip.NewWriter(nil)}
}

// compressRecords fills out with one member per record, and returns where each begins.
func (z *recordCompressor) compressRecords(recs []*Record) (starts []int64, err error) {
	z.out.Reset()
	for _, rec := range recs {
		starts = append(starts, int64(z.out.Len()))
		z.gz.Reset(&z.out)
		if err := writeRecord(z.gz, rec); err != nil {
			return nil, err
		}
		if err := z.gz.Close(); err != nil {
			return nil, err
		}
	}
	return starts, nil
}

func writeRecord(out io.Writer, rec *Record) error {
	var head bytes.Buffer
	head.WriteString("WARC/1.1\r\n")
	for _, f := range rec.Header {
		head.WriteString(f.Name)
		head.WriteString(": ")
		head.WriteString(f.Value)
		head.WriteString("\r\n")
	}
	head.WriteString("\r\n")
	for _, part := range [][]byte{head.Bytes(), rec.Block, []byte("\r\n\r\n")} {
		if _, err := out.Write(part); err != nil {
			return err
		}
	}
	return nil
}

// A Place is the place of a record, for ReadAt.
type Place struct {
	// File is the base name of the file, in the folder of the Writer's path.
	File   string
	Offset int64 // offset of its member in bytes
}

// Append is like Write, and returns the place of each record.
func (w *Writer) Append(recs ...*Record) ([]Place, error) {
	for _, rec := range recs {
		if err := check(rec); err != nil {
			return nil, err
		}
	}
	z := w.newCompressor()
	defer w.zips.Put(z)
	starts, err := z.compressRecords(recs)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return nil, w.err
	}
	if w.count > 0 && w.end > w.begin && w.end+int64(z.out.Len()) > w.options.MaxSize {
		if err := w.nextFile(); err != nil {
			w.err = fmt.Errorf("no more records can be written to the WARC: %w", err)
			return nil, w.err
		}
	}
	places := make([]Place, len(recs))
	for i, start := range starts {
		places[i] = Place{filepath.Base(w.file.Name()), w.end + start}
	}
	if err := w.writeMembers(z.out.Bytes()); err != nil {
		return nil, err
	}
	for _, rec := range recs {
		w.places.addBody(rec)
	}
	return places, nil
}

// Sync syncs the file to disk: everything written before survives a power failure. After an error nothing
// more can be written.
func (w *Writer) Sync() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return w.err
	}
	if err := w.file.Sync(); err != nil {
		w.err = fmt.Errorf("no more records can be written to the WARC: %w", err)
	}
	return w.err
}

// ReadAt reads the record whose member begins at an offset in the file at path.
func ReadAt(path string, offset int64) (*Record, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if offset < 0 || offset >= info.Size() {
		return nil, fmt.Errorf("%s: %w: the file has no record at byte %d of %d", path, ErrNotFound, offset, info.Size())
	}
	return NewReader(f, info.Size(), path).readAt(Position{Offset: offset})
}

// NewConversion returns a record with a converted form of another record's content (WARC 1.1 §6.8).
func NewConversion(of *Record, at time.Time, contentType string, block []byte) *Record {
	rec := newRecord("conversion", of.TargetURI(), at, contentType, block)
	rec.Header = append(rec.Header, Field{"WARC-Refers-To", of.Header.Get("WARC-Record-ID")})
	return rec
}

// nameOf returns the name of file n of a recording with several files.
func nameOf(prefix string, n int) string { return fmt.Sprintf("%s-%05d.warc.gz", prefix, n) }

// SeriesFiles returns the files of a recording in the order they were written. If path is a file, that is path
// itself, else the files that a Writer with MaxSize made with the prefix path. It returns none if there
// are none.
func SeriesFiles(path string) ([]string, error) {
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		return []string{path}, nil
	}
	numbers, err := numbersOf(path)
	if err != nil {
		return nil, err
	}
	files := make([]string, len(numbers))
	for i, n := range numbers {
		files[i] = nameOf(path, n)
	}
	return files, nil
}

// lastFileNumber returns the number of the last file of a series, 0 if there is none.
func lastFileNumber(prefix string) (int, error) {
	numbers, err := numbersOf(prefix)
	if err != nil || len(numbers) == 0 {
		return 0, err
	}
	return numbers[len(numbers)-1], nil
}

// numbersOf returns the numbers of a series' files, in order.
func numbersOf(prefix string) ([]int, error) {
	entries, err := os.ReadDir(filepath.Dir(prefix))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var numbers []int
	for _, e := range entries {
		rest, ok := strings.CutPrefix(e.Name(), filepath.Base(prefix)+"-")
		digits, warc := strings.CutSuffix(rest, ".warc.gz")
		n, numErr := strconv.Atoi(digits)
		if ok && warc && numErr == nil && n > 0 && e.Name() == filepath.Base(nameOf(prefix, n)) {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	return numbers, err
}
