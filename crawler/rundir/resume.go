package rundir

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/eventseer/eventseer/webgraph"
)

// maxLine is the maximum length of a line of pages.jsonl, in bytes.
const maxLine = 1 << 20

// Resume opens the folder of an interrupted run. committed is the value returned by crawler.CommittedEnds. Later
// arrivals and partly written lines are cut off, because they will be written again. lost is the number of
// committed arrivals that the files lack: 0 after kill -9, possibly more after a power failure. If the folder
// has no run, a new one begins.
func Resume(path string, committed int, o Options) (d *Dir, lost int, err error) {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, 0, fmt.Errorf("run: %w", err)
	}
	t, err := truncateToCommitted(path, committed)
	if err != nil {
		return nil, 0, fmt.Errorf("run %s: resume: %w", path, err)
	}
	d, err = openDir(path, o, t)
	return d, committed - t.n, err
}

// truncateToCommitted truncates pages and curve after the last complete committed arrival. The links are truncated by
// openLinks.
func truncateToCommitted(path string, committed int) (t totals, err error) {
	t, err = truncatePages(filepath.Join(path, PagesFile), committed)
	if err != nil {
		return t, err
	}
	t.clips, err = truncateCurve(filepath.Join(path, CurveFile), t.fetched)
	return t, err
}

// truncatePages truncates the file after the complete lines up to committed, and returns their totals.
func truncatePages(path string, committed int) (t totals, err error) {
	t.hosts = map[webgraph.Host]bool{}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return t, err
	}
	defer f.Close()
	r := bufio.NewReaderSize(f, maxLine)
	end := int64(0)
	for {
		line, err := r.ReadSlice('\n')
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, bufio.ErrBufferFull) {
			return t, err
		}
		var p Page
		if err != nil || json.Unmarshal(line, &p) != nil || p.N > committed {
			return t, f.Truncate(end)
		}
		end += int64(len(line))
		t.n = p.N
		if p.How != Backlinks && p.Cost > 0 {
			t.countPage(p.URL, p.IsCFP)
		}
	}
}

// truncateCurve truncates the curve after its header and the given number of rows. It returns the number of events
// in the last row.
func truncateCurve(path string, rows int) (events int, err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	r := bufio.NewReaderSize(f, maxLine)
	end := int64(0)
	for range rows + 1 {
		line, err := r.ReadSlice('\n')
		if err != nil {
			break // incomplete or missing
		}
		end += int64(len(line))
		var fetched, found int
		fmt.Sscanf(string(line), "%d,%d,%d", &fetched, &found, &events) // the header has no numbers
	}
	return events, f.Truncate(end)
}
