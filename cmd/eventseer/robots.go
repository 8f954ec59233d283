package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"unicode"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/engine"
	"github.com/eventseer/eventseer/crawler/fetch"
	"github.com/eventseer/eventseer/crawler/fetch/robots"
	"github.com/eventseer/eventseer/internal/text"

	"github.com/spf13/cobra"
)

// maxRobotsFile is the maximum number of bytes read of a robots.txt; its parser uses the first 500
// KiB.
const maxRobotsFile = 1 << 20

func newRobotsCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "robots FILE|URL URL…", Short: "Show which URLs a robots.txt allows, and by which rule", Args: usageArgs(cobra.MinimumNArgs(2)), Annotations: formatAnnotations("table", "jsonl"),
		Example: `  eventseer robots robots.txt /private/cfp                              # for this crawler
  eventseer robots robots.txt --agent Googlebot https://conf.example/cfp
  curl -s https://conf.example/robots.txt | eventseer robots - /cfp
  eventseer robots https://conf.example/robots.txt /cfp --contact you@example.org`,
		Long: `Print one line per URL: allowed or disallowed, the deciding rule, the URL, separated
by tabs. FILE is a robots.txt, "-" is stdin; a URL is fetched and treated as in a
crawl: a status of 4xx allows everything, 429 and 5xx nothing (RFC 9309 §2.3.1).
Each URL may be a path, and may be empty, which is "/".

Of --agent the part before the first slash counts, in any letter case: EventSeer,
EventSeer/0.3 and "EventSeer/0.3 (+https://conf.example/bot)" are the same, and
of "Mozilla/5.0 (compatible; …)" it is Mozilla. An agent that no group names, and
an empty one, gets the groups of "*".

Rules are read as Google's parser does, which forgives misspellings; --strict goes
by the letter of RFC 9309.`,
	}
	name, _, _ := strings.Cut(engine.UserAgent(), "/")
	agent := cmd.Flags().String("agent", name, "crawler to test: a product token, also with version")
	strict := cmd.Flags().Bool("strict", false, "parse strictly by RFC 9309")
	app.AddConfigFlags(cmd, "allow-private")
	cmd.RunE = func(cmd *cobra.Command, given []string) error {
		return printRobots(cmd.Context(), a, given[0], given[1:], *agent, *strict)
	}
	return cmd
}

// A robotsVerdict is a line of the robots command.
type robotsVerdict struct {
	URL     string `json:"url"`
	Agent   string `json:"agent"`
	Allowed bool   `json:"allowed"`
	Rule    string `json:"rule"`
	Line    int    `json:"line,omitempty"` // line number of the rule, from 1
}

func printRobots(ctx context.Context, a *app.App, source string, urls []string, agent string, strict bool) error {
	body, status, err := readRobots(ctx, a, source)
	if err != nil {
		return err
	}
	rules := robots.Parse(body)
	if strict {
		rules = robots.ParseStrict(body)
	}
	return a.WithOutput(func(w io.Writer) error {
		write, end := app.RowsIn(a.Config.Format, showVerdict)(w)
		for _, url := range urls {
			allowed, rule := rules.Allowed(agent, url)
			v := robotsVerdict{URL: url, Agent: agent, Allowed: allowed, Rule: rule.String(), Line: rule.Line}
			if status >= 400 {
				v = robotsVerdict{URL: url, Agent: agent, Allowed: status < 500 && status != http.StatusTooManyRequests, Rule: fmt.Sprintf("robots.txt answered %d", status)}
			}
			if err := write(v); err != nil {
				return err
			}
		}
		return end()
	})
}

func showVerdict(w io.Writer, v robotsVerdict) error {
	word := "disallowed"
	if v.Allowed {
		word = "allowed"
	}
	_, err := fmt.Fprintf(w, "%s\t%s\t%s\n", word, cellText(v.Rule), cellText(v.URL))
	return err
}

// cellText returns s unchanged, unless it has characters that a line of cells cannot contain.
func cellText(s string) string {
	if strings.ContainsFunc(s, unicode.IsControl) {
		return text.Printable(s)
	}
	return s
}

// readRobots reads a robots.txt; status is that of a response without one, otherwise 0.
func readRobots(ctx context.Context, a *app.App, source string) (body []byte, status int, err error) {
	switch {
	case source == "-":
		body, err = io.ReadAll(io.LimitReader(a.Stdin, maxRobotsFile))
		return body, 0, err
	case strings.HasPrefix(source, "http://"), strings.HasPrefix(source, "https://"):
		return fetchRobots(ctx, a, source)
	}
	f, err := os.Open(source)
	if err != nil {
		return nil, 0, err
	}
	body, err = io.ReadAll(io.LimitReader(f, maxRobotsFile))
	return body, 0, errors.Join(err, f.Close())
}

func fetchRobots(ctx context.Context, a *app.App, url string) (body []byte, status int, err error) {
	client, err := fetch.NewClient(fetch.Options{UserAgent: engine.UserAgent(), Contact: a.Config.Contact, AllowPrivate: a.Config.AllowPrivate})
	if err != nil {
		return nil, 0, err
	}
	ctx, cancel := context.WithTimeout(ctx, fetch.DefaultTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, 0, app.MarkUsage(err)
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = resp.Body.Close() }() // the body was read already
	if resp.StatusCode >= 400 {
		return nil, resp.StatusCode, nil
	}
	body, err = io.ReadAll(io.LimitReader(resp.Body, maxRobotsFile))
	return body, 0, err
}
