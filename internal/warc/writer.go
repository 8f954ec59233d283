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

// WriterOptions say what a Writer writes about itself, and how much to a file.
type WriterOptions struct {
	// Software is named in the warcinfo record. "" means "eventseer".
	Software string
	// Operator is who answers for the recording, with an address. "" leaves it out.
	Operator string
	// UserAgent is the User-Agent of the recorded client. "" leaves it out.
	UserAgent string
	// Robots is the policy towards robots.txt, such as "RFC 9309". "" leaves it out.
	Robots string
	// Description is in the warcinfo record. "" leaves it out.
	Description string
	// MaxSize, in bytes, makes the path a prefix: the first file is
	// PATH-00001.warc.gz, and where a file would grow beyond MaxSize the next
	// begins. An exchange larger than that has a file of its own. 0 means one
	// file, named PATH, of any size.
	MaxSize int64
	// Now is the clock of the warcinfo record, and of callers that use the Writer's clock. Nil
	// means time.Now.
	Now func() time.Time
}

// A Writer writes compressed WARC 1.1, one gzip member a record. It is safe for
// concurrent use.
//
// What Write has returned nil for is with the operating system: killing the
// process leaves a whole file. It is not flushed to the disk record by record;
// Close flushes, and so does the change to the next file, so that a failure of
// power costs records of the last file at most. Create cuts off what it tore.
type Writer struct {
	torn    int64
	options WriterOptions
	path    string
	zips    sync.Pool // of *zipper

	mu    sync.Mutex // guards below
	file  *os.File
	begin int64 // end of the warcinfo record of a new file; 0 in others
	end   int64 // of the last whole member
	count int   // number of the file; 0 without MaxSize
	seen  seen
	err   error // the first failure; nothing is written after it
}

// Create opens path for writing, after the records it may hold already, and
// writes a warcinfo record; of several files that MaxSize made, the last. A
// member that was torn at the end of the file, by a full disk or a power failure,
// is cut off; Torn tells. A file that is not empty and holds no records is left
// alone, with an error.
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
		last, err := lastOf(path)
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

// open goes to the file of the count and describes it. It closes on errors only.
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
	if err = w.recover(path); err == nil {
		fresh = w.end == 0
		err = w.append(info(path, w.options))
	}
	if err != nil {
		return errors.Join(err, file.Close())
	}
	if w.begin = 0; fresh {
		w.begin = w.end
	}
	return nil
}

// recover finds the end of the last whole record and cuts what follows it. The
// bodies it comes by are remembered.
func (w *Writer) recover(path string) error {
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
				return fmt.Errorf("%s is not one gzip member a record; write to a new file", path)
			}
			w.seen.add(rec)
		}
		w.end = stat.Size()
	}
	if err := r.Err(); err != nil {
		return err
	}
	tornInfo := w.count > 0 && w.end == 0 && stat.Size() < MaxHeader // the name is ours, and so is the file
	if stat.Size() > 0 && !tornInfo && (good == 0 || r.src.packed != gzipped) {
		return fmt.Errorf("%s: %w that are compressed one by one; write to a new file", path, ErrNoRecords)
	}
	if torn := stat.Size() - w.end; torn > 0 {
		w.torn += torn
		return w.file.Truncate(w.end)
	}
	return nil
}

// info returns the warcinfo record of the file at path (WARC 1.1 §6.2).
func info(path string, o WriterOptions) *Record {
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
	return seal(Header{
		{"WARC-Type", "warcinfo"},
		{"WARC-Record-ID", ""},
		{"WARC-Date", o.Now().UTC().Format(dateFormat)},
		{"WARC-Filename", filepath.Base(path)},
		{"Content-Type", "application/warc-fields"},
	}, fieldLines(fields))
}

// Torn returns how many bytes of a torn record Create cut off.
func (w *Writer) Torn() int64 { return w.torn }

// Now returns the time by the Writer's clock.
func (w *Writer) Now() time.Time { return w.options.Now() }

// Err returns why nothing can be written any more, nil while something can.
func (w *Writer) Err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// WrittenBefore returns where the body of a response was written before, if it is remembered.
// Remembered are the latest 65,536 different whole bodies of at least 256 bytes that were written
// here, or were in the file when it was opened.
func (w *Writer) WrittenBefore(response *Record) (Original, bool) {
	digest := digestToRemember(response)
	w.mu.Lock()
	defer w.mu.Unlock()
	original, ok := w.seen.originals[digest]
	return original, ok
}

// Write appends records, made by NewResponse and its siblings or read from
// another WARC, side by side in one file. After an error that is not ErrTooLarge
// or ErrNotWARC nothing can be written any more.
func (w *Writer) Write(recs ...*Record) error {
	_, err := w.Append(recs...)
	return err
}

// check refuses what a file cannot hold.
func check(rec *Record) error {
	if len(rec.Block) > MaxRecord {
		return fmt.Errorf("%w: %.200s", ErrTooLarge, rec.TargetURI())
	}
	for _, f := range rec.Header {
		if strings.ContainsAny(f.Name+f.Value, "\r\n") || f.Name == "" {
			return fmt.Errorf("%w: field %.40q has the value %.200q", ErrNotWARC, f.Name, f.Value)
		}
	}
	return nil
}

// next ends the file and begins the next.
func (w *Writer) next() error {
	err := errors.Join(w.file.Sync(), w.file.Close())
	if err == nil {
		w.count++
		err = w.open()
	}
	return err
}

// append writes one record of our own to the file.
func (w *Writer) append(rec *Record) error {
	z := w.zipper()
	defer w.zips.Put(z)
	_, err := z.zip([]*Record{rec})
	if err := errors.Join(check(rec), err); err != nil {
		return err
	}
	return w.write(z.out.Bytes())
}

// write puts whole members at the end of the file.
func (w *Writer) write(members []byte) error {
	n, err := w.file.WriteAt(members, w.end)
	if err != nil {
		w.err = fmt.Errorf("WARC cannot be written on: %w", err)
		return errors.Join(w.err, w.file.Truncate(w.end))
	}
	w.end += int64(n)
	return nil
}

// Close writes the file through to the disk and closes it.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.err = errors.New("WARC is closed")
	}
	return errors.Join(w.file.Sync(), w.file.Close())
}

// A zipper compresses records, without the Writer's lock.
type zipper struct {
	gz  *gzip.Writer
	out bytes.Buffer
}

func (w *Writer) zipper() *zipper {
	if z, ok := w.zips.Get().(*zipper); ok {
		return z
	}
	return &zipper{gz: gzip.NewWriter(nil)}
}

// zip fills out with a member a record, and returns where each begins.
func (z *zipper) zip(recs []*Record) (starts []int64, err error) {
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

// A Place is where a record stands, for ReadAt.
type Place struct {
	// File is the base name of the file, in the folder of the Writer's path.
	File   string
	Offset int64 // of its member, in bytes
}

// Append is Write, and returns where each of the records stands.
func (w *Writer) Append(recs ...*Record) ([]Place, error) {
	for _, rec := range recs {
		if err := check(rec); err != nil {
			return nil, err
		}
	}
	z := w.zipper()
	defer w.zips.Put(z)
	starts, err := z.zip(recs)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return nil, w.err
	}
	if w.count > 0 && w.end > w.begin && w.end+int64(z.out.Len()) > w.options.MaxSize {
		if err := w.next(); err != nil {
			w.err = fmt.Errorf("WARC cannot be written on: %w", err)
			return nil, w.err
		}
	}
	places := make([]Place, len(recs))
	for i, start := range starts {
		places[i] = Place{filepath.Base(w.file.Name()), w.end + start}
	}
	if err := w.write(z.out.Bytes()); err != nil {
		return nil, err
	}
	for _, rec := range recs {
		w.seen.add(rec)
	}
	return places, nil
}

// Sync writes the file through to the disk: what was written before survives a
// failure of power. After an error nothing can be written any more.
func (w *Writer) Sync() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return w.err
	}
	if err := w.file.Sync(); err != nil {
		w.err = fmt.Errorf("WARC cannot be written on: %w", err)
	}
	return w.err
}

// ReadAt reads the record whose member begins at an offset of a file.
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
		return nil, fmt.Errorf("%s: %w: no record at byte %d of %d", path, ErrNotFound, offset, info.Size())
	}
	return NewReader(f, info.Size(), path).readAt(Position{Offset: offset})
}

// NewConversion returns a record of what another was made into (WARC 1.1 §6.8).
func NewConversion(of *Record, at time.Time, contentType string, block []byte) *Record {
	rec := newRecord("conversion", of.TargetURI(), at, contentType, block)
	rec.Header = append(rec.Header, Field{"WARC-Refers-To", of.Header.Get("WARC-Record-ID")})
	return rec
}

// nameOf names file n of a recording that is rotated.
func nameOf(prefix string, n int) string { return fmt.Sprintf("%s-%05d.warc.gz", prefix, n) }

// Series returns the files of a recording in the order they were written. It is path itself if that
// is a file, else the files that a Writer with MaxSize made of the prefix path. It is empty if
// there are none.
func Series(path string) ([]string, error) {
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

// lastOf returns the number of the last file of a series, 0 if there is none.
func lastOf(prefix string) (int, error) {
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
