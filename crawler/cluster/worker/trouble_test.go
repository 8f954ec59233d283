package worker

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/cluster"
	"github.com/eventseer/eventseer/crawler/cluster/clustertest"
	"github.com/eventseer/eventseer/internal/nightly"
)

// A slowBus is an end with slow calls. If it is cut off in between, responses are lost. Watches lag, and end
// now and then.
type slowBus struct {
	*clustertest.End
	mu   sync.Mutex
	dice *rand.Rand
}

// draw is a number from 0 up to n.
func (b *slowBus) draw(n int) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.dice.IntN(n)
}

// lag advances the clock, mostly by little.
func (b *slowBus) lag(ctx context.Context) error {
	d := time.Duration(b.draw(30)) * time.Millisecond
	if b.draw(50) == 0 {
		d = time.Duration(b.draw(5000)) * time.Millisecond
	}
	return crawler.WaitFor(ctx, d)
}

func slowly[T any](ctx context.Context, b *slowBus, do func() (T, error)) (v T, err error) {
	if err := b.lag(ctx); err != nil {
		return v, err
	}
	if v, err = do(); err != nil {
		return v, err
	}
	if err := b.lag(ctx); err != nil {
		return v, err
	}
	if err := b.Err(); err != nil {
		return v, err // its answer is lost
	}
	return v, nil
}

func (b *slowBus) Get(ctx context.Context, k string) (cluster.Entry, error) {
	return slowly(ctx, b, func() (cluster.Entry, error) { return b.End.Get(ctx, k) })
}

func (b *slowBus) Set(ctx context.Context, k string, v []byte, last uint64) (uint64, error) {
	return slowly(ctx, b, func() (uint64, error) { return b.End.Set(ctx, k, v, last) })
}

func (b *slowBus) Publish(ctx context.Context, part int, id string, data []byte) error {
	_, err := slowly(ctx, b, func() (any, error) { return nil, b.End.Publish(ctx, part, id, data) })
	return err
}

func (b *slowBus) PutObject(ctx context.Context, n string, r io.Reader) error {
	_, err := slowly(ctx, b, func() (any, error) { return nil, b.End.PutObject(ctx, n, r) })
	return err
}

func (b *slowBus) GetObject(ctx context.Context, n string) (io.ReadCloser, error) {
	return slowly(ctx, b, func() (io.ReadCloser, error) { return b.End.GetObject(ctx, n) })
}

func (b *slowBus) Watch(ctx context.Context) (<-chan cluster.Entry, error) {
	ctx, cancel := context.WithCancel(ctx)
	from, err := b.End.Watch(ctx)
	if err != nil {
		cancel()
		return nil, err
	}
	to := make(chan cluster.Entry)
	go func() {
		defer close(to)
		defer cancel()
		for e := range from {
			if b.draw(4) == 0 && b.lag(ctx) != nil || b.draw(2000) == 0 {
				return
			}
			select {
			case to <- e:
			case <-ctx.Done():
				return
			}
		}
	}()
	return to, nil
}

// A plagued crew has troubles, by virtual time: processes are killed and cut off.
type plagued struct {
	*crew
	dice     *rand.Rand
	conf     cluster.Conf
	crawlers map[string]*member
	managers map[string]func() // what stops them
	ill      map[string]time.Time
	names    []string
}

func (p *plagued) startOne(name string) {
	if name[0] == 'm' {
		p.managers[name], _, _ = p.manage(name, p.conf)
		return
	}
	p.crawlers[name] = p.start(name, name)
}

// kill ends a process without notice.
func (p *plagued) kill(name string) {
	p.bus.Cut(name, true)
	if name[0] == 'm' {
		p.managers[name]()
	} else {
		p.crawlers[name].stop()
	}
	p.bus.Cut(name, false)
	p.startOne(name)
}

// trouble makes one, and ends those that are over.
func (p *plagued) trouble() {
	for _, name := range p.names {
		if until, ill := p.ill[name]; ill && time.Now().After(until) {
			p.bus.Cut(name, false)
			delete(p.ill, name)
		}
	}
	name := p.names[p.dice.IntN(len(p.names))]
	if _, ill := p.ill[name]; ill {
		return
	}
	if p.dice.IntN(2) == 0 {
		p.kill(name)
		return
	}
	p.ill[name] = time.Now().Add(time.Duration(p.dice.Int64N(int64(2 * p.conf.Lease))))
	p.bus.Cut(name, true)
}

// heal ends all troubles.
func (p *plagued) heal() {
	for _, name := range p.names {
		p.bus.Cut(name, false)
	}
}

// TestTroubles crawls a web over a slow bus, by virtual time. Managers and crawlers are killed and
// cut off, also for longer than a lease. A host is requested by one crawler at a time,
// and every page is fetched.
func TestTroubles(t *testing.T) {
	const always, nights = 2, 24
	for seed := range uint64(nights) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			if seed >= always {
				nightly.SkipUnlessNightly(t)
			}
			virtually(t, func(t *testing.T) { plague(t, seed) })
		})
	}
}

func plague(t *testing.T, seed uint64) {
	p := &plagued{
		crew: managed(t, newWeb(1500, 60)), dice: rand.New(rand.NewPCG(seed, 0)),
		conf:     cluster.Conf{Version: "v1", Partitions: 8, Lease: 20 * time.Second, Settle: 2 * time.Second},
		crawlers: map[string]*member{}, managers: map[string]func(){}, ill: map[string]time.Time{},
	}
	p.web.answers = 3 * time.Second
	p.wrap = func(_ string, b cluster.Bus) cluster.Bus {
		return &slowBus{End: b.(*clustertest.End), dice: rand.New(rand.NewPCG(seed, p.dice.Uint64()))}
	}
	for i := range 7 {
		p.names = append(p.names, fmt.Sprintf("%c%d", "mw"[min(1, i/3)], i))
		p.startOne(p.names[i])
	}
	begin := time.Now()
	all := func() bool { once, _ := p.web.count(); return once == p.web.pages }
	for time.Since(begin) < 10*time.Minute && !all() {
		time.Sleep(time.Duration(1000+p.dice.IntN(9000)) * time.Millisecond)
		p.trouble()
	}
	p.heal()
	for !all() && time.Since(begin) < 5*time.Hour {
		time.Sleep(time.Second)
	}
	_, again := p.web.count()
	t.Logf("after %v; %d pages of %d were fetched again", time.Since(begin).Round(time.Second), again, p.web.pages)
	p.check(p.web.pages / 3) // pages that the dead crawler had fetched, and could not hand over
}
