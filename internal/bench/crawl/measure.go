package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"runtime/pprof"
	"slices"
	"strings"
	"syscall"
)

// A clientFigures is the measurement of one client.
type clientFigures struct {
	name      string
	pages     int     // different pages that the server sent
	rate      float64 // pages per second of wall-clock time
	cpu       float64 // CPU time per page in µs, of the client's processes
	rss       int64   // KiB at most, with pages of mapped files
	disk      int64   // bytes of files at the end; 0: it has none
	heap      int64   // bytes in use at the end; 0: not reported
	twice     int     // pages requested more than once
	outOfPage int     // pages that were never requested
}

// measureClients runs the server and then every client, and prints a table.
func measureClients(ctx context.Context, o options) error {
	if o.Web == "" {
		addr, stop, err := startServer(ctx, o)
		if err != nil {
			return err
		}
		defer stop()
		o.Web = addr
	}
	all := map[string][]clientFigures{}
	order := strings.Split(o.Clients, ",")
	for range o.Rounds {
		for _, name := range order {
			f, err := measureClient(ctx, o, name)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			fmt.Fprintf(os.Stderr, "%+v\n", f)
			all[name] = append(all[name], f)
		}
	}
	printTable(os.Stdout, o, order, all)
	return nil
}

// startServer starts a server on the first core. It returns its address and a function that stops it.
func startServer(ctx context.Context, o options) (addr string, stop func(), err error) {
	cmd := roleCommand(ctx, 0, o, "serve")
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	if err := cmd.Start(); err != nil {
		return "", nil, err
	}
	stop = func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // returns an error because the process was killed
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		stop()
	}
	return strings.TrimSpace(line), stop, err
}

// roleCommand returns a command that runs this program in another role on one core.
func roleCommand(ctx context.Context, core int, o options, role string) *exec.Cmd {
	cmd := commandOnCore(ctx, o, core, os.Args[0], "-role", role, "-web", o.Web, "-listen", o.Listen, "-cpuprofile", o.CPUProfile,
		"-pages", fmt.Sprint(o.Pages), "-hosts", fmt.Sprint(o.Hosts), "-workers", fmt.Sprint(o.Workers))
	cmd.Stderr = os.Stderr
	return cmd
}

// commandOnCore returns a command that runs on one core if clients are pinned to cores.
func commandOnCore(ctx context.Context, o options, core int, command ...string) *exec.Cmd {
	if o.Pin {
		command = append([]string{"taskset", "-c", fmt.Sprint(core)}, command...)
	}
	return exec.CommandContext(ctx, command[0], command[1:]...)
}

func measureClient(ctx context.Context, o options, name string) (clientFigures, error) {
	f := clientFigures{name: name}
	if name == "scrapy" {
		o.Pages = o.ScrapyPages
	}
	if _, err := fetchCount(o.Web); err != nil {
		return f, err
	}
	last := min(1, runtime.NumCPU()-1)
	cmd := roleCommand(ctx, last, o, name)
	if name == "scrapy" {
		var err error
		if cmd, err = scrapyCommand(ctx, last, o); err != nil {
			return f, err
		}
	}
	out, err := cmd.Output()
	if err != nil {
		return f, fmt.Errorf("%w: %s", err, out)
	}
	if name != "scrapy" {
		var own result
		if err := json.Unmarshal(out, &own); err != nil {
			return f, fmt.Errorf("the client's report %q: %w", out, err)
		}
		f.disk, f.heap = own.Disk, own.Heap
	}
	c, err := fetchCount(o.Web)
	if err != nil || c.Pages == 0 {
		return f, fmt.Errorf("the client fetched no pages: %w", err)
	}
	usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	f.pages, f.rss, f.twice, f.outOfPage = c.Pages, usage.Maxrss, c.Pages-c.Distinct, o.Pages-c.Distinct
	f.rate = float64(c.Pages) / c.Seconds
	f.cpu = float64((cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Microseconds()) / float64(c.Pages)
	return f, nil
}

// fetchCount requests the server's count and resets it.
func fetchCount(web string) (c clientCount, err error) {
	resp, err := http.Get("http://" + web + "/count")
	if err != nil {
		return c, err
	}
	defer resp.Body.Close()
	return c, json.NewDecoder(resp.Body).Decode(&c)
}

// runProfiled runs a client, with a CPU profile if requested.
func runProfiled(ctx context.Context, o options, crawl func(context.Context, options) (result, error)) (result, error) {
	if o.CPUProfile == "" {
		return crawl(ctx, o)
	}
	f, err := os.Create(o.CPUProfile + "." + o.Role)
	if err != nil {
		return result{}, err
	}
	defer f.Close()
	if err := pprof.StartCPUProfile(f); err != nil {
		return result{}, err
	}
	defer pprof.StopCPUProfile()
	return crawl(ctx, o)
}

// printTable prints the medians of all rounds, and the ratios to the first client and to Scrapy.
func printTable(w io.Writer, o options, order []string, all map[string][]clientFigures) {
	median := func(name string, of func(clientFigures) float64) float64 { return median(all[name], of) }
	rateOf := func(f clientFigures) float64 { return f.rate }
	ratio := func(name, base string) string {
		if all[base] == nil {
			return "–"
		}
		return fmt.Sprintf("%.2f", median(name, rateOf)/median(base, rateOf))
	}
	if o.Head {
		fmt.Fprintf(w, "| client | hosts | pages | pages/s | CPU µs/page | pages/s per core | max RSS MB | heap bytes/page | disk bytes/page | × %s | × scrapy |\n"+
			"|---|---|---|---|---|---|---|---|---|---|---|\n", order[0])
	}
	for _, name := range order {
		pages := float64(all[name][0].pages)
		cpu := median(name, func(f clientFigures) float64 { return f.cpu })
		fmt.Fprintf(w, "| %s | %d | %.0f | %.0f | %.0f | %.0f | %.0f | %.0f | %.0f | %s | %s |\n",
			name, o.Hosts, pages, median(name, rateOf), cpu, 1e6/cpu, median(name, func(f clientFigures) float64 { return float64(f.rss) })/1024,
			median(name, func(f clientFigures) float64 { return float64(f.heap) })/pages,
			median(name, func(f clientFigures) float64 { return float64(f.disk) })/pages, ratio(name, order[0]), ratio(name, "scrapy"))
	}
}

func median(fs []clientFigures, of func(clientFigures) float64) float64 {
	var xs []float64
	for _, f := range fs {
		xs = append(xs, of(f))
	}
	slices.Sort(xs)
	return xs[len(xs)/2]
}
