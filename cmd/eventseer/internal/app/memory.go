package app

import "runtime/debug"

const (
	// A crawl keeps little and throws away much: at Go's usual 100 % a quarter of
	// its time goes into collecting garbage.
	crawlGCPercent = 400
	// Beyond this limit, memory is worth more than time. A crawl of a million pages uses 0.2 GB, a
	// frontier of 10 million URLs 0.5 GB.
	crawlMemory = 1 << 30 // bytes
)

// SpendMemory lets a crawl use more memory and less time for collecting garbage,
// unless GOGC or GOMEMLIMIT say what to do. The function returned ends that.
func SpendMemory(a *App) (stop func()) {
	if a.Getenv("GOGC") != "" || a.Getenv("GOMEMLIMIT") != "" {
		return func() {}
	}
	percent, limit := debug.SetGCPercent(crawlGCPercent), debug.SetMemoryLimit(crawlMemory)
	return func() {
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(limit)
	}
}
