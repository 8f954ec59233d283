package jetstream

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"
	"testing/iotest"

	"github.com/eventseer/eventseer/crawler/cluster"
)

func wantObject(t *testing.T, b cluster.Bus, name string, want []byte) {
	t.Helper()
	r, err := b.GetObject(limited(t), name)
	must(t, err)
	got, err := io.ReadAll(r)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s: %d bytes, %v; want %d", name, len(got), err, len(want))
	}
	must(t, r.Close())
}

func objects(t *testing.T, open func(string) cluster.Bus) {
	ctx, a, b := limited(t), open("a"), open("b")
	const name = "part.7/of a,crawler"
	if _, err := a.GetObject(ctx, name); !errors.Is(err, cluster.ErrNoKey) {
		t.Errorf("an object that is not there: %v", err)
	}
	must(t, a.DeleteObject(ctx, name))
	big, small := sample(5<<20+3), []byte("small")
	must(t, a.PutObject(ctx, name, bytes.NewReader(big)))
	must(t, a.PutObject(ctx, "empty", bytes.NewReader(nil)))
	must(t, a.PutObject(ctx, "short reads", iotest.OneByteReader(bytes.NewReader(big[:3000]))))
	wantObject(t, b, name, big)
	wantObject(t, b, "empty", nil)
	wantObject(t, b, "short reads", big[:3000])
	must(t, b.PutObject(ctx, name, bytes.NewReader(small)))
	wantObject(t, a, name, small)
	must(t, b.PutObject(ctx, name, bytes.NewReader(big)))

	r, err := a.GetObject(ctx, name) // left early
	must(t, err)
	if _, err := io.ReadFull(r, make([]byte, 10)); err != nil {
		t.Error(err)
	}
	must(t, r.Close())
	must(t, r.Close())

	must(t, a.DeleteObject(ctx, name))
	must(t, a.DeleteObject(ctx, name))
	if _, err := b.GetObject(ctx, name); !errors.Is(err, cluster.ErrNoKey) {
		t.Errorf("a deleted object: %v", err)
	}
	must(t, a.PutObject(ctx, name, bytes.NewReader(small)))
	wantObject(t, b, name, small)
}

// A failing reader, or a ctx that ends in the middle, leaves the former object.
func objectInterrupted(t *testing.T, open func(string) cluster.Bus) {
	ctx, a := limited(t), open("a")
	must(t, a.PutObject(ctx, "x", bytes.NewReader(sample(1<<20))))
	broken := errors.New("disk is gone")
	for _, name := range []string{"x", "new"} {
		err := a.PutObject(ctx, name, io.MultiReader(bytes.NewReader(sample(2<<20)), iotest.ErrReader(broken)))
		if !errors.Is(err, broken) {
			t.Errorf("a reader that fails: %v", err)
		}
		cancelled, cancel := context.WithCancel(ctx)
		err = a.PutObject(cancelled, name, io.MultiReader(bytes.NewReader(sample(2<<20)), readerFunc(func([]byte) (int, error) {
			cancel()
			return 1, nil
		})))
		if err == nil {
			t.Error("a ctx that ended in the middle")
		}
	}
	wantObject(t, a, "x", sample(1<<20))
	if _, err := a.GetObject(ctx, "new"); !errors.Is(err, cluster.ErrNoKey) {
		t.Errorf("half an object: %v", err)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }
