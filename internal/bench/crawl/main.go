// Command crawl measures how fast crawlers fetch a generated web:
//
//	go run ./crawl -pages 20000
//	go run ./crawl -clients bare,eventseer -cpuprofile /tmp/p
//	go run ./crawl -clients eventseer -pages 1000,10000,100000,1000000
//
// Several numbers of pages or hosts are measured one after the other, to see what grows. One process serves the web. The crawlers run one after the other, each in a process on its own cores.
// Scrapy is Debian's package python3-scrapy.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
)

// An options holds the flags; child processes get the same ones.
type options struct {
	Pages, Hosts, Workers int
	ScrapyPages           int
	Clients               string
	CPUProfile            string
	Rounds                int
	Pin                   bool
	Listen                string // address of the server
	Web                   string // address of a running server; "" starts one
	Role                  string // of a child
	Head                  bool   // print the head of the table
}

func main() {
	var o options
	pages, hosts := sizes{20000}, sizes{200}
	flag.Var(&pages, "pages", "pages of the web; several numbers are separated by commas")
	flag.Var(&hosts, "hosts", "hosts of the web; several numbers are separated by commas")
	flag.IntVar(&o.Workers, "workers", 64, "pages fetched at once, for all but Scrapy, which has its default of 16")
	flag.IntVar(&o.ScrapyPages, "scrapy-pages", 2000, "number of pages that Scrapy crawls")
	flag.StringVar(&o.Clients, "clients", strings.Join(clientNames(), ","), "clients to run, in this order")
	flag.StringVar(&o.CPUProfile, "cpuprofile", "", "write a profile of each Go client to FILE.CLIENT")
	flag.BoolVar(&o.Pin, "pin", true, "pin server and client to one core each; otherwise they share all cores")
	flag.IntVar(&o.Rounds, "rounds", 1, "number of crawls by each client; the table shows the medians")
	flag.StringVar(&o.Listen, "listen", "127.0.0.1:80", "address of the server; only Scrapy needs port 80")
	flag.StringVar(&o.Web, "web", "", "address of a server that is already running")
	flag.StringVar(&o.Role, "role", "", "used by the program itself: serve, or the name of a client")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	o.Head = true
	for _, o.Pages = range pages {
		for _, o.Hosts = range hosts {
			if err := run(ctx, o); err != nil {
				fmt.Fprintln(os.Stderr, "crawl:", err)
				os.Exit(1)
			}
			o.Head = false
		}
	}
}

// sizes is a flag of positive numbers.
type sizes []int

func (s *sizes) String() string { return strings.Trim(fmt.Sprint(*s), "[]") }

// Set implements flag.Value.
func (s *sizes) Set(value string) error {
	*s = nil
	for _, field := range strings.Split(value, ",") {
		n, err := strconv.Atoi(field)
		if err != nil || n < 1 {
			return fmt.Errorf("%q is not a positive number", field)
		}
		*s = append(*s, n)
	}
	return nil
}

func run(ctx context.Context, o options) error {
	switch o.Role {
	case "":
		return measureClients(ctx, o)
	case "serve":
		return serveWeb(ctx, o)
	}
	i := slices.IndexFunc(clients, func(c client) bool { return c.name == o.Role })
	if i < 0 || clients[i].crawl == nil {
		return fmt.Errorf("there is no client %q; the clients are %v", o.Role, clientNames())
	}
	found, err := runProfiled(ctx, o, clients[i].crawl)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(found)
}

// A client crawls a whole web.
type client struct {
	name  string
	crawl func(context.Context, options) (result, error) // nil: the client is a separate program
}

// A result is a client's own report. The server reports how many pages it requested and how long it took.
type result struct {
	Pages int   `json:"pages"`
	Disk  int64 `json:"disk"` // bytes of all its files at the end
	Heap  int64 `json:"heap"` // bytes in use at the end, while its files are open
}

var clients = []client{
	{"bare", crawlBare},
	{"colly-async", crawlColly},
	{"eventseer", crawlEventSeer},
	{"eventseer-nolinks", crawlEventSeerWithoutLinks},
	{"scrapy", nil},
}

func clientNames() []string {
	var all []string
	for _, c := range clients {
		all = append(all, c.name)
	}
	return all
}
