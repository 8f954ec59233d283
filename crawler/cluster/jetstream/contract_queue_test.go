package jetstream

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/eventseer/eventseer/crawler/cluster"
)

func consume(t *testing.T, b cluster.Bus, part int) cluster.Consumer {
	t.Helper()
	c, err := b.Consume(limited(t), part)
	must(t, err)
	return c
}

func put(t *testing.T, b cluster.Bus, part int, id, data string) {
	t.Helper()
	must(t, b.Publish(limited(t), part, id, []byte(data)))
}

// receive receives n messages.
func receive(t *testing.T, c cluster.Consumer, n int) []cluster.Message {
	t.Helper()
	var all []cluster.Message
	for ctx := limited(t); len(all) < n; {
		ms, err := c.Next(ctx, n-len(all), time.Second)
		must(t, err)
		must(t, ctx.Err())
		all = append(all, ms...)
	}
	return all
}

func ack(t *testing.T, ms ...cluster.Message) {
	t.Helper()
	for _, m := range ms {
		must(t, m.Ack())
	}
}

func texts(ms []cluster.Message) []string {
	var all []string
	for _, m := range ms {
		all = append(all, string(m.Data))
	}
	slices.Sort(all)
	return all
}

func wantTexts(t *testing.T, ms []cluster.Message, want ...string) {
	t.Helper()
	if got := texts(ms); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// wantNone fails if a message comes.
func wantNone(t *testing.T, c cluster.Consumer) {
	t.Helper()
	if ms, err := c.Next(limited(t), 10, 200*time.Millisecond); err != nil || len(ms) > 0 {
		t.Errorf("%q came, %v", texts(ms), err)
	}
}

func publish(t *testing.T, open func(string) cluster.Bus) {
	a, b := open("a"), open("b")
	put(t, a, 0, "1", "before") // waits for its consumer
	put(t, a, cluster.MaxPartitions-1, "1", "last")
	c, last := consume(t, b, 0), consume(t, b, cluster.MaxPartitions-1)
	put(t, a, 0, "2", "")
	ms := receive(t, c, 2)
	wantTexts(t, ms, "", "before")
	ack(t, ms...)
	ack(t, ms...) // again
	ms = receive(t, last, 1)
	wantTexts(t, ms, "last")
	ack(t, ms...)
	for _, c := range []cluster.Consumer{c, last} {
		wantNone(t, c)
		must(t, c.Close())
		must(t, c.Close())
		if _, err := c.Next(limited(t), 1, 0); err == nil {
			t.Error("a closed consumer goes on")
		}
	}
}

func publishDedupes(t *testing.T, open func(string) cluster.Bus) {
	a, b := open("a"), open("b")
	for range 3 {
		put(t, a, 1, "same", "x")
		put(t, b, 1, "same", "x")
		put(t, b, 2, "same", "y") // an ID belongs to one queue
	}
	for q, want := range map[int]string{1: "x", 2: "y"} {
		c := consume(t, a, q)
		ms := receive(t, c, 1)
		wantTexts(t, ms, want)
		ack(t, ms...)
		put(t, b, q, "same", "again")
		wantNone(t, c)
	}
}

func publishSizes(t *testing.T, open func(string) cluster.Bus) {
	a := open("a")
	put(t, a, 3, "big", string(sample(cluster.MaxMessage)))
	if err := a.Publish(limited(t), 3, "bigger", make([]byte, cluster.MaxMessage+1)); err == nil || errors.Is(err, cluster.ErrFull) {
		t.Errorf("a message larger than MaxMessage: %v", err)
	}
	ms := receive(t, consume(t, a, 3), 1)
	wantTexts(t, ms, string(sample(cluster.MaxMessage)))
	ack(t, ms...)
	for _, part := range []int{-1, cluster.MaxPartitions} {
		if err := a.Publish(limited(t), part, "x", nil); err == nil {
			t.Errorf("partition %d was taken", part)
		}
		if _, err := a.Consume(limited(t), part); err == nil {
			t.Errorf("partition %d is consumed", part)
		}
	}
	if err := a.Publish(limited(t), 1, "", nil); err == nil {
		t.Error("a message without an ID was taken")
	}
}

func publishFull(t *testing.T, open func(string) cluster.Bus) {
	ctx, a := limited(t), open("a")
	data, n := sample(cluster.MaxMessage), 0
	for {
		if err := a.Publish(ctx, n%2, fmt.Sprint(n), data); err != nil {
			if !errors.Is(err, cluster.ErrFull) {
				t.Fatal(err)
			}
			break
		}
		if n++; n*len(data) > 64<<20 {
			t.Fatal("64 MiB of links and never full")
		}
	}
	if n*len(data) < 2<<20 {
		t.Errorf("full after %d messages", n)
	}
	must(t, a.Announce(ctx, "e", []byte("events have room of their own")))
	c := consume(t, a, 0)
	ack(t, receive(t, c, 4)...)
	eventually(t, "room after acknowledgements", func() bool {
		err := a.Publish(ctx, 1, fmt.Sprint(n), data)
		if err != nil && !errors.Is(err, cluster.ErrFull) {
			t.Fatal(err)
		}
		return err == nil
	})
}

// Each message goes to one of three consumers, two of them of one end.
func compete(t *testing.T, open func(string) cluster.Bus) {
	ctx, a := limited(t), open("a")
	b := open("b")
	const n = 600
	var mu sync.Mutex
	got := map[string]int{}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var wg sync.WaitGroup
	for _, c := range []cluster.Consumer{consume(t, a, 5), consume(t, a, 5), consume(t, b, 5)} {
		wg.Go(func() {
			for ctx.Err() == nil {
				ms, err := c.Next(ctx, 7, 100*time.Millisecond)
				if err != nil && ctx.Err() == nil {
					t.Error(err)
				}
				if len(ms) > 7 {
					t.Errorf("%d messages, at most 7", len(ms))
				}
				mu.Lock()
				for _, m := range ms {
					got[string(m.Data)]++
					if err := m.Ack(); err != nil {
						t.Error(err)
					}
				}
				if len(got) == n {
					cancel()
				}
				mu.Unlock()
			}
		})
	}
	var pub sync.WaitGroup
	for i := range 6 {
		pub.Go(func() {
			for k := range n / 6 {
				id := fmt.Sprint(i, ".", k)
				if err := []cluster.Bus{a, b}[i%2].Publish(t.Context(), 5, id, []byte(id)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	pub.Wait()
	wg.Wait()
	for m, times := range maps.All(got) {
		if times != 1 {
			t.Errorf("%s came %d times", m, times)
		}
	}
	if len(got) != n {
		t.Errorf("%d of %d came", len(got), n)
	}
}

// An unacknowledged message comes again at once when its consumer or its bus is closed. It does
// before AckWait is over, at least once in the given number of tries.
func givenBack(t *testing.T, open func(string) cluster.Bus) {
	const tries = 3
	for part := range tries {
		began := time.Now()
		giveBack(t, open, part)
		if time.Since(began) < cluster.AckWait {
			return
		}
	}
	t.Errorf("%d times they came after AckWait only", tries)
}

func giveBack(t *testing.T, open func(string) cluster.Bus, part int) {
	a, b := open("a"), open("b")
	for _, m := range []string{"1", "2", "3"} {
		put(t, a, part, m, m)
	}
	c := consume(t, a, part)
	ms := receive(t, c, 3)
	ack(t, ms[0])
	must(t, c.Close())
	want := texts(ms[1:])
	c = consume(t, b, part)
	ms = receive(t, c, 2)
	wantTexts(t, ms, want...)
	must(t, b.Close())
	c = consume(t, a, part)
	ms = receive(t, c, 2)
	wantTexts(t, ms, want...)
	ack(t, ms...)
	wantNone(t, c)
}

func nextWaits(t *testing.T, open func(string) cluster.Bus) {
	a := open("a")
	c := consume(t, a, 0)
	for _, wait := range []time.Duration{0, 50 * time.Millisecond} {
		soon(t, "Next", func() {
			if ms, err := c.Next(limited(t), 5, wait); err != nil || len(ms) != 0 {
				t.Errorf("%d messages, %v", len(ms), err)
			}
		})
	}
	put(t, a, 0, "0", "there")
	ms := receive(t, c, 1)
	ack(t, ms...)
	got := make(chan []cluster.Message, 1)
	go func() {
		ms, err := c.Next(limited(t), 5, suitePatience) // one is enough to return
		if err != nil {
			t.Error(err)
		}
		got <- ms
	}()
	put(t, a, 0, "1", "came")
	soon(t, "Next, where a message came", func() { ms = <-got })
	wantTexts(t, ms, "came")
	ack(t, ms...)
	ctx, cancel := context.WithCancel(limited(t))
	time.AfterFunc(20*time.Millisecond, cancel)
	began := time.Now()
	c.Next(ctx, 5, suitePatience)
	if took := time.Since(began); took > suitePatience/2 {
		t.Errorf("Next returned %v after its ctx ended", took)
	}
}

func backlog(t *testing.T, open func(string) cluster.Bus) {
	a, b := open("a"), open("b")
	want := func(waiting, ever uint64) {
		t.Helper()
		var got cluster.Backlog
		eventually(t, fmt.Sprintf("%d waiting, %d ever", waiting, ever), func() bool {
			var err error
			got, err = b.Backlog(limited(t))
			must(t, err)
			return got.Waiting == waiting && got.Ever == ever
		})
		if got.Bytes < 100*waiting || waiting == 0 && got.Bytes > 0 {
			t.Errorf("%d messages of 100 bytes have %d", waiting, got.Bytes)
		}
	}
	want(0, 0)
	for i := range 10 {
		put(t, a, i%3, fmt.Sprint(i), string(sample(100)))
	}
	put(t, a, 0, "0", string(sample(100))) // there already
	must(t, a.Announce(limited(t), "0", []byte("no link")))
	want(10, 10)
	ms := receive(t, consume(t, a, 0), 4)
	want(10, 10)
	ack(t, ms...)
	want(6, 10)
	if tr := a.Traffic(); tr.Sent < 10 || tr.SentBytes < 1000 || tr.Received == 0 || tr.ReceivedBytes == 0 {
		t.Errorf("traffic %+v", tr)
	}
}

// redelivers checks that unacknowledged messages are delivered again, also to another consumer, after the
// wait of the setup's buses.
func redelivers(t *testing.T, in setup, wait time.Duration) {
	open := in(t)
	a, b := open("a"), open("b")
	put(t, a, 0, "1", "x")
	began := time.Now()
	c, other := consume(t, a, 0), consume(t, b, 0)
	wantTexts(t, receive(t, c, 1), "x")
	ms := receive(t, other, 1)
	if took := time.Since(began); took < wait*9/10 {
		t.Errorf("came again after %v", took)
	}
	wantTexts(t, ms, "x")
	ack(t, ms...)
	eventually(t, "the acknowledgement came", func() bool {
		left, err := a.Backlog(limited(t))
		must(t, err)
		return left.Waiting == 0
	})
	time.Sleep(wait + wait/2)
	wantNone(t, c)
}
