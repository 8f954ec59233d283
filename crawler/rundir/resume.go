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

// maxLine is longer than any line of pages.jsonl.
const maxLine = 1 << 20

// Resume opens the folder of an interrupted run. Arrivals after committed,
// which crawler.Committed tells, and what a crash tore are cut off; they come
// again. lost is how many committed arrivals the files lack: 0 after kill -9,
// more only after a power cut. A folder without a run is begun.
func Resume(path string, committed int, o Options) (d *Dir, lost int, err error) {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, 0, fmt.Errorf("run: %w", err)
	}
	t, err := cut(path, committed)
	if err != nil {
		return nil, 0, fmt.Errorf("run %s: resume: %w", path, err)
	}
	d, err = open(path, o, t)
	return d, committed - t.n, err
}

// cut brings pages and curve back to the last arrival that is committed and
// whole; the links follow when they are opened.
func cut(path string, committed int) (t totals, err error) {
	t, err = cutPages(filepath.Join(path, PagesFile), committed)
	if err != nil {
		return t, err
	}
	t.clips, err = cutCurve(filepath.Join(path, CurveFile), t.fetched)
	return t, err
}

// cutPages keeps the whole lines up to committed and sums them up.
func cutPages(path string, committed int) (t totals, err error) {
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
			t.count(p.URL, p.IsCFP)
		}
	}
}

// cutCurve keeps the header and rows rows of the curve, and returns the events
// of the last.
func cutCurve(path string, rows int) (events int, err error) {
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
			break // torn or missing
		}
		end += int64(len(line))
		var fetched, found int
		fmt.Sscanf(string(line), "%d,%d,%d", &fetched, &found, &events) // the header has none
	}
	return events, f.Truncate(end)
}
