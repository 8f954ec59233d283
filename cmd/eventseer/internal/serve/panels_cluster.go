package serve

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/eventseer/eventseer/crawler/cluster"
	"github.com/eventseer/eventseer/crawler/cluster/manager"
	"github.com/eventseer/eventseer/eventseer/ui"
)

// A ClusterPanel shows the operator the state of a cluster, and sends it orders.
type ClusterPanel struct {
	Bus  cluster.Bus
	Of   *manager.Manager
	Name string // of the manager that gives the orders
	Now  func() time.Time
	// Corrections sends corrections made here to the other managers until ctx ends.
	Corrections func(ctx context.Context) error
}

// uiPanel returns the operator's page of the cluster.
func (d ClusterPanel) uiPanel() ui.Panel {
	return ui.Panel{Name: "cluster", Title: "Cluster", Group: groupCrawl, Find: "Address of a page that a crawler stores", Show: d.showCluster, Act: d.actOnCluster}
}

// Status returns the manager's status for its operator's tools.
func (d ClusterPanel) Status(context.Context, int) (any, error) { return d.Of.Status(), nil }

func (d ClusterPanel) showCluster(_ context.Context, query map[string]string) (ui.Sheet, error) {
	s := d.Of.Status()
	sheet := ui.Sheet{
		Intro:  "Each crawler stores the pages and the frontier of its own part of the web. The manager assigns the parts.",
		Facts:  clusterFacts(s),
		Tables: []ui.Table{crawlerTable(s), orderTable(s)},
	}
	if page := strings.TrimSpace(query["q"]); page != "" {
		copies := ui.Table{Caption: "The requested page", Columns: []string{"Page", "Copy"}}
		copies.Rows = []ui.Row{{Cells: []ui.Cell{
			{Text: page, Href: page}, {Text: "The response as received, headers and body", Href: ClusterPath + "/page?" + url.Values{"url": {page}}.Encode()},
		}}}
		sheet.Tables = append([]ui.Table{copies}, sheet.Tables...)
	}
	return sheet, nil
}

// clusterFacts returns the main figures of a cluster.
func clusterFacts(s cluster.Status) []ui.Fact {
	leader := ui.Fact{Name: "Manager that leads", Value: fmt.Sprintf("%s, leader number %d", s.Leader, s.Term), State: "good"}
	if s.Leader == "" {
		leader = ui.Fact{Name: "Manager that leads", Value: "none yet", State: "warn"}
	}
	owned := ui.Fact{Name: "Partitions of the web", State: "good", Value: fmt.Sprintf("%d: %d owned, %d of them to move, %d without an owner",
		s.Parts.All, s.Parts.Owned, s.Parts.Moving, s.Parts.Orphans)}
	if s.Parts.Orphans > 0 {
		owned.State = "bad"
	}
	order := s.Do
	if s.Reason != "" {
		order += ": " + s.Reason
	}
	return []ui.Fact{
		leader, owned,
		{Name: "Order to all crawlers", Value: order},
		{Name: "Pages fetched", Value: strconv.Itoa(s.Sum.Pages)},
		{Name: "Calls found", Value: strconv.Itoa(s.Sum.Targets)},
		{Name: "Links that wait", Value: strconv.Itoa(s.Sum.Waiting)},
		{Name: "Links in transit", Value: fmt.Sprintf("%d at the crawlers that found them, %d messages in the queues", s.Sum.Outbox, s.Backlog.Waiting)},
		{Name: "Since this manager leads", Value: fmt.Sprintf("%d partitions moved, %d taken over from dead crawlers", s.Moves, s.Lost)},
	}
}

// crawlerTable lists crawlers.
func crawlerTable(s cluster.Status) ui.Table {
	t := ui.Table{
		Caption: "Crawlers", Empty: "No crawler has joined yet: start eventseer worker.",
		Columns: []string{"Crawler", "State", "Silent for", "Partitions", "Pages", "Calls", "Links that wait", "To be sent", "Sent", "Taken", "Last trouble"},
	}
	for _, w := range s.Workers {
		row := TextRow(w.Name, w.State, w.Silent.Round(time.Second).String(), rangesText(w.Parts), strconv.Itoa(w.Counts.Pages), strconv.Itoa(w.Counts.Targets),
			strconv.Itoa(w.Counts.Waiting), strconv.Itoa(w.Counts.Outbox), fmt.Sprint(w.Counts.LinksSent), fmt.Sprint(w.Counts.LinksTaken), w.Error)
		switch w.State {
		case cluster.StateWorking:
			row.Cells[1].State = "good"
		case cluster.StateSilent, cluster.StateRevoked, cluster.StateOther:
			row.Cells[1].State = "bad"
		}
		if w.State == cluster.StateDraining {
			row.Buttons = []ui.Button{{Action: "undrain", Subject: w.Name, Label: "Let it take part again"}}
		} else if w.State == cluster.StateWorking || w.State == cluster.StateJoining {
			row.Buttons = []ui.Button{{Action: "drain", Subject: w.Name, Label: "Hand over and end"}}
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// maxRanges is the maximum length of the numbers of partitions in bytes.
const maxRanges = 60

// rangesText returns the count of numbers and the numbers in short form, such as 5: 0–3, 7.
func rangesText(numbers []int) string {
	if len(numbers) == 0 {
		return "none"
	}
	var parts []string
	for i := 0; i < len(numbers); {
		j := i
		for j+1 < len(numbers) && numbers[j+1] == numbers[j]+1 {
			j++
		}
		text := strconv.Itoa(numbers[i])
		if j > i {
			text += "–" + strconv.Itoa(numbers[j])
		}
		parts = append(parts, text)
		i = j + 1
	}
	if text := strings.Join(parts, ", "); len(text) <= maxRanges {
		return fmt.Sprintf("%d: %s", len(numbers), text)
	}
	return strconv.Itoa(len(numbers))
}

// orderTable lists the possible orders to all crawlers.
func orderTable(s cluster.Status) ui.Table {
	t := ui.Table{Caption: "Orders", Columns: []string{"Order", "Meaning"}}
	for _, o := range Orders {
		row := TextRow(o.Do, o.Short)
		if o.Do == s.Do {
			row.Cells[0] = ui.Cell{Text: o.Do + ", the present order", State: "good"}
		} else {
			b := ui.Button{Action: "order", Subject: o.Do, Label: "Order to " + o.Do}
			if o.Do == cluster.DoFinish {
				b.Ask = "Type finish to end the crawl"
			}
			row.Buttons = []ui.Button{b}
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func (d ClusterPanel) actOnCluster(ctx context.Context, action, subject, value string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, AskTime/4)
	defer cancel()
	switch action {
	case "order":
		if subject == cluster.DoFinish && value != subject {
			return "Nothing was done: to end the crawl, type finish beside the button.", nil
		}
		err := cluster.GiveOrder(ctx, d.Bus, cluster.Order{Do: subject, Reason: "by the operator", By: d.Name, At: d.Now().UTC()})
		return "All crawlers got the order to " + subject + ".", err
	case "drain", "undrain":
		err := cluster.DrainWorker(ctx, d.Bus, subject, cluster.Drain{By: d.Name, At: d.Now().UTC()}, action == "undrain")
		if action == "undrain" {
			return subject + " takes part again.", err
		}
		return subject + " hands over what it owns, and ends.", err
	}
	return "", fmt.Errorf("unknown action %q", action)
}

// ClusterPath is the path where the operator can get copies of pages.
const ClusterPath = "/cluster"

// ServeHTTP serves the copy of a page stored by some crawler, as a download that browsers do not
// show, because its content is foreign.
func (d ClusterPanel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != ClusterPath+"/page" || r.Method != http.MethodGet {
		http.NotFound(w, r)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "application/octet-stream")
	h.Set("Content-Disposition", `attachment; filename="page.http"`)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	begun := &countingWriter{to: w}
	err := cluster.FetchRecordedPage(r.Context(), d.Bus, r.URL.Query().Get("url"), begun)
	switch {
	case err == nil:
		return
	case begun.n > 0:
		panic(http.ErrAbortHandler) // the client must not read it as complete
	}
	h.Del("Content-Disposition")
	status := http.StatusBadGateway
	if errors.Is(err, cluster.ErrNoPage) {
		status = http.StatusNotFound
	}
	http.Error(w, err.Error(), status)
}

// A countingWriter counts the bytes written.
type countingWriter struct {
	to http.ResponseWriter
	n  int
}

// Write implements io.Writer.
func (w *countingWriter) Write(p []byte) (int, error) {
	n, err := w.to.Write(p)
	w.n += n
	return n, err
}

// AskTime is the time limit of a query to a cluster.
const AskTime = time.Minute

// An Order is a command for all crawlers.
type Order struct{ Do, Short string }

// Orders are the orders that an operator can give to a cluster.
var Orders = []Order{
	{cluster.DoCrawl, "Make all crawlers crawl"},
	{cluster.DoMonitor, "Make all crawlers visit what is due, and follow only new links there, until they get the order to crawl"},
	{cluster.DoStop, "Make all crawlers pause, until they get the order to crawl"},
	{cluster.DoFinish, "End the crawl: all crawlers finish the pages they are fetching and end"},
}
