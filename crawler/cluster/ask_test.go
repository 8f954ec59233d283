package cluster

import (
	"errors"
	"testing"
)

func TestOrders(t *testing.T) {
	b := newTmem().End("x")
	ctx := t.Context()
	if err := Give(ctx, b, Order{Do: "dance"}); err == nil {
		t.Error("an order to dance is given")
	}
	for range 2 {
		if err := Give(ctx, b, Order{Do: DoStop}); err != nil {
			t.Error(err)
		}
	}
	if err := DrainWorker(ctx, b, "nobody", Drain{}, false); !errors.Is(err, ErrNoWorker) {
		t.Error(err)
	}
	if _, err := ReadStatus(ctx, b); !errors.Is(err, ErrNoCluster) {
		t.Error(err)
	}
	if err := Page(ctx, b, "https://a.example/", nil); !errors.Is(err, ErrNoCluster) {
		t.Error(err)
	}
}
