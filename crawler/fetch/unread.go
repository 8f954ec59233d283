package fetch

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/webgraph"
)

// UnreadFile is the file in which UnreadPDFs stores addresses, one per line.
const UnreadFile = "unread-pdfs.txt"

// maxUnread bounds that file; further addresses are refused permanently.
const maxUnread = 4 << 20 // bytes

// UnreadPDFs stores the addresses of PDFs that were refused because pdftotext was missing, so that
// they are fetched again once it is installed. It is a crawl's observer; only one process at a time
// may use Dir.
type UnreadPDFs struct{ Dir string }

// ObservePages implements crawler.Observer.
func (u UnreadPDFs) ObservePages(batch []crawler.StepRecord) error {
	var lines strings.Builder
	for _, t := range batch {
		o := t.Arrival.Outcome
		if o.Fate == crawler.Refused && strings.Contains(o.Reason, ErrNoPDFTool.Error()) {
			lines.WriteString(t.Arrival.Lease.URL + "\n")
		}
	}
	if lines.Len() == 0 {
		return nil
	}
	f, err := os.OpenFile(filepath.Join(u.Dir, UnreadFile), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("store the addresses of PDFs that cannot be read yet: %w", err)
	}
	if info, statErr := f.Stat(); statErr == nil && info.Size() < maxUnread {
		_, err = f.WriteString(lines.String())
	}
	return errors.Join(err, f.Close())
}

// RequeueUnread pushes these PDFs into the frontier again if pdftotext is now installed, and then
// clears the file. Invalid lines are ignored.
func (u UnreadPDFs) RequeueUnread(ctx context.Context, to crawler.Frontier, now time.Time) error {
	if _, err := exec.LookPath("pdftotext"); err != nil {
		return nil
	}
	path := filepath.Join(u.Dir, UnreadFile)
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // read only
	var again []crawler.Candidate
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if url, err := webgraph.Canonical(lines.Text()); err == nil {
			again = append(again, crawler.Candidate{URL: url, Score: crawler.MaxScore, How: crawler.Seed, Again: now.Add(1)}) // whenever it was refused
		}
	}
	if err := errors.Join(lines.Err(), to.Push(ctx, again)); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return os.Remove(path)
}
