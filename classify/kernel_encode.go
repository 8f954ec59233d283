package classify

import (
	"encoding/binary"
	"fmt"
	"math"

	"eventseer/features"
)

// A Kernel in bytes, all numbers little-endian:
//
//	uint8     version, kernelVersion
//	uint8     type
//	uint16    degree
//	float64   gamma, float64 coef0
//	uint16    classes, then uint32 support vectors of each
//	          float64 rho of each pair
//	          a support vector: classes-1 × float64 coefficient,
//	          uint32 components, then a component: uint32 index, float64 value
//
// Versions: 1 is the first.
const kernelVersion = 1

// AppendBinary appends k to b in the form that DecodeKernel reads. The same
// kernel gives the same bytes. It returns an error if k was not made by NewKernel
// and is wrong.
func (k *Kernel) AppendBinary(b []byte) ([]byte, error) {
	if err := k.check(); err != nil {
		return nil, fmt.Errorf("kernel: %w", err)
	}
	le := binary.LittleEndian
	b = append(b, kernelVersion, byte(k.Type))
	b = le.AppendUint16(b, uint16(k.Degree))
	b = appendFloat64(appendFloat64(b, k.Gamma), k.Coef0)
	b = le.AppendUint16(b, uint16(len(k.Counts)))
	for _, n := range k.Counts {
		b = le.AppendUint32(b, uint32(n))
	}
	for _, rho := range k.Rho {
		b = appendFloat64(b, rho)
	}
	for s, v := range k.Vectors {
		for _, row := range k.Coef {
			b = appendFloat64(b, row[s])
		}
		b = le.AppendUint32(b, uint32(v.Len()))
		for i, ix := range v.Index {
			b = appendFloat64(le.AppendUint32(b, ix), v.Value[i])
		}
	}
	return b, nil
}

// DecodeKernel reads all of b. Damaged bytes are an error; memory stays in
// proportion to b whatever it holds.
func DecodeKernel(b []byte) (*Kernel, error) {
	r := kernelReader{b: b}
	k, err := r.kernel()
	if err != nil {
		return nil, fmt.Errorf("kernel is damaged: %w", err)
	}
	return NewKernel(*k)
}

// kernelReader reads numbers off b; short says that it ran out.
type kernelReader struct {
	b     []byte
	short bool
}

func (r *kernelReader) take(n int) []byte {
	if len(r.b) < n {
		r.b, r.short = nil, true
		return make([]byte, 8)
	}
	head := r.b[:n]
	r.b = r.b[n:]
	return head
}

func (r *kernelReader) uint8() int     { return int(r.take(1)[0]) }
func (r *kernelReader) uint16() int    { return int(binary.LittleEndian.Uint16(r.take(2))) }
func (r *kernelReader) uint32() uint32 { return binary.LittleEndian.Uint32(r.take(4)) }
func (r *kernelReader) float64() float64 {
	return math.Float64frombits(binary.LittleEndian.Uint64(r.take(8)))
}

func (r *kernelReader) kernel() (*Kernel, error) {
	if v := r.uint8(); v != kernelVersion {
		return nil, fmt.Errorf("%w: kernel version %d, this program reads version %d", ErrIncompatible, v, kernelVersion)
	}
	k := &Kernel{Type: KernelType(r.uint8()), Degree: r.uint16(), Gamma: r.float64(), Coef0: r.float64()}
	classes := r.uint16()
	if classes < 2 || classes > maxClasses {
		return nil, fmt.Errorf("%d classes", classes)
	}
	total := 0
	for range classes {
		n := r.uint32()
		if n > maxKernelVectors {
			return nil, fmt.Errorf("%d support vectors of a class", n)
		}
		k.Counts = append(k.Counts, int(n))
		total += int(n)
	}
	for range classes * (classes - 1) / 2 {
		k.Rho = append(k.Rho, r.float64())
	}
	k.Coef = make([][]float64, classes-1)
	for s := 0; s < total && !r.short; s++ {
		r.vector(k)
	}
	if r.short {
		return nil, errTruncated
	}
	if len(r.b) > 0 {
		return nil, fmt.Errorf("%d bytes too many", len(r.b))
	}
	return k, nil
}

// vector reads a support vector and its coefficients.
func (r *kernelReader) vector(k *Kernel) {
	for c := range k.Coef {
		k.Coef[c] = append(k.Coef[c], r.float64())
	}
	n := int(r.uint32())
	if n > len(r.b)/12 {
		r.short = true
		return
	}
	v := features.Vector{Index: make([]uint32, n), Value: make([]float64, n)}
	for i := range n {
		v.Index[i], v.Value[i] = r.uint32(), r.float64()
	}
	k.Vectors = append(k.Vectors, v)
}
