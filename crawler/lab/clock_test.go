package lab

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/webgraph"
)

func TestParseClock(t *testing.T) {
	for _, s := range []string{"workers=8,delay=5s,latency=500ms,bandwidth=1e+06", "workers=1,delay=0s,latency=0s,bandwidth=1"} {
		if c, err := ParseClock(s); err != nil || c.String() != s {
			t.Errorf("%s: %s, %v", s, c, err)
		}
	}
	if c, err := ParseClock("workers=2"); err != nil || c.Workers != 2 || c.Delay != DefaultClock().Delay {
		t.Errorf("settings that are not named: %+v, %v", c, err)
	}
	for _, s := range []string{"hosts=1", "workers=0", "workers=2,workers=3", "delay=-1s", "delay=2h", "latency=x", "bandwidth=0", "bandwidth=NaN", "bandwidth=Inf", "workers=9999999"} {
		if c, err := ParseClock(s); err == nil {
			t.Errorf("%q is a clock: %s", s, c)
		}
	}
}

// plain is a clock without latencies that differ.
func plain(workers int) Clock { return Clock{Workers: workers, Delay: 5 * time.Second, Bandwidth: 1e6} }

// pagesOf returns visits of pages of a megabyte each, at "host" or "host<parent host".
func pagesOf(said string) (visits []Visit) {
	for i, word := range strings.Fields(said) {
		host, parent, _ := strings.Cut(word, "<")
		v := Visit{URL: fmt.Sprintf("https://%s.example/%d", host, i), Cost: 1, Status: 200, Bytes: 1e6, How: string(crawler.Forward)}
		if parent != "" {
			for _, p := range visits {
				if strings.HasPrefix(p.URL, "https://"+parent+".") {
					v.Parent = p.URL
				}
			}
		}
		visits = append(visits, v)
	}
	return visits
}

func TestClockTimes(t *testing.T) {
	for _, tt := range []struct {
		name, said string
		workers    int
		want       []int // seconds
	}{
		{"a host rests after each request", "a a a", 8, []int{1, 7, 13}},
		{"hosts side by side", "a b c", 2, []int{1, 1, 2}},
		{"one worker", "a b c", 1, []int{1, 2, 3}},
		{"others come while a host rests", "a a b c", 1, []int{1, 7, 2, 3}},
		{"a page comes after its parent", "a b<a c<b", 8, []int{1, 2, 3}},
	} {
		got, err := plain(tt.workers).endTimes(pagesOf(tt.said))
		if err != nil {
			t.Fatal(err)
		}
		var seconds []int
		for _, d := range got {
			seconds = append(seconds, int(d/time.Second))
		}
		if !slices.Equal(seconds, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, seconds, tt.want)
		}
	}
	back := pagesOf("a b c")
	back[1] = Visit{URL: back[0].URL, Call: true, Cost: 1, How: "backlinks"}
	back[2].How, back[2].Parent = string(crawler.Back), back[0].URL
	got, err := plain(8).endTimes(append(back, Visit{URL: "https://gone.example/", Parent: back[2].URL, Status: 404}))
	if err != nil || got[1] != time.Second || got[2] != 2*time.Second || got[3] != got[2] {
		t.Errorf("a call, a page it brought, one that costs nothing: %v, %v", got, err)
	}
	if _, err := plain(1).endTimes(make([]Visit, maxTimed+1)); err == nil || !strings.Contains(err.Error(), "--budget") {
		t.Errorf("too many visits: %v", err)
	}
}

// Whatever is crawled, hosts rest, workers are not exceeded, and pages come after their parents.
func TestClockIsPolite(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		c := Clock{Workers: 1 + r.IntN(6), Delay: time.Duration(r.IntN(4)+1) * time.Second, Latency: time.Duration(r.IntN(900)) * time.Millisecond, Bandwidth: 1e6}
		var visits []Visit
		for i := range 200 {
			v := Visit{URL: fmt.Sprintf("https://h%d.example/%d", r.IntN(12), i), Cost: 1, Status: 200, Bytes: r.IntN(2e6), How: string(crawler.Forward)}
			if i > 0 && r.IntN(4) > 0 {
				v.Parent = visits[r.IntN(i)].URL
			}
			visits = append(visits, v)
		}
		ends, err := c.endTimes(visits)
		if err != nil {
			t.Fatal(err)
		}
		starts := make([]time.Duration, len(visits))
		byHost := map[webgraph.Host][]int{}
		of := map[string]int{}
		for i, v := range visits {
			starts[i] = ends[i] - c.requestDuration(webgraph.HostOf(v.URL), v.Bytes)
			byHost[webgraph.HostOf(v.URL)] = append(byHost[webgraph.HostOf(v.URL)], i)
			of[v.URL] = i
			if p, ok := of[v.Parent]; ok && starts[i] < ends[p] {
				t.Fatalf("%s begins at %s, before its parent ends at %s", v.URL, starts[i], ends[p])
			}
		}
		for host, is := range byHost {
			slices.SortFunc(is, func(a, b int) int { return int(starts[a] - starts[b]) })
			for k := 1; k < len(is); k++ {
				if rest := starts[is[k]] - ends[is[k-1]]; rest < c.Delay {
					t.Fatalf("%s rests %s of %s", host, rest, c.Delay)
				}
			}
		}
		for i := range starts {
			busy := 0
			for j := range starts {
				if starts[j] <= starts[i] && starts[i] < ends[j] {
					busy++
				}
			}
			if busy > c.Workers {
				t.Fatalf("%d requests at once by %d workers", busy, c.Workers)
			}
		}
	}
}

// Two crawls find the same with the same pages; the one that stays on one host takes longer.
func TestEffort(t *testing.T) {
	e := Experiment{Strategies: []string{"stays", "roams"}, Seeds: []string{"a"}, Repeats: 1, Budget: 6, Clock: plain(8)}
	var runs []Run
	for name, said := range map[string]string{"stays": "a a a a a t", "roams": "a b c d e t"} {
		visits := pagesOf(said)
		e.Targets = []Target{{URL: visits[1].URL, Kind: "page"}}
		r, err := e.ScoreCell(Cell{name, "a", 0}, Record{Visits: func(yield func(Visit, error) bool) {
			for _, v := range visits {
				if !yield(v, nil) {
					return
				}
			}
		}})
		if err != nil {
			t.Fatal(err)
		}
		if r.Megabytes.At[0] != 2 || r.Megabytes.End != 6 || r.Found() != 1 {
			t.Errorf("%s: %+v of %d targets", name, r.Megabytes, r.Found())
		}
		runs = append(runs, r)
	}
	s := e.Summarise(runs, All, 1).Effort
	hours := s["hours"]
	if got, want := hours.Limit*3600, 1.0; got != want {
		t.Errorf("measured up to %v s, want %v, when the first had spent its budget", got, want)
	}
	if hours.Found["roams"].Mean != 1 || hours.Found["stays"].Mean != 0 || hours.End["stays"].Mean <= hours.End["roams"].Mean {
		t.Errorf("at equal hours: %+v", hours)
	}
	if m := s["megabytes"]; m.Area["stays"].Mean != m.Area["roams"].Mean || m.Area["stays"].Mean != 4.0/6 {
		t.Errorf("at equal megabytes: %+v", m)
	}
	var out strings.Builder
	if err := writeEffort(&out, &e, runs, 1); err != nil || strings.Count(out.String(), "\n") != 1+2*2*(effortPoints+1) {
		t.Errorf("%v:\n%s", err, out.String())
	}
}
