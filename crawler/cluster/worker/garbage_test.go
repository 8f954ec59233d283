package worker

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/crawler/cluster"
)

// garbage are values that no manager and no crawler writes. One is the answer of NATS to a query
// whose answer goes to a key of the bucket. Nil deletes.
var garbage = [][]byte{
	nil, {}, []byte("garbage"), []byte("null"), []byte("[]"), []byte("{}"), {0xff, 0xfe, 0},
	[]byte(`{"type":"io.nats.jetstream.api.v1.stream_msg_get_response","message":{"subject":"$KV.eventseer.order","seq":1,"data":"e30="}}`),
	fmt.Appendf(nil, `{"name":"m","boot":"b","term":%d,"beat":1}`, uint64(math.MaxUint64)),
	fmt.Appendf(nil, `{"owner":"a","next":"a","token":%d,"lost":%[1]d}`, uint64(math.MaxUint64)),
	[]byte(`{"owner":"a b","next":"","token":1}`),
	[]byte(`{"version":"","partitions":-1,"lease":0}`),
	[]byte(`{"do":"sell","at":"2027-01-01T00:00:00Z"}`),
	[]byte(`{"boot":"b","doing":"crawl","counts":{"Spent":1e300}}`),
	[]byte(strings.Repeat(" ", cluster.MaxEntry-1) + "x"),
}

// TestGarbageInTheBucket writes garbage to every key of the bucket, one after the other, while a
// manager and two crawlers work. None ends, the leader writes all entries again, the order counts
// on, and all of the web is crawled.
func TestGarbageInTheBucket(t *testing.T) { virtually(t, garbageInTheBucket) }

func garbageInTheBucket(t *testing.T) {
	c := managed(t, newWeb(400, 40))
	conf := cluster.Conf{Version: "v1", Partitions: 2, Lease: 2 * time.Second, Once: true}
	_, ran, m := c.manage("m", conf)
	a, b := c.start("a", "a"), c.start("b", "b")
	bus := c.bus.End("x")
	c.until("some pages", func() bool { n, _ := c.web.count(); return n > 20 })
	if err := cluster.GiveOrder(t.Context(), bus, cluster.Order{Do: cluster.DoStop, Reason: "by the operator"}); err != nil {
		t.Fatal(err)
	}
	keys := []string{cluster.ConfKey, cluster.LeaderKey, cluster.OrderKey, cluster.SeededKey, cluster.PartKey(0), cluster.WorkerPrefix + "a", cluster.DrainPrefix + "b", cluster.ManagerPrefix + "m"}
	for _, key := range keys {
		for _, value := range garbage {
			write(t, bus, key, value)
			c.until("the bucket is whole again", func() bool {
				all, err := cluster.ReadAll(t.Context(), bus)
				if err != nil {
					t.Fatal(err)
				}
				for _, e := range all {
					if cluster.CheckEntry(e) != nil {
						return false
					}
				}
				return true
			})
		}
	}
	c.until("the crawlers own all", func() bool { s := m.Status(); return s.Leader == "m" && s.Parts.Owned == 2 && s.Parts.Moving == 0 })
	if s := m.Status(); s.Do != cluster.DoStop || s.Reason != "by the operator" {
		t.Errorf("the order is now %s (%s)", s.Do, s.Reason)
	}
	if e, err := bus.Get(t.Context(), cluster.BadPrefix+cluster.OrderKey); err != nil || len(e.Value) == 0 {
		t.Errorf("what stood in place of the order: %.50q, %v", e.Value, err)
	}
	all, err := cluster.ReadAll(t.Context(), bus)
	if err != nil {
		t.Fatal(err)
	}
	aside := 0
	for key, e := range all {
		if strings.HasPrefix(key, cluster.BadPrefix) && e.Value != nil {
			aside++
		}
	}
	if n := m.Status().Quarantined; n != aside || n == 0 {
		t.Errorf("the manager counts %d keys whose values are kept aside, want %d", n, aside)
	}
	if err := cluster.GiveOrder(t.Context(), bus, cluster.Order{Do: cluster.DoCrawl}); err != nil {
		t.Fatal(err)
	}
	for _, w := range []*member{a, b} {
		ended(t, w.o.Name, w.ran)
	}
	ended(t, "the manager", ran)
	c.check(c.web.pages) // pages with an unknown owner are crawled again
}

// write puts a value in the place of an entry, whatever it is. Nil deletes.
func write(t *testing.T, bus cluster.Bucket, key string, value []byte) {
	t.Helper()
	for {
		e, err := bus.Get(t.Context(), key)
		if err != nil && !errors.Is(err, cluster.ErrNoKey) {
			t.Fatal(err)
		}
		switch {
		case value != nil:
			_, err = bus.Set(t.Context(), key, value, e.Revision)
		case e.Value != nil:
			err = bus.Delete(t.Context(), key, e.Revision)
		default:
			return
		}
		if !errors.Is(err, cluster.ErrConflict) {
			if err != nil {
				t.Fatal(err)
			}
			return
		}
	}
}
