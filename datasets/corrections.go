package datasets

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/eventseer/eventseer/internal/lines"
)

// correctionColumns is the header line of a file of corrections.
const correctionColumns = "digest\tcolumn\tlabel\tcorrected\treason"

// Columns of a labels file that a correction may change.
const (
	typeColumn = "page_type"
	callColumn = "is_cfp"
)

// Corrections are replacements for labels that contradict the written rules of a labels file. They
// identify pages by LabelDigest. They are used for learning; figures are computed with the original
// labels. The zero value is empty.
type Corrections struct {
	file   string
	byPage map[string][]correction
	digest string
}

// A correction replaces the value of one column of one label.
type correction struct {
	line                     int
	column, label, corrected string
}

// LabelDigest returns the identifier of a labelled page or message in a file of corrections. It consists
// of the first 16 hexadecimal digits of the SHA-256 of its URL or ID.
func LabelDigest(url string) string {
	sum := sha256.Sum256([]byte(url))
	return hex.EncodeToString(sum[:8])
}

// ReadCorrections reads the file of corrections at path. It is tab-separated: digest, column (page_type
// or is_cfp), the original label, the corrected label, and the reason. A bad line is an error.
func ReadCorrections(path string) (*Corrections, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // opened for reading: an error on closing loses nothing
	c := &Corrections{file: path, byPage: map[string][]correction{}}
	h := sha256.New()
	in := lines.NewReader(io.TeeReader(f, h), maxLineBytes)
	header, err := in.Next()
	if err != nil || string(header) != correctionColumns {
		return nil, fmt.Errorf("%s:1: the first line must be %q", path, correctionColumns)
	}
	for n := 0; ; n++ {
		line, err := in.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil && n == maxLabels {
			err = fmt.Errorf("more than %d corrections", maxLabels)
		}
		if err == nil {
			err = c.addLine(in.N, string(line))
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, in.N, err)
		}
	}
	c.digest = "sha256:" + hex.EncodeToString(h.Sum(nil))
	return c, nil
}

// addLine parses a line and adds its correction.
func (c *Corrections) addLine(n int, line string) error {
	fields := strings.Split(line, "\t")
	if len(fields) != strings.Count(correctionColumns, "\t")+1 {
		return fmt.Errorf("%d columns, the header has %d", len(fields), strings.Count(correctionColumns, "\t")+1)
	}
	digest, x := fields[0], correction{n, fields[1], fields[2], fields[3]}
	if b, err := hex.DecodeString(digest); err != nil || len(b) != 8 {
		return fmt.Errorf("digest %q is not 16 hexadecimal digits", digest)
	}
	values := []string{"true", "false"}
	switch x.column {
	case callColumn:
	case typeColumn:
		values = pageTypes
	default:
		return fmt.Errorf("column %q must be %s or %s", x.column, typeColumn, callColumn)
	}
	for _, v := range []string{x.label, x.corrected} {
		if !slices.Contains(values, v) {
			return fmt.Errorf("%s %q: it must be one of %s", x.column, v, strings.Join(values, ", "))
		}
	}
	if strings.TrimSpace(fields[4]) == "" {
		return errors.New("the reason is empty: say which rule of the labels the page contradicts")
	}
	if slices.ContainsFunc(c.byPage[digest], func(y correction) bool { return y.column == x.column }) {
		return fmt.Errorf("%s of %s is corrected twice: remove one of the lines", x.column, digest)
	}
	c.byPage[digest] = append(c.byPage[digest], x)
	return nil
}

// Corrected returns l with the corrections for its page. It returns an error if l does not have the label that a
// correction replaces: then the labels file has changed since the correction was written.
func (c *Corrections) Corrected(l Label) (Label, error) {
	for _, x := range c.byPage[LabelDigest(l.URL)] {
		is := l.PageType
		if x.column == callColumn {
			is = strconv.FormatBool(l.IsCFP)
		}
		if is != x.label {
			return l, fmt.Errorf("%s:%d: %s of %s is %q now, not %q: judge the page again, or remove the line", c.file, x.line, x.column, l.URL, is, x.label)
		}
		if x.column == callColumn {
			l.IsCFP = x.corrected == "true"
		} else {
			l.PageType = x.corrected
		}
	}
	return l, nil
}

// Digest returns the SHA-256 of the file of corrections.
func (c *Corrections) Digest() string { return c.digest }
