package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"text/tabwriter"
	"time"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/cmd/eventseer/internal/engine"
	"eventseer/crawler/fetch"

	"github.com/spf13/cobra"
)

// Limits of a download.
const (
	maxDownload = 2 << 30         // bytes
	maxStall    = 1 * time.Minute // without a byte
)

// A publicSet is a dataset that can be fetched by name.
type publicSet struct {
	name, url, file string
	sha256          string // as published by what, "" where nobody we know publishes one
	what            string
}

// publicSets are the sets known by name. Checksums are taken over from where
// they are published; none is made up from a download of our own.
var publicSets = []publicSet{
	{
		name: "20newsgroups", url: "https://ndownloader.figshare.com/files/5975967", file: "20news-bydate.tar.gz",
		sha256: "8f1b2514ca22a5ade8fbb9cfa5727df95fa587f4c87b786e15c759fa66d95610",
		what:   "20 Newsgroups, 18,846 messages sorted by date (the file and checksum of scikit-learn's fetch_20newsgroups)",
	},
	{
		name: "20newsgroups-original", url: "http://qwone.com/~jason/20Newsgroups/20news-19997.tar.gz", file: "20news-19997.tar.gz",
		what: "20 Newsgroups, the original 19,997 messages",
	},
	{
		name: "dbworld", url: "https://archive.ics.uci.edu/static/public/219/dbworld+e+mails.zip", file: "dbworld.zip",
		what: "UCI DBWorld e-mails, 64 messages as ARFF files in a zip file",
	},
}

func newDataFetchCommand(a *app.App) *cobra.Command {
	var sum string
	cmd := &cobra.Command{
		Use: "fetch NAME|URL -o DIR", Short: "Download a public dataset and check it",
		Example: `  eventseer data fetch                                        # the sets known by name
  eventseer data fetch 20newsgroups -o data
  eventseer data fetch https://example.org/set.csv.gz --sha256 9f86d081884c7d659a2feaa0c55ad015… -o data`,
		Long: `Download a public dataset and check it.

The file appears in DIR once it is whole and its SHA-256 is right. Sets whose
publishers give no checksum, and URLs, need --sha256. Downloads name the program
and --contact, without which there are none; zip files are unpacked by unzip.`,
		Args: args(cobra.MaximumNArgs(1)),
	}
	cmd.Flags().StringVar(&sum, "sha256", "", "the SHA-256 the file must have, 64 hexadecimal digits")
	app.AddConfigFlags(cmd, "allow-private")
	cmd.RunE = func(cmd *cobra.Command, names []string) error {
		if len(names) == 0 {
			return a.WithOutput(writePublicSets)
		}
		set, err := findSet(names[0], strings.ToLower(sum))
		if err != nil {
			return err
		}
		if a.Config.Output == "-" {
			return app.Usagef("-o DIR is needed: the folder the file is put into")
		}
		return fetchData(cmd.Context(), a, set, a.Config.Output)
	}
	return cmd
}

func writePublicSets(w io.Writer) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, s := range publicSets {
		fmt.Fprintf(tw, "%s\t%s\t%s\n\t%s\t\n", s.name, s.what, cmp.Or(s.sha256, "needs --sha256"), s.url)
	}
	return tw.Flush()
}

var isSum = regexp.MustCompile(`^[0-9a-f]{64}$`)

// findSet is the set of a name, or that of a URL, with a checksum.
func findSet(name, sum string) (publicSet, error) {
	if sum != "" && !isSum.MatchString(sum) {
		return publicSet{}, app.Usagef("--sha256 %.70s: 64 hexadecimal digits are needed", sum)
	}
	set := publicSet{name: name, url: name, sha256: sum}
	for _, s := range publicSets {
		if s.name == name {
			set = s
			set.sha256 = cmp.Or(sum, s.sha256)
		}
	}
	u, err := url.Parse(set.url)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return set, app.Usagef("%q is neither a URL nor a set known by name: see `eventseer data fetch`", name)
	}
	if set.file == "" {
		set.file = path.Base(u.Path)
	}
	if set.file == "" || set.file == "." || set.file == "/" || strings.HasPrefix(set.file, ".") || strings.ContainsAny(set.file, "\\\x00") {
		return set, app.Usagef("%s names no file", name)
	}
	if set.sha256 == "" {
		return set, app.Usagef("no checksum of %s is known: give --sha256, from a source you trust", name)
	}
	return set, nil
}

// fetchData brings the file of a set into dir, unless it is there already.
func fetchData(ctx context.Context, a *app.App, set publicSet, dir string) error {
	target := filepath.Join(dir, set.file)
	switch sum, err := engine.HashFile(target); {
	case err == nil && sum == set.sha256:
		a.Logf("%s is there already", target)
		return nil
	case err == nil:
		return fmt.Errorf("%s is there already with sha256 %s, not %s: remove it, or name another folder", target, sum, set.sha256)
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	client, err := fetch.NewClient(fetch.Options{UserAgent: engine.UserAgent(), Contact: a.Config.Contact, AllowPrivate: a.Config.AllowPrivate})
	if err != nil {
		return err
	}
	defer client.CloseIdleConnections()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	part, err := os.CreateTemp(dir, "."+set.file+".*")
	if err != nil {
		return err
	}
	n, err := download(ctx, a, client, set, part)
	if err = errors.Join(err, part.Close()); err == nil {
		err = os.Chmod(part.Name(), 0o644)
	}
	if err == nil {
		err = os.Rename(part.Name(), target)
	}
	if err != nil {
		return errors.Join(err, os.Remove(part.Name()))
	}
	a.Logf("%s: %d bytes, sha256 %s", target, n, set.sha256)
	return nil
}

// download writes the file of a set to w and checks it.
func download(ctx context.Context, a *app.App, client *http.Client, set publicSet, w io.Writer) (int64, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stall := time.AfterFunc(maxStall, func() { cancel(fmt.Errorf("%s: nothing came for %v", set.url, maxStall)) })
	defer stall.Stop()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, set.url, nil)
	if err != nil {
		return 0, err
	}
	res, err := client.Do(req)
	if err != nil {
		return 0, errors.Join(context.Cause(ctx), err)
	}
	defer func() { _ = res.Body.Close() }() // all that counts was read
	if res.StatusCode != http.StatusOK {
		return 0, fmt.Errorf("%s answered with status %s", set.url, res.Status)
	}
	if res.ContentLength > maxDownload {
		return 0, fmt.Errorf("%s has %d bytes, at most %d are fetched", set.url, res.ContentLength, maxDownload)
	}
	h := sha256.New()
	body := alive{res.Body, stall}
	n, err := io.Copy(io.MultiWriter(w, h), io.LimitReader(body, maxDownload+1))
	switch sum := hex.EncodeToString(h.Sum(nil)); {
	case err != nil:
		return n, fmt.Errorf("%s broke off after %d bytes: %w", set.url, n, errors.Join(context.Cause(ctx), err))
	case n > maxDownload:
		return n, fmt.Errorf("%s has more than %d bytes, which is all that is fetched", set.url, maxDownload)
	case sum != set.sha256:
		return n, fmt.Errorf("%s has sha256 %s, not %s: it was changed or is another file, nothing was kept", set.url, sum, set.sha256)
	}
	return n, nil
}

// alive puts off the end of a download whenever something comes.
type alive struct {
	io.Reader
	stall *time.Timer
}

func (a alive) Read(p []byte) (int, error) {
	n, err := a.Reader.Read(p)
	if n > 0 {
		a.stall.Reset(maxStall)
	}
	return n, err
}
