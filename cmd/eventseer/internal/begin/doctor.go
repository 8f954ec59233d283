package begin

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/admin"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/engine"
	"github.com/eventseer/eventseer/crawler/fetch"
	"github.com/eventseer/eventseer/internal/text"
)

// A checkResult is the result of one check of the doctor.
type checkResult struct {
	What  string `json:"what"`
	State string `json:"state"` // good, warn or bad
	Text  string `json:"text"`  // the state, and advice
}

const (
	stateGood = "good"
	stateWarn = "warn"
	stateBad  = "bad"
)

// ErrBad means that the doctor found a problem that must be fixed.
var ErrBad = errors.New("not ready for a service")

// RunDoctor prints the results of all checks: good, bad or a warning. Its error lists the bad ones.
// With network, the hosts of some seeds are requested too.
func RunDoctor(ctx context.Context, a *app.App, network bool) error {
	found := append([]checkResult{
		examineContact(a), examineData(ctx, a), examineSeeds(a), examineClock(a), examineSpace(a), examineTool("pdftotext", "calls in PDF are not read; install pdftotext (Debian: poppler-utils)"),
		examineBacklinks(a), examineRender(a), examineMail(a), examineBase(a), examineToken(a),
	}, slices.Concat(examineConfig(a), examineProxy(a))...)
	if network {
		found = append(found, examineNetwork(ctx, a)...)
	}
	if err := symptomTable.Print(a, found); err != nil {
		return err
	}
	var bad []string
	for _, s := range found {
		if s.State == stateBad {
			bad = append(bad, s.What)
		}
	}
	if len(bad) > 0 {
		return fmt.Errorf("%w: %s; the lines marked bad explain what to do", ErrBad, strings.Join(bad, ", "))
	}
	return nil
}

// examineSeeds checks whether a crawl has seeds.
func examineSeeds(a *app.App) checkResult {
	given, err := ServiceSeeds(a, true)
	switch {
	case err != nil:
		return checkResult{"seeds", stateBad, err.Error()}
	case len(given) == 0:
		return checkResult{"seeds", stateWarn, "there are no seeds, so a service finds nothing new; `eventseer import starting` adds the shipped starting points"}
	}
	return checkResult{"seeds", stateGood, text.Count(len(given), "URL", "URLs")}
}

var symptomTable = app.Table[checkResult]{Line: func(s checkResult) string {
	return fmt.Sprintf("%s\t%s\t%s", s.State, s.What, text.Printable(s.Text))
}}

func examineContact(a *app.App) checkResult {
	if a.Config.Contact == "" {
		return checkResult{"contact", stateBad, "no contact is set, so nothing is crawled; `eventseer start` asks for one"}
	}
	if err := fetch.CheckContact(a.Config.Contact); err != nil {
		return checkResult{"contact", stateBad, err.Error()}
	}
	return checkResult{"contact", stateGood, a.Config.Contact}
}

// examineBacklinks reports who is queried for backlinks, and which provider lacks its key.
func examineBacklinks(a *app.App) checkResult {
	list, why := a.Config.BacklinkProviders()
	if _, err := engine.OpenProviders(a, list); err != nil {
		return checkResult{"backlinks", stateBad, err.Error()}
	}
	if len(list) == 0 {
		return checkResult{"backlinks", stateWarn, why}
	}
	return checkResult{"backlinks", stateGood, why}
}

func examineData(ctx context.Context, a *app.App) checkResult {
	info, err := os.Stat(a.Config.Data)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !canBeCreated(a.Config.Data):
		return checkResult{"data", stateBad, a.Config.Data + " does not exist and cannot be created; name another folder with --data or the setting data"}
	case errors.Is(err, fs.ErrNotExist):
		return checkResult{"data", stateWarn, a.Config.Data + " does not exist yet; crawl and serve create it"}
	case err != nil:
		return checkResult{"data", stateBad, err.Error()}
	case info.Mode().Perm()&0o007 != 0:
		return checkResult{"data", stateWarn, a.Config.Data + " contains addresses of readers and other users can read it; run `chmod o=` on it"}
	}
	if admin.AskAdmin(ctx, a.Config.Data, "/healthz", nil) == nil {
		return checkResult{"data", stateGood, a.Config.Data + ", a process has it open and is healthy"}
	}
	return checkResult{"data", stateGood, a.Config.Data}
}

// canBeCreated reports whether a missing folder can be created. A file is created for that in the
// nearest existing folder above it, and removed.
func canBeCreated(dir string) bool {
	above, err := filepath.Abs(dir)
	for err == nil {
		if _, missing := os.Stat(above); missing == nil || above == filepath.Dir(above) {
			break
		}
		above = filepath.Dir(above)
	}
	f, err := os.CreateTemp(above, ".eventseer-")
	if err != nil {
		return false
	}
	return errors.Join(f.Close(), os.Remove(f.Name())) == nil
}

// leastSpace is the minimum disk space for a month of crawling, in bytes.
const leastSpace = 2 << 30

func examineSpace(a *app.App) checkResult {
	free, err := freeSpace(a.Config.Data)
	switch {
	case err != nil:
		return checkResult{"disk", stateWarn, err.Error()}
	case free < leastSpace:
		return checkResult{"disk", stateBad, fmt.Sprintf("%d MB are free; versions of pages and the index need several GB", free>>20)}
	}
	return checkResult{"disk", stateGood, fmt.Sprintf("%d GB are free", free>>30)}
}

func examineTool(name, without string) checkResult {
	path, err := exec.LookPath(name)
	if err != nil {
		return checkResult{name, stateWarn, "is not installed: " + without}
	}
	return checkResult{name, stateGood, path}
}

func examineRender(a *app.App) checkResult {
	if a.Config.Render == "off" {
		return checkResult{"render", stateGood, "off: pages that are empty until their scripts have run are not read"}
	}
	return examineTool("chromium", "--render needs it")
}

func examineMail(a *app.App) checkResult {
	if a.Config.SMTPServer == "" {
		return checkResult{"mail", stateWarn, "no smtp-server is set, so readers get no mail"}
	}
	if _, err := engine.NewSMTP(a, nil); err != nil {
		return checkResult{"mail", stateBad, err.Error()}
	}
	return checkResult{"mail", stateGood, a.Config.SMTPServer + "; `eventseer mail test ADDRESS` sends a test mail"}
}

func checkBaseURL(a *app.App) error {
	_, err := engine.SiteURL(a)
	return err
}

// examineProxy checks which proxies are trusted to name clients.
func examineProxy(a *app.App) []checkResult {
	switch c := a.Config; {
	case c.UserHeader != "" && c.UserProxies == "":
		return []checkResult{{"proxy", stateBad, NoProxies}}
	case c.UserProxies != "":
		return []checkResult{{"proxy", stateGood, c.UserProxies + " are trusted to name the client"}}
	case c.BaseURL != "" && checkBaseURL(a) == nil && isBehindProxy(c.BaseURL, c.Listen):
		return []checkResult{{"proxy", stateWarn, "base-url is not the address of --listen, so a proxy passes requests on, but user-proxies is empty: all visitors count as one address in limits and in the log; add the proxy's address to user-proxies, and let the proxy set X-Forwarded-For"}}
	}
	return nil
}

// isBehindProxy reports whether visitors of base cannot connect to listen directly; both must be
// valid. Then base is a public site, and listen an address of this machine only.
func isBehindProxy(base, listen string) bool {
	u, err := url.Parse(base)
	host, _, splitErr := net.SplitHostPort(listen)
	return err == nil && splitErr == nil && !app.IsLoopback(u.Hostname()) && app.IsLoopback(host)
}

// examineToken checks whether only the operator can read the token of the operator's pages.
func examineToken(a *app.App) checkResult {
	if a.Config.AdminToken != "" {
		return checkResult{"admin", stateGood, "the setting admin-token is the token of /admin"}
	}
	path := filepath.Join(a.Config.Data, app.TokenFile)
	switch _, err := app.ReadToken(path); {
	case errors.Is(err, fs.ErrNotExist):
		return checkResult{"admin", stateGood, "serve creates a token for /admin at its first start, in " + path}
	case err != nil:
		return checkResult{"admin", stateBad, err.Error()}
	}
	return checkResult{"admin", stateGood, "the token in " + path + " opens /admin"}
}

// examineConfig checks whether others can read the secrets of the config file.
func examineConfig(a *app.App) []checkResult {
	path := a.DefaultConfigPath()
	if f := a.Flags.Lookup("config"); f != nil && f.Changed {
		path = f.Value.String()
	}
	if report, err := a.InspectConfig(path); err == nil && readableByOthers(path, report.Keys) {
		return []checkResult{{"config", stateWarn, path + " contains secrets and other users can read it; run `chmod o=` on it"}}
	}
	return nil
}

// NoProxies is the warning about a user-header without user-proxies.
const NoProxies = "user-header is set without user-proxies, so the header is ignored; add the proxy's address to user-proxies"

func examineBase(a *app.App) checkResult {
	switch base := a.Config.BaseURL; {
	case checkBaseURL(a) != nil:
		return checkResult{"base-url", stateBad, checkBaseURL(a).Error()}
	case base == "":
		return checkResult{"base-url", stateWarn, "is not set, but mails need it for their links"}
	case !strings.HasPrefix(base, "https://"):
		return checkResult{"base-url", stateWarn, base + " does not begin with https, which sessions and one-click unsubscribing need"}
	default:
		return checkResult{"base-url", stateGood, base}
	}
}
