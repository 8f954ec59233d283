// Package features converts text and tag trees to sparse vectors. It has tokens, stop words, stems,
// vocabularies and TF-IDF weights (paper 002, section 3.1), and the dense features of a page's text,
// layout and links.
package features

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A Vector is a sparse vector: Index is strictly increasing, Value has the same
// length and holds no NaN and no infinity. The zero value is the empty vector.
type Vector struct {
	Index []uint32
	Value []float64
	// Passages are the vectors of parts of the page, grouped by length, if the Vectorizer computes them
	// (see Vectorizer.WithPassages). These vectors have no passages themselves.
	Passages [][]Vector
}

// Len returns the number of stored components.
func (v Vector) Len() int { return len(v.Index) }

// Dot returns the inner product of v with the dense weights w. Components beyond the end of w count as
// zero. Terms are added in index order, so the result is the same on every machine.
func (v Vector) Dot(w []float64) float64 {
	var sum float64
	for i, ix := range v.Index {
		if int(ix) >= len(w) {
			break
		}
		sum += float64(v.Value[i] * w[ix])
	}
	return sum
}

// NewVector builds a Vector from a map, in index order. Zero values are left out.
func NewVector(m map[uint32]float64) Vector {
	var v Vector
	for _, ix := range slices.Sorted(maps.Keys(m)) {
		if x := m[ix]; x != 0 {
			v.Index, v.Value = append(v.Index, ix), append(v.Value, x)
		}
	}
	return v
}

// DocumentFrequencies hold for each term the number of documents of a reference corpus that contain it.
// They are read-only and safe for concurrent use.
type DocumentFrequencies struct {
	n     int
	terms []string // in the order read
	df    map[string]int
}

// Limits on a table of document frequencies.
const (
	maxReferenceTerms = 2_000_000
	maxReferenceLine  = 1 << 10
)

// ReadDocumentFrequencies reads a table of document frequencies. The first line is "#N", a space
// and the number of documents; each further line is a term, a tab, and the number of documents that
// hold it. Terms are distinct, and no number exceeds N.
func ReadDocumentFrequencies(r io.Reader) (*DocumentFrequencies, error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, maxReferenceLine), maxReferenceLine)
	ref := &DocumentFrequencies{df: make(map[string]int)}
	for number := 1; lines.Scan(); number++ {
		if err := ref.readLine(lines.Text()); err != nil {
			return nil, fmt.Errorf("document frequencies, line %d: %w", number, err)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("document frequencies: %w", err)
	}
	if ref.n == 0 {
		return nil, fmt.Errorf("document frequencies: the file is empty, its first line must be such as %q", "#N 19997")
	}
	return ref, nil
}

func (ref *DocumentFrequencies) readLine(line string) error {
	if ref.n == 0 {
		n, err := strconv.Atoi(strings.TrimPrefix(line, "#N "))
		if err != nil || n < 1 || !strings.HasPrefix(line, "#N ") {
			return fmt.Errorf("%.40q is not a first line such as %q", line, "#N 19997")
		}
		ref.n = n
		return nil
	}
	term, count, ok := strings.Cut(line, "\t")
	df, err := strconv.Atoi(count)
	switch {
	case !ok || err != nil || df < 1 || df > ref.n:
		return fmt.Errorf("%.40q is not a term, a tab and a number from 1 to %d", line, ref.n)
	case term == "" || len(term) > maxTermBytes || !utf8.ValidString(term):
		return fmt.Errorf("term %.40q is empty, longer than %d bytes or not UTF-8", term, maxTermBytes)
	case ref.df[term] > 0:
		return fmt.Errorf("term %.40q stands twice", term)
	case len(ref.terms) >= maxReferenceTerms:
		return fmt.Errorf("more than %d terms", maxReferenceTerms)
	}
	ref.terms = append(ref.terms, term)
	ref.df[term] = df
	return nil
}

// NumDocuments returns the number of documents of the corpus.
func (ref *DocumentFrequencies) NumDocuments() int { return ref.n }

// Len returns the number of terms.
func (ref *DocumentFrequencies) Len() int { return len(ref.terms) }

// DocumentsWith returns in how many documents term occurs, 0 if it is unknown.
func (ref *DocumentFrequencies) DocumentsWith(term string) int { return ref.df[term] }

// inverseFrequency returns log(N/df), rounded to single precision. Machines whose logarithms differ in the last
// bit therefore compute the same vectors.
func inverseFrequency(n, df int) float64 {
	return float64(float32(math.Log(float64(n) / float64(df))))
}
