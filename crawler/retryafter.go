package crawler

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// MaxRetryAfter is the longest wait a server is granted.
const MaxRetryAfter = 24 * time.Hour

// RetryAfter returns the time that a Retry-After header states (RFC 9110 §10.2.3), at most
// MaxRetryAfter from now. It is the zero time if there is none or a past one.
func RetryAfter(h http.Header, now time.Time) time.Time {
	value := strings.TrimSpace(h.Get("Retry-After"))
	wait := time.Duration(0)
	if seconds, err := strconv.ParseUint(value, 10, 32); err == nil {
		wait = time.Duration(seconds) * time.Second
	} else if errors.Is(err, strconv.ErrRange) {
		wait = MaxRetryAfter
	} else if at, err := http.ParseTime(value); err == nil {
		wait = at.Sub(now)
	}
	if wait <= 0 {
		return time.Time{}
	}
	return now.Add(min(wait, MaxRetryAfter))
}

// WaitFor waits for d. If ctx ends first, it returns the error of ctx.
func WaitFor(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
