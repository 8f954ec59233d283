package app

import "runtime/debug"

const (
	// A crawl creates much garbage: with Go's default of 100 % it spends a quarter of its time on garbage
	// collection.
	crawlGCPercent = 400
	// Above this limit, memory is more expensive than time. A crawl of a million pages uses 0.2 GB,
	// a frontier of 10 million URLs 0.5 GB.
	crawlMemory = 1 << 30 // bytes
)

// RelaxMemoryLimit lets a crawl use more memory to reduce garbage collection, unless GOGC or GOMEMLIMIT
// is set. The returned function ends that.
func RelaxMemoryLimit(a *App) (stop func()) {
	if a.Getenv("GOGC") != "" || a.Getenv("GOMEMLIMIT") != "" {
		return func() {}
	}
	percent, limit := debug.SetGCPercent(crawlGCPercent), debug.SetMemoryLimit(crawlMemory)
	return func() {
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(limit)
	}
}
