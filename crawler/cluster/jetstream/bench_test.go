package jetstream

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/eventseer/eventseer/crawler/cluster"
)

// buses runs a benchmark over a node alone, which syncs each write, and over three.
func buses(b *testing.B, run func(*testing.B, *bus)) {
	b.Run("R1", func(b *testing.B) {
		run(b, end(b, Options{URLs: []string{node(b, b.TempDir()).URL()}, MaxBytes: 2 << 30}, usual))
	})
	b.Run("R3", func(b *testing.B) {
		run(b, end(b, Options{URLs: threeNodes(b, nil).urls(), MaxBytes: 2 << 30}, usual))
	})
}

// publishAll publishes n messages from a number of callers.
func publishAll(b *testing.B, bus *bus, n, callers, size int, run string) {
	data := make([]byte, size)
	var next atomic.Int64
	var wg sync.WaitGroup
	for range callers {
		wg.Go(func() {
			for i := next.Add(1); i <= int64(n); i = next.Add(1) {
				if err := bus.Publish(b.Context(), int(i)%64, fmt.Sprint(run, i), data); err != nil {
					b.Error(err)
				}
			}
		})
	}
	wg.Wait()
}

func BenchmarkPublish(b *testing.B) {
	buses(b, func(b *testing.B, bus *bus) {
		for _, size := range []int{100, 8 << 10} {
			for _, callers := range []int{1, 16, 64} {
				b.Run(fmt.Sprintf("size=%d/callers=%d", size, callers), func(b *testing.B) {
					publishAll(b, bus, b.N, callers, size, fmt.Sprint(time.Now().UnixNano(), "."))
					b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "msg/s")
				})
			}
		}
	})
}

func BenchmarkConsume(b *testing.B) {
	buses(b, func(b *testing.B, bus *bus) {
		for i, size := range []int{100, 8 << 10} {
			b.Run(fmt.Sprintf("size=%d", size), func(b *testing.B) {
				q, data := 100+i, make([]byte, size)
				c, err := bus.Consume(b.Context(), q)
				if err != nil {
					b.Fatal(err)
				}
				var wg sync.WaitGroup
				for k := range 64 {
					wg.Go(func() {
						for i := k; i < b.N; i += 64 {
							if err := bus.Publish(b.Context(), q, fmt.Sprint(time.Now().UnixNano(), k, i), data); err != nil {
								b.Error(err)
							}
						}
					})
				}
				wg.Wait()
				b.ResetTimer()
				for got := 0; got < b.N; {
					ms, err := c.Next(b.Context(), 256, time.Second)
					if err != nil {
						b.Fatal(err)
					}
					for _, m := range ms {
						if err := m.Ack(); err != nil {
							b.Fatal(err)
						}
					}
					got += len(ms)
				}
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "msg/s")
			})
		}
	})
}

func BenchmarkSet(b *testing.B) {
	buses(b, func(b *testing.B, bus *bus) {
		for _, size := range []int{100, 8 << 10} {
			b.Run(fmt.Sprintf("size=%d", size), func(b *testing.B) {
				key, last := fmt.Sprint("k", time.Now().UnixNano()), uint64(0)
				for b.Loop() {
					rev, err := bus.Set(b.Context(), key, make([]byte, size), last)
					if err != nil {
						b.Fatal(err)
					}
					last = rev
				}
			})
		}
	})
}

// BenchmarkConsumers measures the cost of partitions. It is the time to make their consumers, and
// memory and processor time of three idle nodes in this process.
func BenchmarkConsumers(b *testing.B) {
	for _, parts := range []int{64, cluster.MaxPartitions} {
		b.Run(fmt.Sprintf("R3/parts=%d", parts), func(b *testing.B) {
			bus := end(b, Options{URLs: threeNodes(b, nil).urls(), MaxBytes: 2 << 30}, usual)
			before, goroutines := resident(b), runtime.NumGoroutine()
			b.ResetTimer()
			var wg sync.WaitGroup
			for k := range 16 {
				wg.Go(func() {
					for i := k; i < parts; i += 16 {
						if _, err := bus.Consume(b.Context(), i); err != nil {
							b.Error(err)
						}
					}
				})
			}
			wg.Wait()
			b.ReportMetric(b.Elapsed().Seconds()*1000/float64(parts), "ms/consumer")
			runtime.GC()
			b.ReportMetric(float64(resident(b)-before)/float64(parts)/1024/3, "KB/consumer/node")
			b.ReportMetric(float64(resident(b))/1024/1024/3, "MB/node")
			b.ReportMetric(float64(runtime.NumGoroutine()-goroutines)/float64(parts)/3, "goroutines/consumer/node")
			const idle = 20 * time.Second
			cpu := spent(b)
			time.Sleep(idle)
			b.ReportMetric(100*(spent(b)-cpu).Seconds()/idle.Seconds()/3, "%cpu/node")
		})
	}
}

func resident(b *testing.B) int {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		b.Skip(err)
	}
	pages, err := strconv.Atoi(strings.Fields(string(text))[1])
	if err != nil {
		b.Fatal(err)
	}
	return pages * os.Getpagesize()
}

func spent(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
