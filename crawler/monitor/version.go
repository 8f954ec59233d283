package monitor

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/eventseer/eventseer/internal/bolt"
	"github.com/eventseer/eventseer/internal/warc"
	"github.com/eventseer/eventseer/webgraph"
)

// ErrNoVersion means that no version of a page, or none of that time, is stored.
var ErrNoVersion = errors.New("no version of this page is stored")

// A Version is a stored version of a page.
type Version struct {
	At     time.Time       `json:"at"` // when it was fetched, to the microsecond
	Digest webgraph.Digest `json:"digest"`
	Status int             `json:"status"`

	Response warc.Place `json:"response"`
	// Reading is the position of the text of a PDF, or of the entries of a feed or a sitemap. It is
	// nil if the body itself is read.
	Reading *warc.Place `json:"reading,omitempty"`
}

// An extractedText is the text that the fetcher extracted from a body that is not markup.
type extractedText struct {
	Text    string           `json:"text,omitempty"`
	Entries []webgraph.Entry `json:"entries"` // null and an empty list differ
}

// Versions returns the versions of a page by its canonical URL, oldest first; nil if none is
// stored.
func (d *DB) Versions(url string) (all []Version, err error) {
	err = d.db.View(func(tx *bolt.Tx) error {
		c := tx.Bucket(versionBucket).Cursor()
		prefix := append([]byte(url), 0)
		for k, value := c.Seek(prefix); bytes.HasPrefix(k, prefix); k, value = c.Next() {
			var v Version
			if err := decodeJSON(value, &v); err != nil {
				return fmt.Errorf("version of %s: %w", url, err)
			}
			all = append(all, v)
		}
		return nil
	})
	return all, err
}

// Page returns the version of a page of that time; the error wraps ErrNoVersion if there is none.
func (d *DB) Page(url string, at time.Time) (*webgraph.Page, error) {
	var v Version
	var value []byte
	err := d.db.View(func(tx *bolt.Tx) error {
		value = tx.Bucket(versionBucket).Get(versionKey(url, at))
		if value == nil {
			return fmt.Errorf("%w: %s at %s", ErrNoVersion, url, at.UTC().Format(time.RFC3339Nano))
		}
		return decodeJSON(value, &v)
	})
	if err != nil {
		return nil, err
	}
	return d.readVersion(url, v)
}

// LastVersion returns the newest version of a page; the error wraps ErrNoVersion if there is none. While a
// sink stores a page it is the previous version.
func (d *DB) LastVersion(url string) (*webgraph.Page, error) {
	v, ok, err := d.versionBy(url, maxTime)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, fmt.Errorf("%w: %s", ErrNoVersion, url)
	}
	return d.readVersion(url, v)
}

// maxTime is later than any version.
var maxTime = time.UnixMicro(1<<62 - 1)

// versionBy returns the version of a page that was current at a time, and false if there was none.
func (d *DB) versionBy(url string, at time.Time) (v Version, ok bool, err error) {
	err = d.db.View(func(tx *bolt.Tx) error {
		c := tx.Bucket(versionBucket).Cursor()
		key := versionKey(url, at)
		k, value := c.Seek(key)
		if k == nil {
			k, value = c.Last()
		} else if !bytes.Equal(k, key) {
			k, value = c.Prev()
		}
		if ok = bytes.HasPrefix(k, append([]byte(url), 0)); !ok {
			return nil
		}
		return decodeJSON(value, &v)
	})
	return v, ok, err
}

// Import stores recorded pages as versions, in order of their times. Existing versions, and those
// identical to the previous one, are skipped.
func (d *DB) Import(ctx context.Context, pages ...*webgraph.Page) error {
	pages = slices.Clone(pages)
	slices.SortStableFunc(pages, func(a, b *webgraph.Page) int { return a.FetchedAt.Compare(b.FetchedAt) })
	latest := map[string]Version{} // of those before
	var fresh []*webgraph.Page
	for _, p := range pages {
		url, err := webgraph.Canonical(p.URL)
		if err != nil {
			return fmt.Errorf("version of %.200q: %w", p.URL, err)
		}
		digest := p.Digest()
		held, _, err := d.versionBy(url, p.FetchedAt)
		if err != nil {
			return err
		}
		if before := latest[url]; before.At.After(held.At) {
			held = before
		}
		if latest[url] = (Version{At: p.FetchedAt, Digest: digest}); digest != held.Digest {
			fresh = append(fresh, p)
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	kept, err := d.writeVersions(fresh)
	if err != nil {
		return err
	}
	return d.db.Update(func(tx *bolt.Tx) error { return putVersions(tx, kept) })
}

// A keptVersion is a version on disk that the database does not name yet.
type keptVersion struct {
	url string
	Version
}

func putVersions(tx *bolt.Tx, kept []keptVersion) error {
	for _, k := range kept {
		if err := putValue(tx, versionBucket, versionKey(k.url, k.At), k.Version); err != nil {
			return err
		}
	}
	return nil
}

func versionKey(url string, at time.Time) []byte {
	return binary.BigEndian.AppendUint64(append([]byte(url), 0), uint64(at.UnixMicro()))
}

func (d *DB) eachVersion(do func(url string, v Version)) error {
	return d.db.View(func(tx *bolt.Tx) error {
		return tx.Bucket(versionBucket).ForEach(func(k, value []byte) error {
			var v Version
			url, _, _ := bytes.Cut(k, []byte{0})
			if err := decodeJSON(value, &v); err != nil {
				return fmt.Errorf("version of %s: %w", url, err)
			}
			do(string(url), v)
			return nil
		})
	})
}

// writeVersions writes pages to the WARC files and syncs them. Their URLs must be canonical or
// convertible.
func (d *DB) writeVersions(pages []*webgraph.Page) (kept []keptVersion, err error) {
	if len(pages) == 0 {
		return nil, nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.writer == nil {
		o := warc.WriterOptions{Software: d.o.Software, Description: "versions of monitored pages", MaxSize: maxFile, Now: d.o.Now}
		if d.writer, err = warc.Create(filepath.Join(d.dir, versionsName), o); err != nil {
			return nil, fmt.Errorf("versions: %w", err)
		}
	}
	for _, p := range pages {
		k, err := writeVersion(d.writer, p)
		if err != nil {
			return nil, fmt.Errorf("version of %s: %w", p.URL, err)
		}
		kept = append(kept, k)
	}
	return kept, d.writer.Sync()
}

// writeVersion appends a page, and the text of the page if the fetcher has extracted it.
func writeVersion(w *warc.Writer, p *webgraph.Page) (k keptVersion, err error) {
	if k.url, err = webgraph.Canonical(p.URL); err != nil {
		return k, err
	}
	at := p.FetchedAt.UTC().Truncate(time.Microsecond)
	response := warc.NewResponse(k.url, at, responseBlock(p))
	if p.Truncated {
		response.Header.Set("WARC-Truncated", "length")
	}
	recs := []*warc.Record{response}
	if p.Text != "" || p.Entries != nil {
		block, err := json.Marshal(extractedText{p.Text, p.Entries})
		if err != nil {
			return k, err
		}
		recs = append(recs, warc.NewConversion(response, at, "application/json", block))
	}
	places, err := w.Append(recs...)
	if err != nil {
		return k, err
	}
	k.Version = Version{At: at, Digest: p.Digest(), Status: p.Status, Response: places[0]}
	if len(places) > 1 {
		k.Reading = &places[1]
	}
	return k, nil
}

// responseBlock returns the HTTP answer that a page is read from again.
func responseBlock(p *webgraph.Page) []byte {
	status := p.Status
	if status < 100 || status > 999 {
		status = http.StatusOK
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "HTTP/1.1 %d %s\r\n", status, http.StatusText(status))
	h := webgraph.KeepHeaders(p.Header)
	h.Set("Content-Length", strconv.Itoa(len(p.Body)))
	_ = h.Write(&b) // to memory; it replaces line breaks in values by spaces
	b.WriteString("\r\n")
	b.Write(p.Body)
	return b.Bytes()
}

// readVersion reads a version from its files.
func (d *DB) readVersion(url string, v Version) (*webgraph.Page, error) {
	rec, err := d.readRecord(v.Response)
	if err != nil {
		return nil, err
	}
	p, err := rec.Page()
	if err != nil {
		return nil, err
	}
	if p.URL != url || p.Digest() != v.Digest {
		return nil, fmt.Errorf("%s at byte %d has the record of %.200s or of another version, not the expected one", v.Response.File, v.Response.Offset, p.URL)
	}
	p.FetchedAt = v.At
	if v.Reading == nil {
		return p, nil
	}
	if rec, err = d.readRecord(*v.Reading); err != nil {
		return nil, err
	}
	var r extractedText
	if err := json.Unmarshal(rec.Block, &r); err != nil {
		return nil, fmt.Errorf("%s at byte %d: %w", v.Reading.File, v.Reading.Offset, err)
	}
	p.Text, p.Entries = r.Text, r.Entries
	return p, nil
}

func (d *DB) readRecord(at warc.Place) (*warc.Record, error) {
	if at.File != filepath.Base(at.File) {
		return nil, fmt.Errorf("%q is not the name of a file of versions", at.File)
	}
	rec, err := warc.ReadAt(filepath.Join(d.dir, at.File), at.Offset)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%w; restore %s from a backup", err, VersionsDir)
	}
	return rec, err
}
