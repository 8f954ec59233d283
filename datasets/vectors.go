package datasets

import (
	"errors"
	"fmt"
	"strconv"

	"eventseer/features"
)

// Limits of a file of vectors.
const (
	// MaxIndex is the largest index of a component, counted from 1.
	MaxIndex = 1 << 24
	// MaxClasses is the largest number of classes.
	MaxClasses = 256

	maxRows        = 10_000_000
	maxValues      = 200_000_000 // of a file
	maxVectorLine  = 16 << 20    // bytes
	maxNameBytes   = 4 << 10     // of a component, a class, a group or an ID
	slabComponents = 64 << 10
)

// Errors that say why a file of vectors was refused. What wraps them names the
// file, the line and the remedy.
var (
	// ErrFormat is a line that is not of the format.
	ErrFormat = errors.New("not in the format")
	// ErrOrder is an index that does not increase.
	ErrOrder = errors.New("index out of order")
	// ErrNotFinite is a value NaN or infinite, or too large for a float64.
	ErrNotFinite = errors.New("value not finite")
	// ErrMissing is a missing value where MissingZero was not asked for, or a
	// missing class.
	ErrMissing = errors.New("missing value")
	// ErrTooLarge is a file past a limit of this package.
	ErrTooLarge = errors.New("too large")
)

// Vectors is a set of labelled vectors, as files of svmlight, ARFF and numeric
// tables hold them.
type Vectors struct {
	// Names are the names of the components, or nil where the file has none.
	Names []string
	// Classes are the names of the classes: of svmlight files the numbers they
	// stand for, ascending; of ARFF files in the order declared; of tables sorted.
	Classes []string
	Rows    []Row
	// Missing is how many missing values were taken for 0.
	Missing int
}

// A Row is one labelled vector.
type Row struct {
	X     features.Vector
	Class int    // index into Classes
	Group string // ties rows that must stay on one side of a split; "" where unknown
	ID    string // what the row is of, "" where unknown
	Line  int    // in its file, from 1; 0 where it is from none
}

// Dims returns the number of components: that of the names, or the largest index.
func (v *Vectors) Dims() int {
	dims := len(v.Names)
	for _, row := range v.Rows {
		if n := row.X.Len(); n > 0 {
			dims = max(dims, int(row.X.Index[n-1])+1)
		}
	}
	return dims
}

// Name returns the name of component i, counted from 0: its number from 1 where
// the set has no names.
func (v *Vectors) Name(i int) string {
	if i < len(v.Names) {
		return v.Names[i]
	}
	return strconv.Itoa(i + 1)
}

// Counts returns the number of rows of each class.
func (v *Vectors) Counts() []int {
	counts := make([]int, len(v.Classes))
	for _, row := range v.Rows {
		counts[row.Class]++
	}
	return counts
}

// A MissingPolicy says what becomes of a missing value.
type MissingPolicy int

// MissingError refuses the file; MissingZero takes 0 and counts, see Vectors.Missing.
const (
	MissingError MissingPolicy = iota
	MissingZero
)

// A place is a line of a file, for errors.
type place struct {
	file string
	line int
}

// errorf returns kind with the place before and what it means after it.
func (p place) errorf(kind error, format string, args ...any) error {
	return fmt.Errorf("%s:%d: %w: %s", p.file, p.line, kind, fmt.Sprintf(format, args...))
}

// A slab keeps the components of many vectors in few allocations.
type slab struct {
	index  []uint32
	value  []float64
	values int // kept in all
}

// keep returns a vector of its own with the given components.
func (s *slab) keep(index []uint32, value []float64) (features.Vector, bool) {
	n := len(index)
	if s.values += n; s.values > maxValues {
		return features.Vector{}, false
	}
	if cap(s.index)-len(s.index) < n {
		s.index, s.value = make([]uint32, 0, max(n, slabComponents)), make([]float64, 0, max(n, slabComponents))
	}
	at := len(s.index)
	s.index, s.value = append(s.index, index...), append(s.value, value...)
	return features.Vector{Index: s.index[at : at+n : at+n], Value: s.value[at : at+n : at+n]}, true
}

// errTooMany says that a file of vectors is past a limit.
func errTooMany(p place) error {
	return p.errorf(ErrTooLarge, "more than %d rows or %d values: split the file", maxRows, maxValues)
}
