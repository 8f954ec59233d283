package train

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// tuning runs a tuner whose clock advances by a second at each call. It returns the recipe at the end and the
// log.
func tuning(t *testing.T, limit time.Duration) (Recipe, []string) {
	t.Helper()
	r, err := NewRecipe("nb-multinomial", TaskVectors, Parameters{Terms: 2})
	if err != nil {
		t.Fatal(err)
	}
	clock := time.Unix(0, 0)
	var said []string
	tuner := tuner{limit: limit, folds: 3, seed: 1,
		now:  func() time.Time { clock = clock.Add(time.Second); return clock },
		logf: func(format string, args ...any) { said = append(said, fmt.Sprintf(format, args...)) },
	}
	best, err := tuner.tune(context.Background(), r, vectorCorpus(40))
	if err != nil {
		t.Fatal(err)
	}
	return best, said
}

func TestTuneObeysTheClock(t *testing.T) {
	t.Parallel()
	_, said := tuning(t, 10*time.Second)
	if last := said[len(said)-1]; !strings.HasPrefix(last, "tune: 4 trials") || said[len(said)-2] != "tune: time is up" {
		t.Errorf("said %q", said)
	}
	best, said := tuning(t, 0)
	if best.Terms != 2 || !strings.HasPrefix(said[len(said)-1], "tune: 1 trials") {
		t.Errorf("without time, %+v is best; said %q", best.Parameters, said)
	}
}

func TestTuneIsDeterministicAndEnds(t *testing.T) {
	t.Parallel()
	first, said := tuning(t, time.Hour)
	second, again := tuning(t, time.Hour)
	if diff := cmp.Diff(said, again); diff != "" {
		t.Errorf("two searches differ:\n%s", diff)
	}
	if first.flags() != second.flags() || slices.Contains(said, "tune: time is up") {
		t.Errorf("%q and %q; last said %q", first.flags(), second.flags(), said[len(said)-1])
	}
	tried := map[string]bool{}
	for _, line := range said[:len(said)-1] {
		_, flags, _ := strings.Cut(line, " with ")
		if tried[flags] {
			t.Errorf("%q is tried twice", flags)
		}
		tried[flags] = true
	}
}

func TestPartKeepsFilesApart(t *testing.T) {
	c := vectorCorpus(6)
	part := c.subset(func(i int) bool { return i%2 == 1 })
	if diff := cmp.Diff([]int{1, 1, 1}, part.class); diff != "" {
		t.Error(diff)
	}
	if len(part.rows) != 3 || part.dims != c.dims {
		t.Errorf("%d rows of %d components", len(part.rows), part.dims)
	}
}
