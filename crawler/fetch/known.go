package fetch

// Known is Allowed as far as it is known without asking anybody: reason is ""
// where the robots.txt of a canonical URL's origin is not at hand.
func (f *Fetcher) Known(url string) (ok bool, reason string) {
	origin, _ := splitOrigin(url)
	file := f.robots.peek(origin)
	switch {
	case file.rules != nil:
		ok, rule := file.rules.Allowed(f.agent, url)
		return ok, "robots.txt of " + origin + ": " + rule.String()
	case file.err != nil:
		return false, file.err.Err.Error()
	}
	return false, ""
}

// RobotsCached returns how many robots.txt files are remembered, and the bytes of memory
// that they take, more or less.
func (f *Fetcher) RobotsCached() (files, bytes int) {
	f.robots.mu.Lock()
	defer f.robots.mu.Unlock()
	return len(f.robots.all), f.robots.total
}
