package warc

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/eventseer/eventseer/internal/atomicfile"
)

// CDXJSuffix is appended to the name of a file to get the name of its index.
const CDXJSuffix = ".cdxj"

// Bounds on a CDXJ file.
const (
	maxCDXLine    = 8 << 20   // bytes: enough for a URL of MaxHeader bytes in JSON, or a thousand bad places
	maxCDXEntries = 100 << 20 // lines
)

// A cdxLine is the JSON of a line in the format of pywb:
//
//	KEY TIMESTAMP {"url": …, "mime": …, "status": …, "digest": …, "length": …, "offset": …, "filename": …}
//
// Numbers are strings. KEY is a SURT, TIMESTAMP has 14 digits, and lines are sorted by their bytes.
// Revisits have the mime "warc/revisit".
type cdxLine struct {
	URL      string `json:"url"`
	Mime     string `json:"mime,omitempty"`
	Status   string `json:"status,omitempty"`
	Digest   string `json:"digest,omitempty"`
	Length   int64  `json:"length,string"`
	Offset   int64  `json:"offset,string"`
	Filename string `json:"filename"`
}

// A cdxMeta is the JSON of the first line, "!meta {…}", which sorts before all keys. It describes the
// files at the time of indexing.
type cdxMeta struct {
	Format string    `json:"format"`
	Files  []cdxFile `json:"files"`
}

type cdxFile struct {
	Filename string    `json:"filename"`
	Size     int64     `json:"size"`
	Modified time.Time `json:"modified"`
	Newest   time.Time `json:"newest"` // WARC-Date of the latest page
	Records  int       `json:"records"`
	Inexact  int       `json:"inexact,omitempty"` // number of URLs that JSON cannot hold because they are not UTF-8
	Bad      []cdxBad  `json:"bad,omitempty"`
}

type cdxBad struct {
	Offset int64  `json:"offset"`
	Error  string `json:"error"`
}

const (
	cdxFormat   = "CDXJ"
	metaKey     = "!meta "
	revisitMime = "warc/revisit"
)

// WriteCDXJ writes one sorted index of all responses, resources and revisits in the files. In compressed
// files each record must be a member of its own. It holds the lines in memory, about 400 bytes per
// record. It returns the places where no record could be read.
func WriteCDXJ(out io.Writer, paths ...string) ([]*BadRecord, error) {
	meta := cdxMeta{Format: cdxFormat}
	var lines []string
	var bad []*BadRecord
	for _, path := range paths {
		file, more, bads, err := indexFile(path)
		if err != nil {
			return bad, err
		}
		meta.Files = append(meta.Files, file)
		lines, bad = append(lines, more...), append(bad, bads...)
	}
	slices.Sort(lines)
	head, err := json.Marshal(meta)
	if err != nil {
		return bad, err
	}
	buffered := bufio.NewWriter(out)
	fmt.Fprintf(buffered, "%s%s\n", metaKey, head)
	for _, line := range lines {
		buffered.WriteString(line)
	}
	return bad, buffered.Flush()
}

// WriteIndex writes the index of the file at path beside it. OpenIndex uses it as long as the file does
// not change.
func WriteIndex(path string) (bad []*BadRecord, err error) {
	var unread error // its message already names the file
	err = atomicfile.Write(path+CDXJSuffix, func(w io.Writer) error {
		bad, unread = WriteCDXJ(w, path)
		return unread
	})
	return bad, cmp.Or(unread, err)
}

// indexFile returns the description of one file for the index, and its lines.
func indexFile(path string) (cdxFile, []string, []*BadRecord, error) {
	file := cdxFile{Filename: filepath.Base(path)}
	r, err := Open(path)
	if err != nil {
		return file, nil, nil, err
	}
	defer r.Close()
	info, err := os.Stat(path)
	if err != nil {
		return file, nil, nil, err
	}
	file.Size, file.Modified = info.Size(), info.ModTime().UTC()
	var lines []string
	var refused error
	s, err := scanEntries(r, func(rec *Record, e entry) {
		if e.position.Skip > 0 && refused == nil {
			refused = fmt.Errorf("%s: its records are not compressed one by one, so they cannot be indexed; `warcio recompress` writes a file that can", path)
		}
		switch e.kind {
		case "response", "resource", "revisit", duplicate:
			if !utf8.ValidString(e.uri) {
				file.Inexact++
			}
			lines = append(lines, lineOf(rec, e, r.src.endOffset()-e.position.Offset, file.Filename))
		}
	})
	if err = cmp.Or(err, refused); err != nil {
		return file, nil, nil, err
	}
	file.Newest, file.Records = s.newest, s.records
	for _, b := range s.bad {
		file.Bad = append(file.Bad, cdxBad{b.Position.Offset, b.Err.Error()})
	}
	return file, lines, s.bad, nil
}

func lineOf(rec *Record, e entry, length int64, name string) string {
	line := cdxLine{URL: e.uri, Digest: e.digest, Length: length, Offset: e.position.Offset, Filename: name}
	if e.kind == "resource" {
		line.Mime = mediaType(rec.Header.Get("Content-Type"))
	} else {
		line.Status, line.Mime = headOf(rec.Block)
	}
	if rec.Type() == "revisit" {
		line.Mime = revisitMime
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s ", SURT(e.uri), e.at.Format("20060102150405"))
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(line); err != nil {
		return "" // impossible: the struct has only strings and numbers
	}
	return b.String()
}

// headOf returns the status and the media type of an HTTP response, "" for a missing one.
func headOf(block []byte) (status, mime string) {
	line, rest, _ := bytes.Cut(block, []byte("\n"))
	res, err := parseStatus(strings.TrimRight(string(line[:min(len(line), MaxHeader)]), "\r"))
	if err != nil {
		return "", ""
	}
	header, _, _ := parseHeader(rest)
	return strconv.Itoa(res.Status), mediaType(header.Get("Content-Type"))
}

func mediaType(contentType string) string {
	name, _, _ := strings.Cut(contentType, ";")
	return strings.ToLower(strings.TrimSpace(name))
}

// A cdxIndex is the content of a CDXJ file for one WARC.
type cdxIndex struct {
	file    cdxFile
	entries []entry // by offset
}

// isUnchanged reports whether the file is unchanged since it was indexed, and all its URLs are in the index.
func (f cdxFile) isUnchanged(info fs.FileInfo) bool {
	return f.Size == info.Size() && f.Modified.Equal(info.ModTime()) && f.Inexact == 0
}

func (f cdxFile) badRecords(path string) []*BadRecord {
	var bad []*BadRecord
	for _, b := range f.Bad {
		bad = append(bad, &BadRecord{path, Position{Offset: b.Offset}, errors.New(b.Error)})
	}
	return bad
}

// readCDXJ reads the lines of the CDXJ file at path that are about the WARC with that base name.
func readCDXJ(path, name string) (cdxIndex, error) {
	f, err := os.Open(path)
	if err != nil {
		return cdxIndex{}, err
	}
	defer f.Close()
	x, err := parseCDXJ(f, name)
	if err != nil {
		return x, fmt.Errorf("%s: %w", path, err)
	}
	return x, nil
}

func parseCDXJ(in io.Reader, name string) (cdxIndex, error) {
	var x cdxIndex
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxCDXLine)
	lines.Scan()
	var meta cdxMeta
	head, ok := strings.CutPrefix(lines.Text(), metaKey)
	if !ok || json.Unmarshal([]byte(head), &meta) != nil || meta.Format != cdxFormat {
		return x, cmp.Or(lines.Err(), errors.New("the first line is not a !meta {…} line of this program"))
	}
	i := slices.IndexFunc(meta.Files, func(f cdxFile) bool { return f.Filename == name })
	if i < 0 {
		return x, fmt.Errorf("the index has no entry for %.200q", name)
	}
	x.file = meta.Files[i]
	for n := 2; lines.Scan(); n++ {
		line, err := parseCDXLine(lines.Text())
		if err != nil || n > maxCDXEntries {
			return x, fmt.Errorf("line %d: %w", n, cmp.Or(err, errors.New("there are too many")))
		}
		if line.Filename == name {
			x.entries = append(x.entries, line.entry())
		}
	}
	slices.SortStableFunc(x.entries, func(a, b entry) int { return cmp.Compare(a.position.Offset, b.position.Offset) })
	return x, lines.Err()
}

func parseCDXLine(text string) (cdxLine, error) {
	var line cdxLine
	_, rest, _ := strings.Cut(text, " ")
	_, object, ok := strings.Cut(rest, " ")
	if !ok {
		return line, fmt.Errorf("%.100q must be KEY TIMESTAMP {…}", text)
	}
	if err := json.Unmarshal([]byte(object), &line); err != nil {
		return line, err
	}
	if line.Offset < 0 || line.Length < 0 {
		return line, fmt.Errorf("offset %d, length %d", line.Offset, line.Length)
	}
	return line, nil
}

// entry converts the line to an entry. It derives the kind of record from the mime, as is usual for CDXJ.
func (l cdxLine) entry() entry {
	e := entry{uri: l.URL, kind: "response", digest: l.Digest, position: Position{Offset: l.Offset}}
	switch {
	case l.Mime == revisitMime && (l.Digest == "" || l.Status == strconv.Itoa(http.StatusNotModified)):
		e.kind = "revisit"
	case l.Mime == revisitMime:
		e.kind = duplicate
	case l.Status == "":
		e.kind = "resource"
	}
	return e
}

// SURT returns the sort key of a URL in web archives, such as "org,example,conf)/cfp?id=1&year=2027". It
// has the labels of the host in reverse order, then the path and the query with sorted parts, in lower
// case. Scheme, www, default port, fragment and trailing slash are dropped. A URI without a host is its
// own key. White space and control characters are percent-encoded.
func SURT(uri string) string {
	u, err := url.Parse(strings.TrimSpace(uri))
	if err != nil || u.Hostname() == "" {
		return asOneWord(strings.ToLower(uri))
	}
	labels := strings.Split(strings.TrimSuffix(strings.ToLower(u.Hostname()), "."), ".")
	if len(labels) > 2 && isWWW(labels[0]) {
		labels = labels[1:]
	}
	key := u.Hostname()
	if net.ParseIP(key) == nil {
		slices.Reverse(labels)
		key = strings.Join(labels, ",")
	}
	if port := u.Port(); port != "" && !(u.Scheme == "http" && port == "80") && !(u.Scheme == "https" && port == "443") {
		key += ":" + port
	}
	path := u.EscapedPath()
	if len(path) > 1 {
		path = strings.TrimSuffix(path, "/")
	}
	key += ")" + cmp.Or(path, "/")
	if u.RawQuery != "" {
		parts := strings.Split(u.RawQuery, "&")
		slices.Sort(parts)
		key += "?" + strings.Join(parts, "&")
	}
	return asOneWord(strings.ToLower(key))
}

// isWWW reports whether a label is www, possibly followed by digits.
func isWWW(label string) bool {
	rest, ok := strings.CutPrefix(label, "www")
	return ok && strings.Trim(rest, "0123456789") == ""
}

func asOneWord(s string) string {
	if !strings.ContainsFunc(s, isBlank) {
		return s
	}
	var b strings.Builder
	for i := range len(s) {
		if c := s[i]; c <= ' ' || c == 0x7f {
			fmt.Fprintf(&b, "%%%02x", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

func isBlank(r rune) bool { return r <= ' ' || r == 0x7f }
