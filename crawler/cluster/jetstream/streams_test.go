package jetstream

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/crawler/cluster"
)

// Streams that are there are changed by options that are set, or refused.
func TestStreamsThere(t *testing.T) {
	t.Parallel()
	o := Options{URLs: sharedURLs(t), Bucket: newBucket()}
	size := func(want int64) {
		t.Helper()
		o.MaxBytes = want
		end(t, o, usual)
		o.MaxBytes = 0
		b := end(t, o, usual) // says nothing, changes nothing
		st, err := b.js.Stream(t.Context(), b.linkStream())
		if err != nil || st.CachedInfo().Config.MaxBytes != want {
			t.Errorf("%d bytes, %v; want %d", st.CachedInfo().Config.MaxBytes, err, want)
		}
		if n := st.CachedInfo().Config.MaxConsumers; n < cluster.MaxPartitions { // else the server's 1,000
			t.Errorf("%d consumers at most", n)
		}
	}
	size(8 << 20)
	size(16 << 20)
	b := end(t, o, usual)
	c := b.streamConfigs()[2]
	c.Name, c.Subjects, c.Retention = "other-links", []string{"other.u.*"}, 0
	if _, err := b.js.CreateStream(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	for want, o := range map[string]Options{
		"other settings": {Bucket: "other"},
		"non-clustered":  {Bucket: "replicated", Replicas: 3},
		"at most 32":     {Bucket: "a.b"},
		"MaxStore":       {Bucket: "large", MaxBytes: 1 << 50},
		"negative":       {MaxBytes: -1},
		"0 to 5":         {Replicas: 6},
	} {
		o.URLs = sharedURLs(t)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		_, err := Connect(ctx, o)
		cancel()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	if _, err := Connect(t.Context(), Options{}); err == nil {
		t.Error("no address")
	}
}
