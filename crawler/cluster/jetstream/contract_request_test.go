package jetstream

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/eventseer/eventseer/crawler/cluster"
)

type answerFunc = func(ctx context.Context, question []byte, part func([]byte) error) error

// serve serves until the test ends or stop is called, which waits.
func serve(t *testing.T, b cluster.Bus, name string, answer answerFunc) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- b.Serve(ctx, name, answer) }()
	stop = sync.OnceFunc(func() {
		cancel()
		soon(t, "Serve", func() { <-done })
	})
	t.Cleanup(stop)
	return stop
}

// ask asks until a server answers.
func ask(t *testing.T, b cluster.Bus, name, question string, part func([]byte) error) (err error) {
	t.Helper()
	eventually(t, name+" is served", func() bool {
		err = b.Request(limited(t), name, []byte(question), part)
		return !errors.Is(err, cluster.ErrNoKey)
	})
	return err
}

func request(t *testing.T, open func(string) cluster.Bus) {
	a, b := open("a"), open("b")
	const name = "page.worker one"
	if err := a.Request(limited(t), name, nil, nil); !errors.Is(err, cluster.ErrNoKey) {
		t.Errorf("nobody serves: %v", err)
	}
	big := sample(cluster.MaxReply)
	stop := serve(t, b, name, func(ctx context.Context, question []byte, part func([]byte) error) error {
		if string(question) == "none" {
			return nil
		}
		for i := range 10 {
			if err := part([]byte(fmt.Sprint(string(question), i))); err != nil {
				return err
			}
		}
		if err := part(nil); err != nil {
			return err
		}
		return part(big)
	})
	serve(t, b, "other", func(context.Context, []byte, func([]byte) error) error { return errors.New("another name") })
	var got [][]byte
	keep := func(p []byte) error { got = append(got, bytes.Clone(p)); return nil }
	must(t, ask(t, a, name, "q", keep))
	if len(got) != 12 || string(got[0]) != "q0" || string(got[9]) != "q9" || len(got[10]) != 0 || !bytes.Equal(got[11], big) {
		t.Errorf("%d parts came, or in another order", len(got))
	}
	got = nil
	must(t, ask(t, b, name, "none", keep)) // of itself, too
	if len(got) != 0 {
		t.Errorf("%d parts of none", len(got))
	}
	stop()
	if err := a.Request(limited(t), name, []byte("q"), keep); !errors.Is(err, cluster.ErrNoKey) {
		t.Errorf("nobody serves any longer: %v", err)
	}
}

func requestFails(t *testing.T, open func(string) cluster.Bus) {
	a, b := open("a"), open("b")
	serve(t, b, "s", func(ctx context.Context, question []byte, part func([]byte) error) error {
		if string(question) == "large" {
			return part(make([]byte, cluster.MaxReply+1))
		}
		if err := part([]byte("half")); err != nil {
			return err
		}
		return errors.New("no such page here: é\n2")
	})
	var got []string
	keep := func(p []byte) error { got = append(got, string(p)); return nil }
	if err := ask(t, a, "s", "q", keep); err == nil || !strings.Contains(err.Error(), "no such page here") {
		t.Errorf("the answer's error: %v", err)
	}
	if len(got) != 1 || got[0] != "half" {
		t.Errorf("parts before the error: %q", got)
	}
	if err := ask(t, a, "s", "large", keep); err == nil {
		t.Error("a part larger than MaxReply")
	}
	own := errors.New("pipe is broken")
	if err := ask(t, a, "s", "q", func([]byte) error { return own }); !errors.Is(err, own) {
		t.Errorf("the asker's error: %v", err)
	}
}

// An answer that never ends ends with the asker's ctx, or with the server's.
func requestEnds(t *testing.T, open func(string) cluster.Bus) {
	a, b := open("a"), open("b")
	began, ended := make(chan bool, 1), make(chan bool, 1)
	stop := serve(t, b, "s", func(ctx context.Context, question []byte, part func([]byte) error) error {
		began <- true
		defer func() { ended <- true }()
		<-ctx.Done()
		return ctx.Err()
	})
	ctx, cancel := context.WithCancel(limited(t))
	go func() { <-began; cancel() }()
	soon(t, "Request", func() {
		for {
			if err := a.Request(ctx, "s", nil, nil); !errors.Is(err, cluster.ErrNoKey) {
				if err == nil {
					t.Error("no error of a ctx that ended")
				}
				return
			}
		}
	})
	stop()
	soon(t, "the answer", func() { <-ended })
}

// Responses run in parallel: each of these waits for the other.
func serveTogether(t *testing.T, open func(string) cluster.Bus) {
	a, b := open("a"), open("b")
	var both sync.WaitGroup
	both.Add(2)
	serve(t, b, "s", func(context.Context, []byte, func([]byte) error) error {
		both.Done()
		both.Wait()
		return nil
	})
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			if err := ask(t, a, "s", "", nil); err != nil {
				t.Error(err)
			}
		})
	}
	soon(t, "two answers", wg.Wait)
}

// calls are one of each method.
func calls(b cluster.Bus) map[string]func(context.Context) error {
	return map[string]func(context.Context) error{
		"Get":          func(ctx context.Context) error { _, err := b.Get(ctx, "conf"); return err },
		"Set":          func(ctx context.Context) error { _, err := b.Set(ctx, "new", nil, 0); return err },
		"Delete":       func(ctx context.Context) error { return b.Delete(ctx, "conf", 1) },
		"Watch":        func(ctx context.Context) error { _, err := b.Watch(ctx); return err },
		"Publish":      func(ctx context.Context) error { return b.Publish(ctx, 0, "x", nil) },
		"Consume":      func(ctx context.Context) error { _, err := b.Consume(ctx, 0); return err },
		"Announce":     func(ctx context.Context) error { return b.Announce(ctx, "x", nil) },
		"Announced":    func(ctx context.Context) error { _, err := b.Announced(ctx, 0); return err },
		"Backlog":      func(ctx context.Context) error { _, err := b.Backlog(ctx); return err },
		"PutObject":    func(ctx context.Context) error { return b.PutObject(ctx, "x", strings.NewReader("x")) },
		"GetObject":    func(ctx context.Context) error { _, err := b.GetObject(ctx, "x"); return err },
		"DeleteObject": func(ctx context.Context) error { return b.DeleteObject(ctx, "x") },
		"Request":      func(ctx context.Context) error { return b.Request(ctx, "x", nil, nil) },
	}
}

func closed(t *testing.T, open func(string) cluster.Bus) {
	a, b := open("a"), open("b")
	put(t, a, 0, "1", "stays")
	must(t, a.Close())
	must(t, a.Close())
	for name, call := range calls(a) {
		soon(t, name, func() {
			if err := call(limited(t)); err == nil || errors.Is(err, cluster.ErrNoKey) {
				t.Errorf("%s of a closed bus: %v", name, err)
			}
		})
	}
	soon(t, "Serve", func() {
		if err := a.Serve(limited(t), "s", nil); err == nil {
			t.Error("a closed bus serves")
		}
	})
	wantTexts(t, receive(t, consume(t, b, 0), 1), "stays")
}

func ended(t *testing.T, open func(string) cluster.Bus) {
	a := open("a")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, call := range calls(a) {
		soon(t, name, func() {
			if err := call(ctx); err == nil || errors.Is(err, cluster.ErrNoKey) {
				t.Errorf("%s with a ctx that has ended: %v", name, err)
			}
		})
	}
}
