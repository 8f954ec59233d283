package engine

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"slices"
	"time"

	"eventseer/cmd/eventseer/internal/admin"
	"eventseer/crawler"
)

// Limits of what lastCrawl reads.
const (
	maxRunsRead = 20
	maxTailRead = 256 << 10 // bytes of a run's pages
)

// Read reports whether a page was asked for and has answered, be it that it is as it was.
func Read(o crawler.Outcome) bool {
	return o.Fate == crawler.Fetched || o.Fate == crawler.Unchanged && !o.Unasked
}

// LastCrawl is when the runs recorded in a data directory last had an answer of a page,
// zero if none of the newest has.
func LastCrawl(dir string) time.Time {
	files, err := filepath.Glob(filepath.Join(dir, "runs", "*", "pages.jsonl"))
	if err != nil {
		return time.Time{}
	}
	slices.Sort(files) // the folders are named after their times
	for n, file := range slices.Backward(files) {
		if len(files)-n > maxRunsRead {
			break
		}
		if at := lastAnswer(file); !at.IsZero() {
			return at
		}
	}
	return time.Time{}
}

// lastAnswer is the time of the last page in a run's record that answered with what it
// holds, or that it has not changed.
func lastAnswer(file string) time.Time {
	tail, err := admin.TailOf(file, maxTailRead)
	if err != nil {
		return time.Time{} // a run that cannot be read tells nothing
	}
	for len(tail) > 0 {
		end := len(tail)
		if i := bytes.LastIndexByte(tail[:end-1], '\n'); i >= 0 {
			end = i + 1
		} else {
			end = 0
		}
		var line struct {
			At     time.Time `json:"t"`
			Status int       `json:"status"`
		}
		if json.Unmarshal(tail[end:], &line) == nil && line.Status >= 200 && line.Status < 400 {
			return line.At
		}
		tail = tail[:end]
	}
	return time.Time{}
}
