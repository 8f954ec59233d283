package classify

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"

	"eventseer/features"
)

// A model file, all numbers little-endian:
//
//	8 bytes   magic "ESmodel\n"
//	uint32    format version
//	4 times   uint32 length in bytes, then a section:
//	          1  Meta as JSON
//	          2  the vectorizer, as features.Vectorizer writes it
//	          3  uint32 rows, uint32 columns, then a row: float32 bias,
//	             columns × float32 weight
//	          4  float64 threshold, then a class: float64 A, float64 B
//	32 bytes  SHA-256 of everything before
//
// Format versions: 1 is the first.
const (
	modelMagic   = "ESmodel\n"
	modelVersion = 1
)

// Limits on what a model file may hold.
const (
	maxModelBytes = 64 << 20
	maxClasses    = 256
)

// ErrIncompatible is returned for a model file in a format version that this
// program does not read.
var ErrIncompatible = errors.New("incompatible model")

var (
	errTruncated = errors.New("the file is truncated")
	errChecksum  = errors.New("the checksum is wrong, the file is damaged: copy or train it again")
)

// WriteModel writes m to w. The same model gives the same bytes.
func WriteModel(w io.Writer, m *Model) error {
	if err := m.check(); err != nil {
		return fmt.Errorf("write model: %w", err)
	}
	meta, err := json.Marshal(m.Meta)
	if err != nil {
		return fmt.Errorf("write model: %w", err)
	}
	terms, err := m.Vectorizer.AppendBinary(nil)
	if err != nil {
		return fmt.Errorf("write model: %w", err)
	}
	b := []byte(modelMagic)
	b = binary.LittleEndian.AppendUint32(b, modelVersion)
	for _, section := range [][]byte{meta, terms, encodeLinear(m.Linear), m.encodePlatt()} {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(section)))
		b = append(b, section...)
	}
	_, err = w.Write(appendSum(b))
	return err
}

func appendSum(b []byte) []byte {
	sum := sha256.Sum256(b)
	return append(b, sum[:]...)
}

func encodeLinear(l *Linear) []byte {
	columns := 0
	for _, row := range l.Weights {
		columns = max(columns, len(row))
	}
	b := binary.LittleEndian.AppendUint32(nil, uint32(len(l.Weights)))
	b = binary.LittleEndian.AppendUint32(b, uint32(columns))
	for k, row := range l.Weights {
		b = appendFloat32(b, l.Bias[k])
		for _, w := range row {
			b = appendFloat32(b, w)
		}
		for range columns - len(row) {
			b = appendFloat32(b, 0)
		}
	}
	return b
}

func appendFloat32(b []byte, v float64) []byte {
	return binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(v)))
}

func appendFloat64(b []byte, v float64) []byte {
	return binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
}

func (m *Model) encodePlatt() []byte {
	b := appendFloat64(nil, m.Threshold)
	for _, p := range m.Platt {
		b = appendFloat64(appendFloat64(b, p.A), p.B)
	}
	return b
}

// ReadModel reads a model file to its end. Its error is ErrIncompatible for an
// unknown format version, and says what is wrong for a truncated or changed file.
func ReadModel(r io.Reader) (*Model, error) {
	m, err := readModel(r)
	if err != nil {
		return nil, fmt.Errorf("read model: %w", err)
	}
	return m, nil
}

func readModel(r io.Reader) (*Model, error) {
	b, err := readSealed(r, modelMagic, modelVersion, maxModelBytes)
	if err != nil {
		return nil, err
	}
	var sections [4][]byte
	for i := range sections {
		if sections[i], b, err = cutSection(b); err != nil {
			return nil, err
		}
	}
	if len(b) > 0 {
		return nil, fmt.Errorf("%d bytes too many", len(b))
	}
	var m Model
	if err := json.Unmarshal(sections[0], &m.Meta); err != nil {
		return nil, fmt.Errorf("metadata: %w", err)
	}
	if m.Vectorizer, err = features.DecodeVectorizer(sections[1]); err != nil {
		return nil, err
	}
	if m.Linear, err = decodeLinear(sections[2]); err != nil {
		return nil, err
	}
	if err := m.decodePlatt(sections[3]); err != nil {
		return nil, err
	}
	return &m, m.check()
}

// readSealed reads all of r, a magic, a version, a body and a checksum, and
// returns the body. The version is looked at before the checksum, so that a
// later format may end in another way.
func readSealed(r io.Reader, magic string, version uint32, limit int64) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(b)) > limit {
		return nil, fmt.Errorf("more than %d bytes", limit)
	}
	rest, ok := bytes.CutPrefix(b, []byte(magic))
	if !ok {
		return nil, fmt.Errorf("the file does not begin with %q, it is of another kind", magic)
	}
	if len(rest) < 4+sha256.Size {
		return nil, errTruncated
	}
	if v := binary.LittleEndian.Uint32(rest); v != version {
		return nil, fmt.Errorf("%w: format version %d, this program reads version %d: train the model again or use the program that wrote it", ErrIncompatible, v, version)
	}
	body := len(b) - sha256.Size
	if sum := sha256.Sum256(b[:body]); !bytes.Equal(sum[:], b[body:]) {
		return nil, errChecksum
	}
	return b[len(magic)+4 : body], nil
}

func cutSection(b []byte) (section, rest []byte, err error) {
	if len(b) < 4 {
		return nil, nil, errTruncated
	}
	n := binary.LittleEndian.Uint32(b)
	if b = b[4:]; uint64(n) > uint64(len(b)) {
		return nil, nil, errTruncated
	}
	return b[:n], b[n:], nil
}

func decodeLinear(b []byte) (*Linear, error) {
	if len(b) < 8 {
		return nil, errTruncated
	}
	rows, columns := binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:])
	b = b[8:]
	if rows > maxClasses || uint64(len(b)) != uint64(rows)*(uint64(columns)+1)*4 {
		return nil, fmt.Errorf("%d rows of %d weights do not fit %d bytes", rows, columns, len(b))
	}
	l := &Linear{}
	next := func() float64 {
		v := math.Float32frombits(binary.LittleEndian.Uint32(b))
		b = b[4:]
		return float64(v)
	}
	for range rows {
		l.Bias = append(l.Bias, next())
		row := make([]float64, columns)
		for i := range row {
			row[i] = next()
		}
		l.Weights = append(l.Weights, row)
	}
	return l, nil
}

func (m *Model) decodePlatt(b []byte) error {
	if len(b) != 8+16*len(m.Classes) {
		return fmt.Errorf("%d bytes of calibration for %d classes", len(b), len(m.Classes))
	}
	next := func() float64 {
		v := math.Float64frombits(binary.LittleEndian.Uint64(b))
		b = b[8:]
		return v
	}
	m.Threshold = next()
	for range m.Classes {
		m.Platt = append(m.Platt, Platt{A: next(), B: next()})
	}
	return nil
}
