// Command reading measures the cost of reading pages relative to html.Parse, as CPU time of one run:
//
//	go run ./reading                        extraction of the 441 pages of BenchmarkExtract
//	go run ./reading -parse                 only the steps of parsing the same pages
//	go run ./reading -crawl -budget 1000    the default crawl of the frozen web, which is indexed first
//
// It must run in internal/bench, with ../shared beside the repository.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"strings"
	"syscall"
	"time"

	"github.com/eventseer/eventseer/datasets"
	"github.com/eventseer/eventseer/eventseer/extract"
	"github.com/eventseer/eventseer/features/htmltree"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/internal/warc"
	"github.com/eventseer/eventseer/webgraph"

	"golang.org/x/net/html"
)

func main() {
	shared := flag.String("shared", "../../../shared", "folder of the corpora")
	crawl := flag.Bool("crawl", false, "measure a crawl of the frozen web, not extraction")
	parse := flag.Bool("parse", false, "measure parsing alone, by steps")
	budget := flag.Int("budget", 1000, "pages of the crawl")
	seeds := flag.String("seeds", "00", "seed file of the frozen web")
	rounds := flag.Int("rounds", 5, "rounds of extraction; the fastest counts")
	profile := flag.String("cpuprofile", "", "write the CPU profile of extraction to this file")
	allocs := flag.String("memprofile", "", "write the profile of all allocations to this file")
	flag.Parse()
	if *allocs != "" {
		runtime.MemProfileRate = 4096
	}
	var err error
	switch {
	case *crawl:
		err = measureCrawl(*shared, *seeds, *budget)
	case *parse:
		err = measureParsing(*shared, *rounds, *profile)
	default:
		err = measureExtraction(*shared, *rounds, *profile)
	}
	if err == nil && *allocs != "" {
		err = writeAllocs(*allocs)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "reading:", err)
		os.Exit(1)
	}
}

// cpuSeconds returns the CPU time this process has used, in seconds.
func cpuSeconds() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return math.NaN()
	}
	return totalSeconds(u)
}

func totalSeconds(u syscall.Rusage) float64 {
	return (time.Duration(u.Utime.Nano()) + time.Duration(u.Stime.Nano())).Seconds()
}

// measureCPU returns the CPU time of f in seconds. It collects garbage first.
func measureCPU(f func()) float64 {
	runtime.GC()
	before := cpuSeconds()
	f()
	return cpuSeconds() - before
}

func parseAll(pages []*webgraph.Page) {
	for _, p := range pages {
		_, _ = html.Parse(bytes.NewReader(p.Body)) // its only errors are those of the reader
	}
}

// samplePages returns the pages of BenchmarkExtract.
func samplePages(shared string) (pages []*webgraph.Page, err error) {
	for name, n := range map[string]int{"gold": 1, "pages": 12} {
		more, err := everyNth(filepath.Join(shared, "corpora", name, "pages.warc.gz"), n)
		if err != nil {
			return nil, err
		}
		pages = append(pages, more...)
	}
	return pages, nil
}

// profileTo begins a CPU profile to a file, and returns a function that ends it. For "" there is no
// profile.
func profileTo(path string) (stop func(), err error) {
	if path == "" {
		return func() {}, nil
	}
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() {
		pprof.StopCPUProfile()
		_ = f.Close() // an incomplete profile is noticed when it is read
	}, nil
}

// writeAllocs writes the profile of all allocations so far to a file.
func writeAllocs(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(pprof.Lookup("allocs").WriteTo(f, 0), f.Close())
}

// measureParsing prints the CPU time of the steps from bytes to a tag tree as fractions of html.Parse.
// Each step is measured in its fastest round; the rounds of the steps alternate.
func measureParsing(shared string, rounds int, profile string) error {
	pages, err := samplePages(shared)
	if err != nil {
		return err
	}
	var texts []string
	for _, p := range pages {
		if s, plain, err := htmltree.ContentText(p); err == nil && !plain {
			texts = append(texts, s)
		}
	}
	stop, err := profileTo(profile)
	if err != nil {
		return err
	}
	defer stop()
	steps := []struct {
		name string
		read func()
	}{
		{"html.Parse", func() { parseAll(pages) }},
		{"charset and type", func() {
			for _, p := range pages {
				_, _, _ = htmltree.ContentText(p) // pages that are not text are part of the sample too
			}
		}},
		{"compact tree", func() {
			for _, s := range texts {
				htmltree.ParseCompact(s).Release()
			}
		}},
		{"nodes of x/net/html", func() {
			for _, s := range texts {
				htmltree.Parse(s)
			}
		}},
		{"tagtree.Parse", func() {
			for _, p := range pages {
				_, _ = tagtree.Parse(p)
			}
		}},
	}
	best := make([]float64, len(steps))
	for round := range rounds {
		for i, s := range steps {
			if t := measureCPU(s.read); round == 0 || t < best[i] {
				best[i] = t
			}
		}
	}
	fmt.Printf("| %d pages, fastest of %d rounds | ms of CPU a page | ÷ html.Parse |\n|---|---|---|\n", len(pages), rounds)
	for i, s := range steps {
		fmt.Printf("| %s | %.3f | %.2f |\n", s.name, 1e3*best[i]/float64(len(pages)), best[i]/best[0])
	}
	return nil
}

// measureExtraction prints the CPU time of parsing and extraction relative to html.Parse.
func measureExtraction(shared string, rounds int, profile string) error {
	pages, err := samplePages(shared)
	if err != nil {
		return err
	}
	cities, err := datasets.Cities()
	if err != nil {
		return err
	}
	x := extract.New(extract.Options{Cities: func(name string) (all []extract.City) {
		for _, c := range cities.Lookup(name) {
			all = append(all, extract.City(c))
		}
		return all
	}})
	stop, err := profileTo(profile)
	if err != nil {
		return err
	}
	defer stop()
	best := [3]float64{math.Inf(1), math.Inf(1), math.Inf(1)}
	var trees []*tagtree.Tree
	for range rounds {
		best[0] = min(best[0], measureCPU(func() { parseAll(pages) }))
		best[1] = min(best[1], measureCPU(func() {
			trees = trees[:0]
			for _, p := range pages {
				if t, err := tagtree.Parse(p); err == nil {
					trees = append(trees, t)
				}
			}
		}))
		best[2] = min(best[2], measureCPU(func() {
			for _, t := range trees {
				x.Extract(t)
			}
		}))
	}
	n := float64(len(pages))
	fmt.Printf("%d pages, CPU a page in the fastest of %d rounds: html.Parse %.3f ms, tagtree.Parse %.3f ms, extraction %.3f ms\n",
		len(pages), rounds, 1e3*best[0]/n, 1e3*best[1]/n, 1e3*best[2]/n)
	fmt.Printf("extraction of a parsed page ÷ html.Parse %.1f, with parsing %.1f\n", best[2]/best[0], (best[1]+best[2])/best[0])
	return nil
}

// everyNth returns every n-th HTML page of a WARC file, starting with the first.
func everyNth(path string, n int) ([]*webgraph.Page, error) {
	var pages []*webgraph.Page
	i := 0
	for p, err := range warc.Pages(path) {
		if err != nil {
			return nil, err
		}
		if strings.Contains(p.Header.Get("Content-Type"), "html") {
			if i%n == 0 {
				pages = append(pages, p)
			}
			i++
		}
	}
	return pages, nil
}

// measureCrawl runs the default crawl of the frozen web as a separate process. It compares its CPU time
// with html.Parse of the pages it fetched. The web is indexed first: a crawl of the live web opens no
// index, and indexing costs the same for every crawl.
func measureCrawl(shared, seeds string, budget int) error {
	dir, err := os.MkdirTemp("", "reading")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	program, run, archive := filepath.Join(dir, "eventseer"), filepath.Join(dir, "run"), filepath.Join(dir, "web.warc.gz")
	build := exec.Command("go", "build", "-o", program, "./cmd/eventseer")
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, out)
	}
	web, err := filepath.Abs(filepath.Join(shared, "corpora", "web"))
	if err != nil {
		return err
	}
	for _, name := range []string{"web.warc.gz", "hosts.json"} { // hosts.json has the rules of the web's hosts
		if err := os.Symlink(filepath.Join(web, name), filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	indexing, err := cpuOf(program, "web", "index", "--quiet", archive)
	if err != nil {
		return err
	}
	start, err := cpuOf(program, "version")
	if err != nil {
		return err
	}
	crawl, err := cpuOf(program, "crawl", "--quiet", "--replay", archive, "--seeds", filepath.Join(web, "seeds", seeds+".txt"), "--budget", fmt.Sprint(budget), "--run", run)
	if err != nil {
		return err
	}
	fetched, err := fetchedURLs(filepath.Join(run, "pages.jsonl"))
	if err != nil {
		return err
	}
	var pages []*webgraph.Page
	for p, err := range warc.Pages(archive) {
		if err != nil {
			return err
		}
		if fetched[p.URL] && strings.Contains(p.Header.Get("Content-Type"), "html") {
			pages = append(pages, p)
		}
	}
	parse := math.Inf(1)
	for range 3 {
		parse = min(parse, measureCPU(func() { parseAll(pages) }))
	}
	fmt.Printf("crawl of %d pages: %.2f s of CPU; html.Parse of the %d HTML pages among them: %.2f s; ratio %.1f\n",
		len(fetched), crawl, len(pages), parse, crawl/parse)
	fmt.Printf("not included: indexing the archive %.2f s, starting the program %.3f s\n", indexing, start)
	return nil
}

// cpuOf returns the CPU time that a program uses, in seconds.
func cpuOf(program string, args ...string) (float64, error) {
	cmd := exec.Command(program, args...)
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return 0, fmt.Errorf("%s %s: %w", filepath.Base(program), args[0], err)
	}
	usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0, errors.New("this system does not report the resources that a process used")
	}
	return totalSeconds(*usage), nil
}

// fetchedURLs returns the URLs for which a crawl received a response.
func fetchedURLs(path string) (map[string]bool, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	urls := map[string]bool{}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var l struct {
			URL    string `json:"url"`
			Status int    `json:"status"`
		}
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if l.Status == 200 {
			urls[l.URL] = true
		}
	}
	return urls, lines.Err()
}
