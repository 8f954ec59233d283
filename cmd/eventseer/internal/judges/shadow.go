package judges

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/classify/registry"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/internal/lines"
)

// maxShadowFile bounds the record of a shadow model in bytes: some 20,000 differences. Beyond it only
// the counts of runs are written, which are small and few.
const maxShadowFile = 4 << 20

// A shadowLine is a line of the record of a shadow model: a difference, or the counts of a run.
type shadowLine struct {
	*classify.Difference
	Tally *classify.ShadowTally `json:"tally,omitempty"`
	Used  string                `json:"model,omitempty"` // in use during the run
}

// shadowFile returns the file with the record of a shadow model.
func shadowFile(a *app.App, v registry.Version) string {
	return filepath.Join(a.Config.Data, app.ModelsDir, "shadow-"+v.Name()+".jsonl")
}

// openShadow returns the shadow model of a registry, nil without one. Its record is complete once the command
// has ended. If a shadow model cannot be used or recorded, this is reported, and pages are judged without it.
func openShadow(a *app.App, r *registry.Registry) (*classify.Shadow, error) {
	v, ok, err := r.ShadowVersion()
	if err != nil || !ok {
		return nil, err
	}
	data, err := r.Read(v)
	if err != nil {
		a.Logf("shadow model: %v", err)
		return nil, nil
	}
	m, err := readPageModel(v.Task, data)
	if err != nil {
		a.Logf("shadow model: %v", err)
		return nil, nil
	}
	used, err := r.InUse(v.Task)
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(shadowFile(a, v), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		a.Logf("shadow model %s: its judgements cannot be recorded: %v", v.Name(), err)
		return nil, nil
	}
	record := &shadowRecord{file: f}
	if info, err := f.Stat(); err == nil {
		record.size = info.Size()
	}
	s, err := classify.NewShadow(m, a.Now, record.appendDifference)
	if err != nil {
		a.Logf("shadow model %s: %v", v.Name(), err)
		return nil, f.Close()
	}
	a.OnClose(func() error {
		tally := s.Tally()
		if tally.Skipped > 0 || tally.Panics > 0 {
			a.Logf("shadow model %s: %s", v.Name(), describeTally(tally))
		}
		return record.appendCounts(shadowLine{Tally: &tally, Used: used.Name()})
	})
	return s, nil
}

// A shadowRecord appends to the record of a shadow model, a line with one write.
type shadowRecord struct {
	file *os.File
	size int64
	err  error
}

// appendDifference appends a difference while the file is small enough.
func (r *shadowRecord) appendDifference(d classify.Difference) {
	if r.size < maxShadowFile {
		r.appendLine(shadowLine{Difference: &d})
	}
}

func (r *shadowRecord) appendLine(line shadowLine) {
	var b bytes.Buffer
	if r.err == nil {
		r.err = lines.WriteJSON(&b, line)
	}
	if r.err == nil {
		_, r.err = r.file.Write(b.Bytes())
		r.size += int64(b.Len())
	}
}

// appendCounts appends the counts of a run with pages, and closes the file.
func (r *shadowRecord) appendCounts(line shadowLine) error {
	if t := *line.Tally; t.Judged+t.Skipped+t.Panics > 0 {
		r.appendLine(line)
	}
	if err := errors.Join(r.err, r.file.Close()); err != nil {
		return fmt.Errorf("record of the shadow model: %w", err)
	}
	return nil
}

// describeTally describes the counts of a shadow model.
func describeTally(t classify.ShadowTally) string {
	text := fmt.Sprintf("%d pages judged, %d differently", t.Judged, t.Differ)
	if t.Skipped > 0 && t.Used > 0 && t.Judged > 0 {
		all := t.Judged + t.Skipped + t.Panics
		times := (float64(t.Took) / float64(t.Judged+t.Panics)) / (float64(t.Used) / float64(all))
		text += fmt.Sprintf(", %d skipped because the model takes %.1f times as long as the models in use", t.Skipped, times)
	} else if t.Skipped > 0 {
		text += fmt.Sprintf(", %d skipped", t.Skipped)
	}
	if t.Panics > 0 {
		text += fmt.Sprintf(", %d failed, the last with %q: train it again with this program", t.Panics, t.Panic)
	}
	return text
}

// A ShadowReport is the record of a shadow model.
type ShadowReport struct {
	Shadow  string                `json:"shadow"`
	Used    []string              `json:"used"` // the models in use in the recorded runs
	Tally   classify.ShadowTally  `json:"tally"`
	Differ  []classify.Difference `json:"differ"`
	Cut     bool                  `json:"cut"` // the record is full, so differences are missing
	Unended bool                  `json:"-"`   // the last run has not ended, or was killed
}

// readShadow reads the record of a shadow model. A line that was cut short, by a process that was
// killed, is left out.
func readShadow(a *app.App, v registry.Version) (ShadowReport, error) {
	report := ShadowReport{Shadow: v.Name(), Used: []string{}, Differ: []classify.Difference{}}
	f, err := os.Open(shadowFile(a, v))
	if errors.Is(err, fs.ErrNotExist) {
		return report, nil
	}
	if err != nil {
		return report, err
	}
	defer func() { _ = f.Close() }() // read only: nothing to lose
	in := bufio.NewScanner(io.LimitReader(f, 2*maxShadowFile))
	in.Buffer(nil, 1<<20)
	size := 0
	for in.Scan() {
		size += len(in.Bytes()) + 1
		var line shadowLine
		if json.Unmarshal(in.Bytes(), &line) != nil {
			continue
		}
		if line.Difference != nil {
			report.Differ, report.Unended = append(report.Differ, *line.Difference), true
		}
		if line.Tally != nil {
			report.Tally, report.Unended = report.Tally.Add(*line.Tally), false
			if n := len(report.Used); n == 0 || report.Used[n-1] != line.Used {
				report.Used = append(report.Used, line.Used)
			}
		}
	}
	report.Cut = size >= maxShadowFile
	return report, in.Err()
}
