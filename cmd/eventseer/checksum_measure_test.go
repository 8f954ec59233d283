//go:build measure && unix

package main

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/eventseer/store"
	"github.com/eventseer/eventseer/internal/bolt"
	"github.com/eventseer/eventseer/internal/eventstest"
)

// mostChecksumCost is the bar of issue 30: processor time with checksums ÷ without.
const mostChecksumCost = 1.05

// TestChecksumCost compares crawls and searches on databases with checksums and without in
// processor time of this process, which runs Go code on one core. It prints the median of the
// quotients and their quartiles, and fails beyond mostChecksumCost:
//
//	go test -tags measure ./cmd/eventseer -run TestChecksumCost -v -timeout 1h
func TestChecksumCost(t *testing.T) {
	cores := runtime.GOMAXPROCS(1)
	t.Cleanup(func() {
		bolt.OmitChecksums = false
		runtime.GOMAXPROCS(cores)
	})
	t.Run("crawl", func(t *testing.T) {
		compareCost(t, func(unit, _ int, omit bool) {
			bolt.OmitChecksums = omit
			code, _, stderr := runCaptured(t, "crawl", "--sim", fmt.Sprintf("seed=%d", 1+unit), "--budget", "300", "--quiet", "--run", filepath.Join(t.TempDir(), "run"))
			if code != 0 {
				t.Fatalf("crawl: exit %d\n%s", code, stderr)
			}
		})
	})
	const events, asked = 4000, 100
	var services [2]*served
	for i, omit := range []bool{false, true} {
		bolt.OmitChecksums = omit
		dir := t.TempDir()
		fillStore(t, dir, events)
		services[i] = startService(t, dir, "--parts", "web")
	}
	stored := eventstest.Events(measureSeed, events, time.Now())
	t.Run("search", func(t *testing.T) {
		compareCost(t, func(unit, repeat int, omit bool) {
			s := services[0]
			if omit {
				s = services[1]
			}
			for i := range asked { // no two queries are alike: none comes from a cache
				e := stored[asked*unit+i]
				s.get("/search?all=1&q=" + url.QueryEscape(fmt.Sprintf("%s %s -absent%d", e.Topics[0], e.Acronym, repeat)))
			}
		})
	})
	for _, s := range services {
		if code := s.stop(); code != 0 {
			t.Errorf("serve: exit %d", code)
		}
	}
}

// fillStore puts n synthetic events into the store of a directory.
func fillStore(t *testing.T, dir string, n int) {
	t.Helper()
	st, err := store.Open(filepath.Join(dir, app.StoreFile), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range eventstest.Events(measureSeed, n, time.Now()) {
		clips := eventstest.Clips(e)
		e.ID = ""
		if _, err = st.Put(t.Context(), e, clips); err != nil {
			break
		}
	}
	if err = errors.Join(err, st.Close()); err != nil {
		t.Fatal(err)
	}
}

// compareCost runs units of work with checksums and without, repeated in alternating order. Of the
// repeats of a unit the least time counts, since other processes only add to it.
func compareCost(t *testing.T, work func(unit, repeat int, omit bool)) {
	t.Helper()
	const units, repeats = 15, 6
	var quotients []float64
	var sum [2]time.Duration
	for unit := range units {
		least := [2]time.Duration{time.Hour, time.Hour}
		for repeat := range 2 * repeats {
			i := (repeat + repeat/2) % 2 // 0 1 1 0 0 1 1 0
			runtime.GC()
			began := processorTime(t)
			work(unit, repeat, i == 1)
			least[i] = min(least[i], processorTime(t)-began)
		}
		quotients = append(quotients, float64(least[0])/float64(least[1]))
		sum[0] += least[0]
		sum[1] += least[1]
	}
	slices.Sort(quotients)
	median := quotients[units/2]
	t.Logf("with checksums ÷ without: median %.3f, quartiles %.3f and %.3f of %d; in all %.2f s ÷ %.2f s = %.3f", median,
		quotients[units/4], quotients[3*units/4], units, sum[0].Seconds(), sum[1].Seconds(), sum[0].Seconds()/sum[1].Seconds())
	if median > mostChecksumCost {
		t.Errorf("the median is %.3f, at most %.2f may be", median, mostChecksumCost)
	}
}

// processorTime is the processor time of this process so far.
func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
