package lab

import (
	"compress/gzip"
	"io"
	"math"
	"path/filepath"
	"strconv"

	"github.com/eventseer/eventseer/internal/text"
)

// WriteRuns writes a table of the crawls, one row each in the order of Cells, as CSV with a header.
// Its columns are strategy, seeds, repeat, found (targets), events (distinct ones), area and
// area_1000 (see Run.AUC), first_hit and tenth_hit (pages spent; empty if not found), pages, calls
// (for backlinks), spent (pages of budget), hosts, target_hosts, violations.
func (e *Experiment) WriteRuns(w io.Writer, runs []Run) error {
	out, worth := text.NewCSV(w), e.TotalValue()
	rows := [][]string{{"strategy", "seeds", "repeat", "found", "events", "area", "area_1000", "first_hit", "tenth_hit", "pages", "calls", "spent", "hosts", "target_hosts", "violations"}}
	for i := range runs {
		r := &runs[i]
		rows = append(rows, []string{
			r.Strategy, r.Seeds, strconv.Itoa(r.Repeat), strconv.Itoa(r.Found()), strconv.Itoa(r.Events()),
			numberText(r.HarvestArea(e.Budget, worth)), numberText(r.HarvestArea(e.EarlyBudget(), worth)), numberText(r.FirstHit), numberText(r.TenthHit),
			strconv.Itoa(r.Pages), strconv.Itoa(r.Calls), numberText(r.Spent), strconv.Itoa(r.Hosts), strconv.Itoa(r.TargetHosts), strconv.Itoa(r.Violations),
		})
	}
	return out.WriteAll(rows)
}

// WriteVisits writes a table of the spending of the crawls in the folder dir, as gzipped CSV with a
// header. Rows are in the order of Cells and of time. Columns are strategy, seeds, repeat, n (from
// 1 in each crawl), url, how (see Visit), status (of HTTP, 0 without a response), bytes, cost
// (pages), spent (pages so far), and kind and event of the target, empty if it is not a target or
// does not count. Visits beyond the budget are left out.
func (e *Experiment) WriteVisits(w io.Writer, dir string) error {
	zipped := gzip.NewWriter(w)
	out := text.NewCSV(zipped)
	targets := newTargetScorer(e).targets
	head := []string{"strategy", "seeds", "repeat", "n", "url", "how", "status", "bytes", "cost", "spent", "kind", "event"}
	if err := out.Write(head); err != nil {
		return err
	}
	for _, c := range e.Cells() {
		n, spent := 0, 0.0
		for v, err := range readVisits(filepath.Join(dir, RunsDir, c.Name())) {
			if err != nil {
				return err
			}
			if spent += v.Cost; spent > float64(e.Budget)+crumb {
				break
			}
			n++
			var t Target
			if !v.Call && v.Cost > 0 {
				t = targets[v.URL]
			}
			err := out.Write([]string{
				c.Strategy, c.Seeds, strconv.Itoa(c.Repeat), strconv.Itoa(n), v.URL, v.How, strconv.Itoa(v.Status), strconv.Itoa(v.Bytes),
				numberText(v.Cost), numberText(spent), t.Kind, t.Event,
			})
			if err != nil {
				return err
			}
		}
	}
	out.Flush()
	if err := out.Error(); err != nil {
		return err
	}
	return zipped.Close()
}

// numberText formats a number with up to six significant digits, "" for NaN.
func numberText(x float64) string {
	if math.IsNaN(x) {
		return ""
	}
	return strconv.FormatFloat(math.Round(x*1e6)/1e6, 'g', -1, 64)
}
