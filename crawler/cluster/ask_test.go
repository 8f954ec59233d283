package cluster_test

import (
	"errors"
	"testing"

	"github.com/eventseer/eventseer/crawler/cluster"
	"github.com/eventseer/eventseer/crawler/cluster/clustertest"
)

func TestOrders(t *testing.T) {
	b := clustertest.NewMemory().End("x")
	ctx := t.Context()
	if err := cluster.GiveOrder(ctx, b, cluster.Order{Do: "dance"}); err == nil {
		t.Error("an order to dance is given")
	}
	for range 2 {
		if err := cluster.GiveOrder(ctx, b, cluster.Order{Do: cluster.DoStop}); err != nil {
			t.Error(err)
		}
	}
	if err := cluster.DrainWorker(ctx, b, "nobody", cluster.Drain{}, false); !errors.Is(err, cluster.ErrNoWorker) {
		t.Error(err)
	}
	if _, err := cluster.ReadStatus(ctx, b); !errors.Is(err, cluster.ErrNoCluster) {
		t.Error(err)
	}
	if err := cluster.FetchRecordedPage(ctx, b, "https://a.example/", nil); !errors.Is(err, cluster.ErrNoCluster) {
		t.Error(err)
	}
}
