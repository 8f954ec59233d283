package manager

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/eventseer/eventseer/crawler/cluster"
	"github.com/eventseer/eventseer/internal/nightly"
)

// A rehearsal is a cluster without a web, by a settable clock. It has a manager's plans, and
// crawlers that take and hand over partitions by the rules, but crawl nothing.
type rehearsal struct {
	conf     cluster.Conf
	now      time.Time
	entries  map[string]cluster.Entry
	revision uint64
	seen     clusterView
	crawlers map[string]*rehearsed
	todo     map[string][]int // partitions that a crawler may have to take or hand over

	first bool          // all partitions were owned once
	idle  time.Duration // partitions without a crawler, since then
	all   time.Duration // partitions and time, since then
	worst int           // most partitions without a crawler at once, since then
}

// A rehearsed crawler hands a partition over, or takes one in, one at a time.
type rehearsed struct {
	down  bool
	boot  int
	beat  time.Time
	busy  time.Time     // until then
	doing int           // the partition that is on the move
	then  *cluster.Part // the writes of it at that time
}

// How long a rehearsed crawler takes.
const (
	tick     = time.Second
	handing  = 2 * time.Second // a partition's state to be written
	adopting = 3 * time.Second // and to be taken in
)

func newRehearsal(parts int) *rehearsal {
	return &rehearsal{
		conf:    cluster.Conf{Version: "v", Partitions: parts, Lease: 2 * time.Minute, Settle: 10 * time.Second},
		now:     time.Date(2027, 1, 11, 0, 0, 0, 0, time.UTC),
		entries: map[string]cluster.Entry{}, seen: newClusterView(), crawlers: map[string]*rehearsed{},
	}
}

// set is the bucket's compare-and-set.
func (r *rehearsal) set(key string, v any, last uint64) error {
	old := r.entries[key]
	if old.Revision != last && !(old.Value == nil && last == 0) {
		return cluster.ErrConflict
	}
	r.revision++
	e := cluster.Entry{Key: key, Revision: r.revision}
	if v != nil {
		data, err := json.Marshal(v)
		if err != nil {
			return err
		}
		e.Value = data
	}
	r.entries[key] = e
	return r.seen.applyEntry(e, r.now)
}

func (r *rehearsal) part(n int) (p cluster.Part, revision uint64) {
	e := r.seen.parts[n]
	return e.Part, e.Revision
}

// step advances the clock by a second.
func (r *rehearsal) step() error {
	r.now = r.now.Add(tick)
	r.todo = map[string][]int{}
	for n := range r.conf.Partitions {
		switch p, _ := r.part(n); {
		case p.Owner == "":
			r.todo[p.Next] = append(r.todo[p.Next], n)
		case p.Owner != p.Next:
			r.todo[p.Owner] = append(r.todo[p.Owner], n)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.crawlers)) {
		if err := r.crawl(name, r.crawlers[name]); err != nil && !errors.Is(err, cluster.ErrConflict) {
			return err
		}
	}
	for _, w := range r.seen.planWrites(r.conf, 1, r.now) {
		if err := r.set(w.key, w.value, w.last); err != nil && !errors.Is(err, cluster.ErrConflict) {
			return err
		}
	}
	r.measure()
	return nil
}

// crawl is what a crawler does in a second.
func (r *rehearsal) crawl(name string, c *rehearsed) error {
	if c.down {
		return nil
	}
	b := r.seen.workers[name]
	if boot := fmt.Sprint(c.boot); b.Boot != boot || b.Revoked || r.now.Sub(c.beat) >= r.conf.Lease/10 {
		c.beat = r.now
		if err := r.set(cluster.WorkerPrefix+name, cluster.Beat{Boot: boot, Version: "v", Beat: b.Beat.Beat + 1, Doing: cluster.DoCrawl}, b.revision); err != nil {
			return err
		}
	}
	if c.then != nil {
		if r.now.Before(c.busy) {
			return nil
		}
		now, revision := r.part(c.doing)
		then := *c.then
		c.then = nil
		if now.Token+1 != then.Token {
			return nil // another was sooner
		}
		then.Next = now.Next
		return r.set(cluster.PartKey(c.doing), then, revision)
	}
	for _, n := range r.todo[name] {
		p, _ := r.part(n)
		switch drains := r.seen.drains[name]; {
		case p.Owner == name && (p.Next != name || drains):
			p.Owner, p.State, p.Token = "", "state", p.Token+1
			c.busy = r.now.Add(handing)
		case p.Owner == "" && p.Next == name && !drains:
			p.Owner, p.State, p.Token = name, "", p.Token+1
			c.busy = r.now.Add(adopting)
		default:
			continue
		}
		c.doing, c.then = n, &p
		return nil
	}
	return nil
}

// measure records which crawler owns which partitions.
func (r *rehearsal) measure() {
	idle := 0
	for n := range r.conf.Partitions {
		p, _ := r.part(n)
		c := r.crawlers[p.Owner]
		if c == nil || c.down || c.then != nil && c.doing == n {
			idle++
		}
	}
	if !r.first {
		r.first = idle == 0
		return
	}
	r.idle += time.Duration(idle) * tick
	r.all += time.Duration(r.conf.Partitions) * tick
	r.worst = max(r.worst, idle)
}

// pass advances time until every partition is crawled by its assigned owner and shares are even,
// and stay so for a while. It counts the changes of owners.
func (r *rehearsal) pass(t *testing.T, atLeast time.Duration) (moves int, took time.Duration) {
	t.Helper()
	start, calm := r.now, 0
	before := r.owners()
	for r.now.Sub(start) < atLeast || calm < 30 {
		if err := r.step(); err != nil {
			t.Fatal(err)
		}
		if r.now.Sub(start) > time.Hour {
			t.Fatalf("no calm after %v: %+v", r.now.Sub(start), r.seen.countParts(r.conf))
		}
		after := r.owners()
		changed := 0
		for n := range after {
			if after[n] != before[n] && after[n] != "" {
				changed++
				before[n] = after[n]
			}
		}
		moves += changed
		if changed > 0 {
			took = r.now.Sub(start)
		}
		if calm++; changed > 0 || slices.Contains(after, "") {
			calm = 0
		}
	}
	return moves, took
}

func (r *rehearsal) owners() []string {
	owners := make([]string, r.conf.Partitions)
	for n := range owners {
		p, _ := r.part(n)
		owners[n] = p.Owner
	}
	return owners
}

// fairness returns Jain's index of the partitions of the members that may own some, 1 if all have
// the same. most is the largest number of one over the mean.
func (r *rehearsal) fairness() (jain, most float64) {
	has := map[string]float64{}
	for name, c := range r.crawlers {
		if !c.down && !r.seen.drains[name] {
			has[name] = 0
		}
	}
	for _, owner := range r.owners() {
		has[owner]++
	}
	var sum, squares float64
	for _, n := range has {
		sum += n
		squares += n * n
		most = max(most, n)
	}
	k := float64(len(has))
	return sum * sum / (k * squares), most * k / sum
}

func (r *rehearsal) join(from, to int) {
	for i := from; i < to; i++ {
		r.crawlers[fmt.Sprintf("w%03d", i)] = &rehearsed{}
	}
}

// TestSimulation rehearses a hundred crawlers. It shows how many partitions change their owners,
// how long they are not crawled, and how even the shares are.
func TestSimulation(t *testing.T) {
	const crew = 100
	for _, parts := range []int{64, 256, 1024} {
		t.Run(fmt.Sprint(parts), func(t *testing.T) {
			if parts > 256 {
				nightly.SkipUnlessNightly(t)
			}
			t.Parallel()
			r := newRehearsal(parts)
			tell := func(what string, least, most int, wait time.Duration) {
				moves, took := r.pass(t, wait)
				jain, top := r.fairness()
				t.Logf("%4d partitions, %-42s %5d moves (least %d), calm after %5v, idle %.3f %% of the time, at most %d at once; Jain %.3f, most/mean %.2f",
					parts, what, moves, least, took, 100*float64(r.idle)/float64(max(1, r.all)), r.worst, jain, top)
				r.idle, r.all, r.worst = 0, 0, 0
				if moves < least || moves > most {
					t.Errorf("%s: %d moves, not %d to %d", what, moves, least, most)
				}
				if spread := r.spread(); spread > 1 {
					t.Errorf("%s: shares differ by %d", what, spread)
				}
			}
			r.join(0, crew)
			tell("100 crawlers begin", parts, parts, 0)
			r.join(crew, crew+10)
			need := r.excess()
			tell("10 join", need, need, 30*time.Second)
			for i := range crew + 10 { // a rolling restart, shorter than the lease
				c := r.crawlers[fmt.Sprintf("w%03d", i)]
				c.down = true
				for range 10 {
					if err := r.step(); err != nil {
						t.Fatal(err)
					}
				}
				c.down = false
				c.boot++
			}
			tell("all are started again, one after the other", 0, 0, 0)
			lost := 0
			owners := r.owners()
			for i := range 5 {
				name := fmt.Sprintf("w%03d", 10*i)
				r.crawlers[name].down = true
				for _, owner := range owners {
					if owner == name {
						lost++
					}
				}
			}
			tell("5 die", lost, lost, 5*time.Minute)
			drained := 0
			for i := range 5 {
				name := fmt.Sprintf("w%03d", 10*i+1)
				for _, owner := range r.owners() {
					if owner == name {
						drained++
					}
				}
				if err := r.set(cluster.DrainPrefix+name, cluster.Drain{By: "test"}, 0); err != nil {
					t.Fatal(err)
				}
			}
			tell("5 are drained", drained, drained, 30*time.Second)
			r.join(crew+10, 2*crew+10)
			need = r.excess()
			tell("100 more join", need, need, 30*time.Second)
		})
	}
}

// excess returns the number of partitions that must move for even shares of all crawlers that may own some.
func (r *rehearsal) excess() (n int) {
	has := r.shares()
	slices.SortFunc(has, func(a, b int) int { return cmp.Compare(b, a) })
	for i, n0 := range has {
		share := r.conf.Partitions / len(has)
		if i < r.conf.Partitions%len(has) {
			share++
		}
		n += max(0, n0-share)
	}
	return n
}

func (r *rehearsal) spread() int {
	has := r.shares()
	return slices.Max(has) - slices.Min(has)
}

// shares counts the partitions of each crawler that may own some.
func (r *rehearsal) shares() (has []int) {
	owners := r.owners()
	for _, name := range slices.Sorted(maps.Keys(r.crawlers)) {
		if r.crawlers[name].down || r.seen.drains[name] {
			continue
		}
		n := 0
		for _, owner := range owners {
			if owner == name {
				n++
			}
		}
		has = append(has, n)
	}
	return has
}
