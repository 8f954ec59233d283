package begin

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/engine"
	"github.com/eventseer/eventseer/crawler/fetch"
	"github.com/eventseer/eventseer/crawler/monitor"
	"github.com/eventseer/eventseer/crawler/seeds"
	"github.com/eventseer/eventseer/eventseer/field"
	"github.com/eventseer/eventseer/internal/atomicfile"
	"github.com/eventseer/eventseer/internal/bolt"
	"github.com/eventseer/eventseer/webgraph"
)

// ServiceSeeds returns the seeds of a service's crawls: the URLs and files of the setting seeds,
// then those of the data directory's file. With quiet, invalid lines are not reported.
func ServiceSeeds(a *app.App, quiet bool) ([]string, error) {
	if quiet {
		a = engine.ChildApp(a)
		a.Stderr = io.Discard
	}
	var all []string
	for item := range strings.SplitSeq(a.Config.Seeds, ",") {
		item = strings.TrimSpace(item)
		path, urls := item, []string(nil)
		if strings.Contains(item, "://") {
			path, urls = "", []string{item}
		}
		if item == "" {
			continue
		}
		more, err := ReadSeeds(a, path, urls)
		if err != nil {
			return nil, err
		}
		all = append(all, more...)
	}
	own, err := ReadSeeds(a, filepath.Join(a.Config.Data, app.SeedsFile), nil)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return append(all, own...), nil
}

// AddSeeds appends new URLs to the file of seeds in the data directory, below a comment with their
// source. It returns the number of new ones. The file is replaced atomically.
func AddSeeds(a *app.App, from string, urls []string) (fresh int, err error) {
	path := filepath.Join(a.Config.Data, app.SeedsFile)
	old, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, err
	}
	known := map[string]bool{}
	if err == nil {
		given, _, err := seeds.ReadFile(path)
		if err != nil {
			return 0, err
		}
		for _, seed := range given {
			if u, err := webgraph.Canonical(seed); err == nil {
				known[u] = true
			}
		}
	}
	var b strings.Builder
	if b.Write(old); len(old) > 0 && old[len(old)-1] != '\n' {
		b.WriteByte('\n')
	}
	for _, raw := range urls {
		u, err := webgraph.Canonical(raw)
		if err != nil || known[u] {
			continue
		}
		if fresh++; fresh == 1 {
			fmt.Fprintf(&b, "# %s, added %s\n", from, a.Now().UTC().Format("2006-01-02"))
		}
		known[u] = true
		b.WriteString(u + "\n")
	}
	if fresh == 0 {
		return 0, nil
	}
	if b.Len() > seeds.MaxFile {
		return 0, fmt.Errorf("%s would be larger than %d MB; remove URLs from it, or give fewer", path, seeds.MaxFile>>20)
	}
	if err := os.MkdirAll(a.Config.Data, 0o750); err != nil {
		return 0, err
	}
	return fresh, atomicfile.Write(path, func(w io.Writer) error {
		_, err := io.WriteString(w, b.String())
		return err
	})
}

// ChooseStarting returns the shipped starting points of fields given by ID or name. A discipline means
// all of its fields. Without fields it returns all points; the single word "none" means no points.
func ChooseStarting(words []string) ([]seeds.StartingPoint, error) {
	if len(words) == 1 && strings.TrimSpace(words[0]) == "none" {
		return nil, nil
	}
	var ids []string
	for _, word := range words {
		word = strings.TrimSpace(word)
		if word == "" || word == "all" {
			continue
		}
		if _, ok := field.Named(word); !ok {
			return nil, app.Usagef("there is no field %q; `eventseer fields` lists them", word)
		}
		ids = append(ids, field.Within(word)...)
	}
	return seeds.OfFields(seeds.Starting(), ids), nil
}

// AddStarting adds starting points to the seeds, and those that list calls to the watched pages. It
// returns how many seeds and sources are new.
func AddStarting(a *app.App, points []seeds.StartingPoint) (fresh, watched int, err error) {
	var urls, lists []string
	for _, p := range points {
		if urls = append(urls, p.URL); p.IsWatched() {
			lists = append(lists, p.URL)
		}
	}
	// Add the lists first: if a running service has them open, it must run the whole command.
	if watched, err = WatchLists(a, lists); err != nil {
		return 0, watched, err
	}
	fresh, err = AddSeeds(a, "shipped starting points", urls)
	return fresh, watched, err
}

// WatchLists adds pages that list calls to the watched pages, and returns how many are new.
func WatchLists(a *app.App, urls []string) (fresh int, err error) {
	if len(urls) == 0 {
		return 0, nil
	}
	own := engine.ChildApp(a)
	defer func() { err = errors.Join(err, own.Close()) }()
	m, err := engine.OpenMonitor(own, a.Config.Data, false)
	if err != nil {
		return 0, err
	}
	return addSources(a, m, urls)
}

// addSources makes pages sources, except those that already are.
func addSources(a *app.App, m *monitor.DB, urls []string) (fresh int, err error) {
	for _, u := range urls {
		added, err := m.Add(u, monitor.Index, monitor.ByOperator)
		switch {
		case errors.Is(err, bolt.ErrLocked), errors.Is(err, bolt.ErrIncompatible):
			return fresh, err
		case err != nil:
			a.Logf("source left out: %v", err)
		case added:
			fresh++
		}
	}
	return fresh, nil
}

// WatchConfigured adds the pages of the setting sources to the watched pages.
func WatchConfigured(a *app.App, m *monitor.DB) error {
	var urls []string
	for u := range strings.SplitSeq(a.Config.Sources, ",") {
		if u = strings.TrimSpace(u); u != "" {
			urls = append(urls, u)
		}
	}
	_, err := addSources(a, m, urls)
	return err
}

// WikiCFPFeed returns the address of the feed of a category of WikiCFP.
func WikiCFPFeed(category string) string {
	return "http://www.wikicfp.com/cfp/rss?cat=" + url.QueryEscape(strings.ToLower(strings.TrimSpace(category)))
}

// Answers are the settings for which the setup of a new service asks.
type Answers struct {
	Contact, Listen string
	Fields          []string
}

// maxQuestions is how often a question is asked before start gives up.
const maxQuestions = 3

// AskSettings asks for unknown settings: each line of in answers a question on out, an empty one selects
// the default in brackets. The error names the missing answer.
func AskSettings(in io.Reader, out io.Writer, known Answers, askFields, askListen bool) (Answers, error) {
	lines := bufio.NewScanner(in)
	question := func(text, def string, check func(string) error) (string, error) {
		for range maxQuestions {
			fmt.Fprintf(out, "%s [%s]: ", text, def)
			if !lines.Scan() {
				return "", errors.Join(fmt.Errorf("%s: no answer", text), lines.Err())
			}
			answer := strings.TrimSpace(lines.Text())
			if answer == "" {
				answer = def
			}
			if err := check(answer); err != nil {
				fmt.Fprintf(out, "  %v\n", err)
				continue
			}
			return answer, nil
		}
		return "", fmt.Errorf("%s: no valid answer in %d attempts", text, maxQuestions)
	}
	var err error
	if known.Contact == "" {
		if known.Contact, err = question("Contact for site owners, an e-mail address or URL", "", CheckContact); err != nil {
			return known, err
		}
	}
	if askFields {
		list, err := question("Fields of research, separated by commas (`eventseer fields` lists them; none adds no starting points)", "all", func(s string) error {
			_, err := ChooseStarting(strings.Split(s, ","))
			return err
		})
		if err != nil {
			return known, err
		}
		known.Fields = slices.DeleteFunc(strings.Split(list, ","), func(s string) bool { return strings.TrimSpace(s) == "" })
	}
	if askListen {
		if known.Listen, err = question("Address of the web pages", known.Listen, func(string) error { return nil }); err != nil {
			return known, err
		}
	}
	return known, nil
}

// CheckContact refuses a contact by which no one could be reached.
func CheckContact(contact string) error {
	if contact == "" {
		return errors.New("a contact is needed: site owners must be able to reach you")
	}
	return fetch.CheckContact(contact)
}

// WriteConfig writes a new config file with the present settings, readable only by its owner,
// because passwords may be added. It does not replace a file.
func WriteConfig(a *app.App, path string) error {
	content, err := app.NewConfig(a.Config, a.Origins)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(content)
	return errors.Join(err, f.Close())
}

// PrepareService creates what a service lacks: the config file, the data directory, seeds and sources. Seeds
// and sources come from the starting points of fields. If fields is nil, it asks for them at a terminal and
// otherwise uses all. It also asks at a terminal for a contact if none is known, and checks the result.
func PrepareService(ctx context.Context, a *app.App, config string, fields []string) error {
	_, err := os.Stat(config)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	isNew := err != nil
	known := Answers{Contact: a.Config.Contact, Listen: a.Config.Listen, Fields: fields}
	if known.Contact == "" {
		if !a.IsInteractive() {
			return app.Usagef("start needs --contact if there is no terminal to ask for it: the e-mail address or URL for site owners")
		}
		if known, err = AskSettings(a.Stdin, a.Stderr, known, fields == nil, a.Origins["listen"] == "default"); err != nil {
			return err
		}
	}
	if err := CheckContact(known.Contact); err != nil {
		return app.MarkUsage(err)
	}
	a.Config.Contact, a.Config.Listen = known.Contact, known.Listen
	points, err := ChooseStarting(known.Fields)
	if err != nil {
		return err
	}
	if a.Config.Data, err = filepath.Abs(a.Config.Data); err != nil {
		return err
	}
	if isNew {
		if err := WriteConfig(a, config); err != nil {
			return err
		}
		a.Logf("wrote %s", config)
	} else if origin := a.Origins["contact"]; origin == "default" || origin == "flag" {
		a.Logf("%s is left unchanged; add this line to it: contact: %q", config, known.Contact)
	}
	if err := os.MkdirAll(a.Config.Data, 0o750); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(a.Config.Data, app.SeedsFile)); errors.Is(err, fs.ErrNotExist) || fields != nil {
		fresh, watched, err := AddStarting(a, points)
		if err != nil {
			return err
		}
		a.Logf("%d starting points are added to %s, %d lists of calls to the watched sources", fresh, filepath.Join(a.Config.Data, app.SeedsFile), watched)
	}
	return RunDoctor(ctx, a, false)
}

// ServeCommand returns the command that serves with a config.
func ServeCommand(a *app.App, config string) string {
	if config == a.DefaultConfigPath() {
		return "eventseer serve"
	}
	return "eventseer serve --config " + config
}
