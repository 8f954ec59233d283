package admin

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/eventseer/eventseer/crawler/backlink"
	"github.com/eventseer/eventseer/crawler/frontier"
	"github.com/eventseer/eventseer/crawler/rundir"
)

// An Inspector returns the state of a crawl, running or not. It is safe for concurrent use.
type Inspector struct {
	Data, Run string // folders
	Running   bool
	Frontier  *frontier.Frontier
	Links     *backlink.LinkDB
	Blocked   func(url string) string // the crawl's
	Robots    func(url string) string // verdict of the cached robots.txt; nil without a cache
	// Watched returns when the monitor visits a source and why; nil if there are no sources.
	Watched func(ctx context.Context, url string) (string, error)
	Now     func() time.Time
}

// lastPage returns the last page in the record of run, nil if there is none.
func lastPage(run string) (*rundir.Page, error) {
	if run == "" {
		return nil, nil
	}
	line, err := lastLine(filepath.Join(run, rundir.PagesFile))
	if err != nil || line == nil {
		return nil, err
	}
	p := new(rundir.Page)
	if json.Unmarshal(line, p) != nil {
		return nil, nil // a killed crawl may end with an incomplete line
	}
	return p, nil
}

// maxLine bounds the last line of pages.jsonl.
const maxLine = 256 << 10

// lastLine returns the last complete line of a file, nil if there is none within maxLine bytes of
// its end.
func lastLine(path string) ([]byte, error) {
	tail, err := ReadTail(path, maxLine)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	end := bytes.LastIndexByte(tail, '\n')
	if end < 0 {
		return nil, nil
	}
	return tail[bytes.LastIndexByte(tail[:end], '\n')+1 : end], nil
}

// Status returns the state of the crawl, with its longest queues.
func (i *Inspector) Status(top int) (CrawlStatus, error) {
	s := CrawlStatus{Data: i.Data, Running: i.Running, At: i.Now().UTC()}
	f, err := i.Frontier.Status(top)
	if err != nil {
		return s, err
	}
	s.Spent, s.NextDue = f.Spent, TimeOrNil(f.NextDue)
	l := f.Links
	s.Links = map[string]int{
		"waiting": l.Waiting, "due": l.Due, "leased": l.Leased, "fetched": l.Fetched, "unchanged": l.Unchanged, "gone": l.Gone,
		"refused": l.Refused, "dropped": l.Dropped, "alias": l.Alias,
	}
	s.Hosts = map[string]int{
		"known": f.Hosts.Known, "ready": f.Hosts.Ready, "resting": f.Hosts.Resting, "busy": f.Hosts.Busy, "dead": f.Hosts.Dead, "spent": f.Hosts.Spent,
	}
	for _, h := range f.Top {
		host := hostStatusOf(h.Host)
		host.State, host.Waiting, host.Why = string(h.State), h.Waiting, h.Why
		s.Top = append(s.Top, host)
	}
	standings, err := i.Links.Standings()
	if err != nil {
		return s, err
	}
	for _, st := range standings {
		s.Providers = append(s.Providers, providerStatus{st, st.ExpectedShare()})
	}
	s.Last, err = lastPage(i.Run)
	return s, err
}

// hostStatusOf converts the frontier's state of a host to a record.
func hostStatusOf(h frontier.Host) hostStatus {
	return hostStatus{
		Host: string(h.Name), Fetched: h.Fetched, Due: TimeOrNil(h.Due), Failures: h.Failures, Reason: h.Reason,
		CrawlDelay: h.CrawlDelay.Seconds(), Latency: h.Latency.Seconds(), Addr: h.Addr,
	}
}

// DisallowedBy begins the message about a page that a robots.txt disallows.
const DisallowedBy = "disallowed by "

// ReadTail reads the last bytes of a file.
func ReadTail(file string, limit int64) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // read only
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	tail := make([]byte, min(info.Size(), limit))
	n, err := f.ReadAt(tail, info.Size()-int64(len(tail)))
	return tail[:n], err
}
