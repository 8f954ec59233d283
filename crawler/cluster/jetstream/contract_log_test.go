package jetstream

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/eventseer/eventseer/crawler/cluster"
)

// foreign is a number of another log, which is longer.
const foreign = 1 << 40

// announced reads the log of events after a number to its end.
func announced(t *testing.T, b cluster.Bus, after uint64) (last uint64, all []string) {
	t.Helper()
	for {
		a, err := b.Announced(limited(t), after)
		number, data := a.Number, a.Data
		if errors.Is(err, cluster.ErrNoKey) {
			return after, all
		}
		must(t, err)
		if number <= after && after != foreign {
			t.Fatalf("event %d after %d", number, after)
		}
		after, all = number, append(all, string(data))
	}
}

// A reader gets the last event of each ID, whenever it comes.
func announce(t *testing.T, open func(string) cluster.Bus) {
	a, b := open("a"), open("b")
	say := func(b cluster.Bus, id, data string) {
		t.Helper()
		must(t, b.Announce(limited(t), id, []byte(data)))
	}
	want := func(b cluster.Bus, after uint64, want ...string) uint64 {
		t.Helper()
		last, got := announced(t, b, after)
		if !slices.Equal(got, want) {
			t.Errorf("%q after %d, want %q", got, after, want)
		}
		return last
	}
	want(a, 0)
	say(b, "1", "one")
	say(b, "2 é.*", "two")
	first := want(a, 0, "one", "two")
	for _, version := range []string{"newer", "older", "newer"} {
		say(a, "1", version)
	}
	last := want(b, 0, "two", "newer")
	want(a, first, "newer")
	want(b, last)
	say(a, "3", "")
	want(b, last, "")
	want(b, foreign, "two", "newer", "")
	if err := a.Announce(limited(t), "big", make([]byte, cluster.MaxMessage+1)); err == nil || errors.Is(err, cluster.ErrFull) {
		t.Errorf("an event larger than MaxMessage: %v", err)
	}
	if err := a.Announce(limited(t), "", nil); err == nil {
		t.Error("an event without an ID was taken")
	}
}

// A full log keeps all its messages, and accepts replacements of them.
func announceFull(t *testing.T, open func(string) cluster.Bus) {
	ctx, a := limited(t), open("a")
	data, n := sample(cluster.MaxMessage), 0
	for {
		if err := a.Announce(ctx, fmt.Sprint(n), data); err != nil {
			if !errors.Is(err, cluster.ErrFull) {
				t.Fatal(err)
			}
			break
		}
		if n++; n*len(data) > 64<<20 {
			t.Fatal("64 MiB of events and never full")
		}
	}
	must(t, a.Announce(ctx, "0", []byte("smaller")))
	if _, all := announced(t, a, 0); len(all) != n || !slices.Contains(all, "smaller") {
		t.Errorf("%d of %d events", len(all), n)
	}
}
